#include "lab/capabilities/dma.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "lab/steps/dma_stress.h"
#include "lab/steps/families.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

constexpr std::uint32_t kEntries = 64;
constexpr std::size_t kGuard = 64;  // bytes around the destination that must not change
constexpr std::uint8_t kGuardByte = 0x3C;
constexpr double kNominalCoreHz = 1e9;

std::string memory_part(const Dma& dma, const std::string& window) {
  return fmt::format("{} ({})", window, dma.part());
}

DmaWindow window_of(const Dma& dma, const std::string& name) {
  for (const DmaWindow& window : dma.windows())
    if (window.name == name) return window;
  throw FailureError({ErrorClass::bench,
                      "no_dma_window",
                      fmt::format("{} reaches no memory called {}", dma.part(), name),
                      dma.part(),
                      {},
                      {},
                      {}});
}

struct Range {
  DmaWindow window;
  std::uint64_t address = 0;
};

Range range_of(StepContext& step, const Dma& dma, const char* window_param, const char* offset_param,
               std::uint64_t length) {
  const DmaWindow window = window_of(dma, step.with(window_param).text());
  const auto offset = static_cast<std::uint64_t>(step.with(offset_param).quantity().value);
  if (offset + length > window.size)
    step.fail({ErrorClass::sequence,
               "out_of_range",
               fmt::format("{} bytes at offset {:#x} do not fit {}, which has {:#x} bytes", length, offset, window.name,
                           window.size),
               window.name,
               {},
               {},
               {}});
  return {window, window.base + offset};
}

/// Source, destination and the guards around it must not touch: the copy would be of what it has overwritten.
void refuse_overlap(StepContext& step, const Range& from, const Range& to, std::uint64_t length) {
  if (from.address >= to.address + length + kGuard || to.address >= from.address + length + kGuard) return;
  step.fail({ErrorClass::sequence,
             "ranges_overlap",
             fmt::format("{} bytes at {:#x} and at {:#x} of {} lie within {} bytes of each other", length,
                         from.address - from.window.base, to.address - to.window.base, to.window.name, kGuard),
             to.window.name,
             {},
             {},
             "give `from_offset` and `to_offset` that are further apart"});
}

/// Reads or writes that the engine must do to prepare or check a copy say which memory they failed on.
template <class Action>
auto on_memory(const Dma& dma, const DmaWindow& window, Action action) {
  try {
    return action();
  } catch (const FailureError& error) {
    Failure failure = error.failure();
    if (failure.symptom == "dma_copy_failed") {
      failure.symptom = "dma_bus_error";
      failure.part = memory_part(dma, window.name);
    }
    throw FailureError(failure);
  }
}

std::uint64_t counter(Dma& dma, const std::string& name) {
  for (const auto& [known, value] : dma.counters())
    if (known == name) return value;
  return 0;
}

[[noreturn]] void fail_completion(StepContext& step, Dma& dma, const DmaCompletion& completion, const Range& from,
                                  const Range& to) {
  const bool reading = completion.status == "read_error";
  const Range& at = reading ? from : to;
  const bool bus = reading || completion.status == "write_error";
  step.fail(
      {ErrorClass::dut, bus ? "dma_bus_error" : "dma_" + completion.status,
       fmt::format("copy {} from {} to {} ended with {} at {:#012x} after {} bytes", completion.id, from.window.name,
                   to.window.name, completion.status, completion.error_address, completion.done),
       bus ? memory_part(dma, at.window.name) : dma.part(),
       fmt::format("descriptor: {:#x} to {:#x}", from.address, to.address), dma.error(),
       bus ? fmt::format("{} answered with a bus error at {:#012x}", at.window.name, completion.error_address)
           : "a descriptor that the engine refuses"});
}

/// Compares, and blames the memory which a second look says is wrong.
void check_bytes(StepContext& step, Dma& dma, const std::vector<std::uint8_t>& expected, const Range& from,
                 const Range& to) {
  const std::vector<std::uint8_t> found =
      on_memory(dma, to.window, [&] { return dma.peek(to.address, expected.size()); });
  std::size_t wrong = 0;
  std::size_t first = expected.size();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (found[i] == expected[i]) continue;
    ++wrong;
    first = std::min(first, i);
  }
  // From host memory the source is beyond doubt; otherwise whichever memory is not the host's is the suspect.
  const std::string suspect = to.window.name == "host" ? from.window.name : to.window.name;
  if (wrong > 0)
    step.note_failure(
        {ErrorClass::dut,
         "dma_data_wrong",
         fmt::format("{} of {} bytes from {} to {} are wrong, the first at offset {:#x}: {:#04x} for {:#04x}", wrong,
                     expected.size(), from.window.name, to.window.name, first, found[first], expected[first]),
         memory_part(dma, suspect),
         {},
         fmt::format("address {:#012x}", to.address + first),
         "the memory or the path to it changes data; no ECC reported it"});
  step.measure("wrong_bytes", {static_cast<double>(wrong), Dimension::none}, Limit::at_most({0, Dimension::none}),
               fmt::format("dma.{}_to_{}.wrong_bytes", from.window.name, to.window.name), memory_part(dma, suspect));
}

void dma_copy(StepContext& step) {
  Dma& dma = step.bench().get<Dma>();
  const auto length = static_cast<std::uint32_t>(step.with("length").quantity().value);
  const Range from = range_of(step, dma, "from", "from_offset", length);
  const Range to = range_of(step, dma, "to", "to_offset", length);
  refuse_overlap(step, from, to, length);
  if (!dma.is_open()) dma.open(kEntries);
  std::mt19937_64 random(step.seed());
  std::vector<std::uint8_t> data(length);
  for (std::uint8_t& byte : data) byte = static_cast<std::uint8_t>(random());
  on_memory(dma, from.window, [&] {
    dma.poke(from.address, data);
    return 0;
  });
  const bool guards =
      to.address >= to.window.base + kGuard && to.address + length + kGuard <= to.window.base + to.window.size;
  const std::vector<std::uint8_t> guard(kGuard, kGuardByte);
  if (guards) {
    dma.poke(to.address - kGuard, guard);
    dma.poke(to.address + length, guard);
  }
  const std::uint64_t before = counter(dma, "cycles_busy");
  const std::uint16_t id = dma.submit({{from.address, to.address, length}}).front();
  // A step that ran out of time may have left copies behind; this one is the last.
  const std::vector<DmaCompletion> completions = dma.wait_all(step.deadline() - kDiagnosis);
  const auto own =
      std::find_if(completions.begin(), completions.end(), [id](const DmaCompletion& c) { return c.id == id; });
  if (own == completions.end())
    step.fail(dut_failure("dma_completion_lost", fmt::format("copy {} has no completion", id), dma.part(), dma.error(),
                          "the engine lost a completion"));
  const DmaCompletion& completion = *own;
  const std::uint64_t cycles = counter(dma, "cycles_busy") - before;
  if (!completion.ok) fail_completion(step, dma, completion, from, to);
  check_bytes(step, dma, data, from, to);
  if (guards) {
    const bool intact =
        dma.peek(to.address - kGuard, kGuard) == guard && dma.peek(to.address + length, kGuard) == guard;
    step.expect("dma.neighbours", intact, "bytes around the destination unchanged", intact ? "unchanged" : "changed",
                dma.part());
  }
  const double rate = cycles > 0 ? static_cast<double>(length) / (static_cast<double>(cycles) / kNominalCoreHz) : 0;
  const std::string slow = to.window.name == "host" || to.window.name == "sram" ? from.window.name : to.window.name;
  if (step.measure("", {rate, Dimension::data_rate}, fmt::format("dma.{}_to_{}.rate", from.window.name, to.window.name),
                   memory_part(dma, slow)) == Verdict::fail)
    step.fail(
        dut_failure("dma_slow",
                    fmt::format("copying {} bytes from {} to {} took {} core cycles: {}", length, from.window.name,
                                to.window.name, cycles, to_text(Quantity{rate, Dimension::data_rate})),
                    memory_part(dma, slow), {},
                    "a memory with too much latency or too little bandwidth, or an engine that is throttled"));
}

/// At least one memory, and none twice: two models of one memory would contradict each other.
std::vector<DmaWindow> windows_of(StepContext& step, const Dma& dma) {
  std::vector<DmaWindow> windows;
  std::set<std::string> names;
  for (const Value& name : step.with("between").list())
    if (names.insert(name.text()).second) windows.push_back(window_of(dma, name.text()));
  if (windows.empty())
    step.fail({ErrorClass::sequence,
               "no_dma_window",
               "dma.stress: `between` names no memory",
               {},
               {},
               {},
               "the sequence needs mending"});
  return windows;
}

void stress(StepContext& step) {
  Dma& dma = step.bench().get<Dma>();
  DmaStressPlan plan;
  plan.transfers = static_cast<std::uint32_t>(step.with("transfers").integer());
  plan.entries = static_cast<std::uint32_t>(step.with("entries").integer());
  plan.longest = static_cast<std::uint32_t>(step.with("longest").quantity().value);
  plan.windows = windows_of(step, dma);
  plan.seed = step.seed();
  dma.open(plan.entries);
  const std::uint64_t before = counter(dma, "cycles_busy");
  const DmaStressResult result = run_dma_stress(step, dma, plan);
  const double took = static_cast<double>(counter(dma, "cycles_busy") - before) / kNominalCoreHz;
  const double rate = took > 0 ? static_cast<double>(result.bytes) / took : 0;
  step.data("dma_stress", nlohmann::json({{"transfers", result.transfers},
                                          {"bytes", result.bytes},
                                          {"duration_s", took},
                                          {"rate", rate},
                                          {"errors", result.wrong_bytes}})
                              .dump());
  step.measure("wrong_bytes", {static_cast<double>(result.wrong_bytes), Dimension::none},
               Limit::at_most({0, Dimension::none}), "dma.stress.wrong_bytes", result.suspect);
  step.measure("wraps", {static_cast<double>(result.transfers) / plan.entries, Dimension::none},
               "dma.stress.ring_wraps", dma.part());
  step.measure("", {rate, Dimension::data_rate}, "dma.stress.rate", dma.part());
  const std::string error = dma.error();
  step.expect("dma.error", error.empty(), "no error latched", error.empty() ? "none" : error, dma.part());
}

ParamSpec size_param(const char* name, const char* doc, const char* fallback, double min, double max) {
  ParamSpec spec = quantity_param(name, Dimension::data, doc, fallback);
  spec.min = min;
  spec.max = max;
  return spec;
}

const std::vector<std::string> kWindows = {"host", "hbm", "sram", "peer"};

StepSpec copy_spec() {
  StepSpec spec;
  spec.verb = "dma.copy";
  spec.doc =
      "Fills the source with random bytes, lets the DMA engine copy them, and compares every byte at the destination "
      "and those around it. The rate is by the "
      "chip's own count of busy cycles at its nominal clock.";
  spec.needs = "dma";
  spec.params = {required(choice_param("from", kWindows, "Memory to read.")),
                 required(choice_param("to", kWindows, "Memory to write.")),
                 size_param("length", "Bytes, 1 B to 64 KiB.", "4 KiB", 1, 65536),
                 size_param("from_offset", "Where in the source.", "0 B", 0, 4e9),
                 size_param("to_offset", "Where in the destination.", "64 B", 0, 4e9)};
  spec.measures = {{"", Dimension::data_rate, "Bytes per second of busy engine, nominal."},
                   {"wrong_bytes", Dimension::none, "Bytes that differ."}};
  spec.example = "{id: to_hbm, do: dma.copy, with: {from: host, to: hbm, length: 64 KiB}, timeout: 2 s}";
  return spec;
}

StepSpec stress_spec() {
  StepSpec spec;
  spec.verb = "dma.stress";
  spec.doc =
      "Random copies between memories, of random lengths and alignments, in random batches, checked byte by byte "
      "against a model of the memories at the end. "
      "Run it for more than four passes over the ring, so that every phase is met.";
  spec.needs = "dma";
  ParamSpec transfers = integer_param("transfers", "Copies.", "320");
  transfers.min = 1;
  transfers.max = 1e6;
  ParamSpec entries = integer_param("entries", "Entries of the ring, a power of two.", "64");
  entries.min = 4;
  entries.max = 4096;
  ParamSpec between;
  between.name = "between";
  between.type = ParamType::list;
  between.element = ParamType::enumeration;
  between.choices = kWindows;
  between.fallback = "[host, hbm, sram]";
  between.doc = "Memories that take part.";
  spec.params = {transfers, entries, between, size_param("longest", "Longest copy.", "1 KiB", 1, 4096)};
  spec.measures = {{"", Dimension::data_rate, "Bytes per second of busy engine, nominal."},
                   {"wrong_bytes", Dimension::none, "Bytes that differ at the end."},
                   {"wraps", Dimension::none, "Passes over the ring."}};
  spec.example =
      "{id: stress, do: dma.stress, with: {transfers: 320, between: [host, hbm, sram, peer]}, timeout: 20 s}";
  return spec;
}

}  // namespace

std::vector<Step> dma_steps() { return {{copy_spec(), dma_copy}, {stress_spec(), stress}}; }

}  // namespace firstlight
