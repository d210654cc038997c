// Calls of a network whose two layers are one kernel: which packed weights they take, what lies where results
// are written, and that no number depends on how many threads there are.
#include "compiler/pipeline/pipeline.h"
#include "compiler/spec/program_spec.h"
#include "runtime/algrt.h"
#include "runtime/reference/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace network_calls_test {
namespace {

using testing::HasSubstr;

constexpr int64_t m = 57, k = 24; // K, N and the width of Y

struct Matrix {
  Matrix(int64_t rows, int64_t columns, uint64_t seed)
      : values(algrt::randomValues(rows * columns, 1, seed)), shape{rows, columns},
        tensor{values.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, nullptr, 0} {}
  Matrix(const Matrix &) = delete;

  std::vector<float> values;
  int64_t shape[2];
  DLTensor tensor;
};

/// y = down(relu(up(x) + inner)) + outer, with matrices of one shape, so that any may stand for any other.
constexpr const char *network = R"mlir(
#q3 = #alg.algebra<"Q(3)">
!x = !alg.slots<?x24xf32, rows(cyclic 3), cols(3 x 8)>
!w = !alg.slots<24x24xf32, rows(3 x 8), cols(3 x 8)>
func.func @forward(%x: tensor<?x24xf32>, %up: tensor<24x24xf32>, %down: tensor<24x24xf32>,
                   %inner: tensor<?x24xf32>, %outer: tensor<?x24xf32>, %p0: index) -> tensor<?x24xf32> {
  %zero = arith.constant 0.0 : f32
  %xs = alg.slots %x rows(cyclic 3, %p0) cols(3 x 8) : tensor<?x24xf32>
  %ups = alg.slots %up rows(3 x 8) cols(3 x 8) : tensor<24x24xf32>
  %downs = alg.slots %down rows(3 x 8) cols(3 x 8) : tensor<24x24xf32>
  %inners = alg.slots %inner rows(cyclic 3, %p0) cols(3 x 8) : tensor<?x24xf32>
  %outers = alg.slots %outer rows(cyclic 3, %p0) cols(3 x 8) : tensor<?x24xf32>
  %sums = alg.contract %xs, %ups by #q3 -> k : !x, !w
  %h = alg.map %sums, %inners : !x {
  ^bb0(%s: f32, %i: f32):
    %added = arith.addf %s, %i : f32
    %positive = arith.maximumf %added, %zero : f32
    alg.yield %positive : f32
  }
  %down_sums = alg.contract %h, %downs by #q3 -> k : !x, !w
  %ys = alg.map %down_sums, %outers : !x {
  ^bb0(%s: f32, %o: f32):
    %added = arith.addf %s, %o : f32
    alg.yield %added : f32
  }
  %y = alg.gather %ys : !x
  return %y : tensor<?x24xf32>
}
)mlir";

using Weights = std::unique_ptr<algrt_weights, decltype([](algrt_weights *one) { algrt_weights_free(one); })>;

class NetworkCalls : public testing::Test {
protected:
  void SetUp() override {
    compiler::Spec spec;
    spec.source_name = "network.mlir";
    spec.program = compiler::ProgramFile{"network.mlir", network};
    const std::string bytes = compiler::compiledBundle(spec, {});
    algrt_bundle *opened = nullptr;
    ASSERT_EQ(algrt_bundle_open_memory(bytes.data(), bytes.size(), &opened), ALGRT_OK) << algrt_last_error();
    bundle_.reset(opened);
  }

  Weights pack(const char *operand, const Matrix &matrix) {
    algrt_weights *made = nullptr;
    EXPECT_EQ(algrt_program_weights_pack(bundle_.get(), "forward", operand, &matrix.tensor, 1, &made),
              ALGRT_OK)
        << algrt_last_error();
    return Weights(made);
  }

  int run(const algrt_weights *up, const algrt_weights *down, const DLTensor &y, int threads = 1) {
    const algrt_named_tensor tensors[] = {{"x", &x_.tensor, nullptr},
                                          {"up", up ? nullptr : &up_.tensor, up},
                                          {"down", down ? nullptr : &down_.tensor, down},
                                          {"inner", inner_, nullptr},
                                          {"outer", outer_, nullptr},
                                          {"y", &y, nullptr}};
    algrt_run_options options = algrt_run_options_init();
    options.p0 = 1;
    options.threads = threads;
    return algrt_run(bundle_.get(), "forward", tensors, std::size(tensors), &options);
  }

  std::unique_ptr<algrt_bundle, decltype([](algrt_bundle *bundle) { algrt_bundle_close(bundle); })> bundle_;
  Matrix x_{m, k, 1}, up_{k, k, 2}, down_{k, k, 3}, first_{m, k, 4}, last_{m, k, 5};
  const DLTensor *inner_ = &first_.tensor, *outer_ = &last_.tensor;
};

TEST_F(NetworkCalls, WeightsOfEachLayerArePackedForIt) {
  Matrix plain(m, k, 6), packed(m, k, 7);
  ASSERT_EQ(run(nullptr, nullptr, plain.tensor), ALGRT_OK) << algrt_last_error();
  const Weights up = pack("up", up_), down = pack("down", down_);
  ASSERT_EQ(run(up.get(), down.get(), packed.tensor), ALGRT_OK) << algrt_last_error();
  for (size_t i = 0; i < plain.values.size(); ++i)
    ASSERT_NEAR(plain.values[i], packed.values[i], 1e-4);
  EXPECT_EQ(run(down.get(), up.get(), packed.tensor), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("w: is packed for another layer of the step"));
  EXPECT_EQ(run(up.get(), up.get(), packed.tensor), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("w2: is packed for another layer of the step"));
  EXPECT_EQ(run(up.get(), nullptr, packed.tensor), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("pack all weights of a step, or none of them"));

  // Packed again, a matrix takes the other's place.
  Matrix other(k, k, 8);
  ASSERT_EQ(algrt_weights_repack(bundle_.get(), &other.tensor, 1, down.get()), ALGRT_OK);
  ASSERT_EQ(run(up.get(), down.get(), packed.tensor), ALGRT_OK);
  down_.values = other.values;
  down_.tensor.data = down_.values.data();
  ASSERT_EQ(run(nullptr, nullptr, plain.tensor), ALGRT_OK);
  for (size_t i = 0; i < plain.values.size(); ++i)
    ASSERT_NEAR(plain.values[i], packed.values[i], 1e-4);
}

TEST_F(NetworkCalls, NumbersDependOnNoThread) {
  const Weights up = pack("up", up_), down = pack("down", down_);
  Matrix one(m, k, 6), many(m, k, 7);
  ASSERT_EQ(run(up.get(), down.get(), one.tensor, 1), ALGRT_OK);
  for (const int threads : {2, 3, 16}) { // more slices than one, each of which makes what it reads
    ASSERT_EQ(run(up.get(), down.get(), many.tensor, threads), ALGRT_OK);
    ASSERT_EQ(one.values, many.values);
  }
}

TEST_F(NetworkCalls, ResultsLieWhereTheLastLayerReadsAlone) {
  Matrix beside(m, k, 6);
  ASSERT_EQ(run(nullptr, nullptr, beside.tensor), ALGRT_OK);
  ASSERT_EQ(run(nullptr, nullptr, last_.tensor), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(last_.values, beside.values);
  // The first layer reads its operand when it makes a group, and results of other groups may be there by
  // then.
  EXPECT_EQ(run(nullptr, nullptr, first_.tensor), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("y: overlaps inner"));
  EXPECT_EQ(run(nullptr, nullptr, x_.tensor), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("y: overlaps x"));
}

} // namespace
} // namespace network_calls_test
