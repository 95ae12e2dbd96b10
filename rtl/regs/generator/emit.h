#pragma once

#include <string>

#include "rtl/regs/generator/description.h"

namespace regtool {

// Each answers the whole text of one generated file.

/// `<block>_regs_pkg.sv`: offsets, enumerations, the structs to and from hardware, reset values.
std::string emit_sv_package(const Block& block);
/// `<block>_regs.sv`: the register block on the register bus.
std::string emit_sv_block(const Block& block);
/// `tern_regs_pkg.sv`: bases and the decoder of the host address.
std::string emit_sv_map(const Design& design);
/// `tern_axi_map_pkg.sv`: bases and sizes of the regions of the data bus.
std::string emit_sv_regions(const Design& design);
/// `tern_regs.h` for firmware.
std::string emit_c_header(const Design& design);
/// `tern_register_map.cpp`: the table behind `tern_registers()`.
std::string emit_cpp_table(const Design& design);
/// `registers.md`.
std::string emit_markdown(const Design& design);

}  // namespace regtool
