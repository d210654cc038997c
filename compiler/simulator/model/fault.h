// What the model objects to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace simulator {

enum class FaultKind {
  OutOfBounds,  // an address outside the block's shared memory, or outside every registered global region
  Misaligned,   // an address or size that the instruction's alignment forbids
  NeverWritten, // a read of bytes that nothing wrote in this launch
  Race,         // an access that is not ordered after a conflicting one
  MissingProxyFence,    // ordered, but generic writes meet the async proxy without fence.proxy.async
  Overwrite,            // a write over bytes that an asynchronous operation may still read
  GlobalConflict,       // two writes of one global byte, or a read of what another thread writes
  DependentLaunch,      // global memory touched before griddepcontrol.wait
  Mbarrier,             // misuse of an mbarrier: not initialised, overflow, wrong phase, overlapping data
  PendingAtExit,        // work that nobody waited for when the block exits
  BadTensorMap,         // a tensor map that the driver would have refused, or a copy that does not fit it
  BadDescriptor,        // a matrix descriptor or instruction shape that wgmma does not allow
  MissingWgmmaFence,    // registers handed to wgmma without wgmma.fence
  UnsettledAccumulator, // an accumulator used before a wait covered it
  Divergence, // threads of a warp or warpgroup at different aligned instructions, or with different operands
  NamedBarrier,    // inconsistent thread counts or an invalid barrier
  ClusterBarrier,  // arrive and wait out of step
  ClusterLifetime, // shared memory of a block that may have exited
  Registers,       // setmaxnreg beyond the rules
  Deadlock,        // nothing can run and nothing is in flight
  Endless,         // the launch ran longer than its limit
  Trap,            // the kernel's own trap
  Undefined,       // arithmetic without a defined value
  BadCall          // an argument that no PTX instruction has
};

std::string_view name(FaultKind kind);

struct Fault {
  FaultKind kind;
  std::string message;
  int32_t site = -1;       // of the call that found it; -1 where none was running
  int64_t block = -1;      // linear block number
  int32_t thread = -1;     // within the block
  int32_t other_site = -1; // the other half of a conflict, where known

  std::string text() const;
};

} // namespace simulator
