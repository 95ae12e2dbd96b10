#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lab/capabilities/dma.h"
#include "lab/capabilities/registers.h"
#include "lab/core/bench_time.h"
#include "lab/drivers/tern/tern_clock.h"
#include "lab/transports/dma_memory.h"

namespace firstlight::tern {

struct Completion;

/// Tern's DMA engine: rings in host memory, registers of block `dma`. Host memory is laid out as descriptor ring,
/// canary, completion ring, canary, bounce buffer, and then the window that sequences use.
class TernDma : public Dma {
 public:
  TernDma(std::string name, Registers& registers, std::shared_ptr<DmaMemory> memory, BenchTime& time, TernClock clock,
          std::uint64_t hbm_bytes);

  std::string part() const override { return name_ + " dma"; }
  std::vector<DmaWindow> windows() const override;
  void open(std::uint32_t entries) override;
  void close() override;
  bool is_open() const override { return entries_ != 0; }
  std::uint32_t entries() const override { return entries_; }
  std::vector<std::uint16_t> submit(const std::vector<DmaCopy>& copies) override;
  std::vector<DmaCompletion> completions() override;
  std::vector<DmaCompletion> wait_all(Instant deadline) override;
  std::vector<std::uint8_t> peek(std::uint64_t address, std::size_t count) override;
  void poke(std::uint64_t address, const std::vector<std::uint8_t>& bytes) override;
  std::vector<std::pair<std::string, std::uint64_t>> counters() override;
  void clear_counters() override;
  std::string error() override;
  void clear_error() override;

 private:
  [[noreturn]] void fail(const std::string& symptom, const std::string& message, const std::string& cause,
                         const std::string& blamed = {}) const;
  void check_canaries() const;
  void lay_out();
  void program();
  bool in_host(std::uint64_t address, std::size_t count) const;
  void bounce(std::uint64_t source, std::uint64_t destination, std::uint32_t length);
  void check_doorbell() const;
  DmaCompletion accept(const Completion& record);
  std::string pointers() const;

  std::string name_;
  Registers& registers_;
  std::shared_ptr<DmaMemory> memory_;
  BenchTime& time_;
  TernClock clock_;
  std::uint64_t hbm_bytes_;
  std::uint32_t entries_ = 0;
  unsigned log2_ = 0;
  std::uint16_t tail_ = 0;      // free-running
  std::uint16_t consumer_ = 0;  // free-running
  std::uint16_t next_tag_ = 0;
  std::map<std::uint16_t, DmaCopy> outstanding_;  // by tag
};

}  // namespace firstlight::tern
