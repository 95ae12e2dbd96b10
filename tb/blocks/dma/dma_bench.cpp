#include "tb/blocks/dma/dma_bench.h"

#include <gtest/gtest.h>

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

DmaBench& DmaBench::instance() {
  static DmaBench bench;
  return bench;
}

DmaBench::DmaBench()
    : block("bench"), registers(block), port("dma.m_axi", FL_AXI_PINS(block.dut(), m), memory, seed()) {
  block.add(port);
}

void DmaBench::restart(const RingPlan& plan, std::uint64_t salt) {
  plan_ = plan;
  random_.seed(seed() * 1000003 + salt);
  memory = golden::axi::SparseMemory();
  expected = golden::axi::SparseMemory();
  port.manners = {};
  port.reads.clear();
  port.writes.clear();
  set_faults({});
  tail_ = consumer_ = 0;
  block.dut().throttle_i = 0;
  port.reset();
  block.reset();
  port.reset();

  const std::uint64_t ring = descriptor_bytes << plan.ring_log2;
  const std::uint64_t comp = completion_bytes << plan.comp_log2;
  fill(plan.ring_base - canary, ring + 2 * canary);
  fill(plan.comp_base - canary, comp + 2 * canary);
  for (std::uint32_t i = 0; i < 1U << plan.comp_log2; ++i) poison(static_cast<std::uint16_t>(i));

  registers.write("dma.ring_base_lo", static_cast<std::uint32_t>(plan.ring_base));
  registers.write("dma.ring_base_hi", static_cast<std::uint32_t>(plan.ring_base >> 32));
  registers.write("dma.ring_size", plan.ring_log2);
  registers.write("dma.comp_base_lo", static_cast<std::uint32_t>(plan.comp_base));
  registers.write("dma.comp_base_hi", static_cast<std::uint32_t>(plan.comp_base >> 32));
  registers.write("dma.comp_size", plan.comp_log2);
  registers.write("dma.ctrl.irq_coalesce", plan.irq_coalesce);
  registers.write("dma.ctrl.long_bursts", plan.long_bursts);
  registers.write("dma.ctrl.halt_on_error", plan.halt_on_error);
  registers.write("dma.ctrl.enable", 1);
}

void DmaBench::fill(std::uint64_t addr, std::uint64_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  for (auto& byte : data) byte = static_cast<std::uint8_t>(random_());
  memory.write(addr, data);
  expected.write(addr, data);
}

/// Random bits with the phase of the pass before, as if the engine had never written there.
void DmaBench::poison(std::uint16_t completion) {
  const std::uint64_t entries = std::uint64_t{1} << plan_.comp_log2;
  const std::uint64_t addr = plan_.comp_base + completion % entries * completion_bytes;
  const std::uint64_t phase = (golden::dma::phase_of(completion, plan_.comp_log2) + 3U) & 3U;
  const std::uint64_t low = random_();
  const std::uint64_t high = (random_() & ~(std::uint64_t{3} << 62)) | phase << 62;
  for (auto* target : {&memory, &expected}) {
    target->write64(addr, low);
    target->write64(addr + 8, high);
  }
}

void DmaBench::set_faults(const golden::dma::Faults& faults) {
  faults_ = faults;
  port.read_faults = faults.read;
  port.write_faults = faults.write;
}

Outcome DmaBench::submit(Descriptor descriptor, bool keep_phase) {
  if (!keep_phase) descriptor.phase = golden::dma::phase_of(tail_, plan_.ring_log2);
  return submit_words(golden::dma::encode(descriptor));
}

Outcome DmaBench::submit_words(const DescriptorWords& words) {
  const std::uint64_t entries = std::uint64_t{1} << plan_.ring_log2;
  const std::uint64_t addr = plan_.ring_base + tail_ % entries * descriptor_bytes;
  for (unsigned i = 0; i < words.size(); ++i) {
    memory.write64(addr + std::uint64_t{8} * i, words.at(i));
    expected.write64(addr + std::uint64_t{8} * i, words.at(i));
  }
  golden::dma::DmaModel model({plan_.ring_log2, plan_.comp_log2, plan_.ring_base, plan_.long_bursts}, expected,
                              faults_);
  // One completion a descriptor: both have the same index.
  const Outcome outcome = model.execute(tail_, tail_, words);
  ++tail_;
  return outcome;
}

std::optional<Completion> DmaBench::poll() {
  const std::uint64_t entries = std::uint64_t{1} << plan_.comp_log2;
  const std::uint64_t addr = plan_.comp_base + consumer_ % entries * completion_bytes;
  const CompletionWords words{memory.read64(addr), memory.read64(addr + 8)};
  const Completion completion = golden::dma::decode(words);
  if (completion.phase != golden::dma::phase_of(consumer_, plan_.comp_log2)) return std::nullopt;
  EXPECT_TRUE(golden::dma::well_formed(words)) << "completion " << consumer_;
  // For its next pass the entry looks as if nothing had come yet.
  poison(static_cast<std::uint16_t>(consumer_ + entries));
  ++consumer_;
  return completion;
}

Completion DmaBench::wait(std::uint64_t limit) {
  std::optional<Completion> completion;
  block.cycle_until([&] { return (completion = poll()).has_value(); }, limit);
  if (!completion) {
    ADD_FAILURE() << "no completion " << consumer_ << " in " << limit << " cycles";
    return {};
  }
  return *completion;
}

void DmaBench::settle(const Outcome& outcome, const Completion& completion, const std::vector<std::uint8_t>& source) {
  const std::uint64_t dst = outcome.descriptor.dst;
  if (!outcome.runs) return;
  for (std::uint64_t i = 0; i < outcome.descriptor.bytes; ++i) {
    const std::uint8_t now = memory.read(dst + i);
    if (i < completion.bytes) {
      ASSERT_EQ(now, source.at(i)) << std::hex << "byte " << i << " of the copy to " << dst;
    } else {
      ASSERT_TRUE(now == source.at(i) || now == expected.read(dst + i))
          << std::hex << "byte " << i << " of the failed copy to " << dst << " is neither old nor new";
    }
    expected.write(dst + i, now);
  }
}

void DmaBench::expect(const Outcome& outcome, std::uint64_t limit) {
  const Completion got = wait(limit);
  const Completion& want = outcome.completion;
  EXPECT_EQ(got.tag, want.tag);
  EXPECT_EQ(got.index, want.index);
  EXPECT_EQ(static_cast<int>(got.status), static_cast<int>(want.status)) << "index " << want.index;
  EXPECT_EQ(got.bytes, want.bytes) << "index " << want.index;
  EXPECT_EQ(got.addr, want.addr) << "index " << want.index;
  if (!outcome.runs) return;
  settle(outcome, got, expected.read(outcome.descriptor.src, outcome.descriptor.bytes));
}

void DmaBench::expect_clean() {
  block.cycle(200);
  EXPECT_EQ(registers.read("dma.status.busy"), 0U);
  EXPECT_TRUE(port.idle());
  EXPECT_TRUE(port.checker().idle());
  for (const auto& text : port.checker().violations()) ADD_FAILURE() << text;
  const auto difference = memory.first_difference(expected);
  if (difference) {
    ADD_FAILURE() << std::hex << "memory at 0x" << *difference << " holds " << +memory.read(*difference)
                  << ", expected " << +expected.read(*difference);
  }
}

}  // namespace tb::blocks
