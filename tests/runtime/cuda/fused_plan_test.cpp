// Launches of fused layers: maps of further weights, operands and results by their names, and what is
// demanded of each.
#include "runtime/cuda/launch_parameters.h"
#include "tests/runtime/cuda/plan_cases.h"

#include <cstring>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace algrt::cuda {
namespace {

using testing::HasSubstr;

constexpr auto bf16 = ElementType::Bf16, f32 = ElementType::F32;

Layer fusedLayer() {
  Layer layer = layerOf(Lift::Rows, RowTypesKind::Cyclic, 3, 1, 3, 16, 32);
  layer.fusion = Fusion{2,
                        {{"bias", FusedOperand::Per::Column, bf16},
                         {"scale", FusedOperand::Per::Row, f32},
                         {"residual", FusedOperand::Per::Element, bf16},
                         {"alpha", FusedOperand::Per::Call, f32}},
                        {bf16, f32}};
  return layer;
}

// w2, bias, scale, residual, alpha, y2
std::vector<Operand> furtherOperands() {
  return {{0x20000, 96}, {0x30002, 0}, {0x40004, 2}, {0x50004, 98}, {0, 0}, {0x60008, 96}};
}

const Operand x{0x1000, 48}, w{0x10000, 96}, y{0x8000, 96};

GpuKernel fusedKernel(const Layer &layer, GpuCopies copies) {
  GpuKernel kernel = kernelOf(bf16);
  kernel.x.columns = kernel.y.columns = 16;
  kernel.x.swizzle = 0;
  kernel.copies = copies;
  kernel.vector = copies == GpuCopies::Threads ? 8 : 0;
  const ProductParameters wanted = productParameters(kernel, layer);
  // Maps first, as kernels have them.
  KernelParameters list;
  for (const bool maps : {true, false})
    for (const KernelParameter &parameter : wanted.required)
      if (parameter.isMap() == maps)
        maps ? list.map(parameter.type, parameter.operand, parameter.view)
             : list.add(parameter.value, parameter.operand);
  kernel.parameters = list;
  return kernel;
}

TEST(FusedPlan, TakesFurtherOperandsByTheirNames) {
  const Layer layer = fusedLayer();
  const GpuKernel kernel = fusedKernel(layer, GpuCopies::Engine);
  const std::vector<Operand> further = furtherOperands();
  const LaunchPlan plan = planLaunch(layer, kernel, Operands{x, w, y, further}, 7, 5, 132);
  // Two of x, one of each weight, two of y.
  ASSERT_EQ(plan.maps.size(), 6u);
  std::vector<const KernelParameter *> maps;
  for (const KernelParameter &parameter : kernel.parameters)
    if (parameter.isMap())
      maps.push_back(&parameter);
  size_t tensor = 0, plain = 0;
  for (const KernelParameter *parameter : maps) {
    const bool longer = parameter->view == ViewKind::LongerSegments; // one of the phases has three rows
    if (parameter->operand == "w2") {
      EXPECT_EQ(plan.maps.at(tensor).address, 0x20000u);
      EXPECT_EQ(plan.maps.at(tensor).box, plan.maps.at(2).box); // as the first weight's
    }
    if (parameter->type == ParameterType::TensorMap) {
      ++tensor;
      continue;
    }
    const algrt_plain_map &map = plan.plain_maps.at(plain++);
    EXPECT_EQ(map.extents[2], longer ? 1 : 2) << parameter->operand;
    EXPECT_EQ(map.extents[3], longer ? 3 : 2) << parameter->operand;
    if (parameter->operand == "scale") {
      EXPECT_EQ(map.address, 0x40004u + (longer ? 0 : 2 * 4));
      EXPECT_EQ(map.extents[0], 1);
      EXPECT_EQ(map.extents[1], 1);
      EXPECT_EQ(map.strides[2], 3 * 2); // numbers of one type are three rows of two elements apart
    } else if (parameter->operand == "residual") {
      EXPECT_EQ(map.address, 0x50004u + (longer ? 0 : 98 * 2));
      EXPECT_EQ(map.extents[0], 32);
      EXPECT_EQ(map.extents[1], 3);
      EXPECT_EQ(map.strides[2], 3 * 98);
    } else {
      EXPECT_EQ(parameter->operand, "y2");
      EXPECT_EQ(map.address, 0x60008u + (longer ? 0 : 96 * 4));
    }
  }
  EXPECT_EQ(plain, plan.plain_maps.size());

  ParameterBlock block(kernel.parameters);
  const std::vector<float> numbers = {0, 0, 0, 2.5f};
  ProductValues values{plan.rows, plan.offset, 0, 0, 0, 0, 0};
  values.fusion = &*layer.fusion;
  values.further = further;
  values.numbers = numbers;
  setProduct(block, kernel.parameters, plan, values,
             [](const TensorMap &map, std::byte *to) { std::memcpy(to, &map.address, 8); });
  uint64_t bias = 0;
  float alpha = 0;
  std::memcpy(&bias, block.at(kernel.parameters.find(ParameterValue::Operand, "bias")->offset), sizeof(bias));
  std::memcpy(&alpha, block.at(kernel.parameters.find(ParameterValue::Number, "alpha")->offset),
              sizeof(alpha));
  EXPECT_EQ(bias, 0x30002u);
  EXPECT_EQ(alpha, 2.5f);
}

// The weights of a next layer have its groups and boxes of their own, and y has its columns.
TEST(FusedPlan, TheWeightsOfANextLayerHaveItsBoxes) {
  Layer layer = layerOf(Lift::Rows, RowTypesKind::Cyclic, 3, 1, 3, 16, 32);
  layer.fusion = Fusion{2, {}, {bf16}, NextLayer{{24, 24, 24}, 1}};
  GpuKernel kernel = fusedKernel(layer, GpuCopies::Engine);
  kernel.y.columns = 24;
  kernel.next_w = {24, 32, 0};
  const std::vector<Operand> further = {{0x20000, 96}, {0x30000, 80}}; // w2, w3
  const LaunchPlan plan = planLaunch(layer, kernel, Operands{x, w, {0x8000, 88}, further}, 6, 0, 132);
  size_t number = 0;
  const auto map_of = [&](const std::string &operand) -> const TensorMap & {
    number = 0;
    for (const KernelParameter &parameter : kernel.parameters) {
      if (parameter.operand == operand && parameter.isMap())
        return plan.maps.at(number);
      number += parameter.isMap() ? 1 : 0;
    }
    throw std::runtime_error(operand + " has no map");
  };
  const auto columns_and_rows = [](const TensorMap &map) { return std::pair(map.box[0], map.box[2]); };
  EXPECT_EQ(map_of("w2").address, 0x20000U);
  EXPECT_EQ(map_of("w2").box, map_of("w").box);
  EXPECT_EQ(columns_and_rows(map_of("w")), (std::pair<uint32_t, uint32_t>(32, 16)));
  const TensorMap &down = map_of("w3");
  EXPECT_EQ(down.address, 0x30000U);
  EXPECT_EQ(columns_and_rows(down), (std::pair<uint32_t, uint32_t>(24, 32)));
  EXPECT_EQ(down.extents[0], 24U); // columns of a group
  EXPECT_EQ(down.extents[2], 32U); // rows of a group, as wide as those of the layer before
  EXPECT_EQ(map_of("y").extents[0], 24U);
  // Rows of w3 are 72 wide, and those of y.
  const auto refusal = [&](const Operand &y_of_call, const Operand &last) -> std::string {
    const std::vector<Operand> given = {{0x20000, 96}, last};
    try {
      planLaunch(layer, kernel, Operands{x, w, y_of_call, given}, 6, 0, 132);
      return "";
    } catch (const Error &error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal({0x8000, 72}, {0x30000, 72}), "");
  EXPECT_THAT(refusal({0x8000, 72}, {0x30000, 64}),
              HasSubstr("w3: has rows 64 elements apart, less than their width 72"));
  EXPECT_THAT(refusal({0x8000, 64}, {0x30000, 72}),
              HasSubstr("y: has rows 64 elements apart, less than their width 72"));
}

TEST(FusedPlan, RefusesWhatCannotBeReadOrWritten) {
  const Layer layer = fusedLayer();
  const auto refusal = [&](GpuCopies copies,
                           const std::function<void(std::vector<Operand> &)> &change) -> std::string {
    std::vector<Operand> further = furtherOperands();
    change(further);
    try {
      planLaunch(layer, fusedKernel(layer, copies), Operands{x, w, y, further}, 7, 5, 132);
      return "";
    } catch (const Error &error) {
      return error.what();
    }
  };
  for (const GpuCopies copies : {GpuCopies::Engine, GpuCopies::Threads}) {
    EXPECT_EQ(refusal(copies, [](auto &) {}), "");
    EXPECT_THAT(refusal(copies, [](auto &further) { further[0].address += 8; }),
                HasSubstr("w2: starts at an address that is not a multiple of 16 bytes"));
    EXPECT_THAT(refusal(copies, [](auto &further) { further[0].leading_dimension = 95; }),
                HasSubstr("w2: has rows 95 elements apart, less than their width 96"));
    EXPECT_THAT(refusal(copies, [](auto &further) { further[1].address += 1; }),
                HasSubstr("bias: starts at an address that is not a multiple of 2 bytes"));
    EXPECT_THAT(refusal(copies, [](auto &further) { further[2].address += 2; }),
                HasSubstr("scale: starts at an address that is not a multiple of 4 bytes"));
    EXPECT_THAT(refusal(copies, [](auto &further) { further[2].leading_dimension = 0; }),
                HasSubstr("scale: has rows 0 elements apart"));
    EXPECT_THAT(refusal(copies, [](auto &further) { further[3].address += 2; }),
                HasSubstr("residual: starts at an address that is not a multiple of 4 bytes"));
    EXPECT_THAT(refusal(copies, [](auto &further) { further[3].leading_dimension = 97; }),
                HasSubstr("residual: has rows 97 elements apart"));
    EXPECT_THAT(refusal(copies, [](auto &further) { further[5].address += 4; }),
                HasSubstr("y2: starts at an address that is not a multiple of 8 bytes"));
    EXPECT_THAT(refusal(copies, [](auto &further) { further.pop_back(); }), HasSubstr("5 further operands"));
  }
}

TEST(FusedPlan, NamesWhatKernelsTake) {
  const Fusion fusion = *fusedLayer().fusion;
  std::vector<std::string> forward, dx;
  for (size_t place = 0; place < FurtherOperand::count(fusion); ++place) {
    forward.push_back(FurtherOperand::at(fusion, place).name(fusion, Map::Forward));
    dx.push_back(FurtherOperand::at(fusion, place).name(fusion, Map::Dx));
  }
  EXPECT_EQ(forward, (std::vector<std::string>{"w2", "bias", "scale", "residual", "alpha", "y2"}));
  EXPECT_EQ(dx.back(), "dx2");
  EXPECT_EQ(FurtherOperand::find(fusion, Map::Dx, "dx2"), 5u);
  EXPECT_EQ(FurtherOperand::find(fusion, Map::Dx, "y2"), std::nullopt);
}

} // namespace
} // namespace algrt::cuda
