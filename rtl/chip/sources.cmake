set(TERN_CHIP_SOURCES ${CMAKE_CURRENT_LIST_DIR}/chip.sv)
# Between the top and its memory port.
set(TERN_PORT_SOURCES ${CMAKE_CURRENT_LIST_DIR}/mem_activity.sv ${CMAKE_CURRENT_LIST_DIR}/zone_activity.sv)
