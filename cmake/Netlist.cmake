# fl_netlist_test(<target> OF <block test> MODEL <verilated target> [MUTANTS <count>])
#
# The program of a block test on gates: the top of its model (a block with flat ports) is synthesised, and the netlist verilated in its place. Neither in
# `all` nor a test of ctest, since that takes a minute; the nightly regression builds and runs it (tests/regression/blocks.yaml). MUTANTS puts as many
# mutated gates into the netlist; FIRSTLIGHT_MUTANT in the program's environment says which one is on, from 1 (scripts/mutants).

function(fl_netlist_test target)
  cmake_parse_arguments(A "" "OF;MODEL;MUTANTS" "" ${ARGN})
  get_target_property(top ${A_MODEL} FL_TOP)
  get_target_property(sources ${A_MODEL} FL_SOURCES)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${target}.netlist)
  set(netlist ${dir}/${top}.v)
  set(options)
  if(A_MUTANTS)
    set(netlist ${dir}/${top}_mutants.v ${dir}/${top}.sv)
    set(options --mutants ${A_MUTANTS})
  endif()
  file(GLOB tools CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/synthesis/*.mjs)
  add_custom_command(
    OUTPUT ${netlist}
    COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/tests/synthesis/netlist.mjs --out ${dir} ${options} ${top} ${sources}
    DEPENDS ${sources} ${tools} tern_regs
    COMMENT "Synthesising ${top}"
    VERBATIM)
  fl_verilate(${target}_model TOP ${top} SOURCES ${netlist} ARGS -Wno-lint -Wno-style -Wno-UNOPTFLAT)

  get_target_property(programs ${A_OF} SOURCES)
  get_target_property(folder ${A_OF} SOURCE_DIR)
  list(TRANSFORM programs PREPEND ${folder}/ REGEX "^[^/]")
  get_target_property(libraries ${A_OF} LINK_LIBRARIES)
  list(TRANSFORM libraries REPLACE "^${A_MODEL}$" ${target}_model)
  add_executable(${target} ${programs} ${PROJECT_SOURCE_DIR}/tb/blocks/netlist_mutant.cpp)
  target_link_libraries(${target} PRIVATE ${libraries})
  target_compile_options(${target} PRIVATE -O1)
  set_target_properties(${target} ${target}_model PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()
