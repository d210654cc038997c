// A GPU kernel as a pair of plain C files: its machine code as bytes, its PTX as text, and a launcher over
// the driver library that needs neither this project's runtime nor a CUDA toolkit.
#pragma once

#include "runtime/bundle/gpu_kernel.h"
#include "runtime/bundle/layer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

/// Where the two files go and what is in them called.
struct LauncherNames {
  std::string source_path; // "build/up-1.c"
  std::string header_path; // "build/up-1.h"
  std::string include;     // "up-1.h"
  std::string identifier;  // "up_1": functions are up_1_load, ...
};

/// Throws UsageError unless `path` ends with ".c" behind a file name that can stand in an #include.
LauncherNames launcherNames(std::string_view path);

struct CudaProgram {
  LauncherNames names;
  std::string title;          // what the kernel was made of, for the comment at the top
  algrt::Layer layer;         // row types are not explicit
  algrt::GpuKernel kernel;    // its `images` are not looked at
  std::string_view cubin;     // what is loaded where the driver knows it; may be empty
  std::string_view ptx;       // what the driver compiles where it does not
  std::vector<int32_t> terms; // algrt::cuda::termsTable; empty where the kernel reads none
};

struct LauncherFiles {
  std::string source, header;
};

/// C99 that compiles without warnings. What it writes makes, for every launch anew, the maps that
/// runtime/gpu_kernel_abi.h describes. Throws Failure where a number of the layer does not fit 32 bits.
LauncherFiles cudaLauncher(const CudaProgram &program);

} // namespace compiler
