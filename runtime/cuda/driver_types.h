// Types, enumerators and structures of the CUDA driver API as its reference manual gives them: the runtime is
// built where no CUDA toolkit is. Values and layouts are part of the driver's stable binary interface.
#pragma once

#include <cstddef>
#include <cstdint>

namespace algrt::cuda {

// CUresult. Other values exist; the driver gives their names and texts.
enum class Result : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  Deinitialized = 4,
  StubLibrary = 34,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  UnsupportedPtxVersion = 222,
  JitCompilerNotFound = 221,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  PrimaryContextActive = 708,
  LaunchFailed = 719,
  InvalidClusterSize = 912,
  StreamCaptureUnsupported = 900,
  StreamCaptureInvalidated = 901,
  StreamCaptureUnmatched = 903,
  StreamCaptureImplicit = 906,
  SystemDriverMismatch = 803,
  Unknown = 999,
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
  MaxThreadsPerBlock = 1,
  WarpSize = 10,
  ClockRate = 13, // kHz
  MultiprocessorCount = 16,
  EccEnabled = 32,
  MemoryClockRate = 36,      // kHz
  GlobalMemoryBusWidth = 37, // bits
  L2CacheSize = 38,          // bytes
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedMemoryPerBlockOptin = 97,
  ClusterLaunch = 120,
};

// CUfunction_attribute.
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  SharedSizeBytes = 1,
  LocalSizeBytes = 3,
  NumRegs = 4,
  MaxDynamicSharedSizeBytes = 8,
};

// CUjit_option.
enum class JitOption : int {
  ErrorLogBuffer = 5,
  ErrorLogBufferSizeBytes = 6,
};

// CUtensorMapDataType and its companions.
enum class TensorMapDataType : int { Float32 = 7, Bfloat16 = 9 };
enum class TensorMapInterleave : int { None = 0 };
enum class TensorMapSwizzle : int { None = 0, Bytes32 = 1, Bytes64 = 2, Bytes128 = 3 };
enum class TensorMapL2Promotion : int { None = 0, Bytes64 = 1, Bytes128 = 2, Bytes256 = 3 };
enum class TensorMapFloatOobFill : int { None = 0 }; // zeros

// CUtensorMap: only the driver knows what is in it. It needs 64 bytes of alignment, the headers since CUDA 13
// say 128.
struct alignas(128) TensorMapObject {
  uint64_t opaque[16];
};
static_assert(sizeof(TensorMapObject) == 128);

// CUlaunchAttributeID.
enum class LaunchAttributeId : int { ClusterDimension = 4, ProgrammaticStreamSerialization = 6 };

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
  attribute.id = LaunchAttributeId::ClusterDimension;
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
enum class CaptureMode : int { Global = 0, ThreadLocal = 1, Relaxed = 2 };
enum class CaptureStatus : int { None = 0, Active = 1, Invalidated = 2 };

// CUstream_flags, CUevent_flags.
inline constexpr unsigned int stream_default = 0, stream_non_blocking = 1;
inline constexpr unsigned int event_default = 0, event_disable_timing = 2;

} // namespace algrt::cuda
