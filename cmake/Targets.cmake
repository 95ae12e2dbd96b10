# fl_library(<target> SOURCES <files...> [LINK <targets...>])     a library of ours, warnings on, include root = the repository
# fl_test(<target> SOURCES <files...> [LINK <targets...>] [LABELS <labels...>] [TIMEOUT seconds])   a GoogleTest program, one ctest entry a program
#
# Includes are written from the repository's root ("lab/core/quantity.h"), so an include line says which way the dependency points.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(GTest REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS context program_options)
find_library(SYSTEMC_LIBRARY systemc REQUIRED)

option(FIRSTLIGHT_SANITIZE "Address and undefined-behaviour sanitizers on our own code" OFF)
option(FIRSTLIGHT_CPP_COVERAGE "gcov counters on our own code" OFF)

add_library(fl_options INTERFACE)
target_compile_options(fl_options INTERFACE -Wall -Wextra -Wconversion -Werror)
target_include_directories(fl_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
if(FIRSTLIGHT_SANITIZE)
  target_compile_options(fl_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(fl_options INTERFACE -fsanitize=address,undefined)
endif()
if(FIRSTLIGHT_CPP_COVERAGE)
  target_compile_options(fl_options INTERFACE --coverage)
  target_link_options(fl_options INTERFACE --coverage)
endif()

# SystemC: its headers are not ours to warn about.
add_library(fl_systemc INTERFACE)
target_link_libraries(fl_systemc INTERFACE ${SYSTEMC_LIBRARY})
target_compile_definitions(fl_systemc INTERFACE SC_INCLUDE_DYNAMIC_PROCESSES)

function(fl_library target)
  cmake_parse_arguments(A "" "" "SOURCES;LINK" ${ARGN})
  add_library(${target} STATIC ${A_SOURCES})
  target_link_libraries(${target} PUBLIC fl_options ${A_LINK})
endfunction()

function(fl_test target)
  cmake_parse_arguments(A "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${target} ${A_SOURCES})
  target_link_libraries(${target} PRIVATE fl_options ${A_LINK} GTest::gtest GTest::gmock)
  # Tests are compiled more often than they run long.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(NOT "systemc" IN_LIST A_LABELS)
    target_link_libraries(${target} PRIVATE GTest::gtest_main)
  endif()
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 60)
  endif()
  add_test(NAME ${target} COMMAND ${target})
  set_tests_properties(${target} PROPERTIES LABELS "${A_LABELS}" TIMEOUT ${A_TIMEOUT})
endfunction()
