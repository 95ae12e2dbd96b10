#include "lab/drivers/tern/tensor/burst.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "lab/core/failure.h"
#include "lab/drivers/tern/fields.h"

namespace firstlight::tern::tensor {

namespace {

constexpr unsigned kQueue = 8;       // instructions that wait for the semaphore
constexpr unsigned kSemaphore = 15;  // products of the runtime use the low ones
constexpr unsigned kMovingAt = 0;    // bytes within a partition
constexpr unsigned kStationaryAt = 256;
constexpr unsigned kOperandBytes = 320;
constexpr double kPollCoreCycles = 100;
constexpr std::uint32_t kTag = 0xB0000000;

}  // namespace

TensorBurst::TensorBurst(TernTensor& tensor, std::string rail, Registers& registers, Dma& dma, BenchTime& time,
                         TernClock clock)
    : tensor_(tensor), rail_(std::move(rail)), registers_(registers), dma_(dma), time_(time), clock_(clock) {}

unsigned TensorBurst::longest() const { return kQueue * engine_.entries; }

void TensorBurst::wait_for(const std::string& field, std::uint32_t value, Instant deadline) {
  for (;;) {
    const Fields status(registers_, "tensor.status", registers_.read("tensor.status"));
    if (status[field] == value) return;
    if (const auto error = status["error"] != 0 ? tensor_.error() : std::nullopt)
      throw FailureError({ErrorClass::dut,
                          "tensor_" + error->name,
                          fmt::format("{} stopped in a burst with {}", part(), error->text),
                          part(),
                          {},
                          tensor_.state(),
                          "the scratchpad, or the way of operands into it"});
    if (time_.now() >= deadline)
      throw FailureError({ErrorClass::dut,
                          "tensor_stuck",
                          fmt::format("{} does not reach status.{} = {}", part(), field, value),
                          part(),
                          {},
                          tensor_.state(),
                          "the engine waits for a semaphore, a limit holds it (limited), or its clock stands"});
    time_.sleep(clock_.core_cycles(kPollCoreCycles));
  }
}

void TensorBurst::issue(const Instruction& instruction, Instant deadline) {
  wait_for("room", 1, deadline);
  const std::array<std::uint64_t, 2> words = encode(instruction);
  for (unsigned i = 0; i < 4; ++i)
    registers_.write(fmt::format("tensor.instruction[{}]", i),
                     static_cast<std::uint32_t>(words[i / 2] >> (32 * (i % 2))));
  registers_.write("tensor.command.issue", 1);
}

void TensorBurst::prepare(Instant deadline) {
  tensor_.prepare(deadline);
  engine_ = tensor_.engine();
  // 1 and -1 in turns, so that bits change from vector to vector.
  std::vector<std::uint8_t> operand;
  for (unsigned i = 0; i < kOperandBytes / 2; ++i) {
    operand.push_back(0x80);
    operand.push_back(i % 2 == 0 ? 0x3f : 0xbf);
  }
  for (unsigned partition = 0; partition < engine_.rows; ++partition)
    dma_.poke(tensor_.scratchpad() + std::uint64_t{partition} * engine_.partition_bytes, operand);
  Instruction load;
  load.opcode = Opcode::load_stationary;
  load.dtype = Format::bf16;
  load.k = engine_.rows;
  load.m = engine_.columns;
  load.address = kStationaryAt;
  load.tag = kTag;
  issue(load, deadline);
  wait_for("idle", 1, deadline);
}

/// All wait in the queue until the first one is let go.
void TensorBurst::queue_products(unsigned cycles, Instant deadline) {
  Instruction product;
  product.opcode = Opcode::multiply_moving;
  product.dtype = Format::bf16;
  product.k = engine_.rows;
  product.m = engine_.columns;
  product.address = kMovingAt;
  product.wait_sem = kSemaphore;
  product.wait_count = 1;
  for (unsigned i = 0; cycles > 0; ++i) {
    product.n = std::min(cycles, engine_.entries);
    product.abank = i % engine_.banks;
    product.tag = kTag + 1 + i;
    issue(product, deadline);
    product.wait_count = 0;
    cycles -= product.n;
  }
  wait_for("room", 1, deadline);
}

BurstOutcome TensorBurst::run(unsigned cycles, bool ramp, Instant deadline) {
  const std::uint32_t length = registers_.read("tensor.ramp.length");
  if (ramp && length == 0)
    throw FailureError({ErrorClass::sequence,
                        "no_ramp",
                        fmt::format("the ramp of {} is off (ramp.length is 0)", part()),
                        part(),
                        {},
                        {},
                        "something before has turned it off and has not put it back"});
  if (!ramp) registers_.write("tensor.ramp.length", 0);
  const auto put_back = [&] {
    if (!ramp) registers_.write("tensor.ramp.length", length);
  };
  try {
    queue_products(cycles, deadline);
    registers_.write("tensor.command.clear_counters", 1);
    registers_.write("tensor.signal.index", kSemaphore);
    wait_for("idle", 1, deadline);
  } catch (const FailureError&) {
    after_failure(put_back);
    throw;
  }
  put_back();
  const TensorCounters counters = tensor_.counters();
  return {counters.active, counters.throttled_idle, counters.throttled_active};
}

}  // namespace firstlight::tern::tensor
