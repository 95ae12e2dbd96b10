#include "lab/drivers/tern/tensor/burst.h"

#include <fmt/format.h>

#include <algorithm>
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

TensorBurst::TensorBurst(std::string chip, std::string rail, Registers& registers, Dma& dma, BenchTime& time,
                         TernClock clock)
    : chip_(std::move(chip)), rail_(std::move(rail)), registers_(registers), dma_(dma), time_(time), clock_(clock) {}

unsigned TensorBurst::longest() const { return kQueue * engine_.entries; }

void TensorBurst::wait_for(const std::string& field, std::uint32_t value, Instant deadline) {
  for (;;) {
    const Fields status(registers_, "tensor.status", registers_.read("tensor.status"));
    if (status[field] == value) return;
    if (status["error"] != 0) refuse_error();
    if (time_.now() >= deadline)
      throw FailureError({ErrorClass::dut,
                          "tensor_stuck",
                          fmt::format("{} does not reach status.{} = {}", part(), field, value),
                          part(),
                          {},
                          fmt::format("tensor.status {:#010x}", status.raw()),
                          "the engine waits for a semaphore, a limit holds it (limited), or its clock stands"});
    time_.sleep(clock_.core_cycles(kPollCoreCycles));
  }
}

void TensorBurst::refuse_error() {
  const Fields error(registers_, "tensor.error", registers_.read("tensor.error"));
  throw FailureError({ErrorClass::dut, "tensor_error",
                      fmt::format("{} stopped with the error {} in a burst", part(), error.name("code")), part(),
                      fmt::format("tag {:#x}", registers_.read("tensor.error_tag")),
                      fmt::format("detail {:#010x}", registers_.read("tensor.error_detail")),
                      "the scratchpad, or the way of operands into it"});
}

void TensorBurst::issue(const Instruction& instruction, Instant deadline) {
  wait_for("room", 1, deadline);
  const std::array<std::uint64_t, 2> words = encode(instruction);
  for (unsigned i = 0; i < 4; ++i)
    registers_.write(fmt::format("tensor.instruction[{}]", i),
                     static_cast<std::uint32_t>(words[i / 2] >> (32 * (i % 2))));
  registers_.write("tensor.command.issue", 1);
}

/// An engine that nothing is left in, ready to take instructions.
void TensorBurst::enable(Instant deadline) {
  registers_.write("tensor.command.clear", 1);
  wait_for("clearing", 0, deadline);
  registers_.write("tensor.ctrl.enable", 1);
}

void TensorBurst::prepare(Instant deadline) {
  const Fields shape(registers_, "tensor.shape", registers_.read("tensor.shape"));
  engine_.rows = shape["rows"];
  engine_.columns = shape["cols"];
  const std::vector<DmaWindow> windows = dma_.windows();
  const auto scratchpad =
      std::find_if(windows.begin(), windows.end(), [](const DmaWindow& window) { return window.name == "scratchpad"; });
  if (scratchpad == windows.end())
    throw FailureError({ErrorClass::bench,
                        "no_dma_window",
                        fmt::format("{} does not reach the scratchpad", dma_.part()),
                        dma_.part(),
                        {},
                        {},
                        {}});
  // 1 and -1 in turns, so that bits change from vector to vector.
  std::vector<std::uint8_t> operand;
  for (unsigned i = 0; i < kOperandBytes / 2; ++i) {
    operand.push_back(0x80);
    operand.push_back(i % 2 == 0 ? 0x3f : 0xbf);
  }
  for (unsigned partition = 0; partition < engine_.rows; ++partition)
    dma_.poke(scratchpad->base + std::uint64_t{partition} * engine_.partition_bytes, operand);
  enable(deadline);
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
    queue_products(std::min(cycles, longest()), deadline);
    registers_.write("tensor.command.clear_counters", 1);
    registers_.write("tensor.signal.index", kSemaphore);
    wait_for("idle", 1, deadline);
  } catch (const FailureError&) {
    put_back();
    throw;
  }
  put_back();
  return {registers_.read("tensor.active_lo"), registers_.read("tensor.throttled_idle_lo"),
          registers_.read("tensor.throttled_active_lo")};
}

}  // namespace firstlight::tern::tensor
