#include "runtime/cuda/driver.h"

#include <cstdlib>
#include <dlfcn.h>

namespace algrt::cuda {

namespace {

constexpr int oldest_version = 12000;

algrt_status statusOf(Result result) {
  switch (result) {
  case Result::OutOfMemory:
    return ALGRT_OUT_OF_MEMORY;
  case Result::StubLibrary:
  case Result::SystemDriverMismatch:
    return ALGRT_NO_DRIVER;
  case Result::NoDevice:
  case Result::InvalidDevice:
    return ALGRT_NO_DEVICE;
  case Result::NoBinaryForGpu:
  case Result::UnsupportedPtxVersion:
  case Result::JitCompilerNotFound:
    return ALGRT_WRONG_ARCHITECTURE;
  case Result::InvalidImage:
  case Result::InvalidPtx:
  case Result::NotFound:
    return ALGRT_BAD_BUNDLE;
  default:
    return ALGRT_DEVICE_ERROR;
  }
}

} // namespace

Driver::Driver() {
  const char *wanted = ::secure_getenv("ALGRT_CUDA_DRIVER");
  const bool named = wanted != nullptr && *wanted != '\0';
  file_ = named ? wanted : "libcuda.so.1";
  // Its threads would return into unmapped code, were it ever unmapped.
  library_ = ::dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library_ == nullptr) {
    const char *reason = ::dlerror();
    throw Error(ALGRT_NO_DRIVER, "no CUDA driver: " + file_ + " does not load" +
                                     (named ? " (named by ALGRT_CUDA_DRIVER)" : "") + ": " +
                                     (reason == nullptr ? "no reason given" : reason) +
                                     "; install NVIDIA's driver");
  }
}

Driver::~Driver() { ::dlclose(library_); }

std::shared_ptr<const Driver> Driver::open() {
  const std::shared_ptr<Driver> driver(new Driver);
  const auto find = [&](const char *symbol) {
    void *address = ::dlsym(driver->library_, symbol);
    if (address == nullptr)
      throw Error(ALGRT_NO_DRIVER, "the CUDA driver " + driver->file_ + " has no " + symbol +
                                       ": it is older than CUDA 12.0, update it");
    return address;
  };
#define ALGRT_CUDA_DRIVER_FIND(NAME, SYMBOL, PARAMETERS)                                                     \
  driver->NAME = reinterpret_cast<decltype(driver->NAME)>(find(#SYMBOL));
  ALGRT_CUDA_DRIVER_ENTRIES(ALGRT_CUDA_DRIVER_FIND)
#undef ALGRT_CUDA_DRIVER_FIND
  driver->check(driver->driverGetVersion(&driver->version_), "asking the CUDA driver for its version");
  const int version = driver->version_;
  if (version < oldest_version)
    throw Error(ALGRT_NO_DRIVER, "the CUDA driver " + driver->file_ + " is for CUDA " +
                                     std::to_string(version / 1000) + "." +
                                     std::to_string(version % 1000 / 10) +
                                     ", the runtime needs one for 12.0 or newer: update it");
  driver->check(driver->init(0), "starting the CUDA driver");
  return driver;
}

void Driver::fail(Result result, const std::string &what) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != Result::Success || name == nullptr)
    name = "an error that the driver has no name for";
  if (getErrorString(result, &text) != Result::Success || text == nullptr)
    text = "no description";
  throw Error(statusOf(result), what + ": " + name + " (" + std::to_string(int(result)) + "): " + text);
}

void Driver::check(Result result, const char *what) const {
  if (result != Result::Success)
    fail(result, what);
}

} // namespace algrt::cuda
