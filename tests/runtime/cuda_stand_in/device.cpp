// Initialisation, devices and contexts.
#include "tests/runtime/cuda_stand_in/state.h"

#include <cstdio>
#include <cstring>

namespace algrt::cuda {

using namespace cuda_stand_in;

namespace {

bool isDevice(const State &s, Device device) { return device >= 0 && size_t(device) < s.devices.size(); }

// What is left in a context that ends goes with it.
void endContext(State &s, int device) {
  const Context context = s.contexts.at(device).get();
  s.finishCopies();
  const auto take = [&](auto &objects, const char *what) {
    const size_t lost = std::erase_if(objects, [&](const auto &entry) {
      if constexpr (requires { entry.second->context; })
        return entry.second->context == context;
      else
        return entry.second.context == context;
    });
    if (lost != 0)
      s.lost.push_back(std::to_string(lost) + " " + what + " when the context of device " +
                       std::to_string(device) + " ended");
  };
  take(s.modules, "modules");
  take(s.allocations, "allocations");
  take(s.streams, "streams");
  take(s.events, "events");
  s.contexts.erase(device);
}

struct Name {
  Result result;
  const char *name;
};
constexpr Name names[] = {
    {Result::Success, "CUDA_SUCCESS"},
    {Result::InvalidValue, "CUDA_ERROR_INVALID_VALUE"},
    {Result::OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
    {Result::NotInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
    {Result::NoDevice, "CUDA_ERROR_NO_DEVICE"},
    {Result::InvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
    {Result::InvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
    {Result::InvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
    {Result::NoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {Result::InvalidPtx, "CUDA_ERROR_INVALID_PTX"},
    {Result::InvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
    {Result::NotFound, "CUDA_ERROR_NOT_FOUND"},
    {Result::LaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
    {Result::StreamCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    {Result::StreamCaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
    {Result::StreamCaptureUnmatched, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
    {Result::StreamCaptureImplicit, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
};

} // namespace

Result cuInit(unsigned int flags) {
  return entry("cuInit", Entry::Always, [&](State &s) {
    if (flags != 0)
      return violation("cuInit", Result::InvalidValue, "flags are not 0");
    if (s.devices.empty())
      return Result::NoDevice;
    s.initialised = true;
    return Result::Success;
  });
}

Result cuDriverGetVersion(int *version) {
  return entry("cuDriverGetVersion", Entry::Always, [&](State &s) {
    *version = s.version;
    return Result::Success;
  });
}

Result cuGetErrorName(Result error, const char **text) {
  *text = nullptr;
  for (const Name &name : names)
    if (name.result == error)
      *text = name.name;
  return *text == nullptr ? Result::InvalidValue : Result::Success;
}

Result cuGetErrorString(Result error, const char **text) {
  const Result result = cuGetErrorName(error, text);
  if (result == Result::Success)
    *text = "what the driver has to say about it";
  return result;
}

Result cuDeviceGetCount(int *count) {
  return entry("cuDeviceGetCount", Entry::Initialised, [&](State &s) {
    *count = int(s.devices.size());
    return Result::Success;
  });
}

Result cuDeviceGet(Device *device, int ordinal) {
  return entry("cuDeviceGet", Entry::Initialised, [&](State &s) {
    if (!isDevice(s, ordinal))
      return violation("cuDeviceGet", Result::InvalidDevice, "no such device");
    *device = ordinal;
    return Result::Success;
  });
}

Result cuDeviceGetName(char *name, int length, Device device) {
  return entry("cuDeviceGetName", Entry::Initialised, [&](State &s) {
    if (!isDevice(s, device) || length < 1)
      return violation("cuDeviceGetName", Result::InvalidValue, "no such device, or no room");
    std::snprintf(name, size_t(length), "Stand-in GPU %d", device);
    return Result::Success;
  });
}

Result cuDeviceGetUuid_v2(Uuid *uuid, Device device) {
  return entry("cuDeviceGetUuid_v2", Entry::Initialised, [&](State &s) {
    if (!isDevice(s, device))
      return violation("cuDeviceGetUuid_v2", Result::InvalidDevice, "no such device");
    std::memset(uuid, 0, sizeof(*uuid));
    uuid->bytes[15] = char(device + 1);
    return Result::Success;
  });
}

Result cuDeviceGetPCIBusId(char *id, int length, Device device) {
  return entry("cuDeviceGetPCIBusId", Entry::Initialised, [&](State &s) {
    if (!isDevice(s, device) || length < 13)
      return violation("cuDeviceGetPCIBusId", Result::InvalidValue, "no such device, or no room");
    std::snprintf(id, size_t(length), "0000:%02X:00.0", device + 1);
    return Result::Success;
  });
}

Result cuDeviceTotalMem_v2(size_t *bytes, Device device) {
  return entry("cuDeviceTotalMem_v2", Entry::Initialised, [&](State &s) {
    if (!isDevice(s, device))
      return violation("cuDeviceTotalMem_v2", Result::InvalidDevice, "no such device");
    *bytes = s.devices[size_t(device)].memory;
    return Result::Success;
  });
}

Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute, Device device) {
  return entry("cuDeviceGetAttribute", Entry::Initialised, [&](State &s) {
    if (!isDevice(s, device))
      return violation("cuDeviceGetAttribute", Result::InvalidDevice, "no such device");
    const DeviceSpec &spec = s.devices[size_t(device)];
    const std::map<DeviceAttribute, int> values = {
        {DeviceAttribute::MaxThreadsPerBlock, 1024},
        {DeviceAttribute::WarpSize, 32},
        {DeviceAttribute::ClockRate, 1830000},
        {DeviceAttribute::MultiprocessorCount, spec.multiprocessors},
        {DeviceAttribute::EccEnabled, 1},
        {DeviceAttribute::MemoryClockRate, 3201000},
        {DeviceAttribute::GlobalMemoryBusWidth, 6144},
        {DeviceAttribute::L2CacheSize, 50 << 20},
        {DeviceAttribute::ComputeCapabilityMajor, spec.capability / 10},
        {DeviceAttribute::ComputeCapabilityMinor, spec.capability % 10},
        {DeviceAttribute::MaxSharedMemoryPerBlockOptin, spec.shared_bytes},
        {DeviceAttribute::ClusterLaunch, spec.capability >= 90},
    };
    const auto found = values.find(attribute);
    if (found == values.end())
      return violation("cuDeviceGetAttribute", Result::InvalidValue, "an attribute that is not known");
    *value = found->second;
    return Result::Success;
  });
}

Result cuDevicePrimaryCtxRetain(Context *context, Device device) {
  return entry("cuDevicePrimaryCtxRetain", Entry::Initialised, [&](State &s) {
    if (!isDevice(s, device))
      return violation("cuDevicePrimaryCtxRetain", Result::InvalidDevice, "no such device");
    std::unique_ptr<ContextObject> &primary = s.contexts[device];
    if (!primary)
      primary = std::make_unique<ContextObject>(ContextObject{device, 0});
    ++primary->retained;
    *context = primary.get();
    return Result::Success;
  });
}

Result cuDevicePrimaryCtxRelease_v2(Device device) {
  return entry("cuDevicePrimaryCtxRelease_v2", Entry::Releases, [&](State &s) {
    if (!s.contexts.contains(device))
      return violation("cuDevicePrimaryCtxRelease_v2", Result::InvalidContext, "it is not retained");
    if (--s.contexts[device]->retained == 0)
      endContext(s, device);
    return Result::Success;
  });
}

Result cuCtxPushCurrent_v2(Context context) {
  return entry("cuCtxPushCurrent_v2", Entry::Initialised, [&](State &s) {
    if (!s.isLive(context))
      return violation("cuCtxPushCurrent_v2", Result::InvalidContext, "no such context");
    contextStack().push_back(context);
    return Result::Success;
  });
}

Result cuCtxPopCurrent_v2(Context *context) {
  return entry("cuCtxPopCurrent_v2", Entry::Releases, [&](State &) {
    if (contextStack().empty())
      return violation("cuCtxPopCurrent_v2", Result::InvalidContext, "no context is current");
    *context = contextStack().back();
    contextStack().pop_back();
    return Result::Success;
  });
}

Result cuCtxGetCurrent(Context *context) {
  return entry("cuCtxGetCurrent", Entry::Initialised, [&](State &) {
    *context = contextStack().empty() ? nullptr : contextStack().back();
    return Result::Success;
  });
}

Result cuCtxSetCurrent(Context context) {
  return entry("cuCtxSetCurrent", Entry::Initialised, [&](State &s) {
    if (context != nullptr && !s.isLive(context))
      return violation("cuCtxSetCurrent", Result::InvalidContext, "no such context");
    if (!contextStack().empty())
      contextStack().pop_back();
    if (context != nullptr)
      contextStack().push_back(context);
    return Result::Success;
  });
}

} // namespace algrt::cuda
