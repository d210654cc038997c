// Devices that schedules of GPU kernels are ranked for, as data: everything that a cost model knows of a
// device stands here. The numbers only have to rank schedules; each says where it is from.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace compiler {

/// 32-bit registers that a thread can have, and that a multiprocessor has, on every NVIDIA GPU since Kepler.
constexpr int64_t registers_of_thread = 255, registers_of_multiprocessor = 65536;

/// A number and where it is from.
struct Figure {
  enum class Origin {
    Published, ///< the vendor's white paper or programming guide
    Measured,  ///< on such a device
    Assumed    ///< to be measured: plausible, and no more
  };
  double value = 0;
  Origin origin = Origin::Assumed;

  constexpr operator double() const { return value; }
  constexpr Figure &operator=(double other) { return value = other, *this; }
  constexpr Figure &operator*=(double factor) { return value *= factor, *this; }
  constexpr Figure &operator/=(double divisor) { return value /= divisor, *this; }
};

struct GpuMachine {
  std::string_view target; ///< whose kernels are ranked for it
  std::string_view name;   ///< with its article
  Figure multiprocessors;
  /// Of them those that run clusters of three blocks and more, which need neighbours.
  Figure multiprocessors_of_large_clusters;

  // Of one multiprocessor in one cycle, or in cycles.
  Figure clock;                  ///< cycles per microsecond while mma.sync is busy
  Figure macs_per_cycle;         ///< by mma.sync: dense, bf16
  Figure dense_clock;            ///< cycles per microsecond at which dense products of bf16 reach their rate
  Figure dense_macs_per_cycle;   ///< by the fastest instructions there are
  Figure shared_bytes_per_cycle; ///< of shared memory
  Figure
      cluster_bytes_per_cycle; ///< out of the shared memory of blocks of a cluster into that of one of them
  Figure issues_per_cycle;     ///< instructions of warps
  Figure memory_latency;       ///< cycles from a load to its value

  Figure memory_bytes_per_us; ///< a copy
  Figure cache_bytes_per_us;  ///< from the second-level cache, all multiprocessors together
  Figure port_bytes_per_us;   ///< what one multiprocessor can take of that when others leave it
  Figure cache_bytes;     ///< of that cache, what holds operands that come back: the rest is passing through
  Figure bytes_in_flight; ///< of one multiprocessor, to cover what that cache takes to answer its threads
  Figure engine_latency_us; ///< until a copy of the copy engine has come, with all multiprocessors copying

  // What the blocks on one multiprocessor share.
  Figure shared_bytes, registers, most_threads, most_blocks;
  Figure launch_us;
  /// What it takes longer until a grid of clusters of two blocks, and of larger ones, has begun.
  Figure pair_start_us, cluster_start_us;
  /// What a launch takes less that begins while the grid before it is ending.
  Figure early_begin_us;

  /// Multiplications of bf16 that all of it can do in a microsecond; for floors.
  constexpr double denseMacsPerUs() const { return dense_macs_per_cycle * multiprocessors * dense_clock; }
  /// Multiprocessors that run clusters of so many blocks.
  constexpr double multiprocessorsIn(double cluster) const {
    return cluster > 2 ? multiprocessors_of_large_clusters : multiprocessors;
  }
  /// What a launch takes longer where so many blocks run together.
  constexpr double clusterStart(double cluster) const {
    return cluster > 2 ? cluster_start_us : cluster > 1 ? pair_start_us : 0.0;
  }
  /// Blocks that share one multiprocessor, of so many threads with so many registers each and so many bytes
  /// of shared memory, to each of which the system adds a kilobyte; at least one.
  double blocksTogether(double threads, double registers_of_thread, double shared_bytes_of_block) const {
    const double most = std::min({std::floor(shared_bytes / (shared_bytes_of_block + 1024)),
                                  std::floor(registers / (threads * registers_of_thread)),
                                  std::floor(most_threads / threads), most_blocks.value});
    return std::max(1.0, most);
  }
};

namespace figures {
constexpr Figure published(double value) { return {value, Figure::Origin::Published}; }
constexpr Figure measured(double value) { return {value, Figure::Origin::Measured}; }
constexpr Figure assumed(double value) { return {value, Figure::Origin::Assumed}; }
} // namespace figures

/// 80 GB. 16 blocks are what devices of compute capability 8.6 take, which run the same kernels. The clock is
/// assumed below the 1410 of the boost; a copy at nine tenths of 1.94 TB/s; 48 bytes of the cache in a cycle,
/// and of its 40 MB as large a part for what comes back as of an H200's. There are no clusters and no copy
/// engine.
inline constexpr GpuMachine a100_machine = {.target = "sm_80",
                                            .name = "an A100",
                                            .multiprocessors = figures::published(108),
                                            .multiprocessors_of_large_clusters = figures::published(0),
                                            .clock = figures::assumed(1300),
                                            .macs_per_cycle = figures::published(1024),
                                            .dense_clock = figures::assumed(1300),
                                            .dense_macs_per_cycle = figures::published(1024),
                                            .shared_bytes_per_cycle = figures::published(128),
                                            .cluster_bytes_per_cycle = figures::published(0),
                                            .issues_per_cycle = figures::published(4),
                                            .memory_latency = figures::assumed(500),
                                            .memory_bytes_per_us = figures::assumed(1.75e6),
                                            .cache_bytes_per_us = figures::assumed(48.0 * 108 * 1300),
                                            .port_bytes_per_us = figures::assumed(64 * 1300),
                                            .cache_bytes = figures::assumed(25e6),
                                            .bytes_in_flight = figures::assumed(32e3),
                                            .engine_latency_us = figures::published(0),
                                            .shared_bytes = figures::published(164 * 1024),
                                            .registers = figures::published(registers_of_multiprocessor),
                                            .most_threads = figures::published(2048),
                                            .most_blocks = figures::published(16),
                                            .launch_us = figures::assumed(3),
                                            .pair_start_us = figures::published(0),
                                            .cluster_start_us = figures::published(0),
                                            .early_begin_us = figures::published(0)};

/// Dense products of bf16 have been measured at 790 TFLOP/s, copies at 4.3 TB/s. mma.sync is assumed to
/// multiply 1024 in a cycle, half of what wgmma does, as on an A100: at 1755 MHz 60 % of the measured rate of
/// dense products. Clusters of 4 leave two multiprocessors over of 18 that are neighbours. What the
/// second-level cache hands out, all together and to one multiprocessor, how long a copy of the copy engine
/// takes and what a launch does are fitted to kernels that were measured (engine_parts.h). Half a
/// microsecond's bytes in flight of threads keep it at its share of the cache; memory answers in as long a
/// time as that of an A100 and a little longer. Kernels that each read what the one before wrote took 1.60 us
/// each where they began early, and 1.93 where they did not (benchmarks/probes/launch.cu).
inline constexpr GpuMachine h200_machine = {.target = "sm_90a",
                                            .name = "an H200",
                                            .multiprocessors = figures::published(132),
                                            .multiprocessors_of_large_clusters = figures::assumed(128),
                                            .clock = figures::assumed(1755),
                                            .macs_per_cycle = figures::assumed(1024),
                                            .dense_clock = figures::measured(790e6 / (2 * 2048.0 * 132)),
                                            .dense_macs_per_cycle = figures::published(2048),
                                            .shared_bytes_per_cycle = figures::published(128),
                                            .cluster_bytes_per_cycle = figures::assumed(16),
                                            .issues_per_cycle = figures::published(4),
                                            .memory_latency = figures::assumed(700),
                                            .memory_bytes_per_us = figures::measured(4.3e6),
                                            .cache_bytes_per_us = figures::measured(6.9e6),
                                            .port_bytes_per_us = figures::measured(66e3),
                                            .cache_bytes = figures::assumed(25e6),
                                            .bytes_in_flight = figures::assumed(5.5e6 / 132 * 0.5),
                                            .engine_latency_us = figures::measured(1.5),
                                            .shared_bytes = figures::published(228 * 1024),
                                            .registers = figures::published(registers_of_multiprocessor),
                                            .most_threads = figures::published(2048),
                                            .most_blocks = figures::published(32),
                                            .launch_us = figures::measured(2),
                                            .pair_start_us = figures::measured(0.6),
                                            .cluster_start_us = figures::measured(1.5),
                                            .early_begin_us = figures::measured(0.34)};

inline constexpr const GpuMachine *gpu_machines[] = {&a100_machine, &h200_machine};

/// Null for a target that has none.
constexpr const GpuMachine *findMachine(std::string_view target) {
  for (const GpuMachine *machine : gpu_machines)
    if (machine->target == target)
      return machine;
  return nullptr;
}

} // namespace compiler
