// How much memory this process may still take, asked before sizes that a caller chose are allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace algrt {

// Bytes that can still be allocated without swapping or being killed: the least of what the system calls
// available (MemAvailable), what the limits of the control groups leave (versions 1 and 2, all ancestors;
// file pages count as free, because they are given back), and what RLIMIT_AS and RLIMIT_DATA leave. Nothing
// where the system tells none of them. It is a snapshot: others may take the memory meanwhile.
std::optional<uint64_t> availableMemory();

// Throws Error(ALGRT_OUT_OF_MEMORY) where `bytes` are more than availableMemory(), with both numbers:
// "WHAT takes 34359738368 bytes (32.0 GiB), and there are 16777216 bytes (16.0 MiB) of memory left". To be
// called before the first of the allocations that make up `bytes`.
void requireMemory(uint64_t bytes, const std::string &what);

// From here on asking, which reads some files, takes no time beside the first touch of the memory.
inline constexpr uint64_t worth_asking_for_bytes = uint64_t(1) << 26;

// "34359738368 bytes (32.0 GiB)".
std::string byteText(uint64_t bytes);

// The part of availableMemory() that is read from files, which lie under `root` as they do under "/". For
// tests.
std::optional<uint64_t> memoryOfSystem(const std::string &root);

} // namespace algrt
