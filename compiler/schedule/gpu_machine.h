// Devices that the model of kernels whose threads copy counts for. Constants only have to rank schedules:
// each says where it is from, and none has been measured with these kernels.
#ifndef ALGCTL_COMPILER_SCHEDULE_GPU_MACHINE_H
#define ALGCTL_COMPILER_SCHEDULE_GPU_MACHINE_H

#include "compiler/schedule/h200.h"

#include <string_view>

namespace compiler {

struct GpuMachine {
  std::string_view name; ///< with its article
  double multiprocessors;
  double clock;               ///< cycles per microsecond while mma.sync is busy
  double macs_per_cycle;      ///< of one multiprocessor by mma.sync: dense, bf16
  double dense_macs_per_us;   ///< of all, by the fastest instructions there are; for the floor
  double memory_bytes_per_us; ///< a copy
  double cache_bytes_per_us;  ///< from the second-level cache, all multiprocessors together
  double cache_bytes;         ///< of it, what holds operands that come back
  double bytes_in_flight;     ///< of one multiprocessor, to cover what that cache takes to answer
  double memory_latency;      ///< cycles from a load to its value
  // Of one multiprocessor in one cycle.
  double shared_bytes_per_cycle; ///< of shared memory
  double issues_per_cycle;       ///< instructions of warps
  // What the blocks on one multiprocessor share.
  double shared_bytes, registers, most_threads, most_blocks;
  double launch_us;
};

/// 80 GB. NVIDIA's white paper on the A100 has the multiprocessors, 1024 products in a cycle and the sizes;
/// 16 blocks are what devices of compute capability 8.6 take, which run the same kernels. Assumed: the clock,
/// below the 1410 of its boost; nine tenths of 1.94 TB/s; 48 bytes of the cache in a cycle, and of its 40 MB as
/// large a part for what comes back as of an H200's; what is in flight, and the latency.
inline constexpr GpuMachine a100_machine = {.name = "an A100",
                                            .multiprocessors = 108,
                                            .clock = 1300,
                                            .macs_per_cycle = 1024,
                                            .dense_macs_per_us = 1024.0 * 108 * 1300,
                                            .memory_bytes_per_us = 1.75e6,
                                            .cache_bytes_per_us = 48.0 * 108 * 1300,
                                            .cache_bytes = 25e6,
                                            .bytes_in_flight = 32e3,
                                            .memory_latency = 500,
                                            .shared_bytes_per_cycle = 128,
                                            .issues_per_cycle = 4,
                                            .shared_bytes = 164 * 1024,
                                            .registers = 65536,
                                            .most_threads = 2048,
                                            .most_blocks = 16,
                                            .launch_us = 3};

/// What h200.h has is from there, its rate of dense products and of copies measured. NVIDIA's white paper on
/// the H100 has the sizes. Assumed: that mma.sync multiplies 1024 a cycle, half of what wgmma does, as on an
/// A100, which at 1755 MHz is 60 % of the measured rate of dense products; half a microsecond from the cache,
/// whose rate times that is in flight; the latency of memory, as long in time as that of an A100 and a little
/// longer.
inline constexpr GpuMachine h200_machine = {
    .name = "an H200",
    .multiprocessors = h200::processors,
    .clock = 1755,
    .macs_per_cycle = 1024,
    .dense_macs_per_us = h200::macs_per_cycle * h200::processors * h200::tensor_clock,
    .memory_bytes_per_us = h200::memory_bytes_per_us,
    .cache_bytes_per_us = h200::cache_bytes_per_us,
    .cache_bytes = h200::cache_bytes,
    .bytes_in_flight = h200::cache_bytes_per_us / h200::processors * 0.5,
    .memory_latency = 700,
    .shared_bytes_per_cycle = 128,
    .issues_per_cycle = 4,
    .shared_bytes = 228 * 1024,
    .registers = 65536,
    .most_threads = 2048,
    .most_blocks = 32,
    .launch_us = h200::launch_us};

/// What the kernels of a target are ranked for where their threads copy.
constexpr const GpuMachine &machineOf(std::string_view target) {
  return target == "sm_90a" ? h200_machine : a100_machine;
}

} // namespace compiler

#endif
