set(TERN_THERMAL_SOURCES
  ${CMAKE_CURRENT_LIST_DIR}/thermal_pkg.sv
  ${CMAKE_CURRENT_LIST_DIR}/thermal_filter.sv
  ${CMAKE_CURRENT_LIST_DIR}/thermal_zone.sv
  ${CMAKE_CURRENT_LIST_DIR}/thermal_throttle.sv
  ${CMAKE_CURRENT_LIST_DIR}/thermal_trip.sv
  ${CMAKE_CURRENT_LIST_DIR}/thermal.sv)
