# LLVM and MLIR as Debian ships them: two shared libraries, RTTI on, assertions off.
find_package(MLIR 22.1 REQUIRED CONFIG PATHS /usr/lib/llvm-22/lib/cmake/mlir NO_DEFAULT_PATH)
message(STATUS "MLIR from ${MLIR_DIR}, LLVM ${LLVM_PACKAGE_VERSION}")

set(LLVM_RUNTIME_OUTPUT_INTDIR ${PROJECT_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${PROJECT_BINARY_DIR}/lib)
set(MLIR_BINARY_DIR ${PROJECT_BINARY_DIR})
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# Naming any component library beside these two would pull in a second copy of MLIR.
add_library(algctl_mlir INTERFACE)
target_include_directories(algctl_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_link_libraries(algctl_mlir INTERFACE MLIR LLVM)

# MLIR's headers cost more time than our code: they are parsed once, here.
algctl_precompiled(algctl_pch ${PROJECT_SOURCE_DIR}/cmake/pch.h algctl_mlir)
if(ALGCTL_TESTS)
  algctl_precompiled(algctl_mlir_test_pch ${PROJECT_SOURCE_DIR}/cmake/mlir_test_pch.h
    algctl_mlir GTest::gtest GTest::gmock nlohmann_json::nlohmann_json)
  target_compile_options(algctl_mlir_test_pch PRIVATE ${ALGCTL_TEST_FLAGS})
endif()

# algctl_mlir_library(NAME SOURCES ... LIBRARIES ... DEPENDS ... [PRECOMPILED ...]): a static library that uses MLIR. Its
# precompiled header is MLIR's unless it says another.
function(algctl_mlir_library NAME)
  cmake_parse_arguments(LIB "" "PRECOMPILED" "SOURCES;LIBRARIES;DEPENDS" ${ARGN})
  if(NOT LIB_PRECOMPILED)
    set(LIB_PRECOMPILED algctl_pch)
  endif()
  add_library(${NAME} STATIC ${LIB_SOURCES})
  target_link_libraries(${NAME} PUBLIC algctl_mlir ${LIB_LIBRARIES})
  target_compile_options(${NAME} PRIVATE ${ALGCTL_PCH_FLAGS})
  target_precompile_headers(${NAME} REUSE_FROM ${LIB_PRECOMPILED})
  if(LIB_DEPENDS)
    add_dependencies(${NAME} ${LIB_DEPENDS})
  endif()
endfunction()

# algctl_mlir_tool(NAME SOURCES ... LIBRARIES ...): an executable that uses MLIR.
function(algctl_mlir_tool NAME)
  cmake_parse_arguments(TOOL "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${NAME} ${TOOL_SOURCES})
  target_link_libraries(${NAME} PRIVATE algctl_mlir ${TOOL_LIBRARIES})
  target_compile_options(${NAME} PRIVATE ${ALGCTL_PCH_FLAGS})
  target_precompile_headers(${NAME} REUSE_FROM algctl_pch)
endfunction()
