// The device that costs are counted for. Constants only have to rank schedules; they are measured where it
// says so, else from public figures, and to be replaced by measurements.
#ifndef ALGCTL_COMPILER_SCHEDULE_H200_H
#define ALGCTL_COMPILER_SCHEDULE_H200_H

namespace compiler::h200 {

inline constexpr double processors = 132;
/// That run clusters of so many blocks: neighbours, of which there are 16 or 18 together. Clusters of 4 leave
/// two of 18 over; an assumption, until a device has been asked.
inline constexpr double processorsIn(double cluster) { return cluster > 2 ? 128 : processors; }
inline constexpr double memory_bytes_per_us = 4.3e6; ///< copy, measured
/// Second-level cache to shared memory, all processors together.
inline constexpr double cache_bytes_per_us = 5.5e6;
/// What one processor can take of that when others leave it: 64 bytes in a cycle of 1755 MHz. An assumption.
inline constexpr double port_bytes_per_us = 64 * 1755;
/// Until a copy has come, with all processors copying: 48 KB in flight keep one at its share. An assumption.
inline constexpr double latency_us = 48e3 * processors / cache_bytes_per_us;
/// From the shared memory of blocks of a cluster into that of one of them, in a cycle of 1755 MHz. An
/// assumption.
inline constexpr double cluster_bytes_per_cycle = 16;
/// Of one processor in one cycle, dense, bf16.
inline constexpr double macs_per_cycle = 2048;
/// Cycles per microsecond at which dense products of bf16 reach 790 TFLOP/s, measured.
inline constexpr double tensor_clock = 790e6 / (2 * macs_per_cycle * processors);
/// Of the second-level cache, what holds operands that come back: the rest is passing through.
inline constexpr double cache_bytes = 32e6;
inline constexpr double launch_us = 3;

} // namespace compiler::h200

#endif
