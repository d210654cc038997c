// Types, enumerators and structures of the CUDA driver API as its reference manual gives them: the runtime is
// built where no CUDA toolkit is. Values and layouts are part of the driver's stable binary interface.
#pragma once

#include <cstddef>
#include <cstdint>

namespace algrt::cuda {

// CUresult. Other values exist; the driver gives their names and texts.
enum class Result : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  deinitialized = 4,
  stub_library = 34,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  invalid_ptx = 218,
  unsupported_ptx_version = 222,
  jit_compiler_not_found = 221,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  primary_context_active = 708,
  launch_failed = 719,
  invalid_cluster_size = 912,
  stream_capture_unsupported = 900,
  stream_capture_invalidated = 901,
  stream_capture_unmatched = 903,
  stream_capture_implicit = 906,
  system_driver_mismatch = 803,
  unknown = 999,
};

using Device = int;
using DevicePointer = unsigned long long;
using Context = struct ContextObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using Stream = struct StreamObject *; // nullptr: the legacy default stream
using Event = struct EventObject *;
using Graph = struct GraphObject *;
using GraphExec = struct GraphExecObject *;

struct Uuid {
  char bytes[16];
};

// CUdevice_attribute.
enum class DeviceAttribute : int {
  max_threads_per_block = 1,
  warp_size = 10,
  clock_rate = 13, // kHz
  multiprocessor_count = 16,
  ecc_enabled = 32,
  memory_clock_rate = 36,       // kHz
  global_memory_bus_width = 37, // bits
  l2_cache_size = 38,           // bytes
  compute_capability_major = 75,
  compute_capability_minor = 76,
  max_shared_memory_per_block_optin = 97,
  cluster_launch = 120,
};

// CUfunction_attribute.
enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_size_bytes = 1,
  local_size_bytes = 3,
  num_regs = 4,
  max_dynamic_shared_size_bytes = 8,
};

// CUjit_option.
enum class JitOption : int {
  error_log_buffer = 5,
  error_log_buffer_size_bytes = 6,
};

// CUtensorMapDataType and its companions.
enum class TensorMapDataType : int { float32 = 7, bfloat16 = 9 };
enum class TensorMapInterleave : int { none = 0 };
enum class TensorMapSwizzle : int { none = 0, bytes_32 = 1, bytes_64 = 2, bytes_128 = 3 };
enum class TensorMapL2Promotion : int { none = 0, bytes_64 = 1, bytes_128 = 2, bytes_256 = 3 };
enum class TensorMapFloatOobFill : int { none = 0 }; // zeros

// CUtensorMap: only the driver knows what is in it. It needs 64 bytes of alignment, the headers since CUDA 13
// say 128.
struct alignas(128) TensorMapObject {
  uint64_t opaque[16];
};
static_assert(sizeof(TensorMapObject) == 128);

// CUlaunchAttributeID.
enum class LaunchAttributeId : int { cluster_dimension = 4, programmatic_stream_serialization = 6 };

// CUlaunchAttributeValue.
union LaunchAttributeValue {
  char pad[64];
  struct {
    unsigned int x, y, z;
  } cluster_dimension;
  int programmatic_stream_serialization_allowed;
  void *aligns_as_pointers_do;
};

// CUlaunchAttribute.
struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[8 - sizeof(LaunchAttributeId)];
  LaunchAttributeValue value;
};
static_assert(sizeof(LaunchAttribute) == 72);

// Clusters of so many blocks.
inline LaunchAttribute clusterAttribute(unsigned int blocks) {
  LaunchAttribute attribute{};
  attribute.id = LaunchAttributeId::cluster_dimension;
  attribute.value.cluster_dimension = {blocks, 1, 1};
  return attribute;
}

// CUlaunchConfig.
struct LaunchConfig {
  unsigned int grid_x, grid_y, grid_z;    // blocks
  unsigned int block_x, block_y, block_z; // threads
  unsigned int shared_bytes;              // dynamic, of a block
  Stream stream;
  LaunchAttribute *attributes;
  unsigned int attribute_count;
};
static_assert(sizeof(LaunchConfig) == 56);

// CUstreamCaptureMode and CUstreamCaptureStatus.
enum class CaptureMode : int { global = 0, thread_local_ = 1, relaxed = 2 };
enum class CaptureStatus : int { none = 0, active = 1, invalidated = 2 };

// CUstream_flags, CUevent_flags.
inline constexpr unsigned int stream_default = 0, stream_non_blocking = 1;
inline constexpr unsigned int event_default = 0, event_disable_timing = 2;

} // namespace algrt::cuda
