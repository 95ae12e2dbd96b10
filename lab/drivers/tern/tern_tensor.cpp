#include "lab/drivers/tern/tern_tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lab/core/failure.h"
#include "lab/drivers/tern/fields.h"
#include "lab/drivers/tern/tensor/provoke.h"

namespace firstlight::tern {
namespace {

constexpr std::size_t kInstructionBytes = 16;
constexpr std::uint64_t kProgramBytes = std::uint64_t{1} << 20U;  // at the end of host memory
constexpr unsigned kSemaphores = 16;
constexpr std::uint32_t kFillEntries = 4;
constexpr double kPollCoreCycles = 400;
constexpr std::size_t kProvokedBytes = 64;  // of a partition, that a provoking program reads at the most
const char* const kFlags[] = {"invalid", "overflow", "underflow", "inexact", "nan_in"};

[[noreturn]] void fail(ErrorClass error_class, const std::string& symptom, const std::string& message,
                       const std::string& part, const std::string& received, const std::string& cause) {
  Failure failure;
  failure.error_class = error_class;
  failure.symptom = symptom;
  failure.message = message;
  failure.part = part;
  failure.received = received;
  failure.likely_cause = cause;
  throw FailureError(failure);
}

std::vector<std::uint8_t> bytes_of(const std::vector<tensor::Instruction>& program) {
  std::vector<std::uint8_t> bytes;
  const auto put = [&](const tensor::Instruction& instruction) {
    for (const std::uint64_t word : encode(instruction))
      for (unsigned i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
  };
  for (const tensor::Instruction& instruction : program) put(instruction);
  put(tensor::Instruction{});
  return bytes;
}

}  // namespace

TernTensor::TernTensor(std::string name, Registers& registers, Dma& dma, BenchTime& time, TernClock clock)
    : name_(std::move(name)), registers_(registers), dma_(dma), time_(time), clock_(clock) {}

TensorShape TernTensor::shape() {
  if (shape_) return *shape_;
  const Fields shape(registers_, "tensor.shape", registers_.read("tensor.shape"));
  shape_ = TensorShape{shape["rows"], shape["cols"]};
  return *shape_;
}

tensor::Engine TernTensor::engine() {
  const TensorShape size = shape();
  tensor::Engine engine;
  engine.rows = size.rows;
  engine.columns = size.columns;
  engine.partition_bytes =
      static_cast<unsigned>(registers_.map().region("scratchpad").size / std::max({size.rows, size.columns, 1U}));
  return engine;
}

void TernTensor::start(std::uint64_t address, std::uint32_t instructions) {
  registers_.write("tensor.ctrl", 1);
  registers_.write("tensor.fetch_base_lo", static_cast<std::uint32_t>(address));
  registers_.write("tensor.fetch_base_hi", static_cast<std::uint32_t>(address >> 32U));
  registers_.write("tensor.fetch_count", instructions);
  registers_.write("tensor.command.clear_counters", 1);
  registers_.write("tensor.command.fetch", 1);
}

std::uint64_t TernTensor::program_address() const {
  const DmaWindow host = window_of(dma_, "host");
  if (host.size >= kProgramBytes) return host.base + host.size - kProgramBytes;
  fail(ErrorClass::bench, "host_memory_too_small",
       fmt::format("host memory has {:#x} bytes for programs and data; a program may take {:#x}", host.size,
                   kProgramBytes),
       part(), {}, "too little host memory in the bench file");
}

void TernTensor::run(const std::vector<tensor::Instruction>& program) {
  const std::vector<std::uint8_t> bytes = bytes_of(program);
  if (bytes.size() > kProgramBytes)
    fail(ErrorClass::sequence, "program_too_long",
         fmt::format("a program of {} instructions takes {} bytes; {} are kept for it", program.size(), bytes.size(),
                     kProgramBytes),
         part(), {}, "a product that is too large");
  dma_.poke(program_address(), bytes);
  start(program_address(), static_cast<std::uint32_t>(bytes.size() / kInstructionBytes));
}

void TernTensor::fill_scratchpad(Instant deadline) {
  const tensor::Engine size = engine();
  DmaCopy zeros;
  zeros.source = program_address();
  zeros.destination = scratchpad();
  zeros.length = size.partition_bytes;
  zeros.rows = std::max(size.rows, size.columns);
  zeros.destination_stride = size.partition_bytes;
  dma_.poke(zeros.source, std::vector<std::uint8_t>(zeros.length, 0));
  DmaQueue& queue = dma_.queue(0, 1);
  queue.open(kFillEntries);
  queue.submit({zeros});
  const DmaCompletion done = queue.wait_all(deadline).front();
  if (!done.ok)
    fail(ErrorClass::dut, "dma_" + done.status,
         fmt::format("filling the scratchpad ended with {} at {:#012x}", done.status, done.error_address), queue.part(),
         queue.error(), "the scratchpad answers with an error");
}

void TernTensor::prepare(Instant deadline) {
  // Nobody but `start` enables the engine, and nobody disables it but a reset.
  if (registers_.read("tensor.ctrl.enable") == 0) {
    fill_scratchpad(deadline);
    registers_.write("tensor.ctrl.enable", 1);
  }
  clear(deadline);
  clear_flags();
  for (unsigned column = 0; column < shape().columns; ++column) set_random_state(column, 1);
}

bool TernTensor::ended() { return registers_.read("tensor.status.ended") != 0; }

std::string TernTensor::state() {
  const Fields status(registers_, "tensor.status", registers_.read("tensor.status"));
  std::vector<std::string> words;
  for (const char* name : {"load_busy", "multiply_busy", "store_busy", "idle", "halted", "ended", "error", "fetching"})
    if (status[name] != 0) words.emplace_back(name);
  std::vector<std::string> counts;
  const std::vector<unsigned> semaphores = this->semaphores();
  for (std::size_t i = 0; i < semaphores.size(); ++i)
    if (semaphores[i] != 0) counts.push_back(fmt::format("{}: {}", i, semaphores[i]));
  return fmt::format("tensor.status {:#x} ({}), semaphores {{{}}}, retired load {:#x}, multiply {:#x}, store {:#x}",
                     status.raw(), fmt::join(words, ", "), fmt::join(counts, ", "),
                     registers_.read("tensor.retired[0]"), registers_.read("tensor.retired[1]"),
                     registers_.read("tensor.retired[2]"));
}

std::optional<TensorError> TernTensor::wait(Instant deadline) {
  for (;;) {
    const Instant looked = time_.now();
    const Fields status(registers_, "tensor.status", registers_.read("tensor.status"));
    // What an error leaves under way ends by itself; only then does `error` say all there is to say.
    if (status["error"] != 0) return error();
    if (status["ended"] != 0) return std::nullopt;
    if (looked >= deadline)
      fail(ErrorClass::dut, "tensor_timeout", fmt::format("the program of {} has not ended", part()), part(), state(),
           status["fetching"] != 0 ? "memory does not give the program's instructions, or a queue is full for good"
                                   : "an instruction waits for a semaphore that no one signals");
    time_.sleep_until(std::min(deadline, time_.now() + clock_.core_cycles(kPollCoreCycles)));
  }
}

std::optional<TensorError> TernTensor::error() {
  const Fields code(registers_, "tensor.error", registers_.read("tensor.error"));
  if (code["code"] == 0) return std::nullopt;
  TensorError out;
  out.name = code.name("code");
  out.tag = registers_.read("tensor.error_tag");
  out.detail = registers_.read("tensor.error_detail");
  out.text = fmt::format("{} by the instruction with tag {:#x}, detail {:#010x}", out.name, out.tag, out.detail);
  return out;
}

void TernTensor::clear(Instant deadline) {
  registers_.write("tensor.command.clear", 1);
  while (registers_.read("tensor.status.clearing") != 0) {
    if (time_.now() >= deadline)
      fail(ErrorClass::dut, "tensor_clear_timeout", fmt::format("{} does not end what is under way", part()), part(),
           state(), "a unit hangs in the middle of an instruction");
    time_.sleep_until(std::min(deadline, time_.now() + clock_.core_cycles(kPollCoreCycles)));
  }
}

std::uint64_t TernTensor::count(const std::string& name) {
  const std::uint64_t high = registers_.read(fmt::format("tensor.{}_hi", name));
  return (high << 32U) | registers_.read(fmt::format("tensor.{}_lo", name));
}

TensorCounters TernTensor::counters() {
  TensorCounters out;
  out.active = count("active");
  out.wait_semaphore = count("wait_semaphore");
  out.wait_stationary = count("wait_stationary");
  out.wait_accumulator = count("wait_accumulator");
  out.throttled_idle = count("throttled_idle");
  out.throttled_active = count("throttled_active");
  out.instructions = count("instructions");
  out.stored = count("stored");
  // The engine's own count of idle cycles goes on behind the program's end.
  const std::uint64_t elapsed = count("elapsed");
  out.idle = elapsed - std::min(elapsed, out.active + out.held());
  return out;
}

std::vector<std::string> TernTensor::flags() {
  const Fields flags(registers_, "tensor.flags", registers_.read("tensor.flags"));
  std::vector<std::string> out;
  for (const char* name : kFlags)
    if (flags[name] != 0) out.emplace_back(name);
  return out;
}

void TernTensor::clear_flags() { registers_.write("tensor.flags", 0x1F); }

std::vector<unsigned> TernTensor::semaphores() {
  std::vector<unsigned> out;
  for (unsigned i = 0; i < kSemaphores; ++i) out.push_back(registers_.read(fmt::format("tensor.semaphores[{}]", i)));
  return out;
}

std::uint32_t TernTensor::random_state(unsigned column) {
  return registers_.read(fmt::format("tensor.random_state[{}]", column));
}

void TernTensor::set_random_state(unsigned column, std::uint32_t state) {
  registers_.write(fmt::format("tensor.random_load[{}]", column), state);
}

std::vector<std::string> TernTensor::provocations() const { return tensor::provocations(); }

std::optional<TensorError> TernTensor::provoke(const std::string& name, Instant deadline) {
  const auto provocation = tensor::provocation_of(name, engine());
  if (!provocation)
    fail(ErrorClass::sequence, "unknown_tensor_error", fmt::format("no program is known to end in \"{}\"", name),
         part(), {}, fmt::format("the names are {}", fmt::join(tensor::provocations(), ", ")));
  prepare(deadline);
  const tensor::Engine size = engine();
  const std::vector<std::uint8_t> word(sizeof(std::uint64_t), 0);
  const std::vector<std::uint8_t> zeros(kProvokedBytes, 0);
  for (unsigned row = 0; row < size.rows; ++row) dma_.poke(scratchpad() + row * size.partition_bytes, zeros);
  if (provocation->flipped_bits != 0) {
    registers_.write("tensor.inject_mask[0]", (1U << provocation->flipped_bits) - 1U);
    registers_.write("tensor.inject_mask[1]", 0);
    registers_.write("tensor.inject_check", 0);
    registers_.write("tensor.inject_arm", 1);
    dma_.poke(scratchpad(), word);
  }
  if (provocation->fetch_outside) {
    start(registers_.map().region("peer").base + registers_.map().region("peer").size, 1);
  } else {
    run(provocation->program);
  }
  const std::optional<TensorError> error = wait(deadline);
  if (provocation->flipped_bits != 0) dma_.poke(scratchpad(), word);
  return error;
}

}  // namespace firstlight::tern
