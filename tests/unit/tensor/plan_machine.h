#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "lab/drivers/tern/tensor/gemm.h"
#include "tb/golden/tensor/tensor_model.h"

namespace firstlight::tern::tensor {

/// What the parts of the machine take their time for.
struct Pace {
  bool random = false;         // any time at all, so that in the end every order that the semaphores allow comes
  std::uint64_t latency = 40;  // cycles, of the memory
  double beat = 1;             // cycles for 8 bytes
};

/// Matrices in memory, as `layout_of` says.
using Memory = std::map<Matrix, std::vector<std::uint8_t>>;

/// The golden engine with its three queues, and a move engine for each direction, which nothing but semaphores orders.
/// A move takes effect at once when it begins, or when it ends, and so does an instruction.
class PlanMachine {
 public:
  PlanMachine(const Engine& engine, Memory& memory, const Pace& pace, std::uint64_t seed);

  /// Throws std::runtime_error when nothing can go on, or the engine finds an error.
  void run(const GemmPlan& plan);

  bool semaphores_are_zero() const;
  unsigned flags() const { return model_.flags(); }
  /// From the beginning to the end of the last move.
  std::uint64_t cycles() const { return now_; }
  /// When the last vector went into the array, at a pace that is not random.
  std::uint64_t last_vector() const { return lanes_[kMultiply].data_end; }
  std::uint64_t highest_semaphore() const { return highest_; }

 private:
  enum Unit : unsigned { kLoad, kMultiply, kStore, kIn, kOut, kUnits };
  struct Work {
    const Instruction* instruction = nullptr;
    const Move* move = nullptr;
    std::uint64_t end = 0;
    bool has_happened = false;
  };
  struct Lane {
    std::deque<Work> queue;
    std::deque<Work> under_way;
    std::uint64_t next_start = 0;
    std::uint64_t data_end = 0;
  };

  void fill_queues(const GemmPlan& plan);
  bool end_what_is_due();
  bool begin_what_can();
  bool may_begin(Unit unit, const Work& work) const;
  void begin(Unit unit);
  std::uint64_t end_of(Unit unit, const Work& work);
  void happen(Work& work);
  void carry(const Move& move);
  std::uint8_t get(std::size_t at) const;
  void put(std::size_t at, std::uint8_t byte);
  std::uint64_t next_event() const;

  const Engine engine_;
  Memory& memory_;
  const Pace pace_;
  std::mt19937_64 random_;
  tb::golden::tensor::TensorModel model_;
  std::array<Lane, kUnits> lanes_;
  std::array<std::uint64_t, 16> semaphores_{};
  std::size_t handed_out_ = 0;
  std::uint64_t next_hand_out_ = 0;
  std::uint64_t now_ = 0;
  std::uint64_t highest_ = 0;
};

}  // namespace firstlight::tern::tensor
