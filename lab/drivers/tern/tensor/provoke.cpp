#include "lab/drivers/tern/tensor/provoke.h"

#include <functional>
#include <utility>

namespace firstlight::tern::tensor {

namespace {

constexpr unsigned kVectors = 4;
constexpr unsigned kMaxSemaphore = 255;
constexpr unsigned kFreeSemaphore = 15;
constexpr unsigned kUncorrectable = 2;  // bits

Instruction tagged(Instruction instruction) {
  instruction.tag = kProvokedTag;
  return instruction;
}

Instruction load(const Engine& engine) {
  Instruction out;
  out.opcode = Opcode::load_stationary;
  out.dtype = Format::bf16;
  out.k = engine.rows;
  out.m = engine.columns;
  return out;
}

Instruction product(const Engine& engine) {
  Instruction out;
  out.opcode = Opcode::multiply_moving;
  out.dtype = Format::bf16;
  out.n = kVectors;
  out.k = engine.rows;
  out.m = engine.columns;
  return out;
}

Instruction store(const Engine& engine) {
  Instruction out;
  out.opcode = Opcode::store;
  out.n = kVectors;
  out.m = engine.columns;
  out.address = engine.partition_bytes / 2;
  return out;
}

Provocation program(std::vector<Instruction> instructions) {
  Provocation out;
  out.program = std::move(instructions);
  return out;
}

Provocation bad_opcode(const Engine&) {
  Instruction one;
  one.opcode = static_cast<Opcode>(9);
  return program({tagged(one)});
}

Provocation bad_dtype(const Engine& engine) {
  Instruction one = load(engine);
  one.dtype = static_cast<Format>(6);
  return program({tagged(one)});
}

Provocation bad_shape(const Engine& engine) {
  Instruction one = product(engine);
  one.k = engine.rows + 1;
  return program({load(engine), tagged(one)});
}

Provocation bad_address(const Engine& engine) {
  Instruction one = load(engine);
  one.address = engine.partition_bytes;
  return program({tagged(one)});
}

/// The load fills one row less than the product takes.
Provocation stationary_unset(const Engine& engine) {
  Instruction short_load = load(engine);
  --short_load.k;
  short_load.sbank = 1;
  short_load.signal = true;
  Instruction one = product(engine);
  one.sbank = 1;
  one.wait_count = 1;
  return program({short_load, tagged(one)});
}

/// Entries that were stored with `release` are unset again.
Provocation accumulator_unset(const Engine& engine) {
  Instruction first = load(engine);
  first.signal = true;
  Instruction sum = product(engine);
  sum.wait_count = 1;
  sum.signal_sem = 1;
  sum.signal = true;
  Instruction out = store(engine);
  out.wait_sem = 1;
  out.wait_count = 1;
  out.release = true;
  return program({first, sum, out, tagged(store(engine))});
}

Provocation semaphore_overflow(const Engine&) {
  Instruction one;
  one.opcode = Opcode::load_stationary;
  one.dtype = Format::bf16;
  one.k = 1;
  one.m = 1;
  one.signal_sem = kFreeSemaphore;
  one.signal = true;
  Provocation out = program(std::vector<Instruction>(kMaxSemaphore, one));
  out.program.push_back(tagged(one));
  return out;
}

Provocation memory_error(const Engine& engine) {
  Provocation out = program({tagged(load(engine))});
  out.flipped_bits = kUncorrectable;
  return out;
}

Provocation fetch_error(const Engine&) {
  Provocation out;
  out.fetch_outside = true;
  return out;
}

using Maker = Provocation (*)(const Engine&);
constexpr std::pair<const char*, Maker> kMakers[] = {{"bad_opcode", bad_opcode},
                                                     {"bad_dtype", bad_dtype},
                                                     {"bad_shape", bad_shape},
                                                     {"bad_address", bad_address},
                                                     {"stationary_unset", stationary_unset},
                                                     {"accumulator_unset", accumulator_unset},
                                                     {"semaphore_overflow", semaphore_overflow},
                                                     {"memory_error", memory_error},
                                                     {"fetch_error", fetch_error}};

}  // namespace

std::vector<std::string> provocations() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : kMakers) names.emplace_back(name);
  return names;
}

std::optional<Provocation> provocation_of(const std::string& name, const Engine& engine) {
  for (const auto& [known, maker] : kMakers)
    if (known == name) return maker(engine);
  return std::nullopt;
}

}  // namespace firstlight::tern::tensor
