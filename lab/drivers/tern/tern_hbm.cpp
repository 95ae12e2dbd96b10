#include "lab/drivers/tern/tern_hbm.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/core/failure.h"
#include "lab/drivers/tern/fields.h"

namespace firstlight::tern {
namespace {

constexpr double kProbeCoreCycles = 200;
constexpr std::uint32_t kWholeRow = 7;  // log2 of the words of a block

std::string indexed(const char* name, int i) { return fmt::format("hbm.{}[{}]", name, i); }

}  // namespace

TernHbm::TernHbm(std::string name, Registers& registers, BenchTime& time, TernClock clock, std::uint64_t size)
    : name_(std::move(name)), registers_(registers), time_(time), clock_(clock), size_(size) {}

int TernHbm::lanes() const { return static_cast<int>(registers_.map().find("hbm.rd_tap[0]").found->reg->count); }

int TernHbm::taps() const { return 1 << registers_.map().find("hbm.rd_tap[0].tap").found->field->width; }

void TernHbm::command(const std::string& name) {
  registers_.write("hbm.irq_status.refused", 1);
  registers_.write("hbm.command." + name, 1);
  if (registers_.read("hbm.irq_status.refused") == 0) return;
  const Fields status(registers_, "hbm.status", registers_.read("hbm.status"));
  Failure failure;
  failure.error_class = ErrorClass::dut;
  failure.symptom = "memory_busy";
  failure.message = fmt::format("the controller of {} refuses `{}`", part(), name);
  failure.part = part();
  failure.sent = fmt::format("hbm.command.{} = 1", name);
  failure.received = fmt::format("hbm.status {:#010x}, engine {}", status.raw(), status.name("engine"));
  failure.likely_cause = status["waiting"] != 0 ? "the memory has not answered what was asked of it before"
                         : status["busy"] != 0  ? "an engine works still"
                                                : "it is not trained, or the range is not within its size";
  throw FailureError(failure);
}

void TernHbm::start_training(int min_window) {
  registers_.write("hbm.size", static_cast<std::uint32_t>(size_));
  registers_.write("hbm.train_ctrl.min_window", static_cast<std::uint32_t>(min_window));
  command("train");
}

MemoryTraining TernHbm::training() {
  MemoryTraining out;
  const Fields status(registers_, "hbm.status", registers_.read("hbm.status"));
  out.busy = status["busy"] != 0;
  if (out.busy) return out;
  out.passed = status["trained"] != 0;
  const Fields result(registers_, "hbm.train_result", registers_.read("hbm.train_result"));
  out.reason = result.name("reason");
  out.lane = static_cast<int>(result["lane"]);
  out.write = result["direction"] != 0;
  const auto window = [&](const char* name, int lane) -> std::optional<TapWindow> {
    const Fields fields(registers_, indexed(name, lane), registers_.read(indexed(name, lane)));
    if (fields["valid"] == 0) return std::nullopt;
    return TapWindow{static_cast<int>(fields["first"]), static_cast<int>(fields["last"])};
  };
  for (int lane = 0; lane < lanes(); ++lane)
    out.lanes.push_back({lane, window("rd_window", lane), window("wr_window", lane),
                         static_cast<int>(registers_.read(indexed("rd_tap", lane))),
                         static_cast<int>(registers_.read(indexed("wr_tap", lane)))});
  return out;
}

bool TernHbm::trained() { return registers_.read("hbm.status.trained") != 0; }
bool TernHbm::ready() { return registers_.read("hbm.status.ready") != 0; }

TernHbm::Taps TernHbm::all_taps() {
  Taps taps;
  for (int lane = 0; lane < lanes(); ++lane) {
    taps.read.push_back(registers_.read(indexed("rd_tap", lane)));
    taps.write.push_back(registers_.read(indexed("wr_tap", lane)));
  }
  return taps;
}

void TernHbm::set(const Taps& taps) {
  for (int lane = 0; lane < lanes(); ++lane) {
    registers_.write(indexed("rd_tap", lane), taps.read[static_cast<std::size_t>(lane)]);
    registers_.write(indexed("wr_tap", lane), taps.write[static_cast<std::size_t>(lane)]);
  }
}

void TernHbm::set_all(bool write, int tap) {
  const Fields all(registers_, "hbm.tap_all");
  const auto raw = static_cast<std::uint32_t>(tap);
  registers_.write("hbm.tap_all", write ? all.place("wr", raw) | all.place("set_wr", 1)
                                        : all.place("rd", raw) | all.place("set_rd", 1));
}

void TernHbm::probe(bool write, bool read, Instant deadline) {
  const Fields ctrl(registers_, "hbm.probe_ctrl");
  registers_.write("hbm.probe_ctrl", ctrl.place("write", write ? 1 : 0) | ctrl.place("read", read ? 1 : 0));
  command("probe");
  while (registers_.read("hbm.status.busy") != 0) {
    if (time_.now() >= deadline) {
      Failure failure;
      failure.error_class = ErrorClass::dut;
      failure.symptom = "memory_no_answer";
      failure.message = fmt::format("{}: a training page was not answered in time", part());
      failure.part = part();
      failure.sent = "hbm.command.probe = 1";
      failure.received = "hbm.status.busy = 1";
      failure.likely_cause = "the memory does not answer";
      throw FailureError(failure);
    }
    time_.sleep(clock_.core_cycles(kProbeCoreCycles));
  }
}

std::vector<std::vector<int>> TernHbm::shmoo(bool write, Instant deadline) {
  const Taps trained = all_taps();
  std::vector<std::vector<int>> out;
  try {
    if (!write) probe(true, false, deadline);
    for (int tap = 0; tap < taps(); ++tap) {
      set_all(write, tap);
      probe(write, true, deadline);
      std::vector<int>& wrong = out.emplace_back();
      for (int lane = 0; lane < lanes(); ++lane)
        wrong.push_back(static_cast<int>(registers_.read(indexed("lane_errors", lane))));
    }
  } catch (...) {
    set(trained);
    throw;
  }
  set(trained);
  return out;
}

std::vector<std::string> TernHbm::patterns() const {
  std::vector<std::string> names;
  for (const auto& [name, raw] : registers_.map().find("hbm.bist_position.test").found->field->values)
    names.push_back(name);
  return names;
}

void TernHbm::start_test(const MemoryTestPlan& plan) {
  const Fields ctrl(registers_, "hbm.bist_ctrl");
  const Fields position(registers_, "hbm.bist_position");
  std::uint32_t tests = 0;
  for (const std::string& pattern : plan.patterns) tests |= 1U << position.value_of("test", pattern);
  registers_.write("hbm.bist_ctrl", ctrl.place("tests", tests) | ctrl.place("burst", plan.strict ? 0 : kWholeRow) |
                                        ctrl.place("repair", plan.repair ? 1 : 0));
  registers_.write("hbm.bist_seed", plan.seed);
  registers_.write("hbm.bist_base", static_cast<std::uint32_t>(plan.offset));
  registers_.write("hbm.bist_length", static_cast<std::uint32_t>(plan.length));
  command("bist");
}

MemoryTestResult TernHbm::test() {
  MemoryTestResult out;
  out.busy = registers_.read("hbm.status.busy") != 0;
  if (out.busy) return out;
  const Fields state(registers_, "hbm.bist", registers_.read("hbm.bist"));
  out.done = state["done"] != 0;
  out.no_answer = state["no_answer"] != 0;
  out.passed = out.done && state["fail"] == 0;
  out.errors = registers_.read("hbm.bist_errors");
  out.bus_errors = registers_.read("hbm.bist_bus_errors");
  for (int lane = 0; lane < lanes(); ++lane)
    out.lane_errors.push_back(registers_.read(indexed("bist_lane_errors", lane)));
  const Fields first(registers_, "hbm.bist_first", registers_.read("hbm.bist_first"));
  if (first["valid"] == 0) return out;
  MemoryTestError error;
  error.offset = registers_.read("hbm.bist_first_address");
  const std::uint64_t low = registers_.read("hbm.bist_first_bits[0]");
  const std::uint64_t high = registers_.read("hbm.bist_first_bits[1]");
  error.bits = (high << 32U) | low;
  error.bus_error = first["bus_error"] != 0;
  error.text = fmt::format("pattern {}, march element {}", first.name("test"), first["element"]);
  out.first = error;
  return out;
}

RowRepair TernHbm::repair() {
  RowRepair out;
  const RegisterInfo& reg = *registers_.map().find("hbm.repair[0]").found->reg;
  out.spares = static_cast<int>(reg.count);
  for (int spare = 0; spare < out.spares; ++spare) {
    const Fields fields(registers_, indexed("repair", spare), registers_.read(indexed("repair", spare)));
    out.row_bytes = fields.place("row", 1);
    if (fields["enable"] != 0) out.used.push_back({spare, fields.place("row", fields["row"]), fields["dead"] != 0});
  }
  out.exhausted = registers_.read("hbm.repair_status.exhausted") != 0;
  return out;
}

}  // namespace firstlight::tern
