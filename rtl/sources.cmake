# TERN_SOURCES: every file of the chip in the order of compilation. TERN_PEER_SOURCES: the same for the far end of the link (tern_peer).
# TERN_<BLOCK>_SOURCES of each block comes from its own sources.cmake; TERN_<BLOCK>_REGS are its generated register files.
# Whoever verilates generated files adds `DEPENDS tern_regs`.

set(TERN_RTL_DIR ${CMAKE_CURRENT_LIST_DIR})
set(TERN_GENERATED_REGS_DIR ${PROJECT_BINARY_DIR}/generated/regs)
set(TERN_PKG ${TERN_GENERATED_REGS_DIR}/tern_axi_map_pkg.sv ${TERN_RTL_DIR}/tern_pkg.sv)
set(TERN_REGS_PKG ${TERN_GENERATED_REGS_DIR}/tern_regs_pkg.sv)

foreach(block chip power thermal sram dma link tensor hbm mesh)
  string(TOUPPER ${block} name)
  set(TERN_${name}_REGS ${TERN_GENERATED_REGS_DIR}/${block}_regs_pkg.sv ${TERN_GENERATED_REGS_DIR}/${block}_regs.sv)
endforeach()

include(${TERN_RTL_DIR}/bus/host_sources.cmake)
include(${TERN_RTL_DIR}/bus/axi_sources.cmake)
foreach(folder chip power thermal mem dma link hbm mesh fp tensor)
  include(${TERN_RTL_DIR}/${folder}/sources.cmake OPTIONAL)
endforeach()

# Packages come first everywhere; a file that two lists name (a synchroniser, say) is compiled once.
set(TERN_SOURCES
  ${TERN_PKG} ${TERN_REGS_PKG}
  ${TERN_CHIP_REGS} ${TERN_POWER_REGS} ${TERN_THERMAL_REGS} ${TERN_SRAM_REGS} ${TERN_DMA_REGS} ${TERN_LINK_REGS} ${TERN_TENSOR_REGS} ${TERN_HBM_REGS} ${TERN_MESH_REGS}
  ${TERN_HOST_SOURCES} ${TERN_AXI_SOURCES} ${TERN_CHIP_SOURCES} ${TERN_POWER_SOURCES} ${TERN_THERMAL_SOURCES} ${TERN_MEM_SOURCES}
  ${TERN_DMA_SOURCES} ${TERN_LINK_SOURCES} ${TERN_MESH_SOURCES} ${TERN_MESH_NI_SOURCES} ${TERN_MESH_LINK_SOURCES} ${TERN_MESH_BLOCK_SOURCES}
  ${TERN_HBM_SOURCES} ${TERN_TENSOR_NEEDS} ${TERN_TENSOR_SOURCES}
  ${TERN_PORT_SOURCES} ${TERN_RTL_DIR}/tern.sv)
list(REMOVE_DUPLICATES TERN_SOURCES)

set(TERN_PEER_SOURCES
  ${TERN_PKG} ${TERN_SRAM_REGS} ${TERN_LINK_REGS} ${TERN_MEM_SOURCES} ${TERN_LINK_SOURCES} ${TERN_PEER_SOURCES})
list(REMOVE_DUPLICATES TERN_PEER_SOURCES)
