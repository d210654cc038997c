// NumPy's .npy files (format versions 1 to 3): little-endian, C order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace algrt {

template <typename Element> struct NpyArray {
  std::vector<int64_t> shape;
  std::vector<Element> values; // row-major
};

// Throw Error(ALGRT_IO_ERROR) if the file cannot be read, Error(ALGRT_INVALID_ARGUMENT) if it is no such
// array: the message names the file, what it holds and how to convert it.
NpyArray<float> readNpyFloat32(const std::string &path);
NpyArray<int32_t> readNpyInt32(const std::string &path);
// Of int32 or int64.
NpyArray<int64_t> readNpyIntegers(const std::string &path);

// The same of a file's content; `name` is what messages call it.
NpyArray<float> parseNpyFloat32(std::string_view content, const std::string &name);
NpyArray<int32_t> parseNpyInt32(std::string_view content, const std::string &name);
NpyArray<int64_t> parseNpyIntegers(std::string_view content, const std::string &name);

// The bytes of such a file, format version 1.0. The product of the shape must be the number of values.
std::string encodeNpy(std::span<const int64_t> shape, std::span<const float> values);

// Writes format version 1.0 by rename. The product of the shape must be the number of values.
void writeNpy(const std::string &path, std::span<const int64_t> shape, std::span<const float> values);
void writeNpy(const std::string &path, std::span<const int64_t> shape, std::span<const int32_t> values);
void writeNpy(const std::string &path, std::span<const int64_t> shape, std::span<const int64_t> values);

// "(2048, 6144)", "(5,)", as NumPy prints it.
std::string shapeText(std::span<const int64_t> shape);

} // namespace algrt
