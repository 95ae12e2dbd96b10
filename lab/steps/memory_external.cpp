#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/capabilities/external_memory.h"
#include "lab/steps/families.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr Duration kPoll{10'000'000'000};
constexpr unsigned kBitsOfLane = 8;

ExternalMemory& memory_of(StepContext& step) { return step.bench().get<ExternalMemory>(); }

std::string lane_part(const ExternalMemory& memory, int lane) { return fmt::format("{} lane {}", memory.part(), lane); }
const char* direction_text(bool write) { return write ? "write" : "read"; }
Quantity plain(double value) { return {value, Dimension::none}; }

// ------------------------------------------------------------------------------------------------------- training

std::string window_text(const std::optional<TapWindow>& window) {
  return window ? fmt::format("taps {} to {}", window->first, window->last) : "no window";
}

std::string windows_text(const MemoryLane& lane) {
  return fmt::format("read {}, write {}", window_text(lane.read), window_text(lane.write));
}

/// What the controller says of a training that failed.
Failure training_failure(const ExternalMemory& memory, const MemoryTraining& state, int min_window) {
  const auto at = static_cast<std::size_t>(state.lane);
  const MemoryLane lane = at < state.lanes.size() ? state.lanes[at] : MemoryLane{};
  const std::string part = lane_part(memory, state.lane);
  const char* direction = direction_text(state.write);
  if (state.reason == "no_eye")
    return dut_failure("memory_no_eye",
                       fmt::format("byte lane {} of {} arrives wrong at every pair of taps", state.lane, memory.part()),
                       part, windows_text(lane),
                       "an open or shorted bit of the lane, or its strobe: a bad solder joint");
  if (state.reason == "narrow") {
    const std::optional<TapWindow>& window = state.write ? lane.write : lane.read;
    return dut_failure(
        "memory_window_narrow",
        fmt::format("the {} window of byte lane {} of {} is {} taps wide ({}) where {} are needed", direction,
                    state.lane, memory.part(), window ? window->width() : 0, window_text(window), min_window),
        part, windows_text(lane), "a closed eye: termination, crosstalk, skew within the lane, or a noisy vdd_hbm");
  }
  if (state.reason == "no_window" || state.reason == "check")
    return dut_failure(
        "memory_unstable",
        state.reason == "check"
            ? fmt::format("byte lane {} of {} arrives wrong at the centres of its windows", state.lane, memory.part())
            : fmt::format("byte lane {} of {} has no {} window, though an eye was seen before", state.lane,
                          memory.part(), direction),
        part, windows_text(lane), "a window that moves: an intermittent contact, supply noise or temperature");
  if (state.reason == "bus_error")
    return dut_failure("memory_bus_error", fmt::format("{} answers its training page with an error", memory.part()),
                       memory.part(), state.reason, "the memory is smaller than the bench file says, or refuses");
  if (state.reason == "no_answer")
    return dut_failure("memory_no_answer", fmt::format("{} does not answer its training page", memory.part()),
                       memory.part(), state.reason, "no supply or clock at the memory, or it is held in reset");
  return dut_failure("memory_not_trained", fmt::format("the training of {} ended with {}", memory.part(), state.reason),
                     memory.part(), state.reason, "someone stopped it");
}

MemoryTraining train_to_end(StepContext& step, ExternalMemory& memory, int min_window) {
  const Instant begin = step.time().now();
  memory.start_training(min_window);
  MemoryTraining state;
  const bool done = poll(step, kPoll, step.deadline() - kPoll, [&] {
    state = memory.training();
    return !state.busy;
  });
  if (!done)
    step.fail(dut_failure("memory_train_timeout",
                          fmt::format("the training of {} did not end in {}", memory.part(),
                                      to_text(to_quantity(step.time().now() - begin), 3)),
                          memory.part(), "busy", "the core clock is slower than it should be, or the memory is"));
  return state;
}

void measure_windows(StepContext& step, const ExternalMemory& memory, const MemoryTraining& state, int min_window) {
  const Limit limit = Limit::at_least(plain(min_window));
  int narrowest = memory.taps();
  for (const MemoryLane& lane : state.lanes)
    for (const bool write : {false, true}) {
      const std::optional<TapWindow>& window = write ? lane.write : lane.read;
      const int width = window ? window->width() : 0;
      narrowest = std::min(narrowest, width);
      step.measure(fmt::format("{}_window", direction_text(write)), plain(width), limit,
                   fmt::format("hbm.lane{}.{}_window", lane.lane, direction_text(write)), lane_part(memory, lane.lane));
    }
  step.measure("", plain(narrowest), limit, "hbm.narrowest_window", memory.part());
}

nlohmann::json window_json(const std::optional<TapWindow>& window, int tap) {
  if (!window) return nullptr;
  return {{"first", window->first}, {"last", window->last}, {"tap", tap}};
}

void draw_windows(StepContext& step, const ExternalMemory& memory, const MemoryTraining& state, int min_window) {
  nlohmann::json lanes = nlohmann::json::array();
  for (const MemoryLane& lane : state.lanes)
    lanes.push_back({{"lane", lane.lane},
                     {"read", window_json(lane.read, lane.read_tap)},
                     {"write", window_json(lane.write, lane.write_tap)}});
  step.data(
      "memory_windows",
      nlohmann::json(
          {{"memory", memory.part()}, {"taps", memory.taps()}, {"min_window", min_window}, {"lanes", std::move(lanes)}})
          .dump());
}

/// Wrong bits of each lane at each tap, one direction at a time.
void draw_shmoo(StepContext& step, ExternalMemory& memory) {
  for (const bool write : {false, true})
    step.data("memory_shmoo", nlohmann::json({{"memory", memory.part()},
                                              {"direction", direction_text(write)},
                                              {"bits", memory.probed_bits()},
                                              {"errors", memory.shmoo(write, step.deadline() - kDiagnosis)}})
                                  .dump());
}

void train(StepContext& step) {
  ExternalMemory& memory = memory_of(step);
  const int min_window = static_cast<int>(step.with("min_window").integer());
  const MemoryTraining state = train_to_end(step, memory, min_window);
  if (!state.passed) step.note_failure(training_failure(memory, state, min_window));
  measure_windows(step, memory, state, min_window);
  draw_windows(step, memory, state, min_window);
  if (step.with("shmoo").boolean()) draw_shmoo(step, memory);
}

// ----------------------------------------------------------------------------------------------------------- test

MemoryTestPlan plan_of(StepContext& step, ExternalMemory& memory) {
  MemoryTestPlan plan;
  const std::string pattern = step.with("pattern").text();
  plan.patterns = pattern == "all" ? memory.patterns() : std::vector<std::string>{pattern};
  plan.offset = static_cast<std::uint64_t>(step.with("offset").quantity().value);
  plan.length = static_cast<std::uint64_t>(step.with("length").quantity().value);
  plan.seed = static_cast<std::uint32_t>(step.seed());
  plan.strict = step.with("strict").boolean();
  plan.repair = step.with("repair").boolean();
  const std::uint64_t row = memory.repair().row_bytes;
  if (plan.length == 0 || plan.offset % row != 0 || plan.length % row != 0 || plan.offset + plan.length > memory.size())
    step.fail({ErrorClass::sequence,
               "out_of_range",
               fmt::format("{:#x} bytes at offset {:#x} are not whole rows of {} bytes within the {:#x} bytes of {}",
                           plan.length, plan.offset, row, memory.size(), memory.part()),
               memory.part(),
               {},
               {},
               {}});
  return plan;
}

MemoryTestResult test_to_end(StepContext& step, ExternalMemory& memory, const MemoryTestPlan& plan) {
  const Instant begin = step.time().now();
  memory.start_test(plan);
  MemoryTestResult result;
  const bool done = poll(step, kPoll, step.deadline() - kPoll, [&] {
    result = memory.test();
    return !result.busy;
  });
  if (!done)
    step.fail(dut_failure("memory_bist_timeout",
                          fmt::format("the test of {} did not end in {}", memory.part(),
                                      to_text(to_quantity(step.time().now() - begin), 3)),
                          memory.part(), "busy", "the core clock or the memory is slower than it should be"));
  if (!result.done && !result.no_answer)
    step.fail(dut_failure("memory_bist_stopped", fmt::format("the test of {} was stopped", memory.part()),
                          memory.part(), "stopped", "someone gave the controller another command meanwhile"));
  if (result.no_answer)
    step.fail(dut_failure("memory_no_answer", fmt::format("the test of {} got no answer", memory.part()), memory.part(),
                          "no answer", "the memory lost its supply or clock, or hangs"));
  return result;
}

/// Tests until the test passes or no spare row is left; each round may find a spare row that is bad itself.
MemoryTestResult test_and_repair(StepContext& step, ExternalMemory& memory, const MemoryTestPlan& plan) {
  MemoryTestResult result = test_to_end(step, memory, plan);
  RowRepair state = memory.repair();
  for (int round = 0; round < state.spares && !result.passed && !state.exhausted; ++round) {
    result = test_to_end(step, memory, plan);
    state = memory.repair();
  }
  for (const RowRepair::Spare& spare : state.used)
    step.log(Severity::warning, spare.dead ? fmt::format("{}: spare row {} is bad itself", memory.part(), spare.spare)
                                           : fmt::format("{}: spare row {} stands in for the {} bytes at {:#x}",
                                                         memory.part(), spare.spare, state.row_bytes, spare.offset));
  if (state.exhausted)
    step.note_failure(
        dut_failure("memory_not_repairable",
                    fmt::format("{} has more bad rows than its {} spare rows", memory.part(), state.spares),
                    memory.part(), fmt::format("{} rows in use", state.used.size()),
                    "a defect that spans rows: a column, a decoder, or the memory's supply"));
  step.measure("repaired", plain(static_cast<double>(state.used.size())), Limit::at_most(plain(state.spares)),
               "hbm.bist.repaired", memory.part());
  return result;
}

/// The byte lane that has all errors, if one has.
std::optional<int> only_lane(const MemoryTestResult& result) {
  std::optional<int> lane;
  for (std::size_t i = 0; i < result.lane_errors.size(); ++i) {
    if (result.lane_errors[i] == 0) continue;
    if (lane) return std::nullopt;
    lane = static_cast<int>(i);
  }
  return lane;
}

Failure test_failure(const ExternalMemory& memory, const MemoryTestResult& result) {
  const MemoryTestError& first = *result.first;
  if (first.bus_error)
    return dut_failure("memory_bus_error",
                       fmt::format("{} answers with an error at {:#x} ({}); {} of {} errors are of this kind",
                                   memory.part(), first.offset, first.text, result.bus_errors, result.errors),
                       fmt::format("{} at {:#x}", memory.part(), first.offset), first.text,
                       "the memory refuses that address");
  unsigned bit = 0;
  while (bit + 1 < 64 && ((first.bits >> bit) & 1U) == 0) ++bit;
  const bool one_bit = first.bits == std::uint64_t{1} << bit;
  const std::uint64_t byte = first.offset + bit / kBitsOfLane;
  const std::optional<int> lane = only_lane(result);
  return dut_failure(
      "memory_bist_failed",
      fmt::format("{}: {} wrong words{}; the first at {:#x}, wrong bits {:#018x} ({})", memory.part(), result.errors,
                  lane ? fmt::format(", all on byte lane {}", *lane) : "", first.offset, first.bits, first.text),
      fmt::format("{} at {:#x}", memory.part(), one_bit ? byte : first.offset), first.text,
      one_bit ? fmt::format("bit {} of the byte at {:#x}: a cell that is stuck, coupled or cannot hold its value",
                            bit % kBitsOfLane, byte)
              : "a write that was lost, a row or address line that is bad, or wires that training did not see");
}

void bist(StepContext& step) {
  ExternalMemory& memory = memory_of(step);
  if (!memory.trained())
    step.fail({ErrorClass::sequence,
               "memory_not_trained",
               fmt::format("{} is not trained, so nothing in it can be tested", memory.part()),
               memory.part(),
               {},
               {},
               "memory.train comes first, after each reset of the chip"});
  const MemoryTestPlan plan = plan_of(step, memory);
  const MemoryTestResult result = plan.repair ? test_and_repair(step, memory, plan) : test_to_end(step, memory, plan);
  if (result.first) step.note_failure(test_failure(memory, result));
  step.measure("", plain(static_cast<double>(result.errors)), Limit::at_most(plain(0)), "hbm.bist.errors",
               memory.part());
  step.expect("hbm.ready", memory.ready() == result.passed, result.passed ? "ready" : "not ready",
              memory.ready() ? "ready" : "not ready", memory.part());
}

}  // namespace

std::vector<Step> external_memory_steps() {
  StepSpec training;
  training.verb = "memory.train";
  training.doc =
      "Trains the wires of the external memory: finds the delay taps at which each byte lane arrives right, reading "
      "and "
      "writing, and sets them to the middle. Nothing else reaches the memory before. Content stays.";
  training.needs = ExternalMemory::kName;
  ParamSpec min_window = at_least(integer_param("min_window", "Taps that each window must have.", "8"), 1);
  min_window.max = 64;
  training.params = {min_window,
                     flag_param("shmoo", "Counts the wrong bits of each lane at each tap and draws them (slow).")};
  training.measures = {{"", Dimension::none, "Width of the narrowest window, in taps."},
                       {"read_window", Dimension::none, "Width of a lane's read window, in taps; once for each lane."},
                       {"write_window", Dimension::none, "The same of its write window."}};
  training.example = "{id: hbm_train, do: memory.train, with: {min_window: 8}, timeout: 5 s}";

  StepSpec test;
  test.verb = "memory.bist";
  test.doc =
      "Tests a range of the external memory by its controller's built-in test (March C- over several backgrounds). It "
      "must be trained. With `repair`, rows that fail get spare rows, and the test that counts is the one after that. "
      "Destroys the content of the range, and with `lines` that of the words at powers of two.";
  test.needs = ExternalMemory::kName;
  test.params = {
      choice_param("pattern", {"all", "solid", "checkerboard", "address", "random", "lines"},
                   "The background; `lines` tests the address lines of the whole memory.", "all"),
      quantity_param("offset", Dimension::data, "Where the range begins; whole rows of 1 KiB.", "0 B"),
      quantity_param("length", Dimension::data, "How long it is; whole rows of 1 KiB.", "8 KiB"),
      flag_param("strict",
                 "Word by word, not in bursts: finds every coupling within a row with one background (slow)."),
      flag_param("repair", "Rows that fail get spare rows.")};
  test.measures = {{"", Dimension::none, "Wrong words and bus errors, in the last test."},
                   {"repaired", Dimension::none, "Spare rows in use, with `repair`."}};
  test.example = "{id: hbm_bist, do: memory.bist, with: {length: 8 KiB, repair: true}, timeout: 10 s}";
  return {{training, train}, {test, bist}};
}

}  // namespace firstlight
