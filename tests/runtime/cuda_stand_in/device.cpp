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
    {Result::success, "CUDA_SUCCESS"},
    {Result::invalid_value, "CUDA_ERROR_INVALID_VALUE"},
    {Result::out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY"},
    {Result::not_initialized, "CUDA_ERROR_NOT_INITIALIZED"},
    {Result::no_device, "CUDA_ERROR_NO_DEVICE"},
    {Result::invalid_device, "CUDA_ERROR_INVALID_DEVICE"},
    {Result::invalid_image, "CUDA_ERROR_INVALID_IMAGE"},
    {Result::invalid_context, "CUDA_ERROR_INVALID_CONTEXT"},
    {Result::no_binary_for_gpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {Result::invalid_ptx, "CUDA_ERROR_INVALID_PTX"},
    {Result::invalid_handle, "CUDA_ERROR_INVALID_HANDLE"},
    {Result::not_found, "CUDA_ERROR_NOT_FOUND"},
    {Result::launch_failed, "CUDA_ERROR_LAUNCH_FAILED"},
    {Result::stream_capture_unsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    {Result::stream_capture_invalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
    {Result::stream_capture_unmatched, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"},
    {Result::stream_capture_implicit, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"},
};

} // namespace

Result cuInit(unsigned int flags) {
  return entry("cuInit", Entry::always, [&](State &s) {
    if (flags != 0)
      return violation("cuInit", Result::invalid_value, "flags are not 0");
    if (s.devices.empty())
      return Result::no_device;
    s.initialised = true;
    return Result::success;
  });
}

Result cuDriverGetVersion(int *version) {
  return entry("cuDriverGetVersion", Entry::always, [&](State &s) {
    *version = s.version;
    return Result::success;
  });
}

Result cuGetErrorName(Result error, const char **text) {
  *text = nullptr;
  for (const Name &name : names)
    if (name.result == error)
      *text = name.name;
  return *text == nullptr ? Result::invalid_value : Result::success;
}

Result cuGetErrorString(Result error, const char **text) {
  const Result result = cuGetErrorName(error, text);
  if (result == Result::success)
    *text = "what the driver has to say about it";
  return result;
}

Result cuDeviceGetCount(int *count) {
  return entry("cuDeviceGetCount", Entry::initialised, [&](State &s) {
    *count = int(s.devices.size());
    return Result::success;
  });
}

Result cuDeviceGet(Device *device, int ordinal) {
  return entry("cuDeviceGet", Entry::initialised, [&](State &s) {
    if (!isDevice(s, ordinal))
      return violation("cuDeviceGet", Result::invalid_device, "no such device");
    *device = ordinal;
    return Result::success;
  });
}

Result cuDeviceGetName(char *name, int length, Device device) {
  return entry("cuDeviceGetName", Entry::initialised, [&](State &s) {
    if (!isDevice(s, device) || length < 1)
      return violation("cuDeviceGetName", Result::invalid_value, "no such device, or no room");
    std::snprintf(name, size_t(length), "Stand-in GPU %d", device);
    return Result::success;
  });
}

Result cuDeviceGetUuid_v2(Uuid *uuid, Device device) {
  return entry("cuDeviceGetUuid_v2", Entry::initialised, [&](State &s) {
    if (!isDevice(s, device))
      return violation("cuDeviceGetUuid_v2", Result::invalid_device, "no such device");
    std::memset(uuid, 0, sizeof(*uuid));
    uuid->bytes[15] = char(device + 1);
    return Result::success;
  });
}

Result cuDeviceGetPCIBusId(char *id, int length, Device device) {
  return entry("cuDeviceGetPCIBusId", Entry::initialised, [&](State &s) {
    if (!isDevice(s, device) || length < 13)
      return violation("cuDeviceGetPCIBusId", Result::invalid_value, "no such device, or no room");
    std::snprintf(id, size_t(length), "0000:%02X:00.0", device + 1);
    return Result::success;
  });
}

Result cuDeviceTotalMem_v2(size_t *bytes, Device device) {
  return entry("cuDeviceTotalMem_v2", Entry::initialised, [&](State &s) {
    if (!isDevice(s, device))
      return violation("cuDeviceTotalMem_v2", Result::invalid_device, "no such device");
    *bytes = s.devices[size_t(device)].memory;
    return Result::success;
  });
}

Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute, Device device) {
  return entry("cuDeviceGetAttribute", Entry::initialised, [&](State &s) {
    if (!isDevice(s, device))
      return violation("cuDeviceGetAttribute", Result::invalid_device, "no such device");
    const DeviceSpec &spec = s.devices[size_t(device)];
    const std::map<DeviceAttribute, int> values = {
        {DeviceAttribute::max_threads_per_block, 1024},
        {DeviceAttribute::warp_size, 32},
        {DeviceAttribute::clock_rate, 1830000},
        {DeviceAttribute::multiprocessor_count, spec.multiprocessors},
        {DeviceAttribute::ecc_enabled, 1},
        {DeviceAttribute::memory_clock_rate, 3201000},
        {DeviceAttribute::global_memory_bus_width, 6144},
        {DeviceAttribute::l2_cache_size, 50 << 20},
        {DeviceAttribute::compute_capability_major, spec.capability / 10},
        {DeviceAttribute::compute_capability_minor, spec.capability % 10},
        {DeviceAttribute::max_shared_memory_per_block_optin, spec.shared_bytes},
        {DeviceAttribute::cluster_launch, spec.capability >= 90},
    };
    const auto found = values.find(attribute);
    if (found == values.end())
      return violation("cuDeviceGetAttribute", Result::invalid_value, "an attribute that is not known");
    *value = found->second;
    return Result::success;
  });
}

Result cuDevicePrimaryCtxRetain(Context *context, Device device) {
  return entry("cuDevicePrimaryCtxRetain", Entry::initialised, [&](State &s) {
    if (!isDevice(s, device))
      return violation("cuDevicePrimaryCtxRetain", Result::invalid_device, "no such device");
    std::unique_ptr<ContextObject> &primary = s.contexts[device];
    if (!primary)
      primary = std::make_unique<ContextObject>(ContextObject{device, 0});
    ++primary->retained;
    *context = primary.get();
    return Result::success;
  });
}

Result cuDevicePrimaryCtxRelease_v2(Device device) {
  return entry("cuDevicePrimaryCtxRelease_v2", Entry::releases, [&](State &s) {
    if (!s.contexts.contains(device))
      return violation("cuDevicePrimaryCtxRelease_v2", Result::invalid_context, "it is not retained");
    if (--s.contexts[device]->retained == 0)
      endContext(s, device);
    return Result::success;
  });
}

Result cuCtxPushCurrent_v2(Context context) {
  return entry("cuCtxPushCurrent_v2", Entry::initialised, [&](State &s) {
    if (!s.isLive(context))
      return violation("cuCtxPushCurrent_v2", Result::invalid_context, "no such context");
    contextStack().push_back(context);
    return Result::success;
  });
}

Result cuCtxPopCurrent_v2(Context *context) {
  return entry("cuCtxPopCurrent_v2", Entry::releases, [&](State &) {
    if (contextStack().empty())
      return violation("cuCtxPopCurrent_v2", Result::invalid_context, "no context is current");
    *context = contextStack().back();
    contextStack().pop_back();
    return Result::success;
  });
}

Result cuCtxGetCurrent(Context *context) {
  return entry("cuCtxGetCurrent", Entry::initialised, [&](State &) {
    *context = contextStack().empty() ? nullptr : contextStack().back();
    return Result::success;
  });
}

Result cuCtxSetCurrent(Context context) {
  return entry("cuCtxSetCurrent", Entry::initialised, [&](State &s) {
    if (context != nullptr && !s.isLive(context))
      return violation("cuCtxSetCurrent", Result::invalid_context, "no such context");
    if (!contextStack().empty())
      contextStack().pop_back();
    if (context != nullptr)
      contextStack().push_back(context);
    return Result::success;
  });
}

} // namespace algrt::cuda
