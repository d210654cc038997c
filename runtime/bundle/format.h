// The fixed numbers of the container (docs/bundle.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace algrt::format {

inline constexpr std::string_view magic{"ALGCTLB\n", 8};
inline constexpr uint32_t version = 2;
inline constexpr size_t version_offset = 8;
inline constexpr size_t reserved_offset = 12;
inline constexpr size_t manifest_size_offset = 16;
inline constexpr size_t file_size_offset = 24;
inline constexpr size_t hash_offset = 32;
inline constexpr size_t header_size = 64;
inline constexpr uint64_t alignment = 64;

inline constexpr uint64_t alignUp(uint64_t offset) {
  return (offset + alignment - 1) / alignment * alignment;
}

} // namespace algrt::format
