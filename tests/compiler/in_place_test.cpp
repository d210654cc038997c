// A program whose result lies where one of its operands lies: a gradient of X that is added to what a matrix
// holds.
#include "compiler/pipeline/pipeline.h"
#include "compiler/spec/program_spec.h"
#include "runtime/algrt.h"
#include "runtime/reference/random.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace in_place_test {
namespace {

using testing::HasSubstr;

constexpr int64_t m = 37, k = 64, n = 192, groups = 4, beside = 5; // elements between two rows of dX

struct Matrix {
  Matrix(int64_t rows, int64_t columns, int64_t stride, uint64_t seed)
      : values(algrt::randomValues(rows * stride, 1, seed)), shape{rows, columns}, strides{stride, 1},
        tensor{values.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0} {}
  Matrix(const Matrix &) = delete;
  float at(int64_t row, int64_t column) const {
    return values[static_cast<size_t>(row * strides[0] + column)];
  }

  std::vector<float> values;
  int64_t shape[2], strides[2];
  DLTensor tensor;
};

class InPlace : public testing::Test {
protected:
  void SetUp() override {
    compiler::Spec spec;
    spec.source_name = "added-gradient.mlir";
    spec.program = compiler::readProgramFile(ALGCTL_SOURCE_DIR "/examples/added-gradient.mlir");
    compiler::CompileOptions options;
    options.program_maps.forward = true;
    const std::string bytes = compiler::compiledBundle(spec, options);
    algrt_bundle *opened = nullptr;
    ASSERT_EQ(algrt_bundle_open_memory(bytes.data(), bytes.size(), &opened), ALGRT_OK) << algrt_last_error();
    bundle_.reset(opened);
  }

  int run(const DLTensor &held, const DLTensor &dx) {
    int64_t one = 1;
    DLTensor beta{&beta_, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &one, nullptr, 0};
    const algrt_named_tensor tensors[] = {{"dy", &dy_.tensor, nullptr},
                                          {"w", &w_.tensor, nullptr},
                                          {"held", &held, nullptr},
                                          {"beta", &beta, nullptr},
                                          {"dx", &dx, nullptr}};
    algrt_run_options options = algrt_run_options_init();
    options.p0 = 3;
    return algrt_run(bundle_.get(), "dx", tensors, std::size(tensors), &options);
  }

  // Of Q(4): output group g of dy belongs to the row's type i and to itself.
  double expected(int64_t row, int64_t column, const Matrix &before) const {
    const int64_t type = (3 + row) % groups, group = column / (k / groups);
    double sum = 0;
    for (int64_t other = 0; other < groups; ++other)
      if (other == group || group == type)
        for (int64_t depth = other * (n / groups); depth < (other + 1) * (n / groups); ++depth)
          sum += double{dy_.at(row, depth)} * w_.at(column, depth);
    return sum + double{beta_} * before.at(row, column);
  }

  std::unique_ptr<algrt_bundle, decltype([](algrt_bundle *bundle) { algrt_bundle_close(bundle); })> bundle_;
  Matrix dy_{m, n, n, 1}, w_{k, n, n, 2};
  float beta_ = -0.5f;
};

TEST_F(InPlace, TheOnlyResultMayBeAnOperandOfTheSameElements) {
  const Matrix before(m, k, k + beside, 3);
  Matrix dx(m, k, k + beside, 3);
  ASSERT_EQ(run(dx.tensor, dx.tensor), ALGRT_OK) << algrt_last_error();
  for (int64_t row = 0; row < m; ++row) {
    for (int64_t column = 0; column < k; ++column)
      ASSERT_NEAR(dx.at(row, column), expected(row, column, before), 1e-4) << row << ", " << column;
    for (int64_t column = k; column < k + beside; ++column)
      ASSERT_EQ(dx.values[static_cast<size_t>(row * (k + beside) + column)],
                before.values[static_cast<size_t>(row * (k + beside) + column)]);
  }
}

TEST_F(InPlace, OtherOverlapsAreRefused) {
  Matrix dx(m + 1, k, k + beside, 3);
  dx.shape[0] = m;
  DLTensor shifted = dx.tensor;
  shifted.byte_offset = 4 * (k + beside);
  EXPECT_EQ(run(shifted, dx.tensor), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("dx: overlaps held"));
  int64_t strides[2] = {k, 1};
  DLTensor closer = dx.tensor;
  closer.strides = strides;
  EXPECT_EQ(run(closer, dx.tensor), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("dx: overlaps held"));
}

} // namespace
} // namespace in_place_test
