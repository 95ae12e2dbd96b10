# fl_verilate(<target> TOP <module> SOURCES <files...> [PREFIX <class>] [DEPENDS <files or targets...>] [TRACE] [BRIEF] [ARGS <verilator options...>])
#
# Makes a static library <target> with the verilated class (V<module> unless PREFIX says otherwise). Verilates at build time, into one
# translation unit that is hot (-O2; -O1 with BRIEF, for what runs a few seconds) and one that is not (-O0), so that a build needs no list of the files that Verilator writes.
# SOURCES are in the order of compilation: packages first. With FIRSTLIGHT_RTL_COVERAGE the class counts lines and toggles.

find_program(VERILATOR verilator REQUIRED)
execute_process(COMMAND ${VERILATOR} --getenv VERILATOR_ROOT OUTPUT_VARIABLE VERILATOR_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)

set(FIRSTLIGHT_RTL_COVERAGE OFF CACHE STRING "RTL coverage that verilated models count: OFF, LINE or ALL (line and toggle)")

function(fl_verilated_runtime)
  if(TARGET fl_verilated)
    return()
  endif()
  add_library(fl_verilated STATIC
    ${VERILATOR_ROOT}/include/verilated.cpp
    ${VERILATOR_ROOT}/include/verilated_cov.cpp
    ${VERILATOR_ROOT}/include/verilated_fst_c.cpp
    ${VERILATOR_ROOT}/include/verilated_threads.cpp)
  find_package(ZLIB REQUIRED)
  find_package(Threads REQUIRED)
  target_include_directories(fl_verilated SYSTEM PUBLIC ${VERILATOR_ROOT}/include ${VERILATOR_ROOT}/include/vltstd)
  target_link_libraries(fl_verilated PUBLIC ZLIB::ZLIB Threads::Threads)
  target_compile_definitions(fl_verilated PUBLIC VM_SC=0 VM_TRACE=1 VM_TRACE_FST=1 VM_TRACE_VCD=0 VM_COVERAGE=1)
  target_compile_options(fl_verilated PRIVATE -O2 -w)
endfunction()

function(fl_verilate target)
  cmake_parse_arguments(A "TRACE;BRIEF" "TOP;PREFIX" "SOURCES;DEPENDS;ARGS" ${ARGN})
  fl_verilated_runtime()
  if(NOT A_PREFIX)
    set(A_PREFIX V${A_TOP})
  endif()
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${target}.verilated)
  # SYNCASYNCNET: an assertion with `disable iff (!rst_ni)` counts as a synchronous use of an asynchronous reset.
  set(options --cc --top-module ${A_TOP} --prefix ${A_PREFIX} -Mdir ${dir} -Wall -Wno-SYNCASYNCNET -O3 --x-assign unique --x-initial unique --assert
      --output-split 20000 --no-timing)
  if(A_TRACE)
    list(APPEND options --trace-fst --trace-structs --trace-params)
  endif()
  if(FIRSTLIGHT_RTL_COVERAGE STREQUAL "LINE")
    list(APPEND options --coverage-line --coverage-user)
  elseif(FIRSTLIGHT_RTL_COVERAGE STREQUAL "ALL")
    list(APPEND options --coverage-line --coverage-toggle --coverage-user)
  endif()
  set(sources)
  foreach(source IN LISTS A_SOURCES)
    get_filename_component(source ${source} ABSOLUTE)
    list(APPEND sources ${source})
  endforeach()
  add_custom_command(
    OUTPUT ${dir}/fast.cpp ${dir}/slow.cpp
    # Files that it does not write any more would be compiled still.
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${dir}
    COMMAND ${VERILATOR} ${options} ${A_ARGS} ${sources}
    COMMAND ${CMAKE_COMMAND} -DDIR=${dir} -DPREFIX=${A_PREFIX} -P ${PROJECT_SOURCE_DIR}/cmake/gather_verilated.cmake
    DEPENDS ${sources} ${A_DEPENDS} ${PROJECT_SOURCE_DIR}/cmake/gather_verilated.cmake
    COMMENT "Verilating ${A_TOP}"
    VERBATIM)
  add_library(${target} STATIC ${dir}/fast.cpp ${dir}/slow.cpp)
  target_include_directories(${target} SYSTEM PUBLIC ${dir})
  target_link_libraries(${target} PUBLIC fl_verilated)
  # With a counter on every bit the code is many times larger: what -O2 gains in running it loses in compiling.
  set(hot -O2)
  if(A_BRIEF OR FIRSTLIGHT_RTL_COVERAGE STREQUAL "ALL")
    set(hot -O1)
  endif()
  set_source_files_properties(${dir}/fast.cpp PROPERTIES COMPILE_OPTIONS "${hot};-w")
  set_source_files_properties(${dir}/slow.cpp PROPERTIES COMPILE_OPTIONS "-O0;-w")
  # For cmake/Netlist.cmake.
  set(parameters ${A_ARGS})
  list(FILTER parameters INCLUDE REGEX "^-G")
  list(TRANSFORM parameters REPLACE "^-G" "")
  set_target_properties(${target} PROPERTIES CXX_CLANG_TIDY "" FL_TOP ${A_TOP} FL_PREFIX ${A_PREFIX} FL_SOURCES "${sources}" FL_PARAMETERS "${parameters}")
endfunction()
