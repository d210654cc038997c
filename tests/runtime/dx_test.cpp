// What algrt_dx refuses. Its values are those of compiled kernels: tests/compiler/product_test.cpp.
#include "runtime/algrt.h"
#include "tests/runtime/cpu_matrix.h"
#include "tests/runtime/shapes.h"

#include <gtest/gtest.h>
#include <memory>

namespace algrt {
namespace {

using test::Matrix;

// Correct but for the kernel: the bundle's are written by hand, and none is of dx.
struct Gradient {
  explicit Gradient(const char *name, int64_t m = 7)
      : shape(test::shape(name)), dy(m, shape.n()), dx(m, shape.k()), w(shape.k(), shape.weightColumns()),
        args(algrt_dx_args_init()) {
    const std::string bytes = test::bundleOf(shape);
    algrt_bundle *opened = nullptr;
    EXPECT_EQ(algrt_bundle_open_memory(bytes.data(), bytes.size(), &opened), ALGRT_OK) << algrt_last_error();
    bundle.reset(opened);
    args.dy = &dy.tensor;
    args.dx = &dx.tensor;
    args.w = &w.tensor;
  }
  void expect(int status, const std::string &sentence) {
    EXPECT_EQ(algrt_dx(bundle.get(), &args), status);
    EXPECT_NE(std::string(algrt_last_error()).find(sentence), std::string::npos) << algrt_last_error();
  }

  test::Shape shape;
  std::unique_ptr<algrt_bundle, test::CloseBundle> bundle;
  Matrix dy, dx, w;
  algrt_dx_args args;
};

TEST(Dx, NeedsAKernel) {
  Gradient gradient("cyclic_f32");
  gradient.expect(ALGRT_UNSUPPORTED, "the bundle has no kernel of dx that runs on this machine");
}

TEST(Dx, WithoutRowsIsDone) {
  Gradient gradient("cyclic_f32", 0);
  EXPECT_EQ(algrt_dx(gradient.bundle.get(), &gradient.args), ALGRT_OK) << algrt_last_error();
}

TEST(Dx, AForwardKernelIsNone) {
  Gradient gradient("cyclic_f32");
  gradient.args.kernel = 2;
  gradient.expect(ALGRT_INVALID_ARGUMENT, "computes forward, not dx");
}

TEST(Dx, Operands) {
  {
    Gradient gradient("cyclic_f32");
    gradient.args.w = nullptr;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "w is null");
  }
  {
    Gradient gradient("cyclic_f32");
    gradient.args.dy = &gradient.dx.tensor;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "dy");
  }
  {
    Gradient gradient("cyclic_f32");
    Matrix fewer(6, gradient.shape.k());
    gradient.args.dx = &fewer.tensor;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "dx");
  }
  {
    Gradient gradient("cyclic_f32");
    gradient.dx.tensor.data = gradient.w.tensor.data;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "overlap");
  }
  {
    Gradient gradient("cyclic_f32");
    gradient.dy.tensor.device = {kDLCUDA, 0};
    gradient.expect(ALGRT_UNSUPPORTED, "dy: is on a CUDA device");
  }
  {
    Gradient gradient("cyclic_f32");
    int stream = 0;
    gradient.args.stream = &stream;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "stream is set");
  }
}

TEST(Dx, RowTypes) {
  {
    Gradient gradient("explicit_f32");
    gradient.expect(ALGRT_INVALID_ARGUMENT, "types is null");
  }
  {
    Gradient gradient("cyclic_f32");
    gradient.args.p0 = -1;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "p0 is -1");
  }
}

TEST(Dx, Structure) {
  Gradient gradient("cyclic_f32");
  gradient.args.struct_size = 8;
  gradient.expect(ALGRT_INVALID_ARGUMENT, "start from algrt_dx_args_init()");
  EXPECT_EQ(algrt_dx(gradient.bundle.get(), nullptr), ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_dx(nullptr, &gradient.args), ALGRT_INVALID_ARGUMENT);
}

} // namespace
} // namespace algrt
