# Flags that every target of the project shares.

# By hand instead of POSITION_INDEPENDENT_CODE: with the property, executables get -fPIE and
# Clang refuses a precompiled header that was made with -fPIC.
add_compile_options(-fPIC -Wall -Wextra -Wno-unused-parameter)

# Hundreds of programs are linked, most of them tests: lld takes a fraction of the time of GNU ld.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  find_program(ALGCTL_LLD NAMES ld.lld-22 ld.lld)
  if(ALGCTL_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

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

set(ALGCTL_PCH_FLAGS "")
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # Without this a precompiled header's time stamp defeats ccache.
  set(ALGCTL_PCH_FLAGS "SHELL:-Xclang -fno-pch-timestamp")
endif()

# What runs once and computes little: command lines and tests. Two thirds of their time in the compiler would go into
# optimising what GoogleTest, CLI11 and the JSON library make of a few lines. What they call is optimised, but for inline
# functions and templates that they use, too: of those the linker keeps the program's own copy.
set(ALGCTL_RUNS_ONCE -O0)

# Tests: sanitizers watch them as everything else, but counting what they cover is for the fuzz targets.
set(ALGCTL_TEST_FLAGS ${ALGCTL_RUNS_ONCE})
if(ALGCTL_SANITIZE)
  list(APPEND ALGCTL_TEST_FLAGS -DALGCTL_SANITIZED)
endif()
if(ALGCTL_FUZZ)
  list(APPEND ALGCTL_TEST_FLAGS -fno-sanitize=fuzzer-no-link)
endif()

# algctl_precompiled(NAME HEADER LIBRARIES ...): headers that many targets need and that cost more time than their own
# code, parsed once. Targets take them with target_precompile_headers(TARGET REUSE_FROM NAME) and ALGCTL_PCH_FLAGS.
function(algctl_precompiled NAME HEADER)
  file(WRITE ${PROJECT_BINARY_DIR}/${NAME}_anchor.cpp "")
  add_library(${NAME} OBJECT ${PROJECT_BINARY_DIR}/${NAME}_anchor.cpp)
  target_link_libraries(${NAME} PRIVATE ${ARGN})
  target_precompile_headers(${NAME} PRIVATE ${HEADER})
  target_compile_options(${NAME} PRIVATE ${ALGCTL_PCH_FLAGS})
endfunction()

# algctl_test(NAME SOURCES ... LIBRARIES ... [MLIR] [LABEL ...]): one GoogleTest program, its cases registered one by one.
# MLIR: most of its sources include MLIR's headers.
function(algctl_test NAME)
  cmake_parse_arguments(TEST "MLIR" "LABEL" "SOURCES;LIBRARIES;DEFINITIONS" ${ARGN})
  if(NOT TEST_LABEL)
    set(TEST_LABEL unit)
  endif()
  set(PRECOMPILED algctl_test_pch)
  if(TEST_MLIR)
    set(PRECOMPILED algctl_mlir_test_pch)
  endif()
  add_executable(${NAME} ${TEST_SOURCES} ${CMAKE_SOURCE_DIR}/tests/support/own_temporary_folder.cpp)
  target_link_libraries(${NAME} PRIVATE ${TEST_LIBRARIES} GTest::gtest_main)
  target_compile_definitions(${NAME} PRIVATE ALGCTL_SOURCE_DIR="${CMAKE_SOURCE_DIR}" ${TEST_DEFINITIONS})
  target_compile_options(${NAME} PRIVATE ${ALGCTL_PCH_FLAGS} ${ALGCTL_TEST_FLAGS})
  target_precompile_headers(${NAME} REUSE_FROM ${PRECOMPILED})
  gtest_discover_tests(${NAME} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS ${TEST_LABEL})
endfunction()
