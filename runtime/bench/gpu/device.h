// The device that is measured, and what lives on it: memory, a stream, a captured graph, a timer. Thin owners
// of the driver's objects; all throw Error where the driver reports a failure.
#pragma once

#include "runtime/cuda/context.h"
#include "runtime/cuda/device.h"

#include <functional>
#include <memory>
#include <string>

namespace algrt {

// Its primary context, the one that frameworks and the runtime use too, is current on the calling thread as
// long as this object lives. Everything below belongs to that thread and dies before it.
class GpuDevice {
public:
  explicit GpuDevice(int ordinal);

  const cuda::Driver &driver() const { return context_.driver(); }
  const cuda::DeviceProperties &properties() const { return properties_; }
  int ordinal() const { return properties_.ordinal; }
  std::string name() const;
  int64_t l2Bytes() const;
  size_t freeBytes() const;
  // Waits for all work; false where the device has failed, so that nothing more can run in this process.
  bool healthy() const { return driver().ctxSynchronize() == cuda::Result::Success; }

private:
  GpuDevice(const std::shared_ptr<const cuda::Driver> &driver, const cuda::DeviceProperties &properties);

  cuda::DeviceProperties properties_;
  cuda::PrimaryContext context_;
  cuda::CurrentContext current_;
};

// What can be known of a device without a context on it. "0000:3B:00.0"; "13.0", the CUDA version of the
// driver.
std::string gpuPciBusId(const cuda::Driver &driver, const cuda::DeviceProperties &device);
std::string cudaVersion(const cuda::Driver &driver);

class GpuMemory {
public:
  // Contents are not set. Throws Error(ALGRT_OUT_OF_MEMORY) naming `what`.
  GpuMemory(const GpuDevice &device, size_t bytes, const char *what);
  ~GpuMemory();
  GpuMemory(const GpuMemory &) = delete;
  GpuMemory &operator=(const GpuMemory &) = delete;

  uint64_t address() const { return address_; }
  void *pointer() const { return reinterpret_cast<void *>(address_); }
  size_t bytes() const { return bytes_; }
  // All of it from host memory; waits.
  void upload(const void *from);
  // The first `bytes` into host memory; waits.
  void download(void *to, size_t bytes) const;
  // Every byte; waits.
  void fill(unsigned char byte);

private:
  const cuda::Driver &driver_;
  size_t bytes_;
  cuda::DevicePointer address_ = 0;
};

class GpuStream {
public:
  explicit GpuStream(const GpuDevice &device);
  ~GpuStream();
  GpuStream(const GpuStream &) = delete;
  GpuStream &operator=(const GpuStream &) = delete;

  cuda::Stream get() const { return stream_; }
  void synchronize() const;

private:
  const cuda::Driver &driver_;
  cuda::Stream stream_ = nullptr;
};

// Queues one call on the stream that it is given (CUstream).
using GpuCall = std::function<void(void *stream)>;

// `calls` calls one after another, captured once and launched together.
class GpuGraph {
public:
  GpuGraph(const GpuDevice &device, const GpuStream &stream, const GpuCall &call, int calls);
  ~GpuGraph();
  GpuGraph(const GpuGraph &) = delete;
  GpuGraph &operator=(const GpuGraph &) = delete;

  void launch() const;
  int calls() const { return calls_; }

private:
  const cuda::Driver &driver_;
  const GpuStream &stream_;
  int calls_;
  cuda::GraphExec exec_ = nullptr;
};

// Two events around something on a stream.
class GpuTimer {
public:
  GpuTimer(const GpuDevice &device, const GpuStream &stream);
  ~GpuTimer();
  GpuTimer(const GpuTimer &) = delete;
  GpuTimer &operator=(const GpuTimer &) = delete;

  void start();
  void stop();
  // Waits for the second event.
  double microseconds();

private:
  const cuda::Driver &driver_;
  const GpuStream &stream_;
  cuda::Event begin_ = nullptr, end_ = nullptr;
};

} // namespace algrt
