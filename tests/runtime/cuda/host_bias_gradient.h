// The kernel dbias of a bundle by hand, and what it does with its parameters, on the host, as
// runtime/gpu_kernel_abi.h describes them.
#pragma once

#include "runtime/gpu_kernel_abi.h"
#include "runtime/numeric/bfloat16.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

namespace algrt::test {

inline constexpr int64_t threads_of_sums = 128;

// Its entry in a manifest, with its code in that section.
inline nlohmann::ordered_json biasGradientEntry(const std::string &section) {
  return {{"name", "dbias"},
          {"map", "dbias"},
          {"target", "sm_80"},
          {"symbol", "dbias"},
          {"threads", threads_of_sums},
          {"images", {{{"kind", "ptx"}, {"section", section}}}}};
}

inline std::string biasGradientPtx() {
  return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry "
         "dbias(\n\t.param .u64 p0,\n\t.param .u64 p1,\n\t.param .u64 p2,\n\t.param .u32 "
         "p3,\n\t.param .u32 p4,\n\t.param .u32 p5,\n\t.param .u32 p6,\n\t.param .f32 "
         "p7\n)\n.reqntid 128, 1, 1\n{\n\tret;\n}\n";
}

// The parameters of the kernel dbias.
struct Sums {
  explicit Sums(const cuda_stand_in::Launch &launch) {
    EXPECT_EQ(launch.parameters.size(), 8u);
    read(launch, 0, to), read(launch, 1, from), read(launch, 2, leading), read(launch, 3, rows);
    read(launch, 4, columns), read(launch, 5, part_rows), read(launch, 6, form), read(launch, 7, beta);
  }

  // What the kernel does, row by row.
  void run() const {
    const int64_t parts = std::max<int64_t>(1, (rows + part_rows - 1) / part_rows);
    for (int64_t p = 0; p < parts; ++p)
      for (int64_t column = 0; column < columns; ++column) {
        double sum = 0;
        for (int64_t row = p * part_rows; row < std::min<int64_t>(rows, (p + 1) * part_rows); ++row)
          sum += number(row * leading + column);
        deliver(sum, p, column);
      }
  }

  uint64_t to, from;
  int64_t leading;
  int32_t rows, columns, part_rows, form;
  float beta;

private:
  template <typename T> static void read(const cuda_stand_in::Launch &launch, size_t index, T &value) {
    ASSERT_EQ(launch.parameters.at(index).size(), sizeof(T));
    std::memcpy(&value, launch.parameters[index].data(), sizeof(T));
  }
  double number(int64_t at) const {
    return (form & algrt_dbias_from_sums) != 0 ? reinterpret_cast<const double *>(from)[at]
                                               : fromBfloat16(reinterpret_cast<const uint16_t *>(from)[at]);
  }
  void deliver(double sum, int64_t p, int64_t column) const {
    if ((form & algrt_dbias_to_sums) != 0) {
      reinterpret_cast<double *>(to)[p * columns + column] = sum;
    } else if ((form & algrt_dbias_to_f32) != 0) {
      float &result = reinterpret_cast<float *>(to)[column];
      result = float(sum + (beta == 0 ? 0 : double(beta) * result));
    } else {
      uint16_t &result = reinterpret_cast<uint16_t *>(to)[column];
      result = toBfloat16(float(sum + (beta == 0 ? 0 : double(beta) * fromBfloat16(result))));
    }
  }
};

} // namespace algrt::test
