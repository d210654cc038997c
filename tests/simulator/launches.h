// Kernels written as lambdas that call the model as converted kernels do.
#pragma once

#include "compiler/simulator/model/calls.h"
#include "compiler/simulator/model/machine.h"
#include "compiler/simulator/model/tensor_map.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace simulator {

struct Shape {
  int32_t threads = 128;
  int64_t shared_bytes = 32 * 1024;
  int64_t grid = 1;
  int32_t cluster = 1;
  int32_t registers = 0;
  bool dependent_launch = false;
};

// What a kernel's faults are over several seeds: "" for none.
inline std::set<std::string> kindsOver(const std::function<void()> &kernel, GlobalMemory &memory,
                                       Shape shape = {}, int32_t seeds = 8) {
  std::set<std::string> kinds;
  for (int32_t seed = 0; seed < seeds; ++seed) {
    memory.forgetWrites();
    Launch launch;
    launch.kernel = kernel;
    launch.grid = shape.grid;
    launch.cluster = shape.cluster;
    launch.threads = shape.threads;
    launch.shared_bytes = shape.shared_bytes;
    launch.registers = shape.registers;
    launch.dependent_launch = shape.dependent_launch;
    launch.seed = uint64_t(seed);
    const Report report = run(launch, memory);
    kinds.insert(report.ok() ? "" : std::string(name(report.faults[0].kind)));
  }
  return kinds;
}

// One fault for every seed is what "deterministic" means in the specification.
inline testing::AssertionResult faults(FaultKind kind, const std::function<void()> &kernel,
                                       GlobalMemory &memory, Shape shape = {}) {
  const std::set<std::string> kinds = kindsOver(kernel, memory, shape);
  if (kinds == std::set<std::string>{std::string(name(kind))})
    return testing::AssertionSuccess();
  auto failure = testing::AssertionFailure() << "expected '" << name(kind) << "' for every seed, got";
  for (const std::string &other : kinds)
    failure << " '" << other << "'";
  return failure;
}
inline testing::AssertionResult faults(FaultKind kind, const std::function<void()> &kernel,
                                       Shape shape = {}) {
  GlobalMemory none;
  return faults(kind, kernel, none, shape);
}

inline testing::AssertionResult passes(const std::function<void()> &kernel, GlobalMemory &memory,
                                       Shape shape = {}) {
  for (int32_t seed = 0; seed < 8; ++seed) {
    memory.forgetWrites();
    Launch launch;
    launch.kernel = kernel;
    launch.grid = shape.grid;
    launch.cluster = shape.cluster;
    launch.threads = shape.threads;
    launch.shared_bytes = shape.shared_bytes;
    launch.registers = shape.registers;
    launch.dependent_launch = shape.dependent_launch;
    launch.seed = uint64_t(seed);
    const Report report = run(launch, memory);
    if (!report.ok())
      return testing::AssertionFailure() << "seed " << seed << ": " << report.faults[0].text();
  }
  return testing::AssertionSuccess();
}
inline testing::AssertionResult passes(const std::function<void()> &kernel, Shape shape = {}) {
  GlobalMemory none;
  return passes(kernel, none, shape);
}

// ---- what kernels say, with the source line as site ----

inline int32_t threadIndex() { return sm_special_register(0, sm_tid_x); }
inline int32_t laneIndex() { return sm_special_register(0, sm_laneid); }
inline int32_t warpIndex() { return sm_special_register(0, sm_warpid); }
inline int32_t blockRank() { return sm_special_register(0, sm_cluster_ctarank); }
inline uint8_t *sharedAt(int64_t offset) { return static_cast<uint8_t *>(sm_shared_base(0)) + offset; }

template <class T> T load(const void *address, int32_t site = __builtin_LINE()) {
  sm_read(site, address, sizeof(T));
  return *static_cast<const T *>(address);
}
template <class T> void store(void *address, T value, int32_t site = __builtin_LINE()) {
  sm_write(site, address, sizeof(T));
  *static_cast<T *>(address) = value;
}
inline void barrier(int32_t site = __builtin_LINE()) { sm_barrier(site, 0, 0); }
inline void waitParity(void *address, int32_t parity, int32_t site = __builtin_LINE(),
                       int32_t scope = sm_scope_cta) {
  while (!sm_mbarrier_try_wait_parity(site, address, parity, scope)) {
  }
}
// Initialises mbarriers by thread 0 and makes them known to all.
inline void initialise(void *address, int32_t count, int32_t site = __builtin_LINE()) {
  if (threadIndex() == 0) {
    sm_mbarrier_init(site, address, count);
    sm_fence_mbarrier_init(site);
  }
  sm_barrier(site, 0, 0);
}

inline uint16_t bf16(float value) { return uint16_t(std::bit_cast<uint32_t>(value) >> 16); }
inline float fromBits(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

// A row-major matrix of 16-bit elements with its map.
struct Matrix {
  int64_t rows, columns;
  std::vector<uint16_t> data;
  alignas(64) TensorMap map = {};

  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), data(size_t(rows * columns), bf16(0)) {}

  void encode(uint32_t box_columns, uint32_t box_rows, Swizzle swizzle) {
    TensorMapFields fields;
    fields.base = data.data();
    fields.rank = 2;
    fields.extents[0] = uint64_t(columns);
    fields.extents[1] = uint64_t(rows);
    fields.strides[0] = uint64_t(columns) * 2;
    fields.box[0] = box_columns;
    fields.box[1] = box_rows;
    fields.swizzle = swizzle;
    ASSERT_EQ(encodeTensorMap(fields, map), "");
  }
  int64_t bytes() const { return int64_t(data.size()) * 2; }
  float at(int64_t row, int64_t column) const { return fromBits(data[size_t(row * columns + column)]); }
  void fillSmall(uint32_t seed) {
    for (uint16_t &element : data) {
      seed = seed * 1664525u + 1013904223u;
      element = bf16(float(int32_t(seed >> 28) - 8));
    }
  }
};

} // namespace simulator
