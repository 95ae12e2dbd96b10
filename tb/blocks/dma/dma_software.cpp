#include "tb/blocks/dma/dma_software.h"

#include <gtest/gtest.h>

#include "tb/blocks/dma/dma_bench.h"

namespace tb::blocks {

using golden::dma::Completion;
using golden::dma::completion_bytes;
using golden::dma::CompletionWords;
using golden::dma::Descriptor;
using golden::dma::descriptor_bytes;
using golden::dma::DescriptorWords;
using golden::dma::Outcome;

namespace {
constexpr std::uint64_t canary = 256;  // bytes before and behind each ring
}

std::string DmaSoftware::name(const std::string& reg) const {
  const auto dot = reg.find('.');
  return "dma." + reg.substr(0, dot) + "[" + std::to_string(queue_) + "]" +
         (dot == std::string::npos ? "" : reg.substr(dot));
}

std::uint32_t DmaSoftware::read(const std::string& reg) { return bench_.registers.read(name(reg)); }
void DmaSoftware::write(const std::string& reg, std::uint32_t value) { bench_.registers.write(name(reg), value); }

void DmaSoftware::restart(const RingPlan& plan) {
  plan_ = plan;
  plan_.ring_base += queue_ * queue_distance;
  plan_.comp_base += queue_ * queue_distance;
  tail_ = consumer_ = ended_ = 0;
  model_.emplace(
      golden::dma::Settings{plan_.ring_log2, plan_.comp_log2, plan_.ring_base, bench_.queue(0).plan().long_bursts},
      bench_.expected, bench_.faults());

  const std::uint64_t ring = descriptor_bytes << plan_.ring_log2;
  const std::uint64_t comp = completion_bytes << plan_.comp_log2;
  bench_.fill(plan_.ring_base - canary, ring + 2 * canary);
  bench_.fill(plan_.comp_base - canary, comp + 2 * canary);
  for (std::uint32_t i = 0; i < 1U << plan_.comp_log2; ++i) poison(static_cast<std::uint16_t>(i));

  write("ring_base_lo", static_cast<std::uint32_t>(plan_.ring_base));
  write("ring_base_hi", static_cast<std::uint32_t>(plan_.ring_base >> 32));
  write("ring_size", plan_.ring_log2);
  write("comp_base_lo", static_cast<std::uint32_t>(plan_.comp_base));
  write("comp_base_hi", static_cast<std::uint32_t>(plan_.comp_base >> 32));
  write("comp_size", plan_.comp_log2);
  write("q_ctrl.irq_coalesce", plan_.irq_coalesce);
  write("q_ctrl.halt_on_error", plan_.halt_on_error);
  write("q_ctrl.enable", 1);
}

/// Random bits with the phase of the pass before, as if the engine had never written there.
void DmaSoftware::poison(std::uint16_t completion) {
  const std::uint64_t entries = std::uint64_t{1} << plan_.comp_log2;
  const std::uint64_t addr = plan_.comp_base + completion % entries * completion_bytes;
  const std::uint64_t phase = (golden::dma::phase_of(completion, plan_.comp_log2) + 3U) & 3U;
  const std::uint64_t low = bench_.generator()();
  const std::uint64_t high = (bench_.generator()() & ~(std::uint64_t{3} << 62)) | phase << 62;
  for (auto* target : {&bench_.memory, &bench_.expected}) {
    target->write64(addr, low);
    target->write64(addr + 8, high);
  }
}

Outcome DmaSoftware::submit(Descriptor descriptor) {
  descriptor.phase = golden::dma::phase_of(tail_, plan_.ring_log2);
  return submit_words(golden::dma::encode(descriptor));
}

Outcome DmaSoftware::submit_words(const DescriptorWords& words) {
  const std::uint64_t entries = std::uint64_t{1} << plan_.ring_log2;
  const std::uint64_t addr = plan_.ring_base + tail_ % entries * descriptor_bytes;
  for (unsigned i = 0; i < words.size(); ++i) {
    bench_.memory.write64(addr + std::uint64_t{8} * i, words.at(i));
    bench_.expected.write64(addr + std::uint64_t{8} * i, words.at(i));
  }
  return model_->execute(tail_++, words);
}

std::optional<Completion> DmaSoftware::poll() {
  const std::uint64_t entries = std::uint64_t{1} << plan_.comp_log2;
  const std::uint64_t addr = plan_.comp_base + consumer_ % entries * completion_bytes;
  const CompletionWords words{bench_.memory.read64(addr), bench_.memory.read64(addr + 8)};
  const Completion completion = golden::dma::decode(words);
  if (completion.phase != golden::dma::phase_of(consumer_, plan_.comp_log2)) return std::nullopt;
  EXPECT_TRUE(golden::dma::well_formed(words)) << "completion " << consumer_ << " of queue " << queue_;
  // For its next pass the entry looks as if nothing had come yet.
  poison(static_cast<std::uint16_t>(consumer_ + entries));
  ++consumer_;
  ended_ = static_cast<std::uint16_t>(completion.index + 1);
  return completion;
}

Completion DmaSoftware::wait(std::uint64_t limit) {
  std::optional<Completion> completion;
  bench_.block.cycle_until([&] { return (completion = poll()).has_value(); }, limit);
  if (!completion) {
    ADD_FAILURE() << "no completion " << consumer_ << " of queue " << queue_ << " in " << limit << " cycles";
    return {};
  }
  return *completion;
}

void DmaSoftware::expect(const Outcome& outcome, std::uint64_t limit) {
  const Completion got = wait(limit);
  ASSERT_TRUE(outcome.completion.has_value());
  const Completion& want = *outcome.completion;
  EXPECT_EQ(got.tag, want.tag);
  EXPECT_EQ(got.index, want.index);
  EXPECT_EQ(static_cast<int>(got.status), static_cast<int>(want.status)) << "index " << want.index;
  EXPECT_EQ(got.bytes, want.bytes) << "index " << want.index;
  EXPECT_EQ(got.addr, want.addr) << "index " << want.index;
  bench_.settle(outcome, outcome.good);
}

}  // namespace tb::blocks
