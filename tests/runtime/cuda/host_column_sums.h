// The functions of a bundle that sum dbias, by hand, and what their kernel does with its parameters, on the
// host.
#pragma once

#include "runtime/bundle/elementwise.h"
#include "runtime/numeric/bfloat16.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>

namespace algrt::test {

inline constexpr int64_t threads_of_sums = 128, columns_of_sums = 32; // of a block

// Of rows of n columns of bf16, with its code in a section of its name.
inline Elementwise columnSums(int64_t n, ElementType output) {
  using Per = FusedOperand::Per;
  Elementwise function;
  function.name = dbiasFunction(output);
  function.rows = Extent::of("M");
  function.columns = Extent::number(n);
  function.operands = {
      {"x", OperandRole::Input, Per::Element, ElementType::Bf16, {function.rows, function.columns}},
      {"x2", OperandRole::Input, Per::Call, ElementType::F32, {Extent::number(1)}},
      {"y", OperandRole::Output, Per::Column, output, {function.columns}, "x2"}};
  ElementwiseKernel &kernel = function.kernels.emplace_back();
  kernel.target = "sm_80";
  kernel.columns_per_task = columns_of_sums;
  GpuCode &code = kernel.gpu.emplace();
  code.symbol = function.name;
  code.threads = threads_of_sums;
  code.parameters = elementwiseParameters(function);
  code.images = {{ImageKind::Ptx, function.name}};
  return function;
}

inline std::string columnSumsPtx(ElementType output) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry " + dbiasFunction(output) +
         "(\n\t.param .u64 p0,\n\t.param .u64 p1,\n\t.param .u64 p2,\n\t.param .f32 p3,\n\t.param .u64 "
         "p4,\n\t.param .u32 p5,\n\t.param .u32 p6\n)\n.reqntid 128, 1, 1\n{\n\tret;\n}\n";
}

// The parameters of a launch.
struct ColumnSums {
  explicit ColumnSums(const cuda_stand_in::Launch &launch)
      : output(launch.symbol == dbiasFunction(ElementType::F32) ? ElementType::F32 : ElementType::Bf16) {
    EXPECT_EQ(launch.parameters.size(), 7u);
    read(launch, 0, from), read(launch, 1, leading), read(launch, 2, factor), read(launch, 3, beta);
    read(launch, 4, to), read(launch, 5, rows), read(launch, 6, columns);
  }

  // What the kernel does, column by column.
  void run() const {
    for (int64_t column = 0; column < columns; ++column) {
      double sum = 0;
      for (int64_t row = 0; row < rows; ++row)
        sum += fromBfloat16(reinterpret_cast<const uint16_t *>(from)[row * leading + column]);
      if (output == ElementType::F32) {
        float &result = reinterpret_cast<float *>(to)[column];
        result = float(sum + (beta == 0 ? 0 : double(beta) * result));
      } else {
        uint16_t &result = reinterpret_cast<uint16_t *>(to)[column];
        result = toBfloat16(float(sum + (beta == 0 ? 0 : double(beta) * fromBfloat16(result))));
      }
    }
  }

  ElementType output;
  uint64_t from, factor, to;
  int64_t leading;
  int32_t rows, columns;
  float beta;

private:
  template <typename T> static void read(const cuda_stand_in::Launch &launch, size_t index, T &value) {
    ASSERT_EQ(launch.parameters.at(index).size(), sizeof(T));
    std::memcpy(&value, launch.parameters[index].data(), sizeof(T));
  }
};

} // namespace algrt::test
