// The entry points of the driver library that the runtime uses: X(name, symbol, parameters). The symbol is
// the one that the library exports, with the version of its interface; all are there since CUDA 12.0.
#pragma once

#include "runtime/cuda/driver_types.h"

// clang-format off
#define ALGRT_CUDA_DRIVER_ENTRIES(X)                                                                                   \
  X(init, cuInit, (unsigned int flags))                                                                                \
  X(driverGetVersion, cuDriverGetVersion, (int *version))                                                              \
  X(getErrorName, cuGetErrorName, (Result error, const char **text))                                                   \
  X(getErrorString, cuGetErrorString, (Result error, const char **text))                                               \
  X(deviceGetCount, cuDeviceGetCount, (int *count))                                                                    \
  X(deviceGet, cuDeviceGet, (Device *device, int ordinal))                                                             \
  X(deviceGetName, cuDeviceGetName, (char *name, int length, Device device))                                           \
  X(deviceGetUuid, cuDeviceGetUuid_v2, (Uuid *uuid, Device device))                                                    \
  X(deviceGetPciBusId, cuDeviceGetPCIBusId, (char *id, int length, Device device))                                     \
  X(deviceTotalMem, cuDeviceTotalMem_v2, (size_t *bytes, Device device))                                               \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int *value, DeviceAttribute attribute, Device device))                  \
  X(devicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (Context *context, Device device))                               \
  X(devicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (Device device))                                            \
  X(ctxPushCurrent, cuCtxPushCurrent_v2, (Context context))                                                            \
  X(ctxPopCurrent, cuCtxPopCurrent_v2, (Context *context))                                                             \
  X(ctxGetCurrent, cuCtxGetCurrent, (Context *context))                                                                \
  X(ctxSetCurrent, cuCtxSetCurrent, (Context context))                                                                 \
  X(ctxSynchronize, cuCtxSynchronize, ())                                                                              \
  X(moduleLoadDataEx, cuModuleLoadDataEx,                                                                              \
    (Module *module, const void *image, unsigned int count, JitOption *options, void **values))                        \
  X(moduleUnload, cuModuleUnload, (Module module))                                                                     \
  X(moduleGetFunction, cuModuleGetFunction, (Function *function, Module module, const char *name))                     \
  X(funcGetAttribute, cuFuncGetAttribute, (int *value, FunctionAttribute attribute, Function function))                \
  X(funcSetAttribute, cuFuncSetAttribute, (Function function, FunctionAttribute attribute, int value))                 \
  X(occupancyMaxActiveBlocks, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                             \
    (int *blocks, Function function, int threads, size_t shared_bytes))                                                \
  X(occupancyMaxActiveClusters, cuOccupancyMaxActiveClusters,                                                          \
    (int *clusters, Function function, const LaunchConfig *config))                                                    \
  X(launchKernelEx, cuLaunchKernelEx,                                                                                  \
    (const LaunchConfig *config, Function function, void **parameters, void **extra))                                  \
  X(tensorMapEncodeTiled, cuTensorMapEncodeTiled,                                                                      \
    (TensorMapObject *map, TensorMapDataType type, uint32_t rank, void *address, const uint64_t *extents,              \
     const uint64_t *strides, const uint32_t *box, const uint32_t *element_strides, TensorMapInterleave interleave,    \
     TensorMapSwizzle swizzle, TensorMapL2Promotion promotion, TensorMapFloatOobFill fill))                            \
  X(memGetInfo, cuMemGetInfo_v2, (size_t *free, size_t *total))                                                        \
  X(memAlloc, cuMemAlloc_v2, (DevicePointer *address, size_t bytes))                                                   \
  X(memFree, cuMemFree_v2, (DevicePointer address))                                                                    \
  X(memcpyHtoD, cuMemcpyHtoD_v2, (DevicePointer to, const void *from, size_t bytes))                                   \
  X(memcpyDtoH, cuMemcpyDtoH_v2, (void *to, DevicePointer from, size_t bytes))                                         \
  X(memcpyDtoD, cuMemcpyDtoD_v2, (DevicePointer to, DevicePointer from, size_t bytes))                                 \
  X(memcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (DevicePointer to, const void *from, size_t bytes, Stream stream))          \
  X(memcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void *to, DevicePointer from, size_t bytes, Stream stream))                \
  X(memcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (DevicePointer to, DevicePointer from, size_t bytes, Stream stream))        \
  X(memsetD8, cuMemsetD8_v2, (DevicePointer to, unsigned char value, size_t count))                                    \
  X(memsetD16, cuMemsetD16_v2, (DevicePointer to, unsigned short value, size_t count))                                 \
  X(memsetD32, cuMemsetD32_v2, (DevicePointer to, unsigned int value, size_t count))                                   \
  X(memsetD8Async, cuMemsetD8Async, (DevicePointer to, unsigned char value, size_t count, Stream stream))              \
  X(memsetD16Async, cuMemsetD16Async, (DevicePointer to, unsigned short value, size_t count, Stream stream))           \
  X(memsetD32Async, cuMemsetD32Async, (DevicePointer to, unsigned int value, size_t count, Stream stream))             \
  X(streamCreate, cuStreamCreate, (Stream *stream, unsigned int flags))                                                \
  X(streamDestroy, cuStreamDestroy_v2, (Stream stream))                                                                \
  X(streamSynchronize, cuStreamSynchronize, (Stream stream))                                                           \
  X(streamWaitEvent, cuStreamWaitEvent, (Stream stream, Event event, unsigned int flags))                              \
  X(streamBeginCapture, cuStreamBeginCapture_v2, (Stream stream, CaptureMode mode))                                    \
  X(streamEndCapture, cuStreamEndCapture, (Stream stream, Graph *graph))                                               \
  X(streamIsCapturing, cuStreamIsCapturing, (Stream stream, CaptureStatus *status))                                    \
  X(threadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, (CaptureMode *mode))                           \
  X(eventCreate, cuEventCreate, (Event *event, unsigned int flags))                                                    \
  X(eventDestroy, cuEventDestroy_v2, (Event event))                                                                    \
  X(eventRecord, cuEventRecord, (Event event, Stream stream))                                                          \
  X(eventSynchronize, cuEventSynchronize, (Event event))                                                               \
  X(eventQuery, cuEventQuery, (Event event))                                                                           \
  X(eventElapsedTime, cuEventElapsedTime, (float *milliseconds, Event start, Event end))                               \
  X(graphInstantiate, cuGraphInstantiateWithFlags, (GraphExec *exec, Graph graph, unsigned long long flags))           \
  X(graphLaunch, cuGraphLaunch, (GraphExec exec, Stream stream))                                                       \
  X(graphExecDestroy, cuGraphExecDestroy, (GraphExec exec))                                                            \
  X(graphDestroy, cuGraphDestroy, (Graph graph))
// clang-format on
