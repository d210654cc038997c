// An array as the command line names it: a .npy file, or a tensor out of a safetensors file.
#pragma once

#include "runtime/numpy/npy.h"

#include <cstdint>
#include <string>

namespace compiler {

struct ArrayName {
  std::string file;
  std::string tensor; // empty: the only one of a safetensors file
  bool safetensors = false;
};

// "x.npy"; "model.safetensors", "model.safetensors:layers.0.weight". What follows the first ".safetensors:"
// is the name of the tensor, colons included.
ArrayName parseArrayName(const std::string &text);

// Throw algrt::Error that names the file, the tensor, what it holds and what is needed.
algrt::NpyArray<float> readFloat32Array(const std::string &text);
algrt::NpyArray<int32_t> readInt32Array(const std::string &text);
// Of int32 or int64.
algrt::NpyArray<int64_t> readIntegerArray(const std::string &text);

} // namespace compiler
