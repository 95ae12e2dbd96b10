# Needs TERN_FP_SOURCES (rtl/fp) and secded_pkg.sv (rtl/mem) before it.
set(TERN_TENSOR_SOURCES)
foreach(module pkg delay cell array moving_row moving load_row load acc_bank acc_column acc_state slots multiply store_lane store queue
               semaphores check dispatch errors pace limiter counters spad_array spad bus core)
  list(APPEND TERN_TENSOR_SOURCES ${CMAKE_CURRENT_LIST_DIR}/tensor_${module}.sv)
endforeach()
list(APPEND TERN_TENSOR_SOURCES ${CMAKE_CURRENT_LIST_DIR}/tensor.sv)
