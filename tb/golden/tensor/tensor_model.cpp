#include "tb/golden/tensor/tensor_model.h"

#include <utility>

#include "tb/golden/fp/fma.h"
#include "tb/golden/fp/post.h"
#include "tb/golden/fp/widen.h"

namespace tb::golden::tensor {
namespace {

constexpr std::uint32_t kNan = 0x7fc00000;

/// Row that holds a step of the chain.
unsigned row_of(const Instruction& i, unsigned step) { return i.double_row ? step / 2 : step; }

/// Position of a step's element for vector (or column) `index` in its row's partition.
unsigned position_of(const Instruction& i, unsigned step, unsigned index) {
  return i.double_row ? 2 * index + step % 2 : index;
}

fp::Format format_of(const Instruction& i) { return static_cast<fp::Format>(i.dtype); }

}  // namespace

TensorModel::TensorModel(const Shape& shape)
    : shape_(shape),
      spad_(shape.partitions(), std::vector<Word>(kPartitionWords)),
      stationary_(std::size_t{4} * shape.rows * shape.cols),
      acc_(std::size_t{kBanks} * kEntries * shape.cols),
      generators_(shape.cols) {}

std::optional<Error> TensorModel::execute(const Instruction& i) {
  error_.reset();
  if (const auto code = check(shape_, i)) return Error{*code, i.tag, 0};
  if (i.is(Opcode::kLoad)) load(i);
  if (i.is(Opcode::kStore)) store(i);
  if (i.is(Opcode::kMultiply) || i.is(Opcode::kTranspose)) {
    if (!stationary_is_set(i)) return Error{ErrorCode::kStationaryUnset, i.tag, i.sbank};
    if (i.is(Opcode::kMultiply))
      multiply(i);
    else
      transpose(i);
  }
  return error_;
}

void TensorModel::load(const Instruction& i) {
  for (unsigned step = 0; step < i.k; ++step)
    for (unsigned c = 0; c < i.m; ++c) {
      const unsigned partition = row_of(i, step);
      stationary(i.sbank, step, c) = element(i, partition, position_of(i, step, c));
    }
  filled_.at(i.sbank) = {i.k, i.m, i.double_row};
}

bool TensorModel::stationary_is_set(const Instruction& i) const {
  const Filled& filled = filled_.at(i.sbank);
  return filled.double_row == i.double_row && i.k <= filled.k && i.m <= filled.m;
}

void TensorModel::multiply(const Instruction& i) {
  std::vector<std::uint32_t> moving(i.k);
  for (unsigned n = 0; n < i.n; ++n) {
    ++vectors_;
    for (unsigned step = 0; step < i.k; ++step) moving[step] = element(i, row_of(i, step), position_of(i, step, n));
    for (unsigned c = 0; c < i.m; ++c) {
      Entry& target = entry(i.abank, i.entry + n, c);
      if (i.accumulate && !target.valid) {
        report_unset(i, i.entry + n, c);
        continue;
      }
      std::uint32_t sum = i.accumulate ? target.value : 0;
      for (unsigned step = 0; step < i.k; ++step) sum = keep(fp::fma(moving[step], stationary(i.sbank, step, c), sum));
      target = {sum, true};
    }
  }
}

void TensorModel::transpose(const Instruction& i) {
  for (unsigned r = 0; r < i.k; ++r) {
    ++vectors_;
    for (unsigned c = 0; c < i.m; ++c) entry(i.abank, i.entry + r, c) = {stationary(i.sbank, r, c), true};
  }
}

void TensorModel::store(const Instruction& i) {
  for (unsigned c = 0; c < i.m; ++c) store_column(i, c);
}

void TensorModel::store_column(const Instruction& i, unsigned column) {
  fp::PostSteps steps;
  if (!i.raw && (i.scale || i.bias)) {
    const bool good = readable(i, column, i.params / 8);
    const std::uint64_t params = word(column, i.params / 8);
    if (i.scale) steps.scale = good ? static_cast<std::uint32_t>(params) : kNan;
    if (i.bias) steps.bias = good ? static_cast<std::uint32_t>(params >> 32U) : kNan;
  }
  steps.relu = i.relu;
  steps.narrowing = {format_of(i), i.stochastic ? fp::Rounding::kStochastic : fp::Rounding::kNearestEven,
                     i.saturate ? fp::Overflow::kSaturate : fp::Overflow::kInfinity};
  const unsigned per_word = 8 / element_bytes(i.dtype);
  for (unsigned first = 0; first < i.n; first += per_word) {
    const unsigned behind = first + per_word < i.n ? first + per_word : i.n;
    std::vector<std::optional<std::uint32_t>> elements;
    for (unsigned index = first; index < behind; ++index) {
      Entry& from = entry(i.abank, i.entry + index, column);
      elements.emplace_back();
      if (from.valid) {
        elements.back() = i.raw ? from.value : keep(fp::post(steps, from.value, generators_.at(column)));
        ++stored_;
      } else {
        report_unset(i, i.entry + index, column);
      }
      if (i.release) from.valid = false;
    }
    // A word that is written in part is read first, and left alone when it cannot be.
    unsigned there = 0;
    for (const auto& element : elements) there += element ? 1 : 0;
    Word& target = spad_.at(column).at(i.address / 8 + first / per_word);
    if (there == per_word) target.rotten = false;
    if (there != 0 && there != per_word && !readable(i, column, i.address / 8 + first / per_word)) continue;
    for (unsigned e = 0; e < elements.size(); ++e)
      if (elements[e]) put_element(i, column, first + e, *elements[e]);
  }
}

bool TensorModel::readable(const Instruction& i, unsigned partition, unsigned word) {
  if (!spad_.at(partition).at(word).rotten) return true;
  report({ErrorCode::kMemoryError, i.tag, partition << 16U | word});
  return false;
}

std::uint32_t TensorModel::raw_element(unsigned dtype, unsigned partition, unsigned address, unsigned index) const {
  const unsigned bytes = element_bytes(dtype);
  const unsigned at = address + index * bytes;
  const std::uint64_t bits = word(partition, at / 8) >> (8 * (at % 8));
  return static_cast<std::uint32_t>(bytes == 4 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1));
}

std::uint32_t TensorModel::element(const Instruction& i, unsigned partition, unsigned index) {
  if (!readable(i, partition, (i.address + index * element_bytes(i.dtype)) / 8)) return kNan;
  const std::uint32_t bits = raw_element(i.dtype, partition, i.address, index);
  return i.is(Opcode::kLoad) && i.raw ? bits : keep(fp::widen(format_of(i), bits));
}

void TensorModel::put_element(const Instruction& i, unsigned partition, unsigned index, std::uint32_t bits) {
  const unsigned bytes = element_bytes(i.dtype);
  const unsigned at = i.address + index * bytes;
  const std::uint64_t mask = ((std::uint64_t{1} << (8 * bytes)) - 1) << (8 * (at % 8));
  std::uint64_t& data = spad_.at(partition).at(at / 8).data;
  data = (data & ~mask) | ((std::uint64_t{bits} << (8 * (at % 8))) & mask);
}

std::uint32_t TensorModel::keep(const fp::Result& result) {
  flags_ |= result.flags.bits();
  return result.bits;
}

void TensorModel::report(const Error& error) {
  const auto rank = [](const Error& e) { return std::make_pair(e.code, e.detail); };
  if (!error_ || rank(error) < rank(*error_)) error_ = error;
}

void TensorModel::report_unset(const Instruction& i, unsigned index, unsigned column) {
  report({ErrorCode::kAccumulatorUnset, i.tag, i.abank << 16U | index << 8U | column});
}

}  // namespace tb::golden::tensor
