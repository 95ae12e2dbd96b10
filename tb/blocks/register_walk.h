#pragma once

#include <string>
#include <vector>

#include "rtl/regs/tern_registers.h"
#include "tb/blocks/dice.h"
#include "tb/blocks/register_port.h"

namespace tb::blocks {

/// Checks the registers of a block that has just left reset: reset values, every stored bit at 0 and 1, errors where
/// nothing can be written or nothing is. Leaves stored fields at random values. The answer lists what is wrong.
template <class Model>
std::vector<std::string> walk_registers(RegisterPort<Model>& port, const std::string& block_name, std::uint64_t seed) {
  std::vector<std::string> wrong;
  Dice dice(seed);
  for (const auto& block : port.map().blocks()) {
    if (block.name != block_name) continue;
    for (const auto& reg : block.registers)
      for (std::uint32_t i = 0; i < reg.count; ++i) {
        const std::uint32_t address = block.base + reg.offset + i * reg.stride;
        const std::string name = block.name + "." + reg.name + (reg.is_array ? "[" + std::to_string(i) + "]" : "");
        std::uint32_t stored = 0;
        for (const auto& field : reg.fields)
          if (field.access == firstlight::Access::ReadWrite) stored |= field.register_mask();
        if ((port.read(name) & stored) != (reg.reset() & stored)) wrong.push_back(name + ": reset value");
        // Pulses stay at 0: a walk must not start anything.
        for (const std::uint32_t value : {0xffffffffU, 0U, dice.word()}) {
          if (port.raw_access(true, address, value & stored) == reg.is_writable())
            wrong.push_back(name + ": write answer");
          if ((port.read(name) & stored) != (value & stored)) wrong.push_back(name + ": read back");
        }
      }
    if (!port.raw_access(false, 0xffc, 0) || !port.raw_access(true, 0xffc, 0)) wrong.push_back("0xffc answers");
  }
  return wrong;
}

}  // namespace tb::blocks
