# fl_netlist_test(<target> OF <block test> MODEL <verilated targets...> [THROUGH <libraries...>] [MUTANTS <count>] [PARTS <modules...>])
#
# The program of a block test on gates: the top of each of its models (a block with flat ports) is synthesised, with the parameters that the model has, and the
# netlist verilated in its place. Neither in `all` nor a test of ctest, since that takes a minute; the nightly regression builds and runs it
# (tests/regression/blocks.yaml). MUTANTS puts as many mutated gates into the netlist; FIRSTLIGHT_MUTANT in the program's environment says which one is on,
# from 1 (scripts/mutants). PARTS are modules that stand in the block many times and are synthesised once. THROUGH are libraries of the test that see its
# models themselves: they are compiled again, against the netlists.

# Synthesises the top of <model> into <dir> and makes <name> of it, a verilated target.
function(fl_verilate_netlist name model dir mutants parts)
  get_target_property(top ${model} FL_TOP)
  get_target_property(sources ${model} FL_SOURCES)
  get_target_property(prefix ${model} FL_PREFIX)
  get_target_property(parameters ${model} FL_PARAMETERS)
  set(netlist ${dir}/${top}.v)
  set(options)
  foreach(parameter IN LISTS parameters)
    list(APPEND options --parameter ${parameter})
  endforeach()
  foreach(part IN LISTS parts)
    list(APPEND options --part ${part})
  endforeach()
  if(mutants)
    set(netlist ${dir}/${top}_mutants.v ${dir}/${top}.sv)
    list(APPEND options --mutants ${mutants})
  endif()
  file(GLOB tools CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/synthesis/*.mjs)
  add_custom_command(
    OUTPUT ${netlist}
    COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/tests/synthesis/netlist.mjs --out ${dir} ${options} ${top} ${sources}
    DEPENDS ${sources} ${tools} tern_regs
    COMMENT "Synthesising ${top}"
    VERBATIM)
  # Verilator 5.006 makes some trees of XOR gates into their inverse (a check bit of the scratchpad's SECDED was wrong, always) unless it leaves them as they are.
  fl_verilate(${name} TOP ${top} PREFIX ${prefix} SOURCES ${netlist} BRIEF ARGS -Wno-lint -Wno-style -Wno-UNOPTFLAT -fno-const-bit-op-tree)
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()

function(fl_netlist_test target)
  cmake_parse_arguments(A "" "OF;MUTANTS" "MODEL;THROUGH;PARTS" ${ARGN})
  set(programs)
  set(libraries)
  foreach(compiled IN ITEMS ${A_OF} ${A_THROUGH})
    get_target_property(files ${compiled} SOURCES)
    get_target_property(folder ${compiled} SOURCE_DIR)
    list(TRANSFORM files PREPEND ${folder}/ REGEX "^[^/]")
    list(APPEND programs ${files})
    get_target_property(linked ${compiled} LINK_LIBRARIES)
    list(APPEND libraries ${linked})
  endforeach()
  list(REMOVE_ITEM libraries ${A_THROUGH})
  foreach(model IN LISTS A_MODEL)
    fl_verilate_netlist(${target}_${model} ${model} ${CMAKE_CURRENT_BINARY_DIR}/${target}.netlist/${model} "${A_MUTANTS}" "${A_PARTS}")
    list(TRANSFORM libraries REPLACE "^${model}$" ${target}_${model})
  endforeach()
  add_executable(${target} ${programs} ${PROJECT_SOURCE_DIR}/tb/blocks/netlist_mutant.cpp)
  target_link_libraries(${target} PRIVATE ${libraries})
  target_compile_options(${target} PRIVATE -O1)
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()
