# pupc_ruby_text(VARIABLE FUNCTION [PLAIN] FILES…): generates a C++ source file, sets VARIABLE to its path, and gives it a FUNCTION that
# returns the text of the Ruby FILES. The program contains the text, so it needs no Ruby file at run time.
set(PUPC_RUBY_TEXT ${CMAKE_CURRENT_LIST_DIR}/ruby_text.cmake)
# The parts of Puppet's library that several Ruby workers share.
set(PUPC_RUBY_LIBRARY ${CMAKE_SOURCE_DIR}/catalog/ruby/library)
# Those that every facade begins with.
set(PUPC_RUBY_CORE)
foreach(name loading autoloaded_libraries errors logging util util_formats util_system versions semantic_version features settings program type_declarations sensitive)
  list(APPEND PUPC_RUBY_CORE ${PUPC_RUBY_LIBRARY}/${name}.rb)
endforeach()
function(pupc_ruby_text VARIABLE FUNCTION)
  cmake_parse_arguments(R "PLAIN" "" "" ${ARGN})
  set(version_header ${CMAKE_SOURCE_DIR}/catalog/base/version.h)
  # The namespace is that of the top folder which calls this.
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" namespace ${folder})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${FUNCTION}.cpp)
  string(REPLACE ";" "," files "${R_UNPARSED_ARGUMENTS}")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFUNCTION=${FUNCTION} -DNAMESPACE=${namespace} -DPLAIN=${R_PLAIN} "-DVERSION_HEADER=${version_header}" -DOUTPUT=${output} "-DFILES=${files}" -P ${PUPC_RUBY_TEXT}
    DEPENDS ${R_UNPARSED_ARGUMENTS} ${PUPC_RUBY_TEXT} ${version_header} VERBATIM)
  set(${VARIABLE} ${output} PARENT_SCOPE)
endfunction()
