// A CUDA driver library without a GPU, for tests: the entry points that the runtime uses, on host memory. It
// checks the arguments of every call against the driver's documentation and answers as the driver would; a
// launch calls the test back with what the kernel would see. Work runs when it is enqueued, or when its graph
// is launched.
//
// A test links this library for the functions below and has the runtime open the same file through
// ALGRT_CUDA_DRIVER. All functions may be called from any thread.
#pragma once

#include "runtime/cuda/driver_types.h"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace algrt::cuda_stand_in {

struct DeviceSpec {
  int capability = 90; // ten times the compute capability
  int multiprocessors = 132;
  int shared_bytes = 232448; // most that a block can be given; a multiprocessor has 1024 more
  size_t memory = size_t(1) << 30;
};

// As after a reboot with these devices: forgets handles, faults, records and the callback.
void reset(std::vector<DeviceSpec> devices);
// What cuDriverGetVersion says; 13000 after reset.
void setVersion(int version);

// Makes the `nth` call from now on (1 = the next) of the entry point of that exported name fail, once; of any
// entry point if the name is empty. A call that releases something releases it all the same, as when the
// driver reports a failure of earlier work.
void failCall(const std::string &symbol, int nth, cuda::Result result);
// Calls since reset: of one entry point, of all; and their names in order.
int callCount(const std::string &symbol);
int callCount();
std::vector<std::string> calls();

// Every call so far that the documentation forbids, in words. Such calls fail as the driver's would.
std::vector<std::string> violations();
// What is still alive, and what was alive when its context ended, in words.
std::vector<std::string> leaks();

// A tensor map as it was encoded.
struct TensorMapContent {
  unsigned long long address;
  int element_bytes;
  int rank;
  std::array<uint64_t, 5> extents;
  std::array<uint64_t, 4> strides; // bytes
  std::array<uint32_t, 5> box;
  int swizzle; // bytes
};
// Nothing if the bytes were not encoded by cuTensorMapEncodeTiled.
std::optional<TensorMapContent> decodeTensorMap(const void *object);

struct Launch {
  std::string symbol;
  int device;
  cuda::Stream stream;
  unsigned int grid, threads, cluster, shared_bytes;
  bool programmatic;                              // programmatic stream serialization
  std::vector<std::vector<std::byte>> parameters; // copied when the launch was enqueued
  std::shared_ptr<const std::string> image;       // that the kernel was loaded from: a cubin, or PTX
};
// Called when a kernel runs, one at a time.
void onLaunch(std::function<void(const Launch &)> callback);

} // namespace algrt::cuda_stand_in
