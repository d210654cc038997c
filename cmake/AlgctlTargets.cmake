# Flags that every target of the project shares.

# By hand instead of POSITION_INDEPENDENT_CODE: with the property, executables get -fPIE and
# Clang refuses a precompiled header that was made with -fPIC.
add_compile_options(-fPIC -Wall -Wextra -Wno-unused-parameter)

if(ALGCTL_SANITIZE)
  add_compile_options(-fsanitize=${ALGCTL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ALGCTL_SANITIZE})
endif()
if(ALGCTL_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "ALGCTL_FUZZ needs Clang: libFuzzer is part of its runtime")
  endif()
  # Coverage for all code, the driver only for the fuzz targets themselves.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# algctl_test(NAME SOURCES ... LIBRARIES ... [LABEL ...]): one GoogleTest program, its cases registered one by one.
function(algctl_test NAME)
  cmake_parse_arguments(TEST "" "LABEL" "SOURCES;LIBRARIES;DEFINITIONS" ${ARGN})
  if(NOT TEST_LABEL)
    set(TEST_LABEL unit)
  endif()
  add_executable(${NAME} ${TEST_SOURCES} ${CMAKE_SOURCE_DIR}/tests/support/own_temporary_folder.cpp)
  target_link_libraries(${NAME} PRIVATE ${TEST_LIBRARIES} GTest::gtest_main)
  target_compile_definitions(${NAME} PRIVATE ALGCTL_SOURCE_DIR="${CMAKE_SOURCE_DIR}" ${TEST_DEFINITIONS})
  gtest_discover_tests(${NAME} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${TEST_LABEL})
endfunction()
