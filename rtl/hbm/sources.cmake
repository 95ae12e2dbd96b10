# TERN_HBM_NEEDS come before it.
set(TERN_HBM_NEEDS ${TERN_RTL_DIR}/bus/axi_fifo.sv ${TERN_REST_CLOCK_SOURCES})
set(TERN_HBM_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/hbm_pkg.sv
  ${CMAKE_CURRENT_LIST_DIR}/hbm_order.sv
  ${CMAKE_CURRENT_LIST_DIR}/hbm_split.sv
  ${CMAKE_CURRENT_LIST_DIR}/hbm_port.sv
  ${CMAKE_CURRENT_LIST_DIR}/hbm_page.sv
  ${CMAKE_CURRENT_LIST_DIR}/hbm_window.sv
  ${CMAKE_CURRENT_LIST_DIR}/hbm_train.sv
  ${CMAKE_CURRENT_LIST_DIR}/hbm_bist.sv
  ${CMAKE_CURRENT_LIST_DIR}/hbm_repair.sv
  ${CMAKE_CURRENT_LIST_DIR}/hbm.sv)
