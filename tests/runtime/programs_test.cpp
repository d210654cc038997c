// Programs of a bundle on the CPU: signatures, and calls with named tensors.
#include "tests/runtime/cpu_product.h"
#include "tests/runtime/records.h"
#include "tests/runtime/two_products.h"
#include "tests/runtime/usual_parameters.h"

#include <gmock/gmock.h>

namespace algrt::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

TEST(Programs, HaveSignatures) {
  const BundleHandle bundle = openBytes(bundleOf(shape("slots_f32")));
  ASSERT_EQ(algrt_program_count(bundle.get()), 1);
  EXPECT_STREQ(algrt_program_name(bundle.get(), 0), "forward");
  EXPECT_EQ(algrt_program_name(bundle.get(), 1), nullptr);
  EXPECT_EQ(algrt_program_name(bundle.get(), -1), nullptr);
  EXPECT_EQ(algrt_program_count(nullptr), 0);
  int64_t count = 0;
  ASSERT_EQ(algrt_program_operand_count(bundle.get(), "forward", &count), ALGRT_OK);
  ASSERT_EQ(count, 6);
  std::vector<std::string> texts;
  for (int64_t i = 0; i < count; ++i) {
    algrt_operand_info info = algrt_operand_info_init();
    ASSERT_EQ(algrt_program_get_operand(bundle.get(), "forward", i, &info), ALGRT_OK);
    std::string text = std::string(info.name) + " " + std::to_string(info.role) +
                       (info.optional ? " optional" : "") + " " + std::to_string(info.dtypes[0].bits) +
                       " of " + std::to_string(info.dtype_count);
    for (int32_t d = 0; d < info.ndim; ++d)
      text += std::string(" ") + (info.shape[d] < 0 ? info.symbols[d] : std::to_string(info.shape[d]));
    texts.push_back(text);
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"x 0 32 of 1 M 12", "w 1 32 of 1 4 3 5", "y 2 32 of 1 M 20",
                                             "positions 0 optional 32 of 2 M",
                                             "sequence_starts 0 optional 32 of 2 S + 1",
                                             "sequence_positions 0 optional 32 of 2 S"}));
  algrt_operand_info info = algrt_operand_info_init();
  EXPECT_EQ(algrt_program_get_operand(bundle.get(), "forward", 6, &info), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("index is 6, program forward has 6 operands"));
  info.struct_size = 0;
  EXPECT_EQ(algrt_program_get_operand(bundle.get(), "forward", 0, &info), ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_program_operand_count(bundle.get(), "dx", &count), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("the bundle has no program 'dx': it has forward"));
  EXPECT_EQ(algrt_program_operand_count(nullptr, "dx", &count), ALGRT_INVALID_ARGUMENT);
}

class ProgramsOf : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Shapes, ProgramsOf,
                         testing::Values("cyclic_f32", "cyclic_bf16", "down_f32", "down_bf16", "interval_f32",
                                         "explicit_f32", "slots_f32"));

// What the function does, with names in the place of arguments, the user's weight matrix or a packed one.
TEST_P(ProgramsOf, AProjectionAreItsFunctions) {
  for (const int64_t m : {0, 1, 13}) {
    CpuProduct product(shape(GetParam()), m, 2);
    product.args.p0 = product.shape.period == 0 ? 0 : 7;
    ASSERT_EQ(algrt_forward(product.bundle.get(), &product.args), ALGRT_OK) << algrt_last_error();
    const std::vector<float> expected = product.y.values();
    const WeightsHandle packed = packWeights(product.bundle, product.w.tensor);
    for (const bool packs : {false, true}) {
      GuardedMatrix y(m, product.shape.n(), product.shape.n() + 1, product.shape.bfloat16);
      std::vector<algrt_named_tensor> tensors = {{"x", &product.x.tensor, nullptr},
                                                 {"y", &y.tensor, nullptr}};
      tensors.push_back({"w", packs ? nullptr : &product.w.tensor, packs ? packed.get() : nullptr});
      if (product.shape.period == 0)
        tensors.push_back({"types", &product.types_tensor, nullptr});
      algrt_run_options options = algrt_run_options_init();
      options.p0 = product.args.p0;
      ASSERT_EQ(algrt_run(product.bundle.get(), "forward", tensors.data(), int64_t(tensors.size()), &options),
                ALGRT_OK)
          << algrt_last_error();
      if (!packs) {
        EXPECT_EQ(y.values(), expected);
      } else {
        EXPECT_TRUE(m == 0 || compare(y.values(), std::vector<double>(expected.begin(), expected.end()))
                                  .within(tolerance(product.shape.bfloat16)));
      }
      EXPECT_TRUE(y.paddingUntouched());
    }
  }
}

// A weight matrix of the slot lift as one matrix, and without options.
TEST(Programs, LeadingExtentsOfWeightsMayBeJoined) {
  CpuProduct product(shape("slots_f32"), 4);
  ASSERT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  const std::vector<float> expected = product.y.values();
  product.y.poison();
  const algrt_named_tensor tensors[] = {{"x", &product.x.tensor, nullptr},
                                        {"w", &product.w.tensor, nullptr},
                                        {"y", &product.y.tensor, nullptr}};
  ASSERT_EQ(product.w.tensor.ndim, 2);
  EXPECT_EQ(algrt_run(product.bundle.get(), "forward", tensors, 3, nullptr), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(product.y.values(), expected);
}

TEST(Programs, TellWhatIsWrongWithACall) {
  Both both("f32", 6);
  const auto refusal = [&](int status = ALGRT_INVALID_ARGUMENT) {
    EXPECT_EQ(both.run(), status);
    return std::string(algrt_last_error());
  };
  const auto with = [&](size_t index, const algrt_named_tensor &other) {
    const algrt_named_tensor kept = std::exchange(both.tensors[index], other);
    const std::string message = refusal();
    both.tensors[index] = kept;
    return message;
  };
  both.expectRuns("nothing is wrong");
  EXPECT_THAT(with(1, {"gate", &both.w_up.tensor, nullptr}),
              HasSubstr("gate: program both has no such operand; it has x, up, down, y"));
  EXPECT_THAT(with(1, {"x", &both.x.tensor, nullptr}), HasSubstr("x: is given twice"));
  EXPECT_THAT(with(1, {"up", nullptr, nullptr}), HasSubstr("up: is null"));
  EXPECT_THAT(with(1, {nullptr, &both.x.tensor, nullptr}), HasSubstr("tensors[1].name is null"));
  EXPECT_THAT(with(1, {"h", &both.h.tensor, nullptr}), HasSubstr("h: program both has no such operand"));
  GuardedMatrix wrong(6, 20, 20, true);
  EXPECT_THAT(with(2, {"x", &wrong.tensor, nullptr}),
              HasSubstr("x: is of another type than program both takes, f32"));
  EXPECT_THAT(with(1, {"up", &both.x.tensor, nullptr}), HasSubstr("up: has shape [6, 20], needs [20, 30]"));
  EXPECT_THAT(with(1, {"up", &both.w_down.tensor, nullptr}),
              HasSubstr("up: has shape [30, 20], needs [20, 30]: transposed?"));
  GuardedMatrix shorter(5, 20, 20, false);
  EXPECT_THAT(with(0, {"y", &shorter.tensor, nullptr}),
              HasSubstr("y: has shape [5, 20], needs [M, 20], where M is 6 as x has it"));
  const BundleHandle alone = openBytes(bundleOf(both.up));
  const WeightsHandle packed = packWeights(alone, both.w_up.tensor);
  EXPECT_THAT(with(1, {"up", nullptr, packed.get()}), HasSubstr("weights were packed for another bundle"));
  EXPECT_THAT(with(2, {"x", nullptr, packed.get()}),
              HasSubstr("x: is given as packed weights, but is an input"));
  EXPECT_THAT(with(1, {"up", &both.w_up.tensor, packed.get()}),
              HasSubstr("up: has a tensor and packed weights"));
  DLTensor elsewhere = both.w_down.tensor;
  elsewhere.device = {kDLCUDA, 0};
  EXPECT_THAT(with(3, {"down", &elsewhere, nullptr}),
              HasSubstr("down: is on a device of DLPack type 2 (CUDA), number 0, needs to be in CPU memory"));
  both.tensors.pop_back();
  EXPECT_THAT(refusal(), HasSubstr("down: is missing: program both needs it, of shape [30, 20]"));
  both.tensors.push_back({"down", &both.w_down.tensor, nullptr});
  both.options.kernel = 1;
  EXPECT_THAT(refusal(), HasSubstr("kernel is for programs of one step, both has 2"));
  both.options.kernel = 0;
  both.options.beta = 1;
  EXPECT_THAT(refusal(), HasSubstr("beta is set, but program both adds to nothing"));
  both.options.beta = 0;
  both.options.p0 = -1;
  EXPECT_STREQ(refusal().c_str(), "p0 is -1, needs 0 or more");
  both.options.p0 = 0;
  both.options.struct_size = 3;
  EXPECT_STREQ(refusal().c_str(), "options: struct_size is 3; start from algrt_run_options_init()");
  EXPECT_EQ(algrt_run(both.bundle.get(), nullptr, nullptr, 0, nullptr), ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_run(both.bundle.get(), "both", nullptr, 1, nullptr), ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_run(both.bundle.get(), "both", nullptr, -1, nullptr), ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(algrt_run(both.bundle.get(), "three", nullptr, 0, nullptr), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("the bundle has no program 'three': it has forward, both"));
}

TEST(Programs, TakePackedWeightsForTheWeightAlone) {
  Json manifest = manifestOf(shape("cyclic_f32"));
  manifest["layer"]["bias"] = true;
  CpuProduct product(shape("cyclic_f32"), 4);
  const WeightsHandle packed = packWeights(product.bundle, product.w.tensor);
  const BundleHandle bundle = openBytes(bundleOf(shape("cyclic_f32"), manifest));
  const algrt_named_tensor tensors[] = {{"x", &product.x.tensor, nullptr},
                                        {"w", &product.w.tensor, nullptr},
                                        {"bias", nullptr, packed.get()},
                                        {"y", &product.y.tensor, nullptr}};
  EXPECT_EQ(algrt_run(bundle.get(), "forward", tensors, 4, nullptr), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("bias: is given as packed weights"));
}

} // namespace
} // namespace algrt::test
