#include "tb/golden/tensor/error.h"

#include "tb/golden/fp/formats.h"

namespace tb::golden::tensor {
namespace {

using fp::Format;

bool opcode_is_known(const Instruction& i) {
  return i.zero == 0 && i.opcode >= static_cast<unsigned>(Opcode::kLoad) &&
         i.opcode <= static_cast<unsigned>(Opcode::kHalt);
}

bool dtype_fits(const Instruction& i) {
  const bool reads = i.is(Opcode::kLoad) || i.is(Opcode::kMultiply);
  if (!i.is(Opcode::kTranspose) && i.dtype >= fp::kFormats.size()) return false;
  if (!i.double_row) return true;
  const bool fp8 =
      i.dtype == static_cast<unsigned>(Format::kFp8E4m3) || i.dtype == static_cast<unsigned>(Format::kFp8E5m2);
  return reads && fp8;
}

bool shape_fits(const Shape& shape, const Instruction& i) {
  const auto within = [](unsigned value, unsigned largest) { return value >= 1 && value <= largest; };
  const unsigned most_steps = i.double_row ? 2 * shape.rows : shape.rows;
  if (!within(i.m, shape.cols)) return false;
  if (i.is(Opcode::kStore)) return within(i.n, kEntries) && i.entry + i.n <= kEntries;
  if (!within(i.k, most_steps)) return false;
  if (i.is(Opcode::kTranspose)) return i.entry + i.k <= kEntries;
  return i.is(Opcode::kLoad) || (within(i.n, kEntries) && i.entry + i.n <= kEntries);
}

bool addresses_fit(const Instruction& i) {
  const auto fits = [](unsigned address, unsigned bytes) {
    return address % 8 == 0 && address + bytes <= kPartitionBytes;
  };
  if (i.is(Opcode::kTranspose)) return true;
  const unsigned elements = (i.is(Opcode::kLoad) ? i.m : i.n) * (i.double_row ? 2 : 1);
  if (!fits(i.address, elements * element_bytes(i.dtype))) return false;
  const bool with_params = i.is(Opcode::kStore) && !i.raw && (i.scale || i.bias);
  return !with_params || fits(i.params, 8);
}

}  // namespace

unsigned element_bytes(unsigned dtype) { return fp::info(static_cast<Format>(dtype)).bits / 8; }

std::optional<ErrorCode> check(const Shape& shape, const Instruction& i) {
  if (!opcode_is_known(i)) return ErrorCode::kBadOpcode;
  if (i.is(Opcode::kHalt)) return std::nullopt;
  if (!dtype_fits(i)) return ErrorCode::kBadDtype;
  if (!shape_fits(shape, i)) return ErrorCode::kBadShape;
  if (!addresses_fit(i)) return ErrorCode::kBadAddress;
  return std::nullopt;
}

}  // namespace tb::golden::tensor
