// The header of a safetensors file: a JSON object that says of each tensor its type, shape and place.
//
// A file is a little-endian uint64, the length of the header; the header, padded with spaces; the data.
//   {"__metadata__": {"format": "pt"}, "up.weight": {"dtype": "BF16", "shape": [6, 4], "data_offsets": [0,
//   48]}}
// Offsets count from the beginning of the data, which the tensors cover without overlap and without holes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace algrt {

// A header of millions of tensors is an attack, not a model: the format's own limit.
constexpr uint64_t most_safetensors_header_bytes = 100'000'000;

struct SafetensorsEntry {
  std::string name;
  std::string dtype; // as written: "F32", "BF16"; one that this program does not know has no checked size
  std::vector<int64_t> shape;
  uint64_t begin = 0, end = 0; // within the data

  // The product of the shape; fits 64 bits.
  int64_t elements() const;
};

// The tensors in the order of their data. `data_size` is what the file has after its header, `file` what
// messages call it. Throws Error(ALGRT_INVALID_ARGUMENT) that names file and tensor.
std::vector<SafetensorsEntry> parseSafetensorsHeader(std::string_view header, uint64_t data_size,
                                                     const std::string &file);

// Throws Error(ALGRT_INVALID_ARGUMENT) that names the file.
[[noreturn]] void refuseFile(const std::string &file, const std::string &what);

// A name of a tensor in quotes, with whatever a terminal would not show escaped.
std::string quotedTensorName(const std::string &name);

} // namespace algrt
