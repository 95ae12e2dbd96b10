#include "lab/capabilities/memory.h"

#include <fmt/format.h>

#include <random>

#include "lab/steps/families.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr Duration kPoll{10'000'000'000};
constexpr int kWordPairs = 8;

Memory& memory_of(StepContext& step) { return step.bench().get<Memory>(); }

/// One run of the built-in test, to its end.
MbistResult test(StepContext& step, ArrayTest& array, bool repair) {
  const Instant begin = step.time().now();
  array.start(repair);
  MbistResult result;
  const bool done = poll(step, kPoll, step.deadline() - kPoll, [&] {
    result = array.result();
    return result.done;
  });
  if (!done)
    step.fail({ErrorClass::dut, "mbist_timeout",
               fmt::format("the memory test of {} did not end in {}", array.part(),
                           to_text(to_quantity(step.time().now() - begin), 3)),
               array.part(), "mbist start", "busy",
               "the core clock is slower than it should be, or the test engine hangs"});
  return result;
}

/// Tests until the test passes or no spare row is left; each round may find a spare row that is bad itself.
MbistResult test_and_repair(StepContext& step, ArrayTest& array) {
  MbistResult result = test(step, array, true);
  MemoryRepair state = array.repair();
  for (int round = 0; round < state.rows && result.first && !state.exhausted; ++round) {
    result = test(step, array, true);
    state = array.repair();
  }
  for (const MemoryRepair::Spare& spare : state.used)
    step.log(Severity::warning,
             spare.dead ? fmt::format("{}: spare row {} is bad itself", array.part(), spare.row)
                        : fmt::format("{}: spare row {} stands in for {}", array.part(), spare.row, spare.where));
  if (state.exhausted)
    step.note_failure({ErrorClass::dut, "mbist_not_repairable",
                       fmt::format("{} has more bad words than its {} spare rows; the first of them: {}", array.part(),
                                   state.rows, result.first ? result.first->text : "none any more"),
                       array.part(), "March C- with repair", fmt::format("{} rows in use", state.used.size()),
                       "a defect that spans rows: a column, a decoder, or the array's supply"});
  step.measure("repaired", {static_cast<double>(state.used.size()), Dimension::none},
               Limit::at_most({static_cast<double>(state.rows), Dimension::none}),
               fmt::format("{}.mbist.repaired", array.name()), array.part());
  return result;
}

void test_array(StepContext& step, ArrayTest& array) {
  const MbistResult result = step.with("repair").boolean() ? test_and_repair(step, array) : test(step, array, false);
  if (result.first)
    step.note_failure(
        {ErrorClass::dut, "mbist_failed",
         fmt::format("{}: {} wrong reads; the first: {}", array.part(), result.failures, result.first->text),
         fmt::format("{} {}", array.part(), result.first->where), "March C-", result.first->text,
         "a cell that is stuck, coupled or cannot hold its value"});
  step.measure("", {static_cast<double>(result.failures), Dimension::none}, Limit::at_most({0, Dimension::none}),
               fmt::format("{}.mbist.failures", array.name()), array.part());
}

void mbist(StepContext& step) {
  Memory& memory = memory_of(step);
  const std::string wanted = step.with("array").text();
  const std::vector<ArrayTest*> arrays = memory.arrays();
  std::string names;
  bool found = false;
  for (ArrayTest* const array : arrays) {
    names += (names.empty() ? "" : ", ") + array->name();
    if (wanted != "all" && wanted != array->name()) continue;
    found = true;
    test_array(step, *array);
    if (array == arrays.front()) memory.fill(0, step.deadline());
  }
  if (!found)
    step.fail({ErrorClass::sequence,
               "unknown_array",
               fmt::format("{} has no array \"{}\" with a built-in test; it has {}", memory.part(), wanted, names),
               memory.part(),
               {},
               {},
               "the sequence needs mending"});
}

/// Random words through the host's window, and back.
void check_words(StepContext& step, Memory& memory) {
  std::mt19937 random(static_cast<std::uint32_t>(step.seed()));
  int wrong = 0;
  for (int i = 0; i < kWordPairs; ++i) {
    const std::uint32_t offset = static_cast<std::uint32_t>(random()) % (memory.size() / 8) * 8;
    const std::vector<std::uint32_t> words = {static_cast<std::uint32_t>(random()),
                                              static_cast<std::uint32_t>(random())};
    memory.write(offset, words);
    if (memory.read(offset, words.size()) != words) ++wrong;
  }
  step.measure("wrong_words", {static_cast<double>(wrong), Dimension::none}, Limit::at_most({0, Dimension::none}),
               "sram.wrong_words", memory.part());
}

void ecc(StepContext& step) {
  Memory& memory = memory_of(step);
  check_words(step, memory);
  const std::uint32_t offset = static_cast<std::uint32_t>(step.seed() % (memory.size() / 8)) * 8;
  const std::uint32_t word = 0x5AC3'0F96U;
  memory.clear_counters();

  memory.inject_error(offset, 1);
  memory.write(offset, {word});
  const std::uint32_t read = memory.read(offset, 1).front();
  EccCounters counters = memory.counters();
  step.expect("sram.ecc.corrected_data", read == word, fmt::format("{:#010x}", word), fmt::format("{:#010x}", read),
              memory.part());
  step.measure("corrected", {static_cast<double>(counters.corrected), Dimension::none},
               Limit::at_least({1, Dimension::none}), "sram.ecc.corrected", memory.part());
  step.expect("sram.ecc.first_address", counters.first_corrected == offset, fmt::format("{:#06x}", offset),
              counters.first_corrected ? fmt::format("{:#06x}", *counters.first_corrected) : "none", memory.part());

  memory.clear_counters();
  memory.inject_error(offset, 2);
  memory.write(offset, {word});
  std::string answer = "data without an error";
  try {
    memory.read(offset, 1);
  } catch (const FailureError& error) {
    if (error.failure().error_class != ErrorClass::dut) throw;
    answer = "error answer";
  }
  counters = memory.counters();
  step.expect("sram.ecc.uncorrected_answer", answer == "error answer", "error answer", answer, memory.part());
  step.measure("uncorrected", {static_cast<double>(counters.uncorrected), Dimension::none},
               Limit::at_least({1, Dimension::none}), "sram.ecc.uncorrected", memory.part());
  memory.fill(0, step.deadline());
  memory.clear_counters();
}

void health(StepContext& step) {
  Memory& memory = memory_of(step);
  const EccCounters counters = memory.counters();
  const std::string part =
      counters.syndrome.empty() ? memory.part() : fmt::format("{}: {}", memory.part(), counters.syndrome);
  step.measure("corrected", {static_cast<double>(counters.corrected), Dimension::none},
               Limit::at_most({0, Dimension::none}), "sram.ecc.corrected", part);
  step.measure("uncorrected", {static_cast<double>(counters.uncorrected), Dimension::none},
               Limit::at_most({0, Dimension::none}), "sram.ecc.uncorrected", part);
}

StepSpec spec_of(const char* verb, const char* doc, std::vector<MeasurableSpec> measures, const char* example,
                 std::vector<ParamSpec> params = {}) {
  StepSpec spec;
  spec.params = std::move(params);
  spec.verb = verb;
  spec.doc = doc;
  spec.needs = "memories";
  spec.measures = std::move(measures);
  spec.example = example;
  return spec;
}

}  // namespace

std::vector<Step> memory_steps() {
  return {{spec_of("memory.mbist",
                   "Runs the built-in test (March C-) of the chip's memories over every cell, check bits included, and "
                   "fills them afterwards. With `repair`, words that fail get spare rows, and the test that counts is "
                   "the one after "
                   "that. Destroys the content.",
                   {{"", Dimension::none, "Wrong reads, in the last test."},
                    {"repaired", Dimension::none, "Spare rows in use, with `repair`."}},
                   "{id: mbist, do: memory.mbist, with: {array: sram, repair: true}, timeout: 10 s}",
                   {text_param("array", "Which of them, by name; `all`: one after the other.", "all"),
                    flag_param("repair", "Words that fail get spare rows.")}),
           mbist},
          {spec_of("memory.ecc",
                   "Proves the error correction: random words through the host's window, then one flipped bit that "
                   "must be corrected and counted, then two that must "
                   "be answered with an error and counted. Destroys the content.",
                   {{"wrong_words", Dimension::none, "Word pairs that read back wrong."},
                    {"corrected", Dimension::none, "Corrected errors counted."},
                    {"uncorrected", Dimension::none, "Uncorrected errors counted."}},
                   "{id: ecc, do: memory.ecc, timeout: 2 s}"),
           ecc},
          {spec_of("memory.health", "Checks that no ECC error was met since the counters were cleared.",
                   {{"corrected", Dimension::none, "Corrected errors."},
                    {"uncorrected", Dimension::none, "Uncorrected errors."}},
                   "{id: sram_ok, do: memory.health}"),
           health}};
}

}  // namespace firstlight
