# The host port (the AXI fabric has its own list). TERN_HOST_PKG_SOURCES is what others use of it.
set(TERN_HOST_PKG_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/host_pkg.sv
  ${CMAKE_CURRENT_LIST_DIR}/bit_sync.sv)
set(TERN_HOST_SOURCES
  ${TERN_HOST_PKG_SOURCES}
  ${CMAKE_CURRENT_LIST_DIR}/axil_subordinate.sv
  ${CMAKE_CURRENT_LIST_DIR}/host_demux.sv
  ${CMAKE_CURRENT_LIST_DIR}/core_bridge_ref.sv
  ${CMAKE_CURRENT_LIST_DIR}/core_bridge_core.sv
  ${CMAKE_CURRENT_LIST_DIR}/core_bridge.sv
  ${CMAKE_CURRENT_LIST_DIR}/core_demux.sv
  ${CMAKE_CURRENT_LIST_DIR}/host_port.sv)
