// The launcher in plain C: compiled by the C compilers at hand, it asks of a driver what the runtime would.
#include "compiler/targets/c/cuda_launcher.h"

#include "runtime/cuda/launch_plan.h"
#include "runtime/gpu_kernel_abi.h"
#include "tests/compiler/compiled_launcher.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace algrt;
using namespace algrt::cuda;
using compiler::CudaProgram;
using launcher_test::Launcher;
using launcher_test::Shape;
using launcher_test::shapes;
using testing::HasSubstr;
using testing::IsEmpty;

// Memory of the stand-in's device 0, in its primary context, and a stream that waits for no other.
class DeviceMemory {
public:
  DeviceMemory() {
    EXPECT_EQ(cuInit(0), Result::Success);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context_, 0), Result::Success);
    EXPECT_EQ(cuCtxPushCurrent_v2(context_), Result::Success);
    for (DevicePointer &address : addresses)
      EXPECT_EQ(cuMemAlloc_v2(&address, 4 << 20), Result::Success);
    EXPECT_EQ(cuStreamCreate(&stream, stream_non_blocking), Result::Success);
    EXPECT_EQ(cuCtxPopCurrent_v2(&popped_), Result::Success); // the launcher enters it by itself
  }
  ~DeviceMemory() {
    EXPECT_EQ(cuCtxPushCurrent_v2(context_), Result::Success);
    EXPECT_EQ(cuStreamDestroy_v2(stream), Result::Success);
    for (DevicePointer address : addresses)
      EXPECT_EQ(cuMemFree_v2(address), Result::Success);
    EXPECT_EQ(cuCtxPopCurrent_v2(&popped_), Result::Success);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), Result::Success);
  }
  DevicePointer addresses[3] = {};
  Stream stream = nullptr;

private:
  Context context_ = nullptr, popped_ = nullptr;
};

void *pointer(DevicePointer address) { return reinterpret_cast<void *>(address); }

class CudaLauncher : public testing::TestWithParam<std::tuple<Shape, std::string>> {
protected:
  void SetUp() override {
    if (std::system(("command -v " + c_compiler() + " >/dev/null").c_str()) != 0)
      GTEST_SKIP() << "NOT TESTED: there is no " << c_compiler();
    cuda_stand_in::reset({{}});
  }
  void TearDown() override {
    EXPECT_THAT(cuda_stand_in::violations(), IsEmpty());
    EXPECT_THAT(cuda_stand_in::leaks(), IsEmpty());
    cuda_stand_in::onLaunch({});
  }
  const Shape &shape() const { return std::get<0>(GetParam()); }
  const std::string &c_compiler() const { return std::get<1>(GetParam()); }
};

void expectTensorMap(const std::byte *encoded, const TensorMap &expected) {
  const auto map = cuda_stand_in::decodeTensorMap(encoded);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->address, expected.address);
  EXPECT_EQ(map->element_bytes, elementBytes(expected.element));
  ASSERT_EQ(map->rank, expected.rank);
  EXPECT_EQ(map->swizzle, expected.swizzle);
  for (size_t d = 0; d < size_t(map->rank); ++d) {
    EXPECT_EQ(map->extents[d], expected.extents[d]);
    EXPECT_EQ(map->box[d], expected.box[d]);
    if (d > 0) {
      EXPECT_EQ(map->strides[d - 1], expected.strides[d - 1]);
    }
  }
}

// Those of the plan, where the kernel's list has them.
void expectMaps(const cuda_stand_in::Launch &launch, const LaunchPlan &plan, const KernelParameters &list) {
  size_t tensor_maps = 0, plain_maps = 0;
  for (const KernelParameter &parameter : list) {
    if (!parameter.isMap())
      continue;
    SCOPED_TRACE(parameter.operand + ", " + name(parameter.view));
    ASSERT_GE(int64_t(launch.parameters[0].size()), parameter.end());
    const std::byte *map = launch.parameters[0].data() + parameter.offset;
    if (parameter.type == ParameterType::TensorMap)
      expectTensorMap(map, plan.maps.at(tensor_maps++));
    else
      EXPECT_EQ(std::memcmp(map, &plan.plain_maps.at(plain_maps++), algrt_plain_map_bytes), 0);
  }
  EXPECT_EQ(tensor_maps, plan.maps.size());
  EXPECT_EQ(plain_maps, plan.plain_maps.size());
}

TEST_P(CudaLauncher, LaunchesAsTheRuntimeWould) {
  TemporaryFolder folder;
  const Launcher launcher(folder, shape(), c_compiler());
  const CudaProgram program = programOf(shape(), "up-1.c");
  const DeviceMemory memory;
  Launcher::Kernel kernel;
  ASSERT_EQ(launcher.loadFromStandIn(kernel, 0), 0) << launcher.error(&kernel);

  std::vector<cuda_stand_in::Launch> launches;
  cuda_stand_in::onLaunch([&](const cuda_stand_in::Launch &launch) { launches.push_back(launch); });
  const Shape &of = shape();
  const DevicePointer shift = of.vector == 0 ? 16 : DevicePointer(of.vector * 2);
  const Operand x{memory.addresses[0] + shift, program.layer.k + of.padding(8)},
      w{memory.addresses[1], program.layer.weightColumns() + of.padding(16)},
      y{memory.addresses[2] + 32, program.layer.n + of.padding(24)};
  for (const int64_t m : {1, 3, 4, 5, 6, 20, 21, 64, 129, 300, 3000})
    for (const int64_t p0 : {int64_t(0), int64_t(1), int64_t(5), int64_t(20), int64_t(1) << 40}) {
      launches.clear();
      ASSERT_EQ(launcher.launch(&kernel, pointer(x.address), x.leading_dimension, pointer(w.address),
                                w.leading_dimension, pointer(y.address), y.leading_dimension, m, p0,
                                memory.stream),
                0)
          << launcher.error(&kernel);
      // Two blocks with 90000 bytes of shared memory share a multiprocessor; of 7 times 18 and 6
      // multiprocessors, clusters of 4 leave some over.
      const int64_t blocks = of.vector != 0 ? 2 * 132 : of.cluster == 4 ? 4 * (7 * 4 + 1) : 132;
      const LaunchPlan plan = planLaunch(program.layer, program.kernel, x, w, y, m, p0, blocks);
      ASSERT_EQ(launches.size(), 1u);
      const cuda_stand_in::Launch &launch = launches[0];
      EXPECT_EQ(launch.symbol, "product");
      EXPECT_EQ(launch.grid, plan.grid);
      EXPECT_EQ(launch.threads, plan.threads);
      EXPECT_EQ(launch.cluster, plan.cluster);
      EXPECT_EQ(launch.shared_bytes, plan.shared_bytes);
      EXPECT_EQ(launch.stream, memory.stream);
      EXPECT_FALSE(launch.programmatic);
      ASSERT_EQ(launch.parameters.size(), 4u);
      expectMaps(launch, plan, program.kernel.parameters);
      ASSERT_FALSE(HasFailure()) << "m " << m << " p0 " << p0;
      int32_t rows, offset;
      DevicePointer terms;
      std::memcpy(&rows, launch.parameters[1].data(), sizeof rows);
      std::memcpy(&offset, launch.parameters[2].data(), sizeof offset);
      std::memcpy(&terms, launch.parameters[3].data(), sizeof terms);
      EXPECT_EQ(rows, plan.rows);
      EXPECT_EQ(offset, plan.offset);
      ASSERT_EQ(terms != 0, !shape().terms.empty());
      // The stand-in's memory is the host's. Nothing but the loading has waited for the table to get there.
      if (terms != 0) {
        EXPECT_EQ(std::memcmp(pointer(terms), shape().terms.data(), shape().terms.size() * sizeof(int32_t)),
                  0);
      }
    }
  launches.clear();
  EXPECT_EQ(launcher.launch(&kernel, nullptr, x.leading_dimension, nullptr, w.leading_dimension, nullptr,
                            y.leading_dimension, 0, 3, nullptr),
            0); // no rows
  EXPECT_TRUE(launches.empty());
  launcher.unload(&kernel);
  launcher.unload(&kernel); // nothing is left to do
}

TEST_P(CudaLauncher, StartsEarlyOnlyAKernelThatWaits) {
  TemporaryFolder folder;
  const Launcher launcher(folder, shape(), c_compiler());
  const CudaProgram program = programOf(shape(), "up-1.c");
  const DeviceMemory memory;
  Launcher::Kernel kernel;
  ASSERT_EQ(launcher.loadFromStandIn(kernel, 0), 0) << launcher.error(&kernel);
  int launches = 0;
  cuda_stand_in::onLaunch([&](const cuda_stand_in::Launch &launch) {
    EXPECT_TRUE(launch.programmatic);
    EXPECT_EQ(launch.cluster, shape().cluster);
    ++launches;
  });
  const int result = launcher.launch_dependent(
      &kernel, pointer(memory.addresses[0]), program.layer.k, pointer(memory.addresses[1]),
      program.layer.weightColumns(), pointer(memory.addresses[2]), program.layer.n, 21, 3, memory.stream);
  if (program.kernel.dependent_launch) {
    EXPECT_EQ(result, 0) << launcher.error(&kernel);
    EXPECT_EQ(launches, 1);
  } else {
    EXPECT_EQ(result, -1);
    EXPECT_THAT(launcher.error(&kernel), HasSubstr("does not wait"));
    EXPECT_EQ(launches, 0);
  }
  launcher.unload(&kernel);
}

TEST_P(CudaLauncher, RefusesWhatTheRuntimeRefuses) {
  TemporaryFolder folder;
  const Launcher launcher(folder, shape(), c_compiler());
  const CudaProgram program = programOf(shape(), "up-1.c");
  const DeviceMemory memory;
  Launcher::Kernel kernel;
  ASSERT_EQ(launcher.loadFromStandIn(kernel, 0), 0) << launcher.error(&kernel);
  cuda_stand_in::onLaunch([](const cuda_stand_in::Launch &) { ADD_FAILURE() << "launched"; });
  const int64_t ldx = program.layer.k, ldw = program.layer.weightColumns(), ldy = program.layer.n;
  const auto refused = [&](int64_t dx, int64_t x_stride, int64_t y_stride, int64_t m, int64_t p0,
                           const std::string &words) {
    EXPECT_EQ(launcher.launch(&kernel, pointer(memory.addresses[0] + DevicePointer(dx)), x_stride,
                              pointer(memory.addresses[1]), ldw, pointer(memory.addresses[2]), y_stride, m,
                              p0, nullptr),
              -1);
    EXPECT_THAT(launcher.error(&kernel), HasSubstr(words));
  };
  const int64_t vector = shape().vector;
  refused(vector == 0 ? 8 : vector, ldx, ldy, 4, 0, "x starts at an address");
  refused(0, ldx - 8, ldy, 4, 0, "x has rows that are closer");
  if (vector == 0) {
    refused(0, ldx + 4, ldy, 4, 0, "x has rows whose distance");
    refused(0, ldx, ldy + 2, 4, 0, "y has rows whose distance");
    refused(0, int64_t(1) << 41, ldy, 4, 0, "x has rows 2^40 bytes apart");
  } else {
    if (vector > 1) {
      refused(0, ldx + vector / 2, ldy, 4, 0, "x has rows whose distance is not a multiple of");
      refused(0, ldx, ldy + 1, 4, 0, "y has rows whose distance is not a multiple of");
    }
    refused(0, int64_t(1) << 60, ldy, 4, 0, "x is larger than any device's memory");
    refused(0, INT64_MAX, ldy, 4, 0, "x is larger than any device's memory");
  }
  refused(0, ldx, ldy, -1, 0, "m and p0");
  refused(0, ldx, ldy, 4, -1, "m and p0");
  refused(0, ldx, ldy, int64_t(1) << 31, 0, "m is too large");
  refused(0, ldx, ldy, 4, INT64_MAX, "does not fit 64 bits");
  launcher.unload(&kernel);
  refused(0, ldx, ldy, 4, 0, "not loaded");
}

TEST_P(CudaLauncher, FailsCleanlyAtEveryCall) {
  TemporaryFolder folder;
  const Launcher launcher(folder, shape(), c_compiler());
  Launcher::Kernel kernel;
  ASSERT_EQ(launcher.loadFromStandIn(kernel, 0), 0);
  const int calls = cuda_stand_in::callCount();
  launcher.unload(&kernel);
  for (int nth = 1; nth <= calls; ++nth) {
    cuda_stand_in::reset({{}});
    cuda_stand_in::failCall("", nth, Result::OutOfMemory);
    const int result = launcher.loadFromStandIn(kernel, 0);
    if (result == 0) // the failure of a release is not the caller's
      launcher.unload(&kernel);
    else
      EXPECT_STRNE(launcher.error(&kernel), "") << nth;
    EXPECT_THAT(cuda_stand_in::leaks(), IsEmpty()) << nth;
  }
  const bool plain = shape().vector > 0;
  cuda_stand_in::reset({{.capability = plain ? 75 : 100}});
  EXPECT_EQ(launcher.loadFromStandIn(kernel, 0), -3);
  EXPECT_THAT(launcher.error(&kernel),
              HasSubstr(plain ? "7.5, the kernel needs 8.0 or later" : "10.0, the kernel needs 9.0 exactly"));
  if (plain) {
    cuda_stand_in::reset({{.capability = 86}});
    EXPECT_EQ(launcher.loadFromStandIn(kernel, 0), 0) << launcher.error(&kernel);
    launcher.unload(&kernel);
  }
  EXPECT_EQ(launcher.load_from(
                &kernel, 0, [](const char *, void *) { return Launcher::Symbol(nullptr); }, nullptr),
            -2);
  EXPECT_THAT(launcher.error(&kernel), HasSubstr("cuInit"));
}

TEST_P(CudaLauncher, AsksForTensorMapsWhereThereAreSome) {
  TemporaryFolder folder;
  const Launcher launcher(folder, shape(), c_compiler());
  Launcher::Kernel kernel;
  std::vector<std::string> names;
  ASSERT_EQ(launcher.load_from(
                &kernel, 0,
                [](const char *name, void *context) {
                  static_cast<std::vector<std::string> *>(context)->push_back(name);
                  return reinterpret_cast<Launcher::Symbol>(dlsym(RTLD_DEFAULT, name));
                },
                &names),
            0)
      << launcher.error(&kernel);
  EXPECT_THAT(names, testing::Contains("cuLaunchKernelEx"));
  EXPECT_EQ(std::count(names.begin(), names.end(), "cuTensorMapEncodeTiled"), shape().vector == 0 ? 1 : 0);
  launcher.unload(&kernel);
}

class FurtherLauncher : public CudaLauncher {};

// Gradients, biases and groups of unequal widths.
TEST_P(FurtherLauncher, LaunchesAsTheRuntimeWould) {
  TemporaryFolder folder;
  const Launcher launcher(folder, shape(), c_compiler());
  const CudaProgram program = programOf(shape(), "up-1.c");
  const Layer &layer = program.layer;
  const KernelParameters &list = program.kernel.parameters;
  const DeviceMemory memory;
  Launcher::Kernel kernel;
  ASSERT_EQ(launcher.loadFromStandIn(kernel, 0), 0) << launcher.error(&kernel);
  std::vector<cuda_stand_in::Launch> launches;
  cuda_stand_in::onLaunch([&](const cuda_stand_in::Launch &launch) { launches.push_back(launch); });
  const Map map = shape().map;
  const int64_t padding = shape().padding(16);
  const Operand x{memory.addresses[0], (map == Map::Dx ? layer.n : layer.k) + padding},
      w{memory.addresses[1], (map == Map::Dw ? layer.n : layer.weightColumns()) + padding},
      y{memory.addresses[2] + 32, (map == Map::Dw   ? layer.weightColumns()
                                   : map == Map::Dx ? layer.k
                                                    : layer.n) +
                                      padding};
  const DevicePointer bias = memory.addresses[1] + 6;
  const float beta = 0.5F;
  const auto launch = [&](int64_t m, int64_t p0) {
    if (shape().bias)
      return launcher.launch_with_bias(&kernel, pointer(x.address), x.leading_dimension, pointer(w.address),
                                       w.leading_dimension, pointer(y.address), y.leading_dimension,
                                       pointer(bias), m, p0, memory.stream);
    if (map == Map::Dw)
      return launcher.launch_with_beta(&kernel, pointer(x.address), x.leading_dimension, pointer(w.address),
                                       w.leading_dimension, pointer(y.address), y.leading_dimension, beta, m,
                                       p0, memory.stream);
    return launcher.launch(&kernel, pointer(x.address), x.leading_dimension, pointer(w.address),
                           w.leading_dimension, pointer(y.address), y.leading_dimension, m, p0,
                           memory.stream);
  };
  for (const int64_t m : {0, 1, 4, 5, 21, 129, 3000})
    for (const int64_t p0 : {int64_t(0), int64_t(5), int64_t(1) << 40}) {
      SCOPED_TRACE("m " + std::to_string(m) + " p0 " + std::to_string(p0));
      launches.clear();
      ASSERT_EQ(launch(m, p0), 0) << launcher.error(&kernel);
      if (m == 0 && map != Map::Dw) {
        EXPECT_TRUE(launches.empty());
        continue;
      }
      ASSERT_EQ(launches.size(), 1u);
      const cuda_stand_in::Launch &made = launches[0];
      DevicePointer terms = 0;
      for (size_t i = 0, next = 1; i < list.all().size(); ++i) {
        const KernelParameter &parameter = list.all()[i];
        if (parameter.isMap())
          continue;
        const std::byte *value = made.parameters.at(next++).data();
        float number;
        DevicePointer address;
        std::memcpy(&number, value, sizeof number);
        if (parameterBytes(parameter.type) == int64_t(sizeof address))
          std::memcpy(&address, value, sizeof address);
        if (parameter.value == ParameterValue::Terms)
          terms = address;
        if (parameter.value == ParameterValue::Beta) {
          EXPECT_EQ(number, beta);
        }
        if (parameter.value == ParameterValue::Operand) {
          EXPECT_EQ(address, bias);
        }
      }
      const int64_t blocks = shape().vector != 0 ? 2 * 132 : 132;
      const LaunchPlan plan = planLaunch(layer, program.kernel, x, w, y, m, p0, blocks, {terms, 0});
      EXPECT_EQ(made.grid, plan.grid);
      EXPECT_EQ(made.threads, plan.threads);
      expectMaps(made, plan, list);
      ASSERT_FALSE(HasFailure());
    }
  // More rows than those whose steps fit 32 bits: of segments of all types each has a step for every few of
  // them.
  if (map == Map::Dw && shape().kind == RowTypesKind::Cyclic) {
    launches.clear();
    const int64_t most = algrt_most_gpu_rows - 1;
    EXPECT_THROW(planLaunch(layer, program.kernel, x, w, y, most, 0, 1), Error);
    EXPECT_EQ(launch(most, 0), -1);
    EXPECT_THAT(launcher.error(&kernel), HasSubstr("m is too large"));
    EXPECT_TRUE(launches.empty());
  }
  if (shape().bias) {
    EXPECT_EQ(launcher.launch_with_bias(&kernel, pointer(x.address), x.leading_dimension, pointer(w.address),
                                        w.leading_dimension, pointer(y.address), y.leading_dimension,
                                        pointer(bias + 1), 1, 0, memory.stream),
              -1);
    EXPECT_THAT(launcher.error(&kernel), HasSubstr("bias starts at an address"));
  }
  launcher.unload(&kernel);
}

class FusedLauncher : public CudaLauncher {};

// A layer of a program: further weights, operands and results.
TEST_P(FusedLauncher, LaunchesAsTheRuntimeWould) {
  TemporaryFolder folder;
  const Launcher launcher(folder, shape(), c_compiler());
  const CudaProgram program = programOf(shape(), "up-1.c");
  const Layer &layer = program.layer;
  const DeviceMemory memory;
  Launcher::Kernel kernel;
  ASSERT_EQ(launcher.loadFromStandIn(kernel, 0), 0) << launcher.error(&kernel);
  std::vector<cuda_stand_in::Launch> launches;
  cuda_stand_in::onLaunch([&](const cuda_stand_in::Launch &launch) { launches.push_back(launch); });
  const Operand x{memory.addresses[0], layer.k + 8}, w{memory.addresses[1], layer.n + 8},
      w2{memory.addresses[1] + (1 << 20), layer.n}, scale{memory.addresses[1] + (2 << 20) + 2, 0},
      factor{memory.addresses[1] + (3 << 20) + 4, 3}, residual{memory.addresses[0] + (2 << 20), layer.n + 16},
      y{memory.addresses[2] + 32, layer.n + 24}, y2{memory.addresses[2] + (1 << 20), layer.n};
  const std::vector<Operand> further = {w2, scale, factor, residual, {}, y2};
  const float alpha = 1.5F;
  for (const int64_t m : {1, 4, 64, 300})
    for (const int64_t p0 : {int64_t(0), int64_t(1) << 40}) {
      SCOPED_TRACE("m " + std::to_string(m) + " p0 " + std::to_string(p0));
      launches.clear();
      ASSERT_EQ(launcher.launch_fused(
                    &kernel, pointer(x.address), x.leading_dimension, pointer(w.address), w.leading_dimension,
                    pointer(w2.address), w2.leading_dimension, pointer(factor.address),
                    factor.leading_dimension, pointer(residual.address), residual.leading_dimension,
                    pointer(y.address), y.leading_dimension, pointer(y2.address), y2.leading_dimension,
                    pointer(scale.address), alpha, m, p0, memory.stream),
                0)
          << launcher.error(&kernel);
      ASSERT_EQ(launches.size(), 1u);
      const LaunchPlan plan =
          planLaunch(layer, program.kernel, {x, w, y, further}, m, p0, shape().vector != 0 ? 2 * 132 : 132);
      EXPECT_EQ(launches[0].grid, plan.grid);
      expectMaps(launches[0], plan, program.kernel.parameters);
      size_t next = 1;
      for (const KernelParameter &parameter : program.kernel.parameters) {
        if (parameter.isMap())
          continue;
        const std::byte *value = launches[0].parameters.at(next++).data();
        if (parameter.operand == "alpha") {
          EXPECT_EQ(std::memcmp(value, &alpha, sizeof alpha), 0);
        } else if (parameter.operand == "scale") {
          EXPECT_EQ(std::memcmp(value, &scale.address, sizeof scale.address), 0);
        } else {
          EXPECT_TRUE(parameter.operand.empty()) << parameter.operand;
        }
      }
      ASSERT_FALSE(HasFailure());
    }
  launcher.unload(&kernel);
}

INSTANTIATE_TEST_SUITE_P(Shapes, FusedLauncher,
                         testing::Combine(testing::ValuesIn(launcher_test::fused_shapes),
                                          testing::Values("gcc")),
                         [](const testing::TestParamInfo<CudaLauncher::ParamType> &info) {
                           return std::string(std::get<0>(info.param).name);
                         });

// One row has no distance, but a tensor map wants to know it.
TEST_P(CudaLauncher, TakesAnyDistanceOfOneRowWithPlainMaps) {
  TemporaryFolder folder;
  const Launcher launcher(folder, shape(), c_compiler());
  const CudaProgram program = programOf(shape(), "up-1.c");
  const DeviceMemory memory;
  Launcher::Kernel kernel;
  ASSERT_EQ(launcher.loadFromStandIn(kernel, 0), 0) << launcher.error(&kernel);
  std::vector<cuda_stand_in::Launch> launches;
  cuda_stand_in::onLaunch([&](const cuda_stand_in::Launch &launch) { launches.push_back(launch); });
  const Operand x{memory.addresses[0], program.layer.k + 1},
      w{memory.addresses[1], program.layer.weightColumns()}, y{memory.addresses[2], program.layer.n + 1};
  const int result =
      launcher.launch(&kernel, pointer(x.address), x.leading_dimension, pointer(w.address),
                      w.leading_dimension, pointer(y.address), y.leading_dimension, 1, 2, nullptr);
  if (shape().vector == 0) {
    EXPECT_EQ(result, -1);
    EXPECT_THAT(launcher.error(&kernel),
                HasSubstr("x has rows whose distance is not a multiple of 16 bytes"));
    launcher.unload(&kernel);
    return;
  }
  ASSERT_EQ(result, 0) << launcher.error(&kernel);
  ASSERT_EQ(launches.size(), 1u);
  expectMaps(launches[0], planLaunch(program.layer, program.kernel, x, w, y, 1, 2, 132),
             program.kernel.parameters);
  launcher.unload(&kernel);
}

INSTANTIATE_TEST_SUITE_P(Shapes, FurtherLauncher,
                         testing::Combine(testing::ValuesIn(launcher_test::further_shapes),
                                          testing::Values("gcc")),
                         [](const testing::TestParamInfo<CudaLauncher::ParamType> &info) {
                           return std::string(std::get<0>(info.param).name);
                         });

INSTANTIATE_TEST_SUITE_P(Shapes, CudaLauncher,
                         testing::Combine(testing::ValuesIn(shapes), testing::Values("clang-22", "gcc")),
                         [](const testing::TestParamInfo<CudaLauncher::ParamType> &info) {
                           return std::string(std::get<0>(info.param).name) +
                                  (std::get<1>(info.param) == "gcc" ? "Gcc" : "Clang");
                         });

} // namespace
