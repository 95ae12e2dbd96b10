#include "lab/capabilities/dma.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "lab/steps/dma_copy.h"
#include "lab/steps/dma_memory.h"
#include "lab/steps/dma_stress.h"
#include "lab/steps/families.h"
#include "lab/steps/support.h"

namespace firstlight {

namespace {

using namespace steps;  // NOLINT(google-build-using-namespace): the helpers of this folder

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

/// The first `queues` of the first `engines`, so many of them as the chip has.
std::vector<DmaStressPlan::Queue> queues_of(const StepContext& step, const Dma& dma) {
  const unsigned engines = std::min(dma.engines(), static_cast<unsigned>(step.with("engines").integer()));
  const unsigned queues = std::min(dma.queues(), static_cast<unsigned>(step.with("queues").integer()));
  std::vector<DmaStressPlan::Queue> out;
  for (unsigned index = 0; index < queues; ++index)
    for (unsigned engine = 0; engine < engines; ++engine) out.push_back({engine, index});
  return out;
}

/// Of the engine that was busy longest.
std::uint64_t busy_cycles(Dma& dma) {
  std::uint64_t most = 0;
  for (unsigned engine = 0; engine < dma.engines(); ++engine) most = std::max(most, dma.busy_cycles(engine));
  return most;
}

void stress(StepContext& step) {
  Dma& dma = step.bench().get<Dma>();
  DmaStressPlan plan;
  plan.transfers = static_cast<std::uint32_t>(step.with("transfers").integer());
  plan.entries = static_cast<std::uint32_t>(step.with("entries").integer());
  plan.longest = static_cast<std::uint32_t>(step.with("longest").quantity().value);
  plan.windows = windows_of(step, dma);
  plan.queues = queues_of(step, dma);
  plan.semaphores = step.with("semaphores").boolean();
  plan.aborts = step.with("aborts").boolean();
  plan.seed = step.seed();
  for (unsigned engine = 0; engine < dma.engines(); ++engine) dma.clear_counters(engine);
  for (const DmaStressPlan::Queue& queue : plan.queues) dma.queue(queue.engine, queue.index).open(plan.entries);
  const DmaStressResult result = run_dma_stress(step, dma, plan);
  const double took = static_cast<double>(busy_cycles(dma)) / kNominalCoreHz;
  const double rate = took > 0 ? static_cast<double>(result.bytes) / took : 0;
  step.data("dma_stress", nlohmann::json({{"transfers", result.transfers},
                                          {"bytes", result.bytes},
                                          {"queues", plan.queues.size()},
                                          {"aborts", result.aborts},
                                          {"aborted", result.aborted},
                                          {"duration_s", took},
                                          {"rate", rate},
                                          {"errors", result.wrong_bytes}})
                              .dump());
  step.measure("wrong_bytes", {static_cast<double>(result.wrong_bytes), Dimension::none},
               Limit::at_most({0, Dimension::none}), "dma.stress.wrong_bytes", result.suspect);
  step.measure("wraps", {result.wraps, Dimension::none}, "dma.stress.ring_wraps", dma.part());
  step.measure("aborted", {static_cast<double>(result.aborted), Dimension::none}, "dma.stress.aborted", dma.part());
  step.measure("", {rate, Dimension::data_rate}, "dma.stress.rate", dma.part());
  for (const DmaStressPlan::Queue& queue : plan.queues) {
    DmaQueue& one = dma.queue(queue.engine, queue.index);
    const std::string error = one.error();
    step.expect(fmt::format("dma{}.queue{}.error", queue.engine, queue.index), error.empty(), "no error latched",
                error.empty() ? "none" : error, one.part());
  }
}

StepSpec stress_spec() {
  StepSpec spec;
  spec.verb = "dma.stress";
  spec.doc =
      "Random traffic over the queues of the engines: copies of random lengths and alignments, 2-D copies, chains, and "
      "copies that must wait for others, in random batches; now and then a queue is aborted while the others run. "
      "Every "
      "byte is checked against a model of the memories, and canaries behind rings and buffers. Run it for more than "
      "four passes over each ring, so that every phase is met.";
  spec.needs = "dma";
  ParamSpec between;
  between.name = "between";
  between.type = ParamType::list;
  between.element = ParamType::enumeration;
  between.choices = dma_window_names();
  between.fallback = "[host, hbm, sram]";
  between.doc = "Memories that take part.";
  spec.params = {integer_param("transfers", "Transfers: copies, or chains of them.", "320", 1, 1e6),
                 integer_param("entries", "Entries of each ring, a power of two.", "8", 4, 4096),
                 between,
                 size_param("longest", "Longest copy.", "1 KiB", 1, 4096),
                 integer_param("engines", "How many engines take part.", "2", 1, 2),
                 integer_param("queues", "How many queues of each engine take part.", "4", 1, 4),
                 flag_param("semaphores", "Copies also wait for those of other queues.", "true"),
                 flag_param("aborts", "Queues are aborted while others run.", "true")};
  spec.measures = {{"", Dimension::data_rate, "Bytes per second of busy engine, nominal."},
                   {"wrong_bytes", Dimension::none, "Bytes that differ."},
                   {"wraps", Dimension::none, "Passes over its ring that every queue has made."},
                   {"aborted", Dimension::none, "Transfers that an abort ended."}};
  spec.example =
      "{id: stress, do: dma.stress, with: {transfers: 320, between: [host, hbm, sram, peer]}, timeout: 20 s}";
  return spec;
}

}  // namespace

std::vector<Step> dma_steps() { return {dma_copy_step(), {stress_spec(), stress}}; }

}  // namespace firstlight
