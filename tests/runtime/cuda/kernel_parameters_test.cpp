// Lists of a GPU kernel's parameters: what the manifest says of them is believed only where it can be true.
#include "runtime/bundle/kernel_parameters.h"

#include "runtime/bundle/bundle.h"
#include "runtime/bundle/json_fields.h"
#include "runtime/cuda/launch_parameters.h"
#include "tests/runtime/cuda/gpu_bundle.h"
#include "tests/runtime/cuda/plan_cases.h"
#include "tests/runtime/usual_parameters.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>

namespace algrt {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

KernelParameters someParameters() {
  KernelParameters list;
  list.map(ParameterType::TensorMap, "x", ViewKind::FirstRun)
      .map(ParameterType::TensorMap, "x", ViewKind::WholeRuns)
      .map(ParameterType::PlainMap, "x", ViewKind::WholeRuns)
      .add(ParameterValue::Rows)
      .add(ParameterValue::Terms)
      .add(ParameterValue::Operand, "positions")
      .add(ParameterValue::ElementBytes, "positions")
      .add(ParameterValue::Beta);
  return list;
}

std::string refusalOf(const Json &list) {
  const nlohmann::json document = {{"parameters", list}};
  try {
    KernelParameters::parse(JsonFields(document, "kernels[0]"), "parameters");
    return "";
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), ALGRT_BAD_BUNDLE);
    return error.what();
  }
}

TEST(KernelParameters, LieWhereCPutsThem) {
  std::vector<int64_t> offsets;
  for (const KernelParameter &parameter : someParameters())
    offsets.push_back(parameter.offset);
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 128, 256, 328, 336, 344, 352, 356}));
  EXPECT_EQ(someParameters().bytes(), 360);
  EXPECT_EQ(someParameters().find(ParameterValue::Operand, "bias"), nullptr);
  EXPECT_EQ(someParameters().find(ParameterValue::Operand, "positions")->offset, 344);
}

TEST(KernelParameters, AreReadAsTheyWereWritten) {
  const nlohmann::json document = {{"parameters", someParameters().json()}};
  const KernelParameters read = KernelParameters::parse(JsonFields(document, "kernel"), "parameters");
  EXPECT_EQ(read, someParameters());
  EXPECT_EQ(read.hash(), someParameters().hash());
}

TEST(KernelParameters, ThatCannotBeAreRefused) {
  const Json good = someParameters().json();
  ASSERT_EQ(refusalOf(good), "");
  const auto changed = [&](size_t index, const char *key, const Json &value) {
    Json list = good;
    list[index][key] = value;
    return refusalOf(list);
  };
  const auto without = [&](size_t index, const char *key) {
    Json list = good;
    list[index].erase(key);
    return refusalOf(list);
  };
  EXPECT_THAT(
      changed(3, "value", "columns of y"),
      HasSubstr("kernels[0].parameters[3].value is 'columns of y', which this runtime does not know"));
  EXPECT_THAT(changed(3, "type", "i16"), HasSubstr("parameters[3].type is 'i16'"));
  EXPECT_THAT(changed(3, "type", "f32"), HasSubstr("type is f32, but the value rows is i32"));
  EXPECT_THAT(changed(0, "type", "address"), HasSubstr("but the value map is tensor_map or plain_map"));
  EXPECT_THAT(changed(0, "view", "all_of_it"), HasSubstr("view is 'all_of_it'"));
  EXPECT_THAT(changed(3, "operand", "x"), HasSubstr("operand is given, but the value rows is of no operand"));
  EXPECT_THAT(without(0, "operand"), HasSubstr("operand is missing: the value map is of one"));
  EXPECT_THAT(without(0, "view"), HasSubstr("view is missing: a map shows one"));
  EXPECT_THAT(changed(3, "view", "bank"), HasSubstr("view is given, but the value rows has none"));
  EXPECT_THAT(changed(1, "offset", 64),
              HasSubstr("offset is 64, inside the parameter before it, which ends at 128"));
  EXPECT_THAT(changed(4, "offset", 344),
              HasSubstr("offset is 344, but the next parameter of its type lies at 336"));
  EXPECT_THAT(changed(4, "offset", 332), HasSubstr("lies at 336"));
  EXPECT_THAT(changed(4, "offset", -8), HasSubstr("offset is -8, not in 0..4096"));
  EXPECT_THAT(changed(4, "bytes", 4), HasSubstr("bytes is 4, but address takes 8"));
  EXPECT_THAT(changed(1, "view", "first_run"), HasSubstr("value is map of x, which is there twice"));
  EXPECT_THAT(refusalOf(Json::array()), HasSubstr("parameters is empty"));
  Json swapped = Json::array({{{"value", "rows"}, {"type", "i32"}, {"offset", 0}, {"bytes", 4}}});
  swapped.push_back(good[0]);
  swapped[1]["offset"] = 64;
  EXPECT_THAT(refusalOf(swapped), HasSubstr("is a map behind other parameters"));
  KernelParameters many;
  for (const ViewKind view : {ViewKind::Weights, ViewKind::AllRows})
    for (int i = 0; i < 17; ++i)
      many.map(ParameterType::TensorMap, "x" + std::to_string(i), view);
  EXPECT_THAT(refusalOf(many.json()), HasSubstr("all parameters take at most 4096 bytes"));
}

// Whatever order a kernel has: the list decides.
TEST(KernelParameters, AreWrittenWhereTheListSays) {
  const Layer layer = cuda::layerOf(Lift::Rows, RowTypesKind::Cyclic, 3, 1, 3, 16, 16);
  GpuKernel kernel = cuda::kernelOf(ElementType::Bf16);
  kernel.x.columns = kernel.w.columns = kernel.y.columns = 16;
  kernel.x.swizzle = kernel.w.swizzle = 0;
  kernel.parameters = KernelParameters()
                          .map(ParameterType::TensorMap, "y", ViewKind::ShorterSegments)
                          .map(ParameterType::TensorMap, "w", ViewKind::Weights)
                          .map(ParameterType::TensorMap, "x", ViewKind::LongerSegments)
                          .add(ParameterValue::Terms)
                          .add(ParameterValue::Offset)
                          .add(ParameterValue::Rows);
  const cuda::LaunchPlan plan =
      cuda::planLaunch(layer, kernel, {4096, 48}, {8192, 48}, {16384, 48}, 7, 5, 132);
  ASSERT_EQ(plan.maps.size(), 3u);
  EXPECT_EQ(plan.maps[0].address, 16384u + 48 * 2); // one of three phases has three rows
  EXPECT_EQ(plan.maps[1].address, 8192u);
  EXPECT_EQ(plan.maps[2].address, 4096u);
  cuda::ParameterBlock block(kernel.parameters);
  setProduct(block, kernel.parameters, plan, {plan.rows, plan.offset, 77, 0, 0, 0, 0},
             [](const cuda::TensorMap &map, std::byte *to) { std::memcpy(to, &map.address, 8); });
  const std::span<void *> pointers = block.pointers();
  ASSERT_EQ(pointers.size(), 4u);
  const auto *maps = static_cast<const std::byte *>(pointers[0]);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(std::memcmp(maps + i * 128, &plan.maps[i].address, 8), 0) << i;
  EXPECT_EQ(*static_cast<uint64_t *>(pointers[1]), 77u);
  EXPECT_EQ(*static_cast<int32_t *>(pointers[2]), 5 % 3);
  EXPECT_EQ(*static_cast<int32_t *>(pointers[3]), 7);

  kernel.parameters = KernelParameters().map(ParameterType::TensorMap, "x", ViewKind::FirstRun);
  try {
    cuda::planLaunch(layer, kernel, {4096, 48}, {8192, 48}, {16384, 48}, 7, 5, 132);
    ADD_FAILURE();
  } catch (const Error &error) {
    EXPECT_THAT(error.what(),
                HasSubstr("a map of first_run of x, which a launch of this layer does not have"));
  }
}

// A bundle whose kernels lack what they need, take what nobody gives them, or take it otherwise than their
// code.
TEST(KernelParameters, OfAKernelAreThoseOfItsProduct) {
  test::GpuShape shape;
  shape.table = true;
  shape.bias = true;
  const Json manifest = test::withPrograms(test::withParameters(test::gpuManifest(shape)));
  const auto refusal = [&](const Json &changed) -> std::string {
    try {
      Bundle::parse(
          encodeBundle(changed, {{"ptx", "ptx", test::gpuPtx(shape)},
                                 {"terms", "terms", encodeTerms(4, 4, std::vector<std::vector<Term>>(16))}}));
      return "";
    } catch (const Error &error) {
      return error.what();
    }
  };
  ASSERT_EQ(refusal(manifest), "");
  const auto with = [&](const KernelParameters &list) {
    Json changed = manifest;
    changed["kernels"][0]["parameters"] = list.json();
    return refusal(changed);
  };
  const Json &list = manifest["kernels"][0]["parameters"];
  for (const char *value : {"rows", "terms", "operand"}) {
    KernelParameters rest;
    for (const auto &entry : list)
      if (entry["value"] == "map")
        rest.map(ParameterType::TensorMap, entry["operand"],
                 entry["view"] == "bank"           ? ViewKind::Weights
                 : entry["view"] == "longer_lines" ? ViewKind::LongerSegments
                                                   : ViewKind::ShorterSegments);
    for (const auto &[name, each] :
         {std::pair{"rows", ParameterValue::Rows}, {"terms", ParameterValue::Terms}})
      if (std::string(name) != value)
        rest.add(each);
    if (std::string(value) != "operand")
      rest.add(ParameterValue::Operand, "bias");
    EXPECT_THAT(with(rest), HasSubstr(std::string("kernels[0].parameters lack ") + value));
    EXPECT_THAT(with(rest.add(ParameterValue::Beta)),
                HasSubstr("parameters have beta, which no launch of such a kernel has"));
  }
  Json changed = manifest;
  changed["kernels"][0]["parameters"][0]["operand"] = "dy";
  EXPECT_THAT(refusal(changed), HasSubstr("have a tensor_map of longer_lines of dy"));
  changed = manifest;
  changed["kernels"][0].erase("parameters");
  EXPECT_THAT(refusal(changed), HasSubstr("kernels[0].parameters is missing"));

  // In another order than the code has them.
  changed = manifest;
  Json &own = changed["kernels"][0]["parameters"];
  std::swap(own[0]["operand"], own[3]["operand"]);
  std::swap(own[1]["operand"], own[4]["operand"]);
  const std::string whole = test::gpuBundle(shape, manifest);
  const Bundle good = Bundle::parse(whole);
  EXPECT_EQ(good.fault(0), "");
  std::string code;
  for (const SectionEntry &section : good.manifest().sections)
    if (section.name == "ptx")
      code = good.section(section);
  const Bundle lying = Bundle::parse(encodeBundle(
      changed, {{"ptx", "ptx", code},
                {"terms", "terms", std::string(good.section(*good.manifest().findSection("terms")))}}));
  EXPECT_THAT(lying.fault(0),
              HasSubstr("the parameters of the manifest's entry are others than those that its code takes"));
}

} // namespace
} // namespace algrt
