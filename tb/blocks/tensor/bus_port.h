#pragma once

#include <cstdint>
#include <vector>

#include "tb/blocks/dma/axi_manager_agent.h"
#include "tb/blocks/tensor/instruction_port.h"

namespace tb::blocks::tensor {

/// The data bus at the scratchpad. Calls let cycles pass until the engine has answered.
class BusPort : public Agent {
 public:
  struct Answer {
    std::uint64_t data = 0;
    bool error = false;
  };

  explicit BusPort(BlockBench<Model>& bench);

  Answer read(unsigned partition, unsigned word);
  Answer write(unsigned partition, unsigned word, std::uint64_t data, unsigned strobes = 0xff);
  /// Words one after the other, in bursts. None may meet an error.
  std::vector<std::uint64_t> read_words(unsigned partition, unsigned first, unsigned count);
  void write_words(unsigned partition, unsigned first, const std::vector<std::uint64_t>& words);
  /// Reads random words without end, and looks at no answer: takes the partitions' ports from the engine where it may.
  void disturb(bool on, std::uint64_t seed) { disturb_ = on, dice_ = Dice(seed); }
  /// Forgets what is open, as the engine's reset does.
  void reset() { axi.reset(); }

  void sample() override {}
  void drive() override;

  AxiManagerAgent axi;

 private:
  void settle();

  BlockBench<Model>& bench_;
  Dice dice_{1};
  bool disturb_ = false;
};

}  // namespace tb::blocks::tensor
