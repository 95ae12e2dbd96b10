#include <gtest/gtest.h>

#include "tb/blocks/register_walk.h"
#include "tb/blocks/tensor/tensor_bench.h"

namespace tb::blocks::tensor {
namespace {

/// Each instruction waits for the one before it, by semaphores 0 and 1 in turn.
class InOrder {
 public:
  explicit InOrder(TensorBench& bench) : bench_(bench) {}
  void submit(Instruction i) {
    i.wait_sem = count_ % 2;
    i.wait_count = count_ == 0 ? 0 : 1;
    ++count_;
    i.signal_sem = count_ % 2;
    i.signal = true;
    bench_.submit(i);
  }

 private:
  TensorBench& bench_;
  unsigned count_ = 0;
};

TEST(TensorBasic, MultipliesOneTileOfFp32) {
  TensorBench& bench = TensorBench::instance();
  bench.restart(1);
  const auto [rows, cols] = bench.shape();
  InOrder program(bench);
  program.submit(make(Opcode::kLoad, 0, 0, rows, cols, 0));
  program.submit(make(Opcode::kMultiply, 0, 5, rows, cols, 256));
  program.submit(make(Opcode::kStore, 0, 5, 0, cols, 512));
  bench.finish();
  bench.expect_stored();
  bench.expect_everything();
}

}  // namespace
}  // namespace tb::blocks::tensor
