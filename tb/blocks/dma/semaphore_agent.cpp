#include "tb/blocks/dma/semaphore_agent.h"

namespace tb::blocks {

void SemaphoreAgent::reset() {
  counts_ = {};
  given = {};
  taken = {};
  attempts = 0;
  taken_ = false;
  dut_.sem_taken_i = 0;
}

void SemaphoreAgent::sample() {
  if (dut_.sem_give_o) {
    ++counts_.at(dut_.sem_give_sem_o);
    ++given.at(dut_.sem_give_sem_o);
  }
  taken_ = false;
  if (!dut_.sem_attempt_o) return;
  ++attempts;
  std::uint64_t& count = counts_.at(dut_.sem_attempt_sem_o);
  if (count < dut_.sem_count_o) return;
  count -= dut_.sem_count_o;
  taken.at(dut_.sem_attempt_sem_o) += dut_.sem_count_o;
  taken_ = true;
}

}  // namespace tb::blocks
