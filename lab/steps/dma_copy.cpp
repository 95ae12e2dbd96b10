#include "lab/steps/dma_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "lab/capabilities/dma.h"
#include "lab/steps/dma_compare.h"
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

/// What the destination holds before and must hold after the copy.
struct Content {
  std::vector<std::uint8_t> old;
  std::vector<std::uint8_t> expected;
};

/// Whether the destination is filled with guard bytes. Otherwise it is read and not written, so that the copy's own
/// write is the first: a memory that loses one would lose that of the old content. Rows have guard bytes between them,
/// and the neighbour's memory may never have been written, so that reading it is an error.
bool fills_destination(const Plan& plan) { return plan.rows > 1 || plan.to.window.name == "peer"; }

std::vector<std::uint8_t> old_content(Dma& dma, const Plan& plan) {
  return on_memory(dma, plan.to.window, [&] {
    if (!fills_destination(plan)) return dma.peek(plan.to.address, plan.to.extent);
    std::vector<std::uint8_t> guards(plan.to.extent, kGuardByte);
    dma.poke(plan.to.address, guards);
    return guards;
  });
}

/// Fills the source with bytes that are unlike those at the destination.
Content prepare(StepContext& step, Dma& dma, const Plan& plan) {
  Content content;
  content.old = old_content(dma, plan);
  std::mt19937_64 random(step.seed());
  std::vector<std::uint8_t> source(plan.from.extent);
  for (std::size_t i = 0; i < source.size(); ++i)
    source[i] = unlike(fills_destination(plan) ? kGuardByte : content.old[i], static_cast<std::uint8_t>(random()));
  on_memory(dma, plan.from.window, [&] {
    dma.poke(plan.from.address, source);
    return 0;
  });
  content.expected = content.old;
  for (std::uint64_t row = 0; row < plan.rows; ++row)
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(row * plan.from.stride), plan.length,
                content.expected.begin() + static_cast<std::ptrdiff_t>(row * plan.to.stride));
  return content;
}

/// From host memory the source is beyond doubt; otherwise whichever memory is not the host's is the suspect. What was
/// not written is missing in the destination.
std::string suspect_of(const Dma& dma, const DmaDifference& difference, const Plan& plan) {
  const std::string& to = plan.to.window.name;
  return memory_part(dma, to == "host" && difference.damage != DmaDamage::lost ? plan.from.window.name : to);
}

Failure failure_of(const DmaDifference& difference, const Content& content, std::uint8_t found, const Plan& plan) {
  const std::string& to = plan.to.window.name;
  const std::string many =
      fmt::format("{} of {} bytes from {} to {}", difference.wrong, content.expected.size(), plan.from.window.name, to);
  Failure failure;
  failure.error_class = ErrorClass::dut;
  failure.received = fmt::format("address {:#012x}", plan.to.address + difference.first);
  if (difference.damage == DmaDamage::lost) {
    failure.symptom = "dma_write_lost";
    failure.message = fmt::format("{} did not arrive, the first at offset {:#x}: {:#04x} stands there as before", many,
                                  difference.first, found);
    failure.likely_cause = fmt::format("{} or the path to it lost a write that it has answered", to);
    return failure;
  }
  failure.symptom = "dma_data_wrong";
  failure.message = fmt::format("{} are wrong, the first at offset {:#x}: {:#04x} for {:#04x}", many, difference.first,
                                found, content.expected[difference.first]);
  failure.likely_cause = "the memory or the path to it changes data; no ECC reported it";
  if (difference.damage == DmaDamage::misplaced) {
    failure.symptom = "dma_data_misplaced";
    failure.message += fmt::format("; what belongs at {:#x} stands at {:#x}", difference.home, difference.stray);
    failure.likely_cause = "an address is wrong on its way or in the memory: the data are whole";
  }
  return failure;
}

void check_bytes(StepContext& step, Dma& dma, const Content& content, const Plan& plan) {
  const std::vector<std::uint8_t> found =
      on_memory(dma, plan.to.window, [&] { return dma.peek(plan.to.address, content.expected.size()); });
  const DmaDifference difference = compare_destination(content.old, content.expected, found);
  const std::string part = suspect_of(dma, difference, plan);
  if (difference.wrong > 0) {
    Failure failure = failure_of(difference, content, found[difference.first], plan);
    failure.part = part;
    step.note_failure(failure);
  }
  step.measure("wrong_bytes", {static_cast<double>(difference.wrong), Dimension::none},
               Limit::at_most({0, Dimension::none}), plan.name() + ".wrong_bytes", part);
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
  const Content content = prepare(step, dma, plan);
  const Guards guards(dma, plan.to);
  const std::uint64_t cycles = copy(step, dma, plan);
  check_bytes(step, dma, content, plan);
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
      "destination and those around it: a write that was lost leaves what stood there before. "
      "So the destination is read first, and memory with ECC must have been filled; the neighbour's is written. With "
      "`rows`, a 2-D copy, and the gaps between its rows are compared too. The "
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
