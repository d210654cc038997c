// The device that costs of sm_80 are counted for: an A100 with 80 GB. Public figures and assumptions, to be
// replaced by measurements; they only have to rank schedules.
#ifndef ALGCTL_COMPILER_SCHEDULE_A100_H
#define ALGCTL_COMPILER_SCHEDULE_A100_H

namespace compiler::a100 {

inline constexpr double processors = 108;
/// Cycles per microsecond while tensor cores are busy.
inline constexpr double clock = 1300;
/// A copy, at nine tenths of the memory's rate.
inline constexpr double memory_bytes_per_us = 1.75e6;
/// Second-level cache, all processors together: about 48 bytes a cycle each.
inline constexpr double cache_bytes_per_us = 48 * processors * clock;
/// Of one processor in one cycle, dense, bf16.
inline constexpr double macs_per_cycle = 1024;
/// Of one processor's shared memory in one cycle.
inline constexpr double shared_bytes_per_cycle = 128;
/// Instructions of warps that one processor issues in a cycle.
inline constexpr double issues_per_cycle = 4;
/// Of one processor.
inline constexpr double shared_bytes = 164 * 1024, registers = 65536, most_blocks = 16;
inline constexpr double launch_us = 3;

} // namespace compiler::a100

#endif
