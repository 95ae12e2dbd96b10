#pragma once

#include <cstdint>
#include <optional>

#include "Vmem_dut.h"
#include "tb/blocks/block_bench.h"

namespace tb::blocks::mem {

/// The host window: one 32-bit access at a time, by `begin` and `take`, or blocking.
class WindowPort : public Agent {
 public:
  struct Answer {
    std::uint32_t data = 0;
    bool error = false;
  };

  explicit WindowPort(BlockBench<Vmem_dut>& bench);

  bool busy() const { return busy_; }
  void begin(bool write, unsigned address, std::uint32_t data, unsigned strobes);
  /// The answer of the access that began last, once.
  std::optional<Answer> take();

  Answer read(unsigned address);
  bool write(unsigned address, std::uint32_t data, unsigned strobes = 0xf);
  std::uint64_t read_word(unsigned word);

  void sample() override;
  void drive() override;

 private:
  Answer wait();

  BlockBench<Vmem_dut>& bench_;
  bool busy_ = false;
  std::optional<Answer> answer_;
};

}  // namespace tb::blocks::mem
