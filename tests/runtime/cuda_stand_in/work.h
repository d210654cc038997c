// For stand-ins of other libraries, which put work of their own on the stand-in's streams, and for callbacks
// that say how long a kernel took.
#pragma once

#include "runtime/cuda/driver_types.h"

#include <cstddef>
#include <functional>

namespace algrt::cuda_stand_in {

// Work of another library: runs now, or with the graph that the stream is being captured into, and takes that
// long on the device's clock. A context has to be current.
cuda::Result enqueueWork(const char *symbol, cuda::Stream stream, double milliseconds,
                         std::function<void()> run);

// Within a launch's callback or such work: it takes that much longer.
void advanceClock(double milliseconds);

// The live allocation of a device that begins at the address: its bytes, or 0 where there is none.
size_t bytesAllocatedAt(unsigned long long address);

// Whether the range lies within one live allocation of some device.
bool isDeviceMemory(unsigned long long address, size_t bytes);

} // namespace algrt::cuda_stand_in
