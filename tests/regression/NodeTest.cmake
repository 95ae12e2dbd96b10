# fl_node_test(<name> SCRIPT <file> LABEL <label> TIMEOUT <seconds> [WHOLE_MACHINE] [ARGS <arguments...>])
#
# A test that runs the programs as a user does. WHOLE_MACHINE: it runs several at once itself.
find_program(NODE node REQUIRED)

function(fl_node_test name)
  cmake_parse_arguments(A "WHOLE_MACHINE" "SCRIPT;LABEL;TIMEOUT" "ARGS" ${ARGN})
  add_test(NAME ${name} COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/${A_SCRIPT} ${A_ARGS} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${A_LABEL}" TIMEOUT ${A_TIMEOUT})
  if(A_WHOLE_MACHINE)
    set_tests_properties(${name} PROPERTIES PROCESSORS 2)
  endif()
endfunction()
