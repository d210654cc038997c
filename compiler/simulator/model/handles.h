// Handles of accumulators in flight: what a kernel holds in place of sums until sm_settle.
#pragma once

#include <bit>
#include <cstdint>

namespace simulator {

class Multiprocessor;
struct Thread;

// A quiet NaN whose upper half no computation makes by itself, so that it is known again after rounding to
// bf16 too.
inline constexpr uint32_t handle_pattern = 0x7fed0000;
// Of one warp at a time: the smallest has four registers of a thread's 255.
inline constexpr int32_t most_accumulators = 64;

inline float handleOf(int32_t accumulator, int32_t position) {
  return std::bit_cast<float>(handle_pattern | uint32_t(accumulator) << 7 | uint32_t(position));
}
inline bool isHandle(float value) { return (std::bit_cast<uint32_t>(value) & 0x7fff0000) == handle_pattern; }
inline bool isHalfHandle(uint16_t value) { return (value & 0x7fff) == handle_pattern >> 16; }
inline int32_t accumulatorOf(float handle) { return int32_t(std::bit_cast<uint32_t>(handle) >> 7 & 511); }
inline int32_t positionOf(float handle) { return int32_t(std::bit_cast<uint32_t>(handle) & 127); }

// Faults if the thread's last plain store wrote a handle.
void checkStoredHandles(Multiprocessor &model, Thread &thread);

} // namespace simulator
