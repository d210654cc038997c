// Runs a kernel on the model of an SM: blocks of fibers over modelled shared memory, with asynchronous
// effects that land at times picked by a seed. docs/simulator.md is the specification.
#pragma once

#include "compiler/simulator/model/fault.h"
#include "compiler/simulator/model/global_memory.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace simulator {

struct Launch {
  // What one thread executes. It asks the calls in calls.h who it is. It is called once for each thread, on
  // the thread's stack, and must neither throw nor need destructors: a fault abandons it where it stands.
  std::function<void()> kernel;

  int64_t grid = 1;         // blocks
  int32_t cluster = 1;      // blocks in a cluster, 1..16; divides grid
  int32_t threads = 128;    // of a block, a multiple of 32, at most 1024
  int64_t shared_bytes = 0; // dynamic shared memory of a block, at most 227 KiB
  int32_t registers =
      0; // per thread at entry (the cap that maxntid/minctasm imply); 0: setmaxnreg is refused

  uint64_t seed = 0;
  // The kernel was launched with programmatic stream serialization: global memory whose region is not
  // `independent` must not be touched before griddepcontrol.wait.
  bool dependent_launch = false;
  // Scheduling steps without a new byte in global memory after which a launch counts as endless.
  int64_t most_steps = 200'000'000;
  int32_t most_faults = 1; // a cluster ends at its first fault, the launch at this many
  // Called every million steps or so with the bytes of global memory that have been written; may be empty.
  std::function<void(int64_t written)> progress = {};
};

struct Statistics {
  int64_t calls = 0;         // instructions that reached the model
  int64_t switches = 0;      // of fibers
  int64_t bytes_loaded = 0;  // into shared memory by asynchronous copies, zero fill included
  int64_t bytes_stored = 0;  // to global memory by asynchronous copies
  int64_t bytes_written = 0; // of global memory, each counted once
  int64_t products = 0;      // multiply-adds of wgmma and mma.sync
  double seconds = 0;
  std::vector<uint8_t> site_reached; // by site number
};

struct Report {
  std::vector<Fault> faults;
  Statistics statistics;
  bool ok() const { return faults.empty(); }
};

// Blocks outside a cluster are independent of each other: clusters run one after the other, in an order that
// the seed picks. Throws std::invalid_argument for a launch that the driver would refuse, and
// std::runtime_error where the address space below 2 GiB has no room. Several launches may run at once on
// different threads of the process.
Report run(const Launch &launch, GlobalMemory &memory);

} // namespace simulator
