#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/capabilities/dma_queue.h"
#include "lab/capabilities/registers.h"
#include "lab/core/bench_time.h"
#include "lab/drivers/tern/tern_clock.h"
#include "lab/transports/dma_memory.h"

namespace firstlight::tern {

struct Completion;

/// One queue of one of Tern's DMA engines: rings in host memory (dma_layout.h), registers of block `dma0` or `dma1`.
class TernDmaQueue : public DmaQueue {
 public:
  TernDmaQueue(std::string chip, unsigned engine, unsigned index, Registers& registers,
               std::shared_ptr<DmaMemory> memory, BenchTime& time, TernClock clock);

  std::string part() const override;
  void open(std::uint32_t entries) override;
  void close() override;
  bool is_open() const override { return entries_ != 0; }
  std::uint32_t entries() const override { return entries_; }
  std::uint32_t room() const override { return entries_ - in_ring_; }
  std::vector<std::uint16_t> submit(const std::vector<DmaCopy>& copies) override;
  std::vector<DmaCompletion> completions() override;
  std::vector<DmaCompletion> wait_all(Instant deadline) override;
  void abort(Instant deadline) override;
  void resume() override;
  std::string error() override;
  void clear_error() override;

 private:
  /// What one completion will stand for.
  struct Transfer {
    std::uint64_t bytes = 0;
    std::uint32_t descriptors = 0;
  };

  [[noreturn]] void fail(const std::string& symptom, const std::string& message, const std::string& cause,
                         const std::string& blamed = {}) const;
  [[noreturn]] void fail_stale(unsigned descriptor) const;
  [[noreturn]] void fail_lost() const;
  [[noreturn]] void fail_late(Duration late) const;
  std::string reg(const char* name) const;
  std::string pointers() const;
  std::string why_none_comes() const;
  std::uint64_t descriptors_at() const;
  std::uint64_t completions_at() const;
  void lay_out();
  void program();
  void check_room(std::size_t copies) const;
  void check_doorbell() const;
  void check_canaries() const;
  DmaCompletion accept(const Completion& record);

  std::string chip_;
  unsigned engine_;
  unsigned index_;
  Registers& registers_;
  std::shared_ptr<DmaMemory> memory_;
  BenchTime& time_;
  TernClock clock_;
  std::uint32_t entries_ = 0;
  unsigned log2_ = 0;
  std::uint16_t tail_ = 0;      // free-running
  std::uint16_t consumer_ = 0;  // free-running
  std::uint16_t next_tag_ = 0;
  std::uint32_t in_ring_ = 0;                      // descriptors whose transfer has no completion
  std::map<std::uint16_t, Transfer> outstanding_;  // by tag
};

}  // namespace firstlight::tern
