// NVIDIA's driver library, opened at run time: its entry points, and its failures as errors of the runtime.
#pragma once

#include "runtime/cuda/driver_entries.h"
#include "runtime/support/error.h"

#include <memory>
#include <string>

namespace algrt::cuda {

class Driver {
public:
  // Opens and initialises the library: the file that the environment variable ALGRT_CUDA_DRIVER names,
  // otherwise libcuda.so.1. Costs little where the process has done so before. Throws Error: ALGRT_NO_DRIVER
  // (no such library, or one older than CUDA 12.0), ALGRT_NO_DEVICE (a driver without a device), or what the
  // driver reports.
  static std::shared_ptr<const Driver> open();
  ~Driver();
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;

  // "libcuda.so.1", or what ALGRT_CUDA_DRIVER named.
  const std::string &file() const { return file_; }
  // Whether captures keep dependent launches, as edges of a graph: drivers for CUDA 12.3 and newer.
  bool capturesDependentLaunches() const { return version_ >= 12030; }

  // Throws Error unless the driver reported success: "<what>: CUDA_ERROR_...: <the driver's text>".
  void check(Result result, const char *what) const;
  // The same from parts, for when more than the driver's text is known.
  [[noreturn]] void fail(Result result, const std::string &what) const;

  // The entry points, under the names of the manual without "cu". Results are to be checked.
  // NOLINTBEGIN(readability-identifier-naming)
#define ALGRT_CUDA_DRIVER_MEMBER(NAME, SYMBOL, PARAMETERS) Result(*NAME) PARAMETERS = nullptr;
  ALGRT_CUDA_DRIVER_ENTRIES(ALGRT_CUDA_DRIVER_MEMBER)
#undef ALGRT_CUDA_DRIVER_MEMBER
  // NOLINTEND(readability-identifier-naming)

private:
  Driver();

  std::string file_;
  int version_ = 0; // of CUDA: 1000 times the first number, 10 times the second
  void *library_ = nullptr;
};

} // namespace algrt::cuda
