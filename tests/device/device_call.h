// One call of the runtime on a simulated device, with everything that it needs, and the result that it has to
// have.
#pragma once

#include "tests/device/simulated_device.h"
#include "tests/runtime/cuda/gpu_product.h"
#include "tests/runtime/cuda/launch_arguments.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace device_test {

// The layer of an expression in bf16.
struct LayerText {
  std::string algebra;
  int64_t in = 0, out = 0;
  std::string row_types = "cyclic", lift = "rows";
  bool bias = false;
  std::vector<int64_t> in_groups = {}, out_groups = {}; // where they are not all of one width
};
compiler::Spec specOf(const LayerText &layer);

// A driver with one device of that capability and few multiprocessors, and a context there.
class DeviceUnderTest {
public:
  explicit DeviceUnderTest(int capability);
  // Nothing that the driver forbids, and nothing left behind.
  ~DeviceUnderTest();
  const algrt::test::TestContext &context() const { return *made_; }

private:
  std::optional<algrt::test::TestContext> made_;
};

class DeviceCall {
public:
  // Operands are random; rows lie further apart than they are long where the kernel can be given such.
  DeviceCall(const algrt::test::TestContext &context, CompiledBundle &bundle, algrt::Map map, int64_t m,
             algrt::ElementType output, uint64_t seed);
  ~DeviceCall();
  DeviceCall(const DeviceCall &) = delete;

  // What says the rows' types: one of these, or none.
  void giveTypes(const std::vector<int64_t> &types);
  void givePositions(const std::vector<int64_t> &positions, int bits);
  void giveSequences(const std::vector<int64_t> &starts, const std::vector<int64_t> &firsts, int bits);
  // Other numbers in the place of those, as a graph would find them.
  void replace(const std::vector<int64_t> &numbers) { rows_given_->set(numbers); }
  void refill(uint64_t seed);

  // Calls the runtime; the result is poisoned before, or random where it counts.
  int run();
  // Compares what is there with sums in double precision. `types` are those of all rows where they are given
  // or listed; a row of type -1 belongs to none, and stays what it was.
  void expectRight(const std::vector<int32_t> &types, const std::string &what) const;
  // The type of each row at these positions.
  std::vector<int32_t> typesAt(const std::vector<int64_t> &positions) const;

  SimulatedDevice device;
  int64_t p0 = 0, sequence_rows = 0;
  float beta = 0;
  void *stream = nullptr;
  int32_t kernel = 0;
  bool dependent_launch = false;
  bool wants_bias_gradient = false;

private:
  template <typename Args> void describe(Args &args) const;
  void poison();
  void expectRightBiasGradient(const std::string &what) const;

  const algrt::test::TestContext &context_;
  const CompiledBundle &bundle_;
  const algrt::Layer &layer_;
  algrt::Map map_;
  int64_t m_;
  algrt::ElementType output_;
  algrt::test::BundleHandle handle_;
  algrt::test::GpuMatrix x_, w_, y_, bias_, bias_gradient_;
  std::unique_ptr<algrt::test::DeviceNumbers> rows_given_, firsts_given_;
  enum class Rows { FromP0, Types, Positions, Sequences } rows_ = Rows::FromP0;
  std::vector<float> held_, held_bias_; // by the results before the call
  algrt::cuda::DevicePointer workspace_ = 0;
  size_t workspace_bytes_ = 0;
};

} // namespace device_test
