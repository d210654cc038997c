// Our declarations of the driver against NVIDIA's header, where the machine has one: values, layouts,
// signatures.
#include "runtime/cuda/driver_entries.h"

#include <cuda.h>
#include <gtest/gtest.h>
#include <type_traits>

namespace algrt::cuda {
namespace {

#define SAME_VALUE(OURS, THEIRS) static_assert(int(OURS) == int(THEIRS))
SAME_VALUE(Result::Success, CUDA_SUCCESS);
SAME_VALUE(Result::InvalidValue, CUDA_ERROR_INVALID_VALUE);
SAME_VALUE(Result::OutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
SAME_VALUE(Result::NotInitialized, CUDA_ERROR_NOT_INITIALIZED);
SAME_VALUE(Result::Deinitialized, CUDA_ERROR_DEINITIALIZED);
SAME_VALUE(Result::StubLibrary, CUDA_ERROR_STUB_LIBRARY);
SAME_VALUE(Result::NoDevice, CUDA_ERROR_NO_DEVICE);
SAME_VALUE(Result::InvalidDevice, CUDA_ERROR_INVALID_DEVICE);
SAME_VALUE(Result::InvalidImage, CUDA_ERROR_INVALID_IMAGE);
SAME_VALUE(Result::InvalidContext, CUDA_ERROR_INVALID_CONTEXT);
SAME_VALUE(Result::NoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME_VALUE(Result::InvalidPtx, CUDA_ERROR_INVALID_PTX);
SAME_VALUE(Result::UnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME_VALUE(Result::JitCompilerNotFound, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
SAME_VALUE(Result::InvalidHandle, CUDA_ERROR_INVALID_HANDLE);
SAME_VALUE(Result::NotFound, CUDA_ERROR_NOT_FOUND);
SAME_VALUE(Result::NotReady, CUDA_ERROR_NOT_READY);
SAME_VALUE(Result::IllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME_VALUE(Result::LaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME_VALUE(Result::PrimaryContextActive, CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE);
SAME_VALUE(Result::LaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
SAME_VALUE(Result::InvalidClusterSize, CUDA_ERROR_INVALID_CLUSTER_SIZE);
SAME_VALUE(Result::StreamCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
SAME_VALUE(Result::StreamCaptureInvalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
SAME_VALUE(Result::StreamCaptureUnmatched, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
SAME_VALUE(Result::StreamCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
SAME_VALUE(Result::SystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
SAME_VALUE(Result::Unknown, CUDA_ERROR_UNKNOWN);
SAME_VALUE(DeviceAttribute::MaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(DeviceAttribute::WarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME_VALUE(DeviceAttribute::ClockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME_VALUE(DeviceAttribute::MultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME_VALUE(DeviceAttribute::EccEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
SAME_VALUE(DeviceAttribute::MemoryClockRate, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME_VALUE(DeviceAttribute::GlobalMemoryBusWidth, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME_VALUE(DeviceAttribute::L2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME_VALUE(DeviceAttribute::ComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_VALUE(DeviceAttribute::ComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_VALUE(DeviceAttribute::MaxSharedMemoryPerBlockOptin,
           CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME_VALUE(DeviceAttribute::ClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
SAME_VALUE(FunctionAttribute::MaxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(FunctionAttribute::SharedSizeBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
SAME_VALUE(FunctionAttribute::LocalSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
SAME_VALUE(FunctionAttribute::NumRegs, CU_FUNC_ATTRIBUTE_NUM_REGS);
SAME_VALUE(FunctionAttribute::MaxDynamicSharedSizeBytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME_VALUE(JitOption::ErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
SAME_VALUE(JitOption::ErrorLogBufferSizeBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME_VALUE(TensorMapDataType::Float32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
SAME_VALUE(TensorMapDataType::Bfloat16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
SAME_VALUE(TensorMapInterleave::None, CU_TENSOR_MAP_INTERLEAVE_NONE);
SAME_VALUE(TensorMapSwizzle::None, CU_TENSOR_MAP_SWIZZLE_NONE);
SAME_VALUE(TensorMapSwizzle::Bytes32, CU_TENSOR_MAP_SWIZZLE_32B);
SAME_VALUE(TensorMapSwizzle::Bytes64, CU_TENSOR_MAP_SWIZZLE_64B);
SAME_VALUE(TensorMapSwizzle::Bytes128, CU_TENSOR_MAP_SWIZZLE_128B);
SAME_VALUE(TensorMapL2Promotion::None, CU_TENSOR_MAP_L2_PROMOTION_NONE);
SAME_VALUE(TensorMapL2Promotion::Bytes64, CU_TENSOR_MAP_L2_PROMOTION_L2_64B);
SAME_VALUE(TensorMapL2Promotion::Bytes128, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
SAME_VALUE(TensorMapL2Promotion::Bytes256, CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
SAME_VALUE(TensorMapFloatOobFill::None, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
SAME_VALUE(LaunchAttributeId::ClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME_VALUE(LaunchAttributeId::ProgrammaticStreamSerialization,
           CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
SAME_VALUE(CaptureMode::Global, CU_STREAM_CAPTURE_MODE_GLOBAL);
SAME_VALUE(CaptureMode::ThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME_VALUE(CaptureMode::Relaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
SAME_VALUE(CaptureStatus::None, CU_STREAM_CAPTURE_STATUS_NONE);
SAME_VALUE(CaptureStatus::Active, CU_STREAM_CAPTURE_STATUS_ACTIVE);
SAME_VALUE(CaptureStatus::Invalidated, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
SAME_VALUE(stream_default, CU_STREAM_DEFAULT);
SAME_VALUE(stream_non_blocking, CU_STREAM_NON_BLOCKING);
SAME_VALUE(event_default, CU_EVENT_DEFAULT);
SAME_VALUE(event_disable_timing, CU_EVENT_DISABLE_TIMING);
#undef SAME_VALUE

#define SAME_TYPE(OURS, THEIRS)                                                                              \
  static_assert(sizeof(OURS) == sizeof(THEIRS) && alignof(OURS) == alignof(THEIRS))
// 64 bytes in the headers of CUDA 12, 128 since.
static_assert(sizeof(TensorMapObject) == sizeof(CUtensorMap) &&
              alignof(TensorMapObject) >= alignof(CUtensorMap));
SAME_TYPE(LaunchConfig, CUlaunchConfig);
SAME_TYPE(LaunchAttribute, CUlaunchAttribute);
SAME_TYPE(LaunchAttributeValue, CUlaunchAttributeValue);
SAME_TYPE(Uuid, CUuuid);
SAME_TYPE(DevicePointer, CUdeviceptr);
SAME_TYPE(Device, CUdevice);
SAME_TYPE(Result, CUresult);
#undef SAME_TYPE

#define SAME_OFFSET(OURS, MEMBER, THEIRS, THEIR_MEMBER)                                                      \
  static_assert(offsetof(OURS, MEMBER) == offsetof(THEIRS, THEIR_MEMBER))
SAME_OFFSET(LaunchConfig, grid_x, CUlaunchConfig, gridDimX);
SAME_OFFSET(LaunchConfig, grid_y, CUlaunchConfig, gridDimY);
SAME_OFFSET(LaunchConfig, grid_z, CUlaunchConfig, gridDimZ);
SAME_OFFSET(LaunchConfig, block_x, CUlaunchConfig, blockDimX);
SAME_OFFSET(LaunchConfig, block_y, CUlaunchConfig, blockDimY);
SAME_OFFSET(LaunchConfig, block_z, CUlaunchConfig, blockDimZ);
SAME_OFFSET(LaunchConfig, shared_bytes, CUlaunchConfig, sharedMemBytes);
SAME_OFFSET(LaunchConfig, stream, CUlaunchConfig, hStream);
SAME_OFFSET(LaunchConfig, attributes, CUlaunchConfig, attrs);
SAME_OFFSET(LaunchConfig, attribute_count, CUlaunchConfig, numAttrs);
SAME_OFFSET(LaunchAttribute, id, CUlaunchAttribute, id);
SAME_OFFSET(LaunchAttribute, value, CUlaunchAttribute, value);
#undef SAME_OFFSET

// Two types that are passed and returned alike: numbers of one size and signedness, or pointers to such.
template <typename Ours, typename Theirs> constexpr bool passesAlike() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using To = std::remove_pointer_t<Ours>;
    using TheirTo = std::remove_pointer_t<Theirs>;
    if (std::is_const_v<To> != std::is_const_v<TheirTo>)
      return false;
    if constexpr (std::is_void_v<To> || std::is_void_v<TheirTo>)
      return std::is_void_v<To> == std::is_void_v<TheirTo>;
    else if constexpr (std::is_pointer_v<To> || std::is_arithmetic_v<To>)
      return passesAlike<std::remove_const_t<To>, std::remove_const_t<TheirTo>>();
    else
      return true; // handles and structures, compared above
  } else if constexpr (std::is_arithmetic_v<Ours> && std::is_arithmetic_v<Theirs>) {
    return sizeof(Ours) == sizeof(Theirs) && std::is_signed_v<Ours> == std::is_signed_v<Theirs> &&
           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;
  } else {
    return std::is_enum_v<Ours> && std::is_enum_v<Theirs> && sizeof(Ours) == sizeof(Theirs);
  }
}

template <typename... Ours, typename... Theirs>
constexpr bool sameSignature(Result (*)(Ours...), CUresult (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) == sizeof...(Theirs))
    return (passesAlike<Ours, Theirs>() && ...);
  else
    return false;
}

// The versions that today's header maps the plain names to.
#define CHECK_SIGNATURE(NAME, SYMBOL, PARAMETERS)                                                            \
  static_assert(                                                                                             \
      sameSignature(static_cast<Result(*) PARAMETERS>(nullptr), static_cast<decltype(&::SYMBOL)>(nullptr)),  \
      #SYMBOL);
ALGRT_CUDA_DRIVER_ENTRIES(CHECK_SIGNATURE)
#undef CHECK_SIGNATURE

TEST(CudaHeader, TheToolkitIsNewEnoughToCompareWith) { EXPECT_GE(CUDA_VERSION, 12000); }

} // namespace
} // namespace algrt::cuda
