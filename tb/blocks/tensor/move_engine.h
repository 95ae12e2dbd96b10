#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "lab/drivers/tern/tensor/gemm.h"
#include "tb/blocks/dma/axi_manager_agent.h"
#include "tb/blocks/tensor/instruction_port.h"

namespace tb::blocks::tensor {

/// Matrices of a product as they lie in memory.
using Matrices = std::map<firstlight::tern::tensor::Matrix, std::vector<std::uint8_t>>;

/// One of the engines that carry out a plan's moves, with a memory of 8 bytes a cycle each way and a latency: takes and
/// gives semaphores at the tensor engine's ports as docs/dma.md says, four moves in flight, bursts that end at
/// multiples of 128 bytes.
class MoveEngine : public Agent {
 public:
  using Move = firstlight::tern::tensor::Move;

  /// @param engine 0 or 1, whose semaphore port it has
  MoveEngine(BlockBench<Model>& bench, AxiManagerAgent& axi, unsigned engine);

  void start(const std::vector<Move>& moves, Matrices& memory, unsigned latency);
  void reset();
  bool idle() const { return waiting_.empty() && under_way_.empty(); }

  void sample() override;
  void drive() override;

 private:
  struct Burst {
    std::size_t memory = 0;
    std::uint64_t scratchpad = 0;
    std::size_t bytes = 0;
    std::uint64_t ready = 0;  // cycle in which all its data has come from memory
    bool issued = false;
    bool answered = false;
  };
  struct UnderWay {
    Move move;
    std::vector<Burst> bursts;
    std::size_t answered = 0;
    std::uint64_t ends = 0;
  };

  void begin();
  void issue();
  void collect();
  void end();
  void send(const UnderWay& work, std::size_t index, unsigned tag);
  void finished(const AxiManagerAgent::Burst& burst);
  unsigned first_tag() const { return 1000 * (engine_ + 1); }
  bool reads_memory() const { return engine_ == 0; }

  BlockBench<Model>& bench_;
  AxiManagerAgent& axi_;
  unsigned engine_;
  Matrices* memory_ = nullptr;
  unsigned latency_ = 0;
  std::deque<Move> waiting_;
  std::deque<UnderWay> under_way_;
  std::map<unsigned, std::pair<std::uint64_t, std::size_t>> open_;  // by tag: move and burst
  std::uint64_t moves_begun_ = 0;
  std::uint64_t first_number_ = 0;  // of the first one under way
  unsigned next_tag_ = 0;
  std::uint64_t memory_free_ = 0;
  bool attempted_ = false;
  bool taken_ = false;
  unsigned pause_ = 0;
  std::deque<unsigned> gives_;
};

}  // namespace tb::blocks::tensor
