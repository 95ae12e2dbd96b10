set(TERN_FP_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/fp_pkg.sv
  ${CMAKE_CURRENT_LIST_DIR}/fp_fma_pkg.sv
  ${CMAKE_CURRENT_LIST_DIR}/fp_widen.sv
  ${CMAKE_CURRENT_LIST_DIR}/fp_fma.sv
  ${CMAKE_CURRENT_LIST_DIR}/fp_random.sv
  ${CMAKE_CURRENT_LIST_DIR}/fp_narrow.sv
  ${CMAKE_CURRENT_LIST_DIR}/fp_post.sv)
