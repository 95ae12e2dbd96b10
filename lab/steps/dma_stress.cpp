#include "lab/steps/dma_stress.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lab/steps/dma_compare.h"
#include "lab/steps/dma_memory.h"
#include "lab/steps/dma_traffic.h"
#include "lab/steps/support.h"

namespace firstlight::steps {

namespace {

constexpr std::size_t kSurelyOld = 8;  // bytes

DmaTrafficPlan traffic_plan(const DmaStressPlan& plan) {
  DmaTrafficPlan out;
  out.longest = plan.longest;
  out.entries = plan.entries;
  out.queues = plan.queues.size();
  out.semaphores = plan.semaphores;
  out.aborts = plan.aborts;
  return out;
}

class Stress {
 public:
  Stress(StepContext& step, Dma& dma, const DmaStressPlan& plan)
      : step_(step),
        dma_(dma),
        plan_(plan),
        traffic_(traffic_plan(plan), plan.seed),
        descriptors_(plan.queues.size(), 0) {}

  DmaStressResult run() {
    for (const DmaWindow& window : plan_.windows) {
      traffic_.add(window);
      const DmaArea& area = traffic_.areas().back();
      on_memory(dma_, window, [&] {
        dma_.poke(window.base, area.bytes);
        return 0;
      });
    }
    while (result_.transfers < plan_.transfers) {
      run_batch(traffic_.next(plan_.transfers - result_.transfers));
      step_.progress(static_cast<double>(result_.transfers) / plan_.transfers,
                     fmt::format("{} of {} transfers", result_.transfers, plan_.transfers));
    }
    for (const DmaArea& area : traffic_.areas()) compare(area);
    result_.wraps = static_cast<double>(*std::min_element(descriptors_.begin(), descriptors_.end())) / plan_.entries;
    return result_;
  }

 private:
  DmaQueue& queue(std::size_t at) { return dma_.queue(plan_.queues[at].engine, plan_.queues[at].index); }
  Instant deadline() const { return step_.deadline() - kDiagnosis; }

  /// The victim is served last, so that the others have work when it is aborted.
  void run_batch(const DmaBatch& batch) {
    std::vector<std::size_t> order;
    for (std::size_t at = 0; at < plan_.queues.size(); ++at)
      if (at != batch.victim) order.push_back(at);
    if (batch.victim != DmaBatch::kNone) order.push_back(batch.victim);
    submitted_.clear();
    for (const std::size_t at : order) submit(at, batch);
    if (batch.victim != DmaBatch::kNone) abort(batch.victim);
    collect(order);
    if (batch.victim != DmaBatch::kNone) queue(batch.victim).clear_error();
    for (const Left& left : left_) check_aborted(left);
    left_.clear();
    result_.transfers += static_cast<std::uint32_t>(batch.transfers.size());
  }

  /// A copy that failed signals no one, so that whoever waits for it runs out of time: the failed one is to be named.
  void collect(const std::vector<std::size_t>& order) {
    try {
      for (const std::size_t at : order)
        for (const DmaCompletion& completion : queue(at).wait_all(deadline())) take(at, completion);
    } catch (const FailureError& error) {
      if (error.failure().symptom == "dma_timeout")
        for (const std::size_t at : order)
          for (const DmaCompletion& completion : queue(at).completions()) take(at, completion);
      throw;
    }
  }

  void submit(std::size_t at, const DmaBatch& batch) {
    std::vector<DmaCopy> copies;
    std::vector<const DmaTransfer*> transfers;
    for (const DmaTransfer& transfer : batch.transfers) {
      if (transfer.queue != at) continue;
      transfers.push_back(&transfer);
      copies.insert(copies.end(), transfer.copies.begin(), transfer.copies.end());
      result_.bytes += transfer.bytes();
    }
    descriptors_[at] += copies.size();
    const std::vector<std::uint16_t> ids = queue(at).submit(copies);
    for (std::size_t i = 0; i < ids.size(); ++i) submitted_[{at, ids[i]}] = transfers[i];
  }

  void abort(std::size_t at) {
    DmaQueue& victim = queue(at);
    if (victim.room() == victim.entries()) return;
    victim.abort(deadline());
    ++result_.aborts;
    for (const DmaCompletion& completion : victim.completions()) take(at, completion);
    victim.resume();
  }

  /// An aborted transfer, and what it says it has done.
  struct Left {
    const DmaTransfer* transfer = nullptr;
    DmaCompletion completion;
  };

  void take(std::size_t at, const DmaCompletion& completion) {
    const auto found = submitted_.find({at, completion.id});
    if (found == submitted_.end())
      step_.fail(dut_failure("dma_unknown_completion",
                             fmt::format("a completion for transfer {} of an earlier step", completion.id),
                             queue(at).part(), {}, "a transfer was left behind by a step that ran out of time"));
    const DmaTransfer& transfer = *found->second;
    if (completion.ok) return;
    if (!transfer.doomed || completion.status != "aborted") fail(at, completion, transfer);
    ++result_.aborted;
    left_.push_back({&transfer, completion});
  }

  /// Bytes up to the one that the completion names are new, each other one is old or new.
  void check_aborted(const Left& left) {
    std::uint64_t passed = 0;
    for (const DmaRow& row : left.transfer->rows) {
      const DmaArea& area = traffic_.areas()[row.area];
      const std::uint64_t address = area.window.base + row.offset;
      const std::vector<std::uint8_t> found = dma_.peek(address, row.after.size());
      for (std::size_t i = 0; i < found.size(); ++i, ++passed) {
        if (found[i] == row.after[i] || (passed >= left.completion.done && found[i] == row.before[i])) continue;
        note_wrong(area, 1, "dma_data_wrong",
                   fmt::format("{}, of a transfer that was aborted after {} bytes",
                               holds(area, row.offset + i, found[i], row.after[i]), left.completion.done));
      }
      traffic_.found(row, found);
    }
  }

  [[noreturn]] void fail(std::size_t at, const DmaCompletion& completion, const DmaTransfer& transfer) {
    const bool reading = completion.status == "read_error";
    const bool bus = reading || completion.status == "write_error";
    const std::string memory = memory_at(bus ? completion.error_address : transfer.copies.front().destination);
    const DmaCopy& copy = transfer.copies.front();
    step_.fail({ErrorClass::dut,
                bus ? "dma_bus_error" : "dma_" + completion.status,
                fmt::format("{} of {} bytes from {:#012x} to {:#012x} ended with {} at {:#012x}",
                            transfer.copies.size() > 1 ? "a chain" : "a copy", transfer.bytes(), copy.source,
                            copy.destination, completion.status, completion.error_address),
                bus ? memory_part(dma_, memory) : queue(at).part(),
                {},
                queue(at).error(),
                bus ? memory + " answered with a bus error" : ""});
  }

  std::string memory_at(std::uint64_t address) {
    for (const DmaArea& area : traffic_.areas())
      if (address >= area.window.base && address - area.window.base < area.window.size) return area.window.name;
    return "memory";
  }

  /// Old and new bytes are random and not made unlike, so that only several of them can be said to be old.
  void compare(const DmaArea& area) {
    const std::vector<std::uint8_t> found =
        on_memory(dma_, area.window, [&] { return dma_.peek(area.window.base, area.bytes.size()); });
    const DmaDifference difference = compare_destination(area.before, area.bytes, found);
    const std::size_t at = difference.first;
    if (difference.wrong >= kSurelyOld && difference.damage == DmaDamage::lost)
      note_wrong(area, difference.wrong, "dma_write_lost",
                 fmt::format("{} bytes of {} are as before the last write of them, the first at {:#012x}",
                             difference.wrong, area.window.name, area.window.base + at));
    else if (difference.wrong > 0)
      note_wrong(area, difference.wrong, "dma_data_wrong", holds(area, at, found[at], area.bytes[at]) + ", at the end");
    if (result_.suspect.empty()) result_.suspect = dma_.part();
  }

  static std::string holds(const DmaArea& area, std::uint64_t offset, unsigned found, unsigned expected) {
    return fmt::format("{} holds {:#04x} for {:#04x} at {:#012x}", area.window.name, found, expected,
                       area.window.base + offset);
  }

  void note_wrong(const DmaArea& area, std::uint64_t bytes, const char* symptom, const std::string& message) {
    const bool first = result_.wrong_bytes == 0;
    result_.wrong_bytes += bytes;
    if (!first) return;
    result_.suspect = memory_part(dma_, area.window.name);
    step_.note_failure({ErrorClass::dut,
                        symptom,
                        message,
                        result_.suspect,
                        {},
                        {},
                        fmt::format("seed {} makes the same copies again", plan_.seed)});
  }

  StepContext& step_;
  Dma& dma_;
  const DmaStressPlan& plan_;
  DmaTraffic traffic_;
  std::map<std::pair<std::size_t, std::uint16_t>, const DmaTransfer*> submitted_;  // of the batch
  std::vector<Left> left_;                                                         // of the batch
  std::vector<std::uint64_t> descriptors_;                                         // by queue
  DmaStressResult result_;
};

}  // namespace

DmaStressResult run_dma_stress(StepContext& step, Dma& dma, const DmaStressPlan& plan) {
  return Stress(step, dma, plan).run();
}

}  // namespace firstlight::steps
