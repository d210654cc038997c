#include "runtime/cuda/context.h"

namespace algrt::cuda {

PrimaryContext::PrimaryContext(std::shared_ptr<const Driver> driver, Device device)
    : driver_(std::move(driver)), device_(device) {
  driver_->check(driver_->devicePrimaryCtxRetain(&context_, device_), "taking the device's primary context");
}

// Destructors cannot report; all that can fail here is a driver that is going down with the process.
PrimaryContext::~PrimaryContext() { (void)driver_->devicePrimaryCtxRelease(device_); }

CurrentContext::CurrentContext(const PrimaryContext &context) : driver_(context.driver()) {
  driver_.check(driver_.ctxPushCurrent(context.get()), "making the device's context current");
}

CurrentContext::~CurrentContext() {
  Context popped;
  (void)driver_.ctxPopCurrent(&popped);
}

RelaxedCapture::RelaxedCapture(const Driver &driver) : driver_(driver) {
  driver_.check(driver_.threadExchangeStreamCaptureMode(&before_), "setting the thread's capture mode");
}

RelaxedCapture::~RelaxedCapture() { (void)driver_.threadExchangeStreamCaptureMode(&before_); }

} // namespace algrt::cuda
