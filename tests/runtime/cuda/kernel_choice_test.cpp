// Which kernel a call takes: the device's own, then what its operands allow, then its number of rows.
#include "runtime/cuda/kernel_choice.h"

#include "runtime/bundle/bundle.h"
#include "tests/runtime/cuda/gpu_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace algrt::cuda {
namespace {

using test::GpuShape;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

struct Variant {
  const char *name;
  int64_t vector;                 // 0: for sm_90a, by tensor maps
  std::vector<int64_t> rows = {}; // best_for_rows
  const char *output = "bf16";
  bool dependent_launch = false;
  int64_t groups = 0; // that the kernel counts; 0: those of the layer
  int64_t slices = 0; // above 0: of vector reductions
};

std::string bundleOf(const GpuShape &given, const std::vector<Variant> &variants) {
  Json manifest = test::gpuManifest(given);
  manifest["kernels"] = Json::array();
  for (const Variant &variant : variants) {
    GpuShape shape = given;
    shape.vector = variant.vector;
    Json kernel = test::gpuManifest(shape)["kernels"][std::string(variant.output) == "bf16" ? 0 : 1];
    kernel["name"] = variant.name;
    kernel["dependent_launch"] = variant.dependent_launch;
    if (variant.groups > 0)
      kernel["groups"] = variant.groups;
    if (variant.slices > 0) {
      kernel.erase("warps");
      kernel["slices"] = variant.slices;
    }
    if (!variant.rows.empty())
      kernel["best_for_rows"] = variant.rows;
    manifest["kernels"].push_back(kernel);
  }
  return test::gpuBundle(given, manifest);
}

DeviceProperties deviceOf(int32_t capability) {
  return {0, 0, capability, 132, capability == 80 ? 166912 : 232448, capability >= 90};
}

// x of 4 groups of 16, y of 4 groups of 24 columns, at good addresses.
ProductRequest request(int64_t m) { return {{{256, 64}, {512, 96}, {1024, 96}}, m, 0, ElementType::Bf16}; }

class Chooser {
public:
  explicit Chooser(const std::vector<Variant> &variants, int32_t capability = 90,
                   const GpuShape &shape = GpuShape())
      : bundle_(Bundle::parse(bundleOf(shape, variants))),
        choice_(bundle_.manifest().kernels, bundle_.layer(), deviceOf(capability)) {}

  // The name of the chosen kernel, or status and message.
  std::string operator()(const ProductRequest &request) const {
    try {
      return bundle_.manifest().kernels[choice_.choose(request)].name;
    } catch (const Error &error) {
      return std::string(algrt_status_name(error.status())) + " " + error.what();
    }
  }

private:
  const Bundle bundle_;
  const KernelChoice choice_;
};

const std::vector<Variant> all = {{"narrow", 1}, {"pairs", 2}, {"wide", 8},
                                  {"own", 0},    {"fours", 4}, {"own-f32", 0, {}, "f32"}};

TEST(KernelChoice, TheDevicesOwnArchitectureComesFirst) {
  EXPECT_EQ(Chooser(all)(request(10)), "own");
  for (int32_t capability : {80, 86, 89, 100, 120})
    EXPECT_EQ(Chooser(all, capability)(request(10)), "wide") << capability;
  ProductRequest f32 = request(10);
  f32.output = ElementType::F32;
  EXPECT_EQ(Chooser(all)(f32), "own-f32");
}

TEST(KernelChoice, OperandsThatTheBestCannotTakeGoToTheNext) {
  const Chooser choose(all);
  ProductRequest call = request(10);
  call.operands.x.address += 8; // four elements
  EXPECT_EQ(choose(call), "fours");
  call.operands.w.leading_dimension += 2;
  EXPECT_EQ(choose(call), "pairs");
  call.operands.y.leading_dimension += 1;
  EXPECT_EQ(choose(call), "narrow");
  call.m = 1; // of one row the distance does not matter
  EXPECT_EQ(choose(call), "pairs");
  // Widths that are no multiples of 16 bytes.
  EXPECT_EQ(Chooser(all, 90, {.in = 12, .out = 20})(
                {{{256, 48}, {512, 80}, {1024, 80}}, 9, 0, ElementType::Bf16, false}),
            "fours");
  EXPECT_EQ(Chooser(all, 90, {.in = 5, .out = 24})(
                {{{256, 20}, {512, 96}, {1024, 96}}, 9, 0, ElementType::Bf16, false}),
            "narrow");
}

// Kernels of vector reductions stand beside the others of their architecture, by the rows that each is for;
// positions are for them alone.
TEST(KernelChoice, FewRowsAndPositionsGoToVectorReductions) {
  const std::vector<Variant> variants = {
      {"wide", 8, {256, 4096}}, {"few", 8, {1, 8}, "bf16", false, 0, 16}, {"single", 1, {256, 4096}}};
  const Chooser choose(variants, 80);
  EXPECT_EQ(choose(request(1)), "few");
  EXPECT_EQ(choose(request(9)), "few");
  EXPECT_EQ(choose(request(300)), "wide");
  ProductRequest call = request(300);
  call.positions = call.listed = true;
  EXPECT_EQ(choose(call), "few");
  // Of Y a vector reduction writes single elements; X it reads by vectors.
  ProductRequest odd = request(4);
  odd.operands.y.address += 2;
  EXPECT_EQ(choose(odd), "few");
  odd.operands.x.address += 2;
  EXPECT_EQ(choose(odd), "single");
  odd.positions = odd.listed = true;
  EXPECT_THAT(choose(odd), HasSubstr("x: starts at an address that is not a multiple of 16 bytes"));
  // One of single elements takes what the others cannot, by the rows that it is for.
  std::vector<Variant> more = variants;
  more.push_back({"few-single", 1, {1, 8}, "bf16", false, 0, 16});
  const Chooser any(more, 80);
  EXPECT_EQ(any(odd), "few-single");
  odd.positions = odd.listed = false;
  EXPECT_EQ(any(odd), "few-single");
  odd.m = 300;
  EXPECT_EQ(any(odd), "single");
  EXPECT_EQ(any(request(4)), "few");
  ProductRequest rows_apart = request(4);
  rows_apart.positions = rows_apart.listed = true;
  rows_apart.operands.w.leading_dimension += 1;
  EXPECT_EQ(any(rows_apart), "few-single");
  EXPECT_THAT(Chooser({variants[0]}, 80)(call), HasSubstr("or one of vector reductions, as with --m 1,2048"));
}

// Two groups of four columns are a step of 8 bytes, which no tensor map takes; to a kernel that takes them as
// one there is no such step.
// Of experts with many rows a kernel is for those that a list can have, and whose tiles it can number; more
// go to vector reductions, where there are any.
TEST(KernelChoice, MoreExpertsThanListsHaveGoToVectorReductions) {
  const Bundle bundle = Bundle::parse(bundleOf(
      GpuShape(), {{"lists", 8, {100, 100'000}}, {"few", 8, {1, 10}, "bf16", false, 0, /*slices=*/16}}));
  std::vector<Kernel> kernels = bundle.manifest().kernels;
  for (Kernel &kernel : kernels)
    kernel.gpu->parameters.add(ParameterValue::Experts);
  kernels[0].gpu->listed = true;
  GpuCode lister{};
  lister.threads = 1024;
  Kernel group_rows;
  group_rows.group_rows = lister;
  kernels.push_back(group_rows);
  const auto chosen = [&](int64_t experts, int64_t m) {
    ProductRequest of_experts = request(m);
    of_experts.operands.experts = experts;
    return kernels[KernelChoice(kernels, bundle.layer(), deviceOf(90)).choose(of_experts)].name;
  };
  EXPECT_EQ(chosen(4, 1), "few");
  EXPECT_EQ(chosen(4, 1000), "lists");
  const int64_t most = mostListedTypes(1024) / bundle.layer().types;
  EXPECT_EQ(chosen(most, 1000), "lists");
  EXPECT_EQ(chosen(most + 1, 1000), "few");
  EXPECT_EQ(chosen(most, int64_t(1) << 28), "few");
  kernels.erase(kernels.begin() + 1); // whoever is left says what is wrong
  EXPECT_EQ(chosen(most + 1, 1000), "lists");
}

TEST(KernelChoice, OperandsAreSeenAsEachKernelCountsGroups) {
  const GpuShape shape = {.in = 4, .out = 4};
  const ProductRequest call = {{{256, 16}, {512, 16}, {1024, 16}}, 9, 0, ElementType::Bf16};
  EXPECT_EQ(Chooser({{"split", 0}, {"joined", 0, {}, "bf16", false, 2}, {"again", 0}}, 90, shape)(call),
            "joined");
  EXPECT_EQ(Chooser({{"joined", 0, {}, "bf16", false, 2}, {"split", 0, {9, 9}}}, 90, shape)(call), "joined");
  EXPECT_THAT(Chooser({{"split", 0}}, 90, shape)(call),
              HasSubstr("split: x: a tensor map cannot step over 8 bytes"));
}

TEST(KernelChoice, RowsDecideByTheirQuotient) {
  const std::vector<Variant> variants = {{"unsaid", 0},
                                         {"few", 0, {1, 16}},
                                         {"some", 0, {64, 256}},
                                         {"many", 0, {2048, 2048}},
                                         {"again", 0, {2048, 2048}}};
  const Chooser choose(variants);
  // 16 and 64 meet at 32, 256 and 2048 at 724.08.
  const std::pair<int64_t, const char *> expected[] = {
      {1, "few"},    {16, "few"},   {31, "few"},   {32, "few"},    {33, "some"},     {64, "some"},
      {256, "some"}, {724, "some"}, {725, "many"}, {2048, "many"}, {1 << 20, "many"}};
  for (const auto &[m, name] : expected)
    EXPECT_EQ(choose(request(m)), name) << m;
  EXPECT_EQ(Chooser({variants[0], {"f32", 0, {5, 5}, "f32"}})(request(5)), "unsaid");
  // What moves more at a time comes before what suits the rows.
  EXPECT_EQ(Chooser({{"narrow", 1, {7, 7}}, {"wide", 8, {4096, 4096}}}, 80)(request(7)), "wide");
}

TEST(KernelChoice, DependentLaunchesNeedAKernelThatWaits) {
  const Chooser choose({{"own", 0}, {"waits", 0, {}, "bf16", true}, {"plain", 8}});
  ProductRequest call = request(10);
  EXPECT_EQ(choose(call), "own");
  call.dependent_launch = true;
  EXPECT_EQ(choose(call), "waits");
  EXPECT_EQ(Chooser({{"own", 0}})(call),
            "ALGRT_UNSUPPORTED no kernel of the bundle takes this call: own: does not "
            "wait for its predecessor by itself: clear dependent_launch");
}

TEST(KernelChoice, WhereNoneFitsEveryOneSaysWhy) {
  ProductRequest call = request(10);
  call.operands.x.address += 2;
  call.operands.y.leading_dimension += 4;
  EXPECT_EQ(Chooser({{"pairs", 2}, {"own", 0}, {"fours", 4}})(call),
            "ALGRT_INVALID_ARGUMENT no kernel of the bundle takes this call: "
            "own: x: starts at an address that is not a multiple of 16 bytes: align it; "
            "fours: x: starts at an address that is not a multiple of 8 bytes: align it; "
            "pairs: x: starts at an address that is not a multiple of 4 bytes: align it");
  const std::string elsewhere = Chooser({{"own", 0}, {"pairs", 2}}, 80)(call);
  EXPECT_THAT(elsewhere, HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(elsewhere, HasSubstr("pairs: x: starts"));
  EXPECT_THAT(elsewhere, HasSubstr("own: needs compute capability 9.0, device 0 has 8.0"));
  EXPECT_THAT(Chooser({{"own", 0}}, 100)(request(10)),
              HasSubstr("WRONG_ARCHITECTURE no kernel of the bundle runs on this device: own: needs"));
  EXPECT_THAT(Chooser({{"own", 0, {}, "f32"}})(request(10)),
              HasSubstr("UNSUPPORTED the bundle has no kernel"));
  EXPECT_THAT(
      Chooser({{"wide", 8}}, 80,
              {.in = 12, .out = 20})({{{256, 48}, {512, 80}, {1024, 80}}, 9, 0, ElementType::Bf16, false}),
      HasSubstr("UNSUPPORTED no kernel of the bundle takes this call: wide: x: has groups of 12 columns"));
  // What no kernel could take is said once.
  call = request(10);
  call.operands.w.leading_dimension = 95;
  EXPECT_EQ(Chooser(all)(call),
            "ALGRT_INVALID_ARGUMENT w: has rows 95 elements apart, less than their width 96");
  call = request(0x7fffff00);
  EXPECT_THAT(Chooser(all)(call), HasSubstr("ALGRT_INVALID_ARGUMENT x has 2147483392 rows"));
}

// On any machine: whether kernels are usable is for failure_test.cpp.
TEST(KernelDescriptions, SayWhatTheChoiceGoesBy) {
  const std::string bytes = bundleOf(
      GpuShape(), {{"engine", 0, {1, 64}}, {"wide", 8, {65, 2048}, "f32"}, {"any", 1}, {"plain", 0}});
  algrt_bundle *bundle = nullptr;
  ASSERT_EQ(algrt_bundle_open_memory(bytes.data(), bytes.size(), &bundle), ALGRT_OK) << algrt_last_error();
  const Json kernels = Json::parse(algrt_bundle_describe_kernels(bundle));
  algrt_bundle_close(bundle);
  ASSERT_EQ(kernels.size(), 4u);
  const Json nothing;
  const Json expected[][4] = {{"engine", "bf16", nothing, {1, 64}},
                              {"wide", "f32", 8, {65, 2048}},
                              {"any", "bf16", 1, nothing},
                              {"plain", "bf16", nothing, nothing}};
  for (size_t i = 0; i < 4; ++i) {
    size_t field = 0;
    for (const char *key : {"name", "output", "vector", "best_for_rows"}) {
      const Json &wanted = expected[i][field++];
      EXPECT_EQ(kernels[i].contains(key), !wanted.is_null()) << key << " of " << kernels[i];
      EXPECT_EQ(kernels[i].value(key, nothing), wanted) << key << " of " << kernels[i];
    }
  }
}

} // namespace
} // namespace algrt::cuda
