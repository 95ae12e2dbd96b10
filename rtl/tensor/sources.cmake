# TERN_TENSOR_NEEDS come before it.
set(TERN_TENSOR_NEEDS ${TERN_FP_SOURCES} ${TERN_RTL_DIR}/mem/secded_pkg.sv ${TERN_RTL_DIR}/mem/mem_mbist.sv ${TERN_RTL_DIR}/mem/mem_spare_map.sv ${TERN_RTL_DIR}/mem/mem_repair.sv ${TERN_RTL_DIR}/bus/axi_fifo.sv ${TERN_REST_CLOCK_SOURCES})
set(TERN_TENSOR_SOURCES)
foreach(module pkg delay cell array moving_row moving lowest load_row load acc_bank acc_column acc_state slots product_errors multiply store_lane store queue
               semaphores check dispatch errors pace limiter counters spad_array spad bus test acc_map axi_read axi_write fetch scrub core)
  list(APPEND TERN_TENSOR_SOURCES ${CMAKE_CURRENT_LIST_DIR}/tensor_${module}.sv)
endforeach()
list(APPEND TERN_TENSOR_SOURCES ${CMAKE_CURRENT_LIST_DIR}/tensor.sv)
