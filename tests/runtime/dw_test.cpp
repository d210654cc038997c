// What algrt_dw refuses. Its values are those of compiled kernels: tests/compiler/product_test.cpp.
#include "runtime/algrt.h"
#include "tests/runtime/cpu_matrix.h"
#include "tests/runtime/shapes.h"

#include <gtest/gtest.h>
#include <limits>
#include <memory>

namespace algrt {
namespace {

using test::Matrix;

// Correct but for the kernel: the bundle's are written by hand, and none is of dw.
struct Gradient {
  explicit Gradient(const char *name, int64_t m = 7)
      : shape(test::shape(name)), x(m, shape.k()), dy(m, shape.n()), dw(shape.k(), shape.weightColumns()),
        args(algrt_dw_args_init()) {
    const std::string bytes = test::bundleOf(shape);
    algrt_bundle *opened = nullptr;
    EXPECT_EQ(algrt_bundle_open_memory(bytes.data(), bytes.size(), &opened), ALGRT_OK) << algrt_last_error();
    bundle.reset(opened);
    args.x = &x.tensor;
    args.dy = &dy.tensor;
    args.dw = &dw.tensor;
  }
  void expect(int status, const std::string &sentence) {
    EXPECT_EQ(algrt_dw(bundle.get(), &args), status);
    EXPECT_NE(std::string(algrt_last_error()).find(sentence), std::string::npos) << algrt_last_error();
  }

  test::Shape shape;
  std::unique_ptr<algrt_bundle, test::CloseBundle> bundle;
  Matrix x, dy, dw;
  algrt_dw_args args;
};

TEST(Dw, NeedsAKernel) {
  Gradient gradient("cyclic_f32");
  gradient.expect(ALGRT_UNSUPPORTED,
                  "the bundle has no kernel of dw with results of type f32 that runs on this machine");
}

// Unlike a product, it is not done without rows: dw has to be written.
TEST(Dw, WithoutRowsNeedsAKernel) {
  Gradient gradient("cyclic_f32", 0);
  gradient.expect(ALGRT_UNSUPPORTED, "the bundle has no kernel of dw");
}

TEST(Dw, AForwardKernelIsNone) {
  Gradient gradient("cyclic_f32");
  gradient.args.kernel = 2;
  gradient.expect(ALGRT_INVALID_ARGUMENT, "computes forward, not dw");
}

TEST(Dw, Operands) {
  {
    Gradient gradient("cyclic_f32");
    gradient.args.dw = nullptr;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "dw is null");
  }
  {
    Gradient gradient("cyclic_f32");
    gradient.args.x = nullptr;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "x is null");
  }
  {
    Gradient gradient("cyclic_f32");
    gradient.args.dy = &gradient.x.tensor;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "dy");
  }
  {
    Gradient gradient("cyclic_f32");
    Matrix fewer(6, gradient.shape.n());
    gradient.args.dy = &fewer.tensor;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "dy: has shape [6, 30], needs [7, 30]");
  }
  {
    Gradient gradient("cyclic_f32");
    Matrix transposed(gradient.shape.weightColumns(), gradient.shape.k());
    gradient.args.dw = &transposed.tensor;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "dw");
  }
  {
    Gradient gradient("cyclic_f32");
    gradient.dw.tensor.dtype = {kDLBfloat, 16, 1}; // of an f32 layer
    gradient.expect(ALGRT_INVALID_ARGUMENT, "dw");
  }
  {
    Gradient gradient("cyclic_f32");
    gradient.dw.tensor.data = gradient.x.tensor.data;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "overlap");
  }
  {
    Gradient gradient("cyclic_f32");
    gradient.x.tensor.device = {kDLCUDA, 0};
    gradient.expect(ALGRT_UNSUPPORTED, "x: is on a CUDA device");
  }
  {
    Gradient gradient("cyclic_f32");
    int stream = 0;
    gradient.args.stream = &stream;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "stream is set");
  }
  {
    Gradient gradient("cyclic_f32");
    gradient.args.beta = std::numeric_limits<float>::infinity();
    gradient.expect(ALGRT_INVALID_ARGUMENT, "beta is not finite");
  }
}

TEST(Dw, Bias) {
  {
    Gradient gradient("cyclic_f32");
    Matrix row(1, gradient.shape.n());
    gradient.args.dbias = &row.tensor;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "dbias: has shape [1, 30], needs [30]");
  }
  {
    Gradient gradient("cyclic_f32");
    DLTensor vector = gradient.dw.tensor;
    vector.ndim = 1;
    vector.shape = &gradient.dw.shape[1];
    gradient.args.dbias = &vector;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "overlap");
  }
  {
    Gradient gradient("cyclic_f32");
    Matrix row(1, gradient.shape.n());
    DLTensor vector = row.tensor;
    vector.ndim = 1;
    vector.shape = &row.shape[1];
    vector.strides = nullptr;
    gradient.args.dbias = &vector;
    gradient.expect(ALGRT_INVALID_ARGUMENT, "dbias is given, but the layer of the bundle has no bias");
  }
}

TEST(Dw, RowTypes) {
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

TEST(Dw, Structure) {
  Gradient gradient("cyclic_f32");
  gradient.args.struct_size = 8;
  gradient.expect(ALGRT_INVALID_ARGUMENT, "start from algrt_dw_args_init()");
  EXPECT_EQ(algrt_dw(gradient.bundle.get(), nullptr), ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_dw(nullptr, &gradient.args), ALGRT_INVALID_ARGUMENT);
}

} // namespace
} // namespace algrt
