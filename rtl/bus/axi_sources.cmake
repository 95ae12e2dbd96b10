set(TERN_AXI_SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/axi_fifo.sv
    ${CMAKE_CURRENT_LIST_DIR}/axi_route_pkg.sv
    ${CMAKE_CURRENT_LIST_DIR}/axi_id_track.sv
    ${CMAKE_CURRENT_LIST_DIR}/axi_error.sv
    ${CMAKE_CURRENT_LIST_DIR}/axi_demux.sv
    ${CMAKE_CURRENT_LIST_DIR}/axi_mux.sv
    ${CMAKE_CURRENT_LIST_DIR}/axi_fabric.sv)
