#include <unistd.h>

#include <iostream>

#include "lab/cli/application.h"
#include "lab/cli/lab_station.h"
#include "lab/drivers/registry.h"
#include "lab/report/views.h"
#include "lab/steps/step.h"
#include "rtl/regs/tern_registers.h"
#include "tb/bench/virtual_bench.h"

namespace {

firstlight::Vocabulary vocabulary() {
  firstlight::Vocabulary all;
  all.resources = firstlight::resource_type_specs();
  all.drivers = firstlight::driver_type_specs();
  all.rail_measures = firstlight::rail_measure_specs();
  for (const auto& step : firstlight::all_steps()) all.steps.push_back(step.spec);
  all.faults = tb::model_fault_specs();
  all.register_names = firstlight::tern_registers().names();
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  firstlight::cli::Surroundings surroundings;
  surroundings.vocabulary = vocabulary();
  surroundings.registers = &firstlight::tern_registers();
  surroundings.model = tb::make_virtual_station;
  surroundings.listening_model = tb::make_listening_station;
  surroundings.lab = firstlight::cli::make_lab_station;
  surroundings.build_drivers = firstlight::build_drivers;
  surroundings.find_step = firstlight::find_step;
  surroundings.write_views = firstlight::report::write_views;
  surroundings.out = &std::cout;
  surroundings.err = &std::cerr;
  surroundings.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  surroundings.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
  surroundings.watch_signals = true;
  return firstlight::cli::run_command_line({argv + 1, argv + argc}, surroundings);
}
