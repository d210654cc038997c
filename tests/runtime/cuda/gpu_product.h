// One product on the stand-in's devices with everything that it needs, correct until a test spoils it.
#pragma once

#include "runtime/algrt.h"
#include "runtime/cuda/driver.h"
#include "tests/runtime/cuda/gpu_bundle.h"

#include <memory>
#include <vector>

namespace algrt::test {

struct CloseBundle {
  void operator()(algrt_bundle *bundle) const { algrt_bundle_close(bundle); }
};
using BundleHandle = std::unique_ptr<algrt_bundle, CloseBundle>;
BundleHandle openBundle(const std::string &bytes);

// Has the runtime find the stand-in.
void useStandIn();

// A context of the test's own on a device, current as long as this lives.
class TestContext {
public:
  explicit TestContext(int device);
  ~TestContext();
  TestContext(const TestContext &) = delete;

  const cuda::Driver &driver() const { return *driver_; }

private:
  std::shared_ptr<const cuda::Driver> driver_;
  int device_;
};

// A matrix in a device's memory, rows `padding` elements apart beyond their width.
class GpuMatrix {
public:
  GpuMatrix(const TestContext &context, int device, int64_t rows, int64_t columns, int64_t padding,
            ElementType element);
  ~GpuMatrix();
  GpuMatrix(const GpuMatrix &) = delete;

  void fill(uint64_t seed, double deviation);
  // Every byte, padding included.
  void poison();
  std::vector<float> values() const;
  bool paddingIsPoison() const;

  DLTensor tensor;
  std::vector<int64_t> shape, strides;

private:
  std::byte *at(int64_t row, int64_t column) const;

  const cuda::Driver &driver_;
  ElementType element_;
  int64_t element_bytes_;
  cuda::DevicePointer address_ = 0;
};

// Of a gradient x and y are dY and dX, and run() passes what args say to algrt_dx.
struct GpuProduct {
  GpuProduct(const TestContext &context, const GpuShape &shape, int64_t m, int64_t padding = 0,
             ElementType output = ElementType::Bf16, int device = 0);

  int run() const;
  // Whether y is the reference's, and nothing beside it has been touched.
  void expectCorrect(const std::string &what) const;
  // run() succeeds and expectCorrect.
  void expectRuns(const std::string &what);

  GpuShape shape;
  std::string bytes;
  BundleHandle bundle;
  GpuMatrix x, w, y;
  ElementType output;
  algrt_forward_args args;
};

} // namespace algrt::test
