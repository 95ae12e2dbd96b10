#pragma once

#include <cstdint>
#include <deque>

#include "tb/blocks/tensor/instruction_port.h"

namespace tb::blocks::tensor {

/// The data bus at the scratchpad, one word at a time. Calls let cycles pass until the engine has answered.
class BusPort : public Agent {
 public:
  struct Answer {
    std::uint64_t data = 0;
    bool error = false;
  };

  explicit BusPort(BlockBench<Model>& bench) : bench_(bench) { bench.add(*this); }

  Answer read(unsigned partition, unsigned word) { return access({false, partition, word, 0, 0}); }
  Answer write(unsigned partition, unsigned word, std::uint64_t data, unsigned strobes = 0xff) {
    return access({true, partition, word, data, strobes});
  }
  /// Reads random words without end, and looks at no answer: takes the partitions' ports from the engine where it may.
  void disturb(bool on, std::uint64_t seed) { disturb_ = on, dice_ = Dice(seed); }

  void sample() override;
  void drive() override;

 private:
  struct Access {
    bool write;
    unsigned partition;
    unsigned word;
    std::uint64_t data;
    unsigned strobes;
  };
  Answer access(const Access& access);
  void offer(const Access& access);

  BlockBench<Model>& bench_;
  Dice dice_{1};
  bool disturb_ = false;
  std::deque<Access> wanted_;
  bool busy_ = false;  // an access is at the port
  bool ours_ = false;  // and its answer is waited for
  bool answered_ = false;
  Answer answer_;
};

}  // namespace tb::blocks::tensor
