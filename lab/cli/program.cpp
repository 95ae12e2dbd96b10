#include "lab/cli/program.h"

#include <unistd.h>

#include <iostream>

#include "lab/cli/lab_station.h"
#include "lab/drivers/registry.h"
#include "lab/drivers/scpi/personality_text.h"
#include "lab/report/views.h"
#include "lab/steps/step.h"
#include "lab/steps/undo.h"
#include "rtl/regs/tern_registers.h"
#include "tb/bench/virtual_bench.h"

namespace firstlight::cli {

namespace {

Vocabulary vocabulary() {
  Vocabulary all;
  all.resources = resource_type_specs();
  all.drivers = driver_type_specs();
  all.rail_measures = rail_measure_specs();
  for (const auto& step : all_steps()) all.steps.push_back(step.spec);
  all.faults = tb::model_fault_specs();
  all.instruments = instrument_specs();
  all.register_names = tern_registers().names();
  return all;
}

}  // namespace

Surroundings whole_program() {
  Surroundings all;
  all.vocabulary = vocabulary();
  all.registers = &tern_registers();
  all.model = tb::make_virtual_station;
  all.listening_model = tb::make_listening_station;
  all.lab = make_lab_station;
  all.build_drivers = build_drivers;
  all.build_reachable_drivers = build_reachable_drivers;
  all.check_drivers = check_drivers;
  all.check_personality = check_personality;
  all.personality_schema = scpi::personality_schema;
  all.find_step = find_step;
  all.undo = undo_table();
  all.write_views = report::write_views;
  all.out = &std::cout;
  all.err = &std::cerr;
  all.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  all.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
  all.guarded = true;
  all.watch_signals = true;
  return all;
}

}  // namespace firstlight::cli
