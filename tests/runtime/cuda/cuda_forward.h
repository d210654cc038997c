// Products on the stand-in's devices whose launches compute them on the host.
#pragma once

#include "tests/runtime/cuda/gpu_product.h"
#include "tests/runtime/cuda/host_kernel.h"

#include <gtest/gtest.h>

namespace algrt::test {

class CudaForward : public testing::Test {
protected:
  CudaForward() {
    useStandIn();
    cuda_stand_in::reset({{}, {}});
  }
  ~CudaForward() override {
    EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
  }

  // Launches of the test compute this shape's product.
  void computes(const GpuShape &shape) {
    cuda_stand_in::onLaunch([this, shape](const cuda_stand_in::Launch &launch) {
      last = launch;
      ++launches;
      runHostKernel(shape, launch);
    });
  }

  cuda_stand_in::Launch last;
  int launches = 0;
};

inline GpuShape interval(int64_t run) { return {.row_types = RowTypesKind::Interval, .run = run}; }
inline GpuShape slots() { return {.lift = Lift::Slots}; }

} // namespace algrt::test
