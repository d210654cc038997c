// The primary context of a device, and making it the calling thread's current one for a while.
#pragma once

#include "runtime/cuda/driver.h"

namespace algrt::cuda {

// A reference on a device's primary context, the one that CUDA's runtime and the frameworks on top of it use.
class PrimaryContext {
public:
  // Throws what the driver reports.
  PrimaryContext(std::shared_ptr<const Driver> driver, Device device);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext &) = delete;
  PrimaryContext &operator=(const PrimaryContext &) = delete;

  const Driver &driver() const { return *driver_; }
  Context get() const { return context_; }

private:
  std::shared_ptr<const Driver> driver_;
  Device device_;
  Context context_ = nullptr;
};

// Pushes the context, and pops it again: what was current before is current afterwards.
class CurrentContext {
public:
  // Throws what the driver reports.
  explicit CurrentContext(const PrimaryContext &context);
  ~CurrentContext();
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

private:
  const Driver &driver_;
};

// Lets this thread allocate, load and copy while some other thread captures a stream in global mode: nothing
// that it does is to become part of that graph.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver);
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  const Driver &driver_;
  CaptureMode before_ = CaptureMode::Relaxed;
};

} // namespace algrt::cuda
