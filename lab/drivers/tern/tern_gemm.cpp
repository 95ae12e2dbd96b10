#include "lab/drivers/tern/tern_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "lab/core/failure.h"
#include "lab/drivers/tern/tensor/diagnose.h"

namespace firstlight::tern {

using arithmetic::GemmOperands;
using arithmetic::GemmOptions;
using arithmetic::GemmShape;
using arithmetic::Matrix;
using arithmetic::MatrixLayout;

namespace {

constexpr std::uint32_t kEntries = 1024;
constexpr unsigned kQueue = 1;     // of either engine; queue 0 of dma0 is what others look at memory by
constexpr std::size_t kChain = 8;  // moves that have one completion
constexpr std::uint64_t kAlign = 4096;
constexpr std::uint64_t kGuard = 64;  // bytes before and behind the result
constexpr std::uint8_t kCanary = 0xC5;
constexpr double kPollCoreCycles = 400;
constexpr double kHaltCoreCycles = 4e5;
constexpr double kBeatBytes = 8;

std::uint64_t align(std::uint64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

}  // namespace

/// Where the matrices of a product lie in external memory.
struct TernGemm::Places {
  std::array<std::uint64_t, 4> bases{};  // by Matrix
  std::array<MatrixLayout, 4> layouts{};
  bool has_params = false;

  std::uint64_t of(Matrix matrix) const { return bases.at(static_cast<std::size_t>(matrix)); }
  const MatrixLayout& layout(Matrix matrix) const { return layouts.at(static_cast<std::size_t>(matrix)); }
};

/// Moves in their order through one queue, as it has room.
class TernGemm::Stream {
 public:
  Stream(DmaQueue& queue, const std::vector<tensor::Move>& moves, const Places& places, std::uint64_t scratchpad,
         bool inwards)
      : queue_(queue) {
    for (const tensor::Move& move : moves) {
      const std::uint64_t memory = places.of(move.matrix) + move.memory;
      const std::uint64_t inside = scratchpad + move.scratchpad;
      DmaCopy copy;
      copy.source = inwards ? memory : inside;
      copy.destination = inwards ? inside : memory;
      copy.length = static_cast<std::uint32_t>(move.bytes);
      copy.rows = static_cast<std::uint32_t>(move.rows);
      if (move.rows > 1) {
        copy.source_stride = static_cast<std::uint32_t>(inwards ? move.memory_stride : move.scratchpad_stride);
        copy.destination_stride = static_cast<std::uint32_t>(inwards ? move.scratchpad_stride : move.memory_stride);
      }
      if (move.wait_count > 0) copy.wait = DmaWait{move.wait_sem, move.wait_count};
      if (move.signal) copy.signal = move.signal_sem;
      copy.chain = copies_.size() % kChain != kChain - 1;
      copies_.push_back(copy);
    }
    if (!copies_.empty()) copies_.back().chain = false;
    queue_.open(kEntries);
  }

  void feed() {
    std::size_t end = next_;
    std::size_t whole = next_;  // behind the last chain that fits
    while (end < copies_.size() && end - next_ < queue_.room())
      if (!copies_[end++].chain) whole = end;
    if (whole == next_) return;
    queue_.submit(
        {copies_.begin() + static_cast<std::ptrdiff_t>(next_), copies_.begin() + static_cast<std::ptrdiff_t>(whole)});
    next_ = whole;
  }

  /// Takes what has ended; a move that failed is a FailureError.
  void collect() {
    for (const DmaCompletion& done : queue_.completions()) {
      if (done.ok) continue;
      Failure failure;
      failure.error_class = ErrorClass::dut;
      failure.symptom = "dma_" + done.status;
      failure.message = fmt::format("a move of the product ended with {} at {:#012x}", done.status, done.error_address);
      failure.part = queue_.part();
      failure.received = queue_.error();
      failure.likely_cause = "the memory at that address answers with an error";
      throw FailureError(failure);
    }
  }

  bool done() const { return next_ == copies_.size() && queue_.room() == queue_.entries(); }
  std::size_t left() const { return copies_.size() - next_ + (queue_.entries() - queue_.room()); }

 private:
  DmaQueue& queue_;
  std::vector<DmaCopy> copies_;
  std::size_t next_ = 0;
};

TernGemm::TernGemm(TernTensor& tensor, Dma& dma, BenchTime& time, TernClock clock)
    : tensor_(tensor), dma_(dma), time_(time), clock_(clock) {}

arithmetic::GemmOrder TernGemm::order() {
  const tensor::Engine engine = tensor_.engine();
  arithmetic::GemmOrder order;
  order.block = engine.entries;
  order.lanes = engine.columns;
  return order;
}

double TernGemm::peak(const GemmOptions& options) {
  const TensorShape size = tensor_.shape();
  return 2.0 * size.rows * size.columns * (options.double_row ? 2 : 1);
}

double TernGemm::memory_bytes_per_cycle() { return kBeatBytes; }

std::uint64_t TernGemm::ideal_cycles(const GemmShape& shape, const GemmOptions& options) {
  return tensor::ideal_cycles(tensor_.engine(), shape, options);
}

TernGemm::Places TernGemm::place(const GemmShape& shape, const GemmOptions& options) const {
  Places places;
  places.has_params = options.scale || options.bias;
  const DmaWindow memory = window_of(dma_, "hbm");
  std::uint64_t at = memory.base + kAlign;
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::params, Matrix::c}) {
    const auto index = static_cast<std::size_t>(matrix);
    places.layouts.at(index) = layout_of(matrix, shape, options);
    places.bases.at(index) = at;
    if (matrix != Matrix::params || places.has_params) at = align(at + places.layouts.at(index).bytes() + kGuard);
  }
  if (at <= memory.base + memory.size) return places;
  Failure failure;
  failure.error_class = ErrorClass::sequence;
  failure.symptom = "product_too_large";
  failure.message = fmt::format("{} x {} x {} needs {} bytes of external memory, which has {}", shape.m, shape.n,
                                shape.k, at - memory.base, memory.size);
  failure.part = memory.name;
  throw FailureError(failure);
}

void TernGemm::upload(const Places& places, const GemmOperands& operands) {
  dma_.poke(places.of(Matrix::a), operands.a);
  dma_.poke(places.of(Matrix::b), operands.b);
  if (places.has_params) dma_.poke(places.of(Matrix::params), operands.params);
  const std::uint64_t bytes = places.layout(Matrix::c).bytes();
  dma_.poke(places.of(Matrix::c) - kGuard, std::vector<std::uint8_t>(bytes + 2 * kGuard, kCanary));
}

/// C, with zeros between its rows, where nothing may have been written.
std::vector<std::uint8_t> TernGemm::read_back(const Places& places, const MatrixLayout& layout) {
  const std::vector<std::uint8_t> found = dma_.peek(places.of(Matrix::c) - kGuard, layout.bytes() + 2 * kGuard);
  std::vector<std::uint8_t> c(layout.bytes(), 0);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool inside = i >= kGuard && i < kGuard + c.size() && (i - kGuard) % layout.pitch < layout.row_bytes;
    if (inside) {
      c[i - kGuard] = found[i];
    } else if (found[i] != kCanary) {
      Failure failure;
      failure.error_class = ErrorClass::dut;
      failure.symptom = "tensor_canary";
      failure.message = fmt::format("a byte around or between the rows of the result was overwritten, at {:#012x}",
                                    places.of(Matrix::c) - kGuard + i);
      failure.part = dma_.queue(1, kQueue).part();
      failure.likely_cause = "a move that wrote beyond its rows";
      throw FailureError(failure);
    }
  }
  return c;
}

void TernGemm::carry_out(const tensor::GemmPlan& plan, const Places& places, GemmStart start, Instant deadline) {
  Stream in(dma_.queue(0, kQueue), plan.in, places, tensor_.scratchpad(), true);
  Stream out(dma_.queue(1, kQueue), plan.out, places, tensor_.scratchpad(), false);
  const auto pass = [&] { time_.sleep_until(std::min(deadline, time_.now() + clock_.core_cycles(kPollCoreCycles))); };
  const auto expect_time = [&](const char* what, std::size_t left) {
    if (time_.now() < deadline) return;
    Failure failure;
    failure.error_class = ErrorClass::dut;
    failure.symptom = "tensor_timeout";
    failure.message = fmt::format("the product has not ended: {}, {} moves left", what, left);
    failure.part = part();
    failure.received = tensor_.state();
    failure.likely_cause = "a unit or a queue that waits for a semaphore which no one signals, or memory that is slow";
    throw FailureError(failure);
  };
  if (start == GemmStart::preloaded) {
    for (in.feed(); !in.done(); in.feed()) {
      pass();
      in.collect();
      expect_time("operands on their way in", in.left());
    }
  }
  tensor_.run(plan.program);
  for (;;) {
    in.feed();
    out.feed();
    in.collect();
    out.collect();
    if (const auto error = tensor_.error()) {
      Failure failure;
      failure.error_class = ErrorClass::dut;
      failure.symptom = "tensor_" + error->name;
      failure.message = fmt::format("the engine stopped with {}", error->text);
      failure.part = part();
      failure.received = tensor_.state();
      failure.likely_cause = error->name == "memory_error" ? "a cell of the scratchpad that ECC cannot correct"
                                                           : "an instruction that was changed on its way, or a bug";
      throw FailureError(failure);
    }
    if (in.done() && out.done() && tensor_.ended()) return;
    expect_time(out.done() ? "the engine works" : "the result is on its way", in.left() + out.left());
    pass();
  }
}

/// After a failure: nothing is left under way, and the next product can begin.
void TernGemm::make_usable() {
  const Instant deadline = time_.now() + clock_.core_cycles(kHaltCoreCycles);
  for (unsigned engine = 0; engine < dma_.engines(); ++engine) {
    DmaQueue& queue = dma_.queue(engine, kQueue);
    if (!queue.is_open()) continue;
    after_failure([&] { queue.abort(deadline); });
    after_failure([&] { queue.close(); });
  }
  after_failure([&] { tensor_.clear(deadline); });
}

GemmOutcome TernGemm::outcome(std::vector<std::uint8_t> c) {
  GemmOutcome out;
  out.result.c = std::move(c);
  for (const std::string& flag : tensor_.flags()) {
    out.result.flags.invalid |= flag == "invalid";
    out.result.flags.overflow |= flag == "overflow";
    out.result.flags.underflow |= flag == "underflow";
    out.result.flags.inexact |= flag == "inexact";
    out.result.flags.nan_in |= flag == "nan_in";
  }
  for (unsigned column = 0; column < tensor_.shape().columns; ++column)
    out.result.generators.push_back(tensor_.random_state(column));
  const TensorCounters counters = tensor_.counters();
  out.cycles.active = counters.active;
  out.cycles.held = counters.held();
  out.cycles.idle = counters.idle;
  out.cycles.throttled = counters.throttled_active;
  return out;
}

GemmOutcome TernGemm::run(const GemmShape& shape, const GemmOptions& options, const GemmOperands& operands,
                          GemmStart start, Instant deadline) {
  const tensor::GemmPlan plan = plan_gemm(tensor_.engine(), shape, options);
  if (start == GemmStart::preloaded && !plan.fits_scratchpad())
    throw std::invalid_argument("the operands do not fit the scratchpad");
  const Places places = place(shape, options);
  upload(places, operands);
  tensor_.prepare(deadline);
  try {
    carry_out(plan, places, start, deadline);
  } catch (const FailureError&) {
    make_usable();
    throw;
  }
  return outcome(read_back(places, places.layout(Matrix::c)));
}

GemmSuspect TernGemm::suspect(const GemmShape& shape, const GemmOptions& options, const GemmOperands& operands,
                              const std::vector<GemmWrong>& wrong) {
  return tensor::suspect(tensor_.engine(), shape, options, operands, wrong);
}

}  // namespace firstlight::tern
