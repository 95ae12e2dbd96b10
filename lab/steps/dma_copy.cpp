#include "lab/steps/dma_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "lab/capabilities/dma.h"
#include "lab/steps/dma_memory.h"
#include "lab/steps/support.h"

namespace firstlight::steps {

namespace {

constexpr std::uint32_t kEntries = 64;
constexpr std::size_t kGuard = 64;  // bytes around the destination that must not change
constexpr std::uint8_t kGuardByte = 0x3C;

/// Rows in one memory.
struct Range {
  DmaWindow window;
  std::uint64_t address = 0;
  std::uint32_t stride = 0;  // from row to row
  std::uint64_t extent = 0;  // from the first byte to behind the last one
};

struct Plan {
  unsigned engine = 0;
  unsigned queue = 0;
  std::uint32_t length = 0;
  std::uint32_t rows = 0;
  Range from;
  Range to;

  std::uint64_t bytes() const { return std::uint64_t{length} * rows; }
  std::string name() const { return fmt::format("dma.{}_to_{}", from.window.name, to.window.name); }
};

Range range_of(StepContext& step, const Dma& dma, const std::string& side, const Plan& plan) {
  Range range;
  range.window = window_of(dma, step.with(side).text());
  const auto offset = static_cast<std::uint64_t>(step.with(side + "_offset").quantity().value);
  range.stride = static_cast<std::uint32_t>(step.with(side + "_stride").quantity().value);
  if (range.stride == 0) range.stride = plan.length;
  range.extent = std::uint64_t{range.stride} * (plan.rows - 1) + plan.length;
  if (offset + range.extent > range.window.size)
    step.fail({ErrorClass::sequence,
               "out_of_range",
               fmt::format("{} bytes at offset {:#x} do not fit {}, which has {:#x} bytes", range.extent, offset,
                           range.window.name, range.window.size),
               range.window.name,
               {},
               {},
               {}});
  range.address = range.window.base + offset;
  return range;
}

/// Rows that lie over each other at the destination have no one right content.
void refuse_folded_rows(StepContext& step, const Plan& plan) {
  if (plan.to.stride >= plan.length) return;
  step.fail({ErrorClass::sequence,
             "rows_overlap",
             fmt::format("rows of {} bytes lie over each other at a stride of {} bytes", plan.length, plan.to.stride),
             plan.to.window.name,
             {},
             {},
             "`to_stride` is less than `length`"});
}

/// Source, destination and the guards around it must not touch: the copy would be of what it has overwritten.
void refuse_overlap(StepContext& step, const Plan& plan) {
  const Range& from = plan.from;
  const Range& to = plan.to;
  if (from.address >= to.address + to.extent + kGuard || to.address >= from.address + from.extent + kGuard) return;
  step.fail({ErrorClass::sequence,
             "ranges_overlap",
             fmt::format("{} bytes at {:#x} and at {:#x} of {} lie within {} bytes of each other", plan.bytes(),
                         from.address - from.window.base, to.address - to.window.base, to.window.name, kGuard),
             to.window.name,
             {},
             {},
             "give `from_offset` and `to_offset` that are further apart"});
}

Plan plan_of(StepContext& step, const Dma& dma) {
  Plan plan;
  plan.engine = static_cast<unsigned>(step.with("engine").integer());
  plan.queue = static_cast<unsigned>(step.with("queue").integer());
  plan.length = static_cast<std::uint32_t>(step.with("length").quantity().value);
  plan.rows = static_cast<std::uint32_t>(step.with("rows").integer());
  plan.from = range_of(step, dma, "from", plan);
  plan.to = range_of(step, dma, "to", plan);
  refuse_folded_rows(step, plan);
  refuse_overlap(step, plan);
  return plan;
}

[[noreturn]] void fail_completion(StepContext& step, Dma& dma, const DmaCompletion& completion, const Plan& plan) {
  const bool reading = completion.status == "read_error";
  const Range& at = reading ? plan.from : plan.to;
  const bool bus = reading || completion.status == "write_error";
  DmaQueue& queue = dma.queue(plan.engine, plan.queue);
  step.fail({ErrorClass::dut, bus ? "dma_bus_error" : "dma_" + completion.status,
             fmt::format("copy {} from {} to {} ended with {} at {:#012x} after {} bytes", completion.id,
                         plan.from.window.name, plan.to.window.name, completion.status, completion.error_address,
                         completion.done),
             bus ? memory_part(dma, at.window.name) : queue.part(),
             fmt::format("descriptor: {:#x} to {:#x}", plan.from.address, plan.to.address), queue.error(),
             bus ? fmt::format("{} answered with a bus error at {:#012x}", at.window.name, completion.error_address)
                 : "a descriptor that the engine refuses"});
}

/// Fills the source; gives what the destination must hold afterwards, the gaps between its rows as well.
std::vector<std::uint8_t> prepare(StepContext& step, Dma& dma, const Plan& plan) {
  std::mt19937_64 random(step.seed());
  std::vector<std::uint8_t> source(plan.from.extent);
  for (std::uint8_t& byte : source) byte = static_cast<std::uint8_t>(random());
  on_memory(dma, plan.from.window, [&] {
    dma.poke(plan.from.address, source);
    return 0;
  });
  std::vector<std::uint8_t> expected(plan.to.extent, kGuardByte);
  if (plan.rows > 1) dma.poke(plan.to.address, expected);
  for (std::uint64_t row = 0; row < plan.rows; ++row)
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(row * plan.from.stride), plan.length,
                expected.begin() + static_cast<std::ptrdiff_t>(row * plan.to.stride));
  return expected;
}

/// Compares, and blames the memory that is not the host's.
void check_bytes(StepContext& step, Dma& dma, const std::vector<std::uint8_t>& expected, const Plan& plan) {
  const std::vector<std::uint8_t> found =
      on_memory(dma, plan.to.window, [&] { return dma.peek(plan.to.address, expected.size()); });
  std::size_t wrong = 0;
  std::size_t first = expected.size();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (found[i] == expected[i]) continue;
    ++wrong;
    first = std::min(first, i);
  }
  const std::string& from = plan.from.window.name;
  const std::string& to = plan.to.window.name;
  // From host memory the source is beyond doubt; otherwise whichever memory is not the host's is the suspect.
  const std::string suspect = to == "host" ? from : to;
  if (wrong > 0)
    step.note_failure({ErrorClass::dut,
                       "dma_data_wrong",
                       fmt::format("{} of {} bytes from {} to {} are wrong, the first at offset {:#x}: {:#04x} for "
                                   "{:#04x}",
                                   wrong, expected.size(), from, to, first, found[first], expected[first]),
                       memory_part(dma, suspect),
                       {},
                       fmt::format("address {:#012x}", plan.to.address + first),
                       "the memory or the path to it changes data; no ECC reported it"});
  step.measure("wrong_bytes", {static_cast<double>(wrong), Dimension::none}, Limit::at_most({0, Dimension::none}),
               plan.name() + ".wrong_bytes", memory_part(dma, suspect));
}

/// What lies before and behind the destination, where its memory goes on.
class Guards {
 public:
  Guards(Dma& dma, const Range& to) : dma_(dma), to_(to) {
    there_ =
        to.address >= to.window.base + kGuard && to.address + to.extent + kGuard <= to.window.base + to.window.size;
    if (!there_) return;
    dma_.poke(before(), bytes());
    dma_.poke(behind(), bytes());
  }
  void check(StepContext& step) const {
    if (!there_) return;
    const bool intact = dma_.peek(before(), kGuard) == bytes() && dma_.peek(behind(), kGuard) == bytes();
    step.expect("dma.neighbours", intact, "bytes around the destination unchanged", intact ? "unchanged" : "changed",
                dma_.part());
  }

 private:
  static std::vector<std::uint8_t> bytes() { return std::vector<std::uint8_t>(kGuard, kGuardByte); }
  std::uint64_t before() const { return to_.address - kGuard; }
  std::uint64_t behind() const { return to_.address + to_.extent; }

  Dma& dma_;
  const Range& to_;
  bool there_ = false;
};

/// @return cycles in which the engine was busy with it
std::uint64_t copy(StepContext& step, Dma& dma, const Plan& plan) {
  DmaQueue& queue = dma.queue(plan.engine, plan.queue);
  if (!queue.is_open()) queue.open(kEntries);
  DmaCopy one;
  one.source = plan.from.address;
  one.destination = plan.to.address;
  one.length = plan.length;
  one.rows = plan.rows;
  one.source_stride = plan.rows > 1 ? plan.from.stride : 0;
  one.destination_stride = plan.rows > 1 ? plan.to.stride : 0;
  const std::uint64_t before = dma.busy_cycles(plan.engine);
  const std::uint16_t id = queue.submit({one}).front();
  // A step that ran out of time may have left copies behind; this one is the last.
  const std::vector<DmaCompletion> completions = queue.wait_all(step.deadline() - kDiagnosis);
  const auto own =
      std::find_if(completions.begin(), completions.end(), [id](const DmaCompletion& c) { return c.id == id; });
  if (own == completions.end())
    step.fail(dut_failure("dma_completion_lost", fmt::format("copy {} has no completion", id), queue.part(),
                          queue.error(), "the engine lost a completion"));
  if (!own->ok) fail_completion(step, dma, *own, plan);
  return dma.busy_cycles(plan.engine) - before;
}

void run(StepContext& step) {
  Dma& dma = step.bench().get<Dma>();
  const Plan plan = plan_of(step, dma);
  const std::vector<std::uint8_t> expected = prepare(step, dma, plan);
  const Guards guards(dma, plan.to);
  const std::uint64_t cycles = copy(step, dma, plan);
  check_bytes(step, dma, expected, plan);
  guards.check(step);
  const double rate =
      cycles > 0 ? static_cast<double>(plan.bytes()) / (static_cast<double>(cycles) / kNominalCoreHz) : 0;
  const std::string& from = plan.from.window.name;
  const std::string& to = plan.to.window.name;
  const std::string slow = to == "hbm" || to == "peer" ? to : from;
  if (step.measure("", {rate, Dimension::data_rate}, plan.name() + ".rate", memory_part(dma, slow)) == Verdict::fail)
    step.fail(dut_failure("dma_slow",
                          fmt::format("copying {} bytes from {} to {} took {} core cycles: {}", plan.bytes(), from, to,
                                      cycles, to_text(Quantity{rate, Dimension::data_rate})),
                          memory_part(dma, slow), {},
                          "a memory with too much latency or too little bandwidth, or an engine that is throttled"));
}

}  // namespace

Step dma_copy_step() {
  StepSpec spec;
  spec.verb = "dma.copy";
  spec.doc =
      "Fills the source with random bytes, lets a queue of a DMA engine copy them, and compares every byte at the "
      "destination and those around it. With `rows`, a 2-D copy, and the gaps between its rows are compared too. The "
      "rate is by the chip's own count of busy cycles at its nominal clock.";
  spec.needs = "dma";
  spec.params = {
      required(choice_param("from", dma_window_names(), "Memory to read.")),
      required(choice_param("to", dma_window_names(), "Memory to write.")),
      size_param("length", "Bytes of a row, 1 B to 64 KiB.", "4 KiB", 1, 65536),
      size_param("from_offset", "Where in the source.", "0 B", 0, 4e9),
      size_param("to_offset", "Where in the destination.", "64 B", 0, 4e9),
      integer_param("rows", "Rows.", "1", 1, 65535),
      size_param("from_stride", "From row to row of the source; 0 B: rows lie together.", "0 B", 0, 16777215),
      size_param("to_stride", "From row to row of the destination; 0 B: rows lie together.", "0 B", 0, 16777215),
      integer_param("engine", "Which engine.", "0", 0, 1),
      integer_param("queue", "Which of its queues.", "0", 0, 3)};
  spec.measures = {{"", Dimension::data_rate, "Bytes per second of busy engine, nominal."},
                   {"wrong_bytes", Dimension::none, "Bytes that differ."}};
  spec.example = "{id: to_hbm, do: dma.copy, with: {from: host, to: hbm, length: 64 KiB, engine: 1}, timeout: 2 s}";
  return {spec, run};
}

}  // namespace firstlight::steps
