// Calls whose rows are divided among experts, on the CPU: each expert's rows by its own weights, as calls of
// one network compute them.
#include "tests/runtime/expert_weights.h"
#include "tests/runtime/two_products.h"

#include <gmock/gmock.h>
#include <random>

namespace algrt::test {
namespace {

using testing::HasSubstr;

struct Experts {
  Experts(int64_t m, const std::vector<int32_t> &begins)
      : starts(begins), count(int64_t(begins.size()) - 1), both("f32", m),
        up(std::max<int64_t>(count, 1), 20, 30, 33, 4), down(std::max<int64_t>(count, 1), 30, 20, 20, 5),
        starts_shape{int64_t(begins.size())} {
    starts_tensor = {starts.data(), {kDLCPU, 0}, 1, {kDLInt, 32, 1}, starts_shape.data(), nullptr, 0};
    both.options.expert_starts = &starts_tensor;
    both.tensors[1].tensor = &up.tensor;
    both.tensors[3].tensor = &down.tensor;
  }

  int run() {
    both.y.poison();
    return both.run();
  }
  std::string refusal(int status = ALGRT_INVALID_ARGUMENT) {
    EXPECT_EQ(run(), status);
    return algrt_last_error();
  }
  // Of one expert after another, by calls of one network.
  void expectRight() {
    const std::vector<float> found = both.y.values();
    EXPECT_TRUE(both.y.paddingUntouched());
    std::vector<bool> owned(size_t(both.y.rows));
    for (int64_t expert = 0; expert < count; ++expert) {
      const int64_t first = starts[size_t(expert)], rows = starts[size_t(expert) + 1] - first;
      if (rows == 0)
        continue;
      Both one("f32", rows);
      DLTensor x = both.x.tensor, up_of_one = up.of(expert), down_of_one = down.of(expert);
      std::vector<int64_t> shape = {rows, 20};
      x.shape = shape.data();
      x.byte_offset += uint64_t(first * both.x.stride) * sizeof(float);
      one.tensors = {{"y", &one.y.tensor, nullptr},
                     {"up", &up_of_one, nullptr},
                     {"x", &x, nullptr},
                     {"down", &down_of_one, nullptr}};
      one.options.p0 = both.options.p0 + first;
      ASSERT_EQ(one.run(), ALGRT_OK) << algrt_last_error();
      const std::vector<float> expected = one.y.values();
      for (int64_t row = 0; row < rows; ++row) {
        owned[size_t(first + row)] = true;
        for (int64_t column = 0; column < 20; ++column)
          ASSERT_EQ(found[size_t((first + row) * 20 + column)], expected[size_t(row * 20 + column)])
              << "expert " << expert << ", row " << row;
      }
    }
    both.y.poison();
    const std::vector<float> untouched = both.y.values();
    for (size_t row = 0; row < owned.size(); ++row)
      if (!owned[row])
        EXPECT_EQ(std::memcmp(&found[row * 20], &untouched[row * 20], 20 * sizeof(float)), 0)
            << "row " << row << " is nobody's";
  }

  std::vector<int32_t> starts;
  int64_t count;
  Both both;
  ExpertWeights up, down;
  std::vector<int64_t> starts_shape;
  DLTensor starts_tensor;
};

TEST(Experts, ComputeTheirRowsByTheirWeights) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    const auto m = int64_t(random() % 30), experts = 1 + int64_t(random() % 6);
    std::vector<int32_t> starts;
    for (int64_t i = 0; i <= experts; ++i)
      starts.push_back(int32_t(random() % uint64_t(m + 1)));
    std::ranges::sort(starts);
    SCOPED_TRACE("round " + std::to_string(round));
    Experts call(m, starts);
    call.both.options.p0 = int64_t(random() % 9);
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    call.expectRight();
    // The same weights as matrices whose leading extents are joined.
    call.both.tensors[1].tensor = &call.up.all.tensor;
    call.both.tensors[3].tensor = &call.down.all.tensor;
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    call.expectRight();
  }
}

WeightsHandle packExperts(const Both &both, const char *operand, const DLTensor &tensor) {
  algrt_weights *weights = nullptr;
  EXPECT_EQ(algrt_program_weights_pack(both.bundle.get(), "both", operand, &tensor, 0, &weights), ALGRT_OK)
      << algrt_last_error();
  return WeightsHandle(weights);
}

TEST(Experts, TakePackedWeightsOfAllOfThem) {
  Experts call(11, {0, 3, 3, 4, 11});
  const WeightsHandle down = packExperts(call.both, "down", call.down.tensor);
  for (const bool both : {false, true}) { // each step may have its weights packed
    const WeightsHandle up = packExperts(call.both, "up", call.up.tensor);
    call.both.tensors[1] = {"up", nullptr, up.get()};
    if (both)
      call.both.tensors[3] = {"down", nullptr, down.get()};
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    call.expectRight();
    // As an optimizer leaves other weights behind.
    call.up.all.fill(9, 0.3);
    ASSERT_EQ(algrt_weights_repack(call.both.bundle.get(), &call.up.tensor, 2, up.get()), ALGRT_OK)
        << algrt_last_error();
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    call.expectRight();
  }
  // Four times what one network has.
  const WeightsHandle up = packExperts(call.both, "up", call.up.tensor);
  call.both.tensors[1] = {"up", nullptr, up.get()};
  const WeightsHandle of_one = packExperts(call.both, "up", call.both.w_up.tensor);
  EXPECT_EQ(algrt_weights_bytes(up.get()), 4 * algrt_weights_bytes(of_one.get()));
}

TEST(Experts, PackedWeightsOfTooManyOrTooFewAreRefused) {
  Experts call(6, {0, 4, 6});
  const WeightsHandle up = packExperts(call.both, "up", call.up.tensor);
  ExpertWeights three(3, 20, 30, 30, 8);
  const WeightsHandle more = packExperts(call.both, "up", three.tensor);
  call.both.tensors[1] = {"up", nullptr, more.get()};
  EXPECT_THAT(call.refusal(),
              HasSubstr("up: is given as packed weights of 3 experts, needs those of 2 experts"));
  // One network has none of experts.
  call.both.options.expert_starts = nullptr;
  call.both.tensors[3].tensor = &call.both.w_down.tensor;
  EXPECT_THAT(call.refusal(), HasSubstr("are those of 3 experts: say in expert_starts which rows are whose"));
  algrt_bundle *bundle = call.both.bundle.get();
  const auto repacked = [&](const DLTensor *tensor) {
    EXPECT_EQ(algrt_weights_repack(bundle, tensor, 0, up.get()), ALGRT_INVALID_ARGUMENT);
    return std::string(algrt_last_error());
  };
  const char *needs = "w: is no f32 tensor of the weights of 2 experts, each of shape [20, 30]";
  EXPECT_THAT(repacked(&three.tensor), HasSubstr(needs));
  EXPECT_THAT(repacked(&call.both.w_up.tensor), HasSubstr(needs));
  EXPECT_THAT(repacked(nullptr), HasSubstr(needs));
  // Of other shapes, and none at all.
  const auto packs = [&](const DLTensor &tensor) {
    algrt_weights *weights = nullptr;
    EXPECT_EQ(algrt_program_weights_pack(bundle, "both", "up", &tensor, 0, &weights), ALGRT_INVALID_ARGUMENT);
    EXPECT_EQ(weights, nullptr);
    return std::string(algrt_last_error());
  };
  EXPECT_THAT(packs(call.down.tensor), HasSubstr("up: has shape [2, 30, 20], needs [20, 30]"));
  std::vector<int64_t> none = {0, 20, 30}, apart = {700, 30, 1};
  DLTensor tensor = three.tensor;
  tensor.shape = none.data();
  EXPECT_THAT(packs(tensor), HasSubstr("up: has shape [0, 20, 30], needs [20, 30]"));
  tensor = three.tensor;
  tensor.strides = apart.data();
  EXPECT_THAT(packs(tensor), HasSubstr("up: has blocks 700 elements apart, needs 600"));
}

// A projection, whose program takes positions: one expert's are those of its rows.
struct PlacedExperts {
  PlacedExperts() {
    options.expert_starts = starts.set({0, 4, 4, 9}, /*int64=*/false);
    w.fill(3, 0.3);
    tensors = {{"x", &product.x.tensor, nullptr},
               {"w", &w.tensor, nullptr},
               {"y", &product.y.tensor, nullptr},
               {"positions", positions.set(at, /*int64=*/true), nullptr}};
  }
  int run() {
    return algrt_run(product.bundle.get(), "forward", tensors.data(), int64_t(tensors.size()), &options);
  }

  CpuProduct product{shape("cyclic_f32"), 9};
  const std::vector<int64_t> at = {5, 3, 3, 8, 0, 1, 2, 100, 7};
  GuardedMatrix w{3 * 20, 30, 30, false};
  CpuProduct::Integers starts, positions;
  std::vector<algrt_named_tensor> tensors;
  algrt_run_options options = algrt_run_options_init();
};

TEST(Experts, HaveRowsAtPositionsOfTheirOwn) {
  PlacedExperts call;
  ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  const std::vector<float> found = call.product.y.values();
  // The rows of every expert by its weights, of all rows with these.
  for (const auto &[expert, first, end] : {std::array<int64_t, 3>{0, 0, 4}, {2, 4, 9}}) {
    CpuProduct one(call.product.shape, 9);
    DLTensor w = call.w.tensor;
    std::vector<int64_t> w_shape = {20, 30};
    w.shape = w_shape.data();
    w.byte_offset += uint64_t(expert * 20 * 30) * sizeof(float);
    one.args.w = &w;
    one.setPositions(call.at, /*int64=*/true);
    ASSERT_EQ(one.run(), ALGRT_OK) << algrt_last_error();
    const std::vector<float> expected = one.y.values();
    for (int64_t at = first * 30; at < end * 30; ++at)
      ASSERT_EQ(found[size_t(at)], expected[size_t(at)]) << "expert " << expert;
  }
}

TEST(Experts, HaveNoSequences) {
  PlacedExperts call;
  CpuProduct::Integers sequences;
  call.tensors.back() = {"sequence_starts", sequences.set({0, 9}, /*int64=*/false), nullptr};
  EXPECT_EQ(call.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(),
              HasSubstr("sequence_starts: is given, but expert_starts is, too: say positions"));
}

TEST(Experts, NeedWorkspaceForOneNetwork) {
  Experts call(12, {0, 5, 12});
  size_t bytes = 0;
  ASSERT_EQ(algrt_program_workspace_size(call.both.bundle.get(), "both", 12, 0, &bytes), ALGRT_OK);
  std::vector<std::byte> workspace(bytes);
  call.both.options.workspace = workspace.data();
  call.both.options.workspace_bytes = bytes;
  ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  call.expectRight();
}

TEST(Experts, TellWhatIsWrongWithACall) {
  Experts call(6, {0, 2, 6});
  ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  const auto with_starts = [&](const std::vector<int32_t> &starts) {
    call.starts = starts;
    call.starts_shape = {int64_t(starts.size())};
    call.starts_tensor.data = call.starts.data();
    const std::string message = call.refusal();
    call.starts = {0, 2, 6};
    call.starts_shape = {3};
    call.starts_tensor.data = call.starts.data();
    return message;
  };
  EXPECT_THAT(with_starts({0, 4, 2}), HasSubstr("expert_starts: element 2 is 2, less than 4 before it"));
  EXPECT_THAT(with_starts({0, 4, 7}),
              HasSubstr("expert_starts: element 2 is 7, needs to be from 0 to 6, the number of rows"));
  EXPECT_THAT(with_starts({-1, 4, 6}), HasSubstr("expert_starts: element 0 is -1, needs to be from 0 to 6"));
  EXPECT_THAT(with_starts({0}), HasSubstr("expert_starts: has 1 number, needs at least two"));
  EXPECT_THAT(with_starts({0, 1, 3, 6}),
              HasSubstr("up: has shape [2, 20, 30], needs [3, 20, 30] or [60, 30]"));
  call.starts_tensor.dtype.bits = 64;
  EXPECT_THAT(call.refusal(), HasSubstr("expert_starts: is of type int64, needs int32"));
  call.starts_tensor.dtype.bits = 32;
  call.starts_tensor.device = {kDLCUDA, 0};
  EXPECT_THAT(call.refusal(), HasSubstr("expert_starts: is elsewhere than the other tensors"));
  call.starts_tensor.device = {kDLCPU, 0};
  call.both.options.sequence_rows = 3;
  EXPECT_THAT(call.refusal(), HasSubstr("sequence_rows is 3, needs 0 where expert_starts is given"));
  call.both.options.sequence_rows = 0;
  call.both.options.p0 = -1;
  EXPECT_THAT(call.refusal(), HasSubstr("p0 is -1"));
  call.both.options.p0 = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(call.refusal(), HasSubstr("p0"));
  call.both.options.p0 = 0;
  const BundleHandle alone = openBytes(bundleOf(call.both.up));
  const WeightsHandle packed = packWeights(alone, call.both.w_up.tensor);
  call.both.tensors[1] = {"up", nullptr, packed.get()};
  EXPECT_THAT(call.refusal(),
              HasSubstr("up: is given as packed weights of one network, needs those of 2 experts"));
  call.both.tensors[1] = {"up", &call.both.w_up.tensor, nullptr};
  EXPECT_THAT(call.refusal(), HasSubstr("up: has shape [20, 30], needs [2, 20, 30] or [40, 30]"));
  // Weights that a result is written over are those of some expert.
  DLTensor over = call.both.y.tensor;
  over.data = call.up.all.tensor.data;
  over.byte_offset = call.up.all.tensor.byte_offset + 25 * 33 * sizeof(float);
  call.both.tensors[1] = {"up", &call.up.tensor, nullptr};
  call.both.tensors[0] = {"y", &over, nullptr};
  EXPECT_EQ(call.both.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_STREQ(algrt_last_error(), "y: overlaps up: it is written while up is still being read");
  // So are starts, which are read for each.
  call.both.tensors[0] = {"y", &call.both.y.tensor, nullptr};
  call.starts_tensor.data = call.both.y.tensor.data;
  call.starts_tensor.byte_offset = call.both.y.tensor.byte_offset;
  std::memset(static_cast<char *>(call.both.y.tensor.data) + call.both.y.tensor.byte_offset, 0,
              3 * sizeof(float));
  EXPECT_EQ(call.both.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("overlaps expert_starts"));
}

// A gradient of weights sums over the rows of one network; of a product, and of x, each row is for itself.
TEST(Experts, AreNoneOfProgramsThatSumOverRows) {
  const std::string bytes = bundleOf(shape("cyclic_f32"));
  const Bundle bundle = Bundle::parse(bytes);
  const auto reason = [&](Map map) {
    return whyNoExperts(projectionProgram(bundle.layer(), map, {OperandType::F32}), /*on_device=*/true);
  };
  EXPECT_EQ(reason(Map::Forward), "");
  EXPECT_EQ(reason(Map::Dx), "kernels of dx on a CUDA device are of one network");
  EXPECT_EQ(reason(Map::Dw), "dw of shape [20, 30] is not one row after another");
}

} // namespace
} // namespace algrt::test
