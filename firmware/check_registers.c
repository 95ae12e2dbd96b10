/* Compiled with every build: the generated register header must be C11 without extensions, complete by itself, and agree with the address map. */
#include "firmware/tern_regs.h"

_Static_assert(TERN_CHIP_BASE == 0x000000u, "the chip block answers first, at zero");
_Static_assert(TERN_SRAM_DATA_BYTES == 0x10000u, "64 KiB of SRAM");
_Static_assert((TERN_DMA_Q_CTRL_ENABLE_MASK >> TERN_DMA_Q_CTRL_ENABLE_SHIFT) == 1u, "a flag is one bit");
_Static_assert(TERN_POWER_BASE != TERN_THERMAL_BASE && TERN_DMA0_BASE != TERN_LINK_BASE, "blocks have windows of their own");

/* ISO C wants a translation unit to hold something. */
extern const unsigned tern_register_map_checked;
const unsigned tern_register_map_checked = 1u;
