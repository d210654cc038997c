// Reading tensors out of safetensors files (https://github.com/huggingface/safetensors), widened to float.
#pragma once

#include "runtime/safetensors/header.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace algrt {

// An open file: its header is read and checked, its data only when asked for, so that one layer of a large
// model costs what that layer costs. All functions throw Error(ALGRT_IO_ERROR) where the file cannot be read
// and Error(ALGRT_INVALID_ARGUMENT), naming file and tensor, where it is not what is needed.
class Safetensors {
public:
  // `size` bytes from `offset` on.
  using ReadBytes = std::function<std::string(uint64_t offset, uint64_t size)>;

  static Safetensors open(const std::string &path);
  // From somewhere else than a file; `name` is what messages call it.
  Safetensors(std::string name, uint64_t size, ReadBytes read);

  const std::vector<SafetensorsEntry> &tensors() const { return tensors_; }
  // By name, or the only one where the name is empty. The error lists the tensors that there are.
  const SafetensorsEntry &find(const std::string &name) const;

  // Row-major. F32, BF16 and F16, the latter two widened exactly.
  std::vector<float> readFloat32(const SafetensorsEntry &tensor) const;
  // I32.
  std::vector<int32_t> readInt32(const SafetensorsEntry &tensor) const;
  // I64 or I32.
  std::vector<int64_t> readIntegers(const SafetensorsEntry &tensor) const;

private:
  std::string bytesOf(const SafetensorsEntry &tensor) const;

  std::string name_;
  ReadBytes read_;
  uint64_t data_begin_ = 0;
  std::vector<SafetensorsEntry> tensors_;
};

} // namespace algrt
