// What a test gives a call beside its matrices, and what a launch then has for parameters.
#pragma once

#include "tests/runtime/cuda/gpu_product.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace algrt::test {

// A launch's parameter, which has the size of a T.
template <typename T> T parameter(const cuda_stand_in::Launch &launch, size_t index) {
  T value{};
  EXPECT_EQ(launch.parameters.at(index).size(), sizeof(T));
  std::memcpy(&value, launch.parameters[index].data(), sizeof(T));
  return value;
}

// Numbers in a device's memory as an argument of a call.
class DeviceNumbers {
public:
  DeviceNumbers(const TestContext &context, const std::vector<int64_t> &values, int bits)
      : driver_(context.driver()), size_(int64_t(values.size())) {
    driver_.check(driver_.memAlloc(&address_, size_t(std::max<int64_t>(size_, 1) * 8)), "numbers of a test");
    tensor = {
        reinterpret_cast<void *>(address_), {kDLCUDA, 0}, 1, {kDLInt, uint8_t(bits), 1}, &size_, nullptr, 0};
    set(values);
  }
  ~DeviceNumbers() { EXPECT_EQ(driver_.memFree(address_), cuda::Result::Success); }
  DeviceNumbers(const DeviceNumbers &) = delete;

  // As many others in their place.
  void set(const std::vector<int64_t> &values) {
    for (size_t i = 0; i < values.size(); ++i)
      if (tensor.dtype.bits == 64)
        reinterpret_cast<int64_t *>(address_)[i] = values[i];
      else
        reinterpret_cast<int32_t *>(address_)[i] = int32_t(values[i]);
  }

  DLTensor tensor;

private:
  const cuda::Driver &driver_;
  int64_t size_;
  cuda::DevicePointer address_ = 0;
};

} // namespace algrt::test
