// Rows of explicit types, at positions of their own and in sequences on CUDA devices, against the stand-in
// driver: the list is made first, in the same stream, and what finds its rows there computes the product.
#include "runtime/bundle/bundle.h"
#include "runtime/cuda/row_list.h"
#include "runtime/gpu_kernel_abi.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/reference.h"
#include "tests/runtime/cuda/gpu_product.h"
#include "tests/runtime/cuda/launch_arguments.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace algrt::test {
namespace {

constexpr int64_t threads_of_list = 256;

// Q(4), a kernel that finds its rows in a list, and the kernel that makes it.
nlohmann::ordered_json listedManifest(const GpuShape &shape, bool with_group_rows = true) {
  nlohmann::ordered_json manifest = gpuManifest(shape);
  for (nlohmann::ordered_json &kernel : manifest["kernels"])
    kernel["rows"] = "listed";
  if (with_group_rows)
    manifest["kernels"].push_back({{"name", "group_rows"},
                                   {"map", "group_rows"},
                                   {"target", "sm_80"},
                                   {"symbol", "group_rows"},
                                   {"threads", threads_of_list},
                                   {"images", {{{"kind", "ptx"}, {"section", "lists"}}}}});
  return manifest;
}

std::string listedBundle(const GpuShape &shape, const nlohmann::ordered_json &manifest) {
  std::string product = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (const char *output : {"_bf16", "_f32"})
    product += ".visible .entry " + shape.map() + output + "(\n\t.param .align 8 .b8 p0[" +
               std::to_string(3 * sizeof(algrt_plain_map)) +
               "],\n\t.param .u32 p1,\n\t.param .u32 p2,\n\t.param .u64 p3" +
               (shape.weight_gradient ? ",\n\t.param .f32 p4" : "") +
               "\n)\n.reqntid 128, 1, 1\n{\n\tret;\n}\n";
  const std::string lists = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry "
                            "group_rows(\n\t.param .u64 p0,\n\t.param .u64 "
                            "p1,\n\t.param .u64 p2,\n\t.param .u64 p3,\n\t.param .u32 p4,\n\t.param .u32 "
                            "p5,\n\t.param .u32 p6,\n\t.param "
                            ".u32 p7,\n\t.param .u32 p8\n)\n.reqntid 256, 1, 1\n{\n\tret;\n}\n";
  return gpuBundle(shape, manifest, {{"ptx", "ptx", product}, {"lists", "ptx", lists}});
}

// What the kernel group_rows does, row by row.
void groupRowsOnHost(const cuda_stand_in::Launch &launch) {
  auto *list = reinterpret_cast<int32_t *>(parameter<uint64_t>(launch, 0));
  const auto source = parameter<uint64_t>(launch, 1), firsts = parameter<uint64_t>(launch, 2);
  const auto width = parameter<int64_t>(launch, 3);
  const auto rows = parameter<int32_t>(launch, 4), types = parameter<int32_t>(launch, 5),
             form = parameter<int32_t>(launch, 6), sequences = parameter<int32_t>(launch, 7),
             offset = parameter<int32_t>(launch, 8);
  const auto number = [&](uint64_t array, int64_t i) {
    return (form & algrt_rows_of_wide) != 0 ? reinterpret_cast<const int64_t *>(array)[i]
                                            : int64_t(reinterpret_cast<const int32_t *>(array)[i]);
  };
  std::vector<int64_t> found;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t position = -1;
    if ((form & algrt_rows_of_kind) == algrt_rows_of_types) {
      found.push_back(number(source, row));
      continue;
    }
    if ((form & algrt_rows_of_kind) == algrt_rows_of_positions)
      position = number(source, row);
    else if ((form & algrt_rows_of_kind) == algrt_rows_of_equal_sequences)
      position = offset + row % sequences;
    else
      for (int32_t s = 0; s < sequences; ++s)
        if (number(source, s) <= row && row < number(source, s + 1))
          position = (firsts == 0 ? 0 : number(firsts, s)) + row - number(source, s);
    found.push_back(position / width % types);
  }
  const std::vector<int32_t> made = cuda::rowList(types, found);
  std::copy(made.begin(), made.end(), list);
}

// Y of Q(n), through plain maps that find their rows in a list.
void multiplyOnHost(const GpuShape &shape, const cuda_stand_in::Launch &launch) {
  std::array<algrt_plain_map, 3> maps;
  ASSERT_EQ(launch.parameters.at(0).size(), sizeof(maps));
  std::memcpy(maps.data(), launch.parameters[0].data(), sizeof(maps));
  const auto &[x, w, y] = maps;
  ASSERT_EQ(x.rows, y.rows);
  const int32_t *list = reinterpret_cast<const int32_t *>(x.rows), *starts = list + 1,
                *entries = list + shape.types() + 2;
  const auto at = [](const algrt_plain_map &map, int64_t row, int64_t group, int64_t column) {
    return reinterpret_cast<uint16_t *>(map.address) + row * map.strides[2] + group * map.strides[0] + column;
  };
  for (int64_t type = 0; type < shape.types(); ++type)
    for (int32_t entry = starts[type]; entry < starts[type + 1]; ++entry)
      for (int64_t group = 0; group < shape.groups; ++group)
        for (int64_t column = 0; column < shape.out; ++column) {
          float sum = 0;
          for (int64_t from = 0; from < shape.groups; ++from)
            for (int64_t depth = 0; depth < shape.in && (from == type || from == group); ++depth)
              sum +=
                  fromBfloat16(*at(x, entries[entry], from, depth)) *
                  fromBfloat16(reinterpret_cast<const uint16_t *>(
                      w.address)[from * w.strides[2] + depth * w.strides[1] + group * w.strides[0] + column]);
          *at(y, entries[entry], group, column) = toBfloat16(sum);
        }
}

class CudaRowList : public testing::Test {
protected:
  CudaRowList() {
    useStandIn();
    cuda_stand_in::reset({{}});
    cuda_stand_in::onLaunch([this](const cuda_stand_in::Launch &launch) {
      launches.push_back(launch);
      if (launch.symbol == "group_rows")
        groupRowsOnHost(launch);
      else
        multiplyOnHost(shape, launch);
    });
    shape.vector = 4;
  }
  ~CudaRowList() override {
    EXPECT_EQ(cuda_stand_in::violations(), std::vector<std::string>());
    EXPECT_EQ(cuda_stand_in::leaks(), std::vector<std::string>());
  }

  // The product of m rows that `say` describes in the arguments, whose types are these.
  void expectProduct(const std::vector<int32_t> &types,
                     const std::function<void(algrt_forward_args &)> &say) {
    const TestContext context(0);
    const int64_t m = int64_t(types.size());
    // Of explicit types no other kernel is read from a manifest.
    GpuShape regular = shape;
    if (shape.row_types == RowTypesKind::ExplicitTypes)
      regular.row_types = RowTypesKind::Cyclic;
    GpuProduct product(context, regular, m, 4);
    product.bytes = listedBundle(shape, listedManifest(shape));
    product.bundle = openBundle(product.bytes);
    size_t bytes = 0;
    ASSERT_EQ(algrt_workspace_size(product.bundle.get(), m, 1, &bytes), ALGRT_OK) << algrt_last_error();
    cuda::DevicePointer workspace = 0;
    context.driver().check(context.driver().memAlloc(&workspace, bytes + 16), "workspace of a test");
    product.args.workspace = reinterpret_cast<void *>(workspace + 1); // which may begin anywhere
    product.args.workspace_bytes = bytes;
    say(product.args);
    launches.clear();
    ASSERT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
    ASSERT_EQ(launches.size(), 2u);
    EXPECT_EQ(launches[0].symbol, "group_rows");
    EXPECT_EQ(launches[0].grid, unsigned(shape.groups + 1));
    EXPECT_EQ(launches[0].threads, unsigned(threads_of_list));
    EXPECT_EQ(launches[0].shared_bytes,
              unsigned(algrt_group_rows_shared_bytes(threads_of_list, shape.groups)));
    EXPECT_EQ(launches[0].stream, launches[1].stream);
    const Bundle parsed = Bundle::parse(product.bytes);
    const std::vector<float> x = product.x.values(), w = product.w.values();
    const std::vector<double> expected =
        referenceForward({&parsed.layer(), &parsed.support(), m, x.data(), shape.k(), w.data(),
                          shape.weightColumns(), 0, types.data()});
    const Comparison comparison = compare(product.y.values(), expected);
    EXPECT_TRUE(comparison.within(tolerance(true))) << comparison.relative_l2;

    // The same call with another workspace, where its list then is.
    product.args.workspace = reinterpret_cast<void *>(workspace + 16);
    ASSERT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
    ASSERT_EQ(launches.size(), 4u);
    algrt_plain_map map;
    std::memcpy(&map, launches[3].parameters.at(0).data(), sizeof(map));
    EXPECT_EQ(map.rows, workspace + 16);
    EXPECT_EQ(map.rows, parameter<uint64_t>(launches[2], 0));

    // One byte less, or none at all, and nothing is launched.
    launches.clear();
    for (const bool none : {false, true}) {
      product.args.workspace_bytes = bytes - 1;
      if (none)
        product.args.workspace = nullptr;
      EXPECT_EQ(product.run(), ALGRT_WORKSPACE_TOO_SMALL);
      EXPECT_NE(
          std::string(algrt_last_error())
              .find("need " + std::to_string(4 * (shape.groups + 2 + m) + 3) + " bytes of device memory"),
          std::string::npos)
          << algrt_last_error();
    }
    EXPECT_EQ(launches.size(), 0u);
    product.bundle.reset();
    EXPECT_EQ(context.driver().memFree(workspace), cuda::Result::Success);
  }

  GpuShape shape;
  std::vector<cuda_stand_in::Launch> launches;
};

TEST_F(CudaRowList, OfExplicitTypes) {
  shape.row_types = RowTypesKind::ExplicitTypes;
  const std::vector<int32_t> types = {3, 0, 0, 1, 3, 3, 0, 1, 1, 3, 0};
  const TestContext context(0);
  const DeviceNumbers given(context, {types.begin(), types.end()}, 32);
  expectProduct(types, [&](algrt_forward_args &args) { args.types = &given.tensor; });
}

TEST_F(CudaRowList, OfPositions) {
  shape.row_types = RowTypesKind::Interval;
  shape.run = 3;
  std::mt19937_64 random(3);
  const TestContext context(0);
  for (const int bits : {32, 64}) {
    std::vector<int64_t> positions;
    std::vector<int32_t> types;
    for (int row = 0; row < 23; ++row) {
      positions.push_back(int64_t(random() % 1000) + (bits == 64 ? int64_t(1) << 40 : 0));
      types.push_back(int32_t(positions.back() / 3 % shape.groups));
    }
    const DeviceNumbers given(context, positions, bits);
    expectProduct(types, [&](algrt_forward_args &args) { args.positions = &given.tensor; });
  }
}

TEST_F(CudaRowList, OfSequences) {
  const TestContext context(0);
  for (const bool from_zero : {false, true}) {
    std::vector<int32_t> types;
    const std::vector<int64_t> starts = {0, 5, 5, 6, 13}, firsts = {7, 1, 3, 1002};
    for (size_t s = 0; s < firsts.size(); ++s)
      for (int64_t row = starts[s]; row < starts[s + 1]; ++row)
        types.push_back(int32_t(((from_zero ? 0 : firsts[s]) + row - starts[s]) % shape.groups));
    const DeviceNumbers begin(context, starts, 64), first(context, firsts, 64);
    expectProduct(types, [&](algrt_forward_args &args) {
      args.sequence_starts = &begin.tensor;
      args.sequence_positions = from_zero ? nullptr : &first.tensor;
    });
  }
}

TEST_F(CudaRowList, OfEqualSequences) {
  shape.row_types = RowTypesKind::Interval;
  shape.run = 3;
  for (const int64_t p0 : {int64_t(0), (int64_t(1) << 40) + 4}) {
    std::vector<int32_t> types;
    for (int64_t row = 0; row < 24; ++row)
      types.push_back(int32_t((p0 + row % 8) / 3 % shape.groups));
    expectProduct(types, [&](algrt_forward_args &args) {
      args.sequence_rows = 8;
      args.p0 = p0;
    });
  }
}

// Sequences of whole periods are one: no list is made.
TEST_F(CudaRowList, NotOfSequencesOfWholePeriods) {
  const TestContext context(0);
  GpuProduct product(context, shape, 4 * shape.groups, 4);
  cuda_stand_in::onLaunch([this](const cuda_stand_in::Launch &launch) { launches.push_back(launch); });
  product.args.sequence_rows = 2 * shape.groups;
  ASSERT_EQ(product.run(), ALGRT_OK) << algrt_last_error();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_NE(launches[0].symbol, "group_rows");
}

// The list comes before the gradients, too, of dW also where there are no rows.
TEST_F(CudaRowList, OfGradients) {
  shape.row_types = RowTypesKind::ExplicitTypes;
  cuda_stand_in::onLaunch([this](const cuda_stand_in::Launch &launch) {
    launches.push_back(launch);
    if (launch.symbol == "group_rows")
      groupRowsOnHost(launch);
  });
  const TestContext context(0);
  for (const bool of_weights : {false, true})
    for (const int64_t m : {int64_t(0), int64_t(6)}) {
      shape.gradient = !of_weights;
      shape.weight_gradient = of_weights;
      const BundleHandle bundle = openBundle(listedBundle(shape, listedManifest(shape)));
      const DeviceNumbers types(context, std::vector<int64_t>(size_t(m), 2), 32);
      GpuMatrix x(context, 0, m, shape.k(), 0, ElementType::Bf16),
          y(context, 0, m, shape.n(), 0, ElementType::Bf16);
      GpuMatrix w(context, 0, shape.k(), shape.n(), 0, ElementType::Bf16);
      GpuMatrix workspace(context, 0, 1, 64, 0, ElementType::F32);
      launches.clear();
      const auto call = [&](auto args, auto function) {
        args.types = &types.tensor;
        args.dy = &y.tensor;
        args.workspace = workspace.tensor.data;
        args.workspace_bytes = 256;
        return function(args);
      };
      const int status = of_weights ? call(algrt_dw_args_init(),
                                           [&](algrt_dw_args &args) {
                                             args.x = &x.tensor;
                                             args.dw = &w.tensor;
                                             return algrt_dw(bundle.get(), &args);
                                           })
                                    : call(algrt_dx_args_init(), [&](algrt_dx_args &args) {
                                        args.dx = &x.tensor;
                                        args.w = &w.tensor;
                                        return algrt_dx(bundle.get(), &args);
                                      });
      ASSERT_EQ(status, ALGRT_OK) << algrt_last_error();
      if (m == 0 && !of_weights) { // done at once
        EXPECT_EQ(launches.size(), 0u);
        continue;
      }
      ASSERT_EQ(launches.size(), 2u);
      EXPECT_EQ(launches[0].symbol, "group_rows");
      EXPECT_EQ(launches[1].symbol, shape.map() + "_bf16");
      const auto *list = reinterpret_cast<const int32_t *>(parameter<uint64_t>(launches[0], 0));
      EXPECT_EQ(list[0], m);
      algrt_plain_map map;
      std::memcpy(&map, launches[1].parameters.at(0).data(), sizeof(map));
      EXPECT_EQ(map.rows, reinterpret_cast<uint64_t>(list));
    }
}

// Without either of the two kernels, or where the rows are at positions from p0 on, for which there is none.
TEST_F(CudaRowList, NeedsBothKernels) {
  const TestContext context(0);
  const DeviceNumbers given(context, {5, 6, 7}, 64);
  GpuProduct product(context, shape, 3);
  const auto refused = [&](const char *words) {
    EXPECT_EQ(product.run(), ALGRT_UNSUPPORTED);
    EXPECT_NE(std::string(algrt_last_error()).find(words), std::string::npos) << algrt_last_error();
  };
  std::vector<char> workspace(1000);
  product.args.workspace = workspace.data();
  product.args.workspace_bytes = workspace.size();
  product.args.positions = &given.tensor;
  refused("the bundle has no kernel for CUDA devices that finds rows in a list and writes bf16");
  product.args.kernel = 1;
  refused("kernel forward-bf16 takes rows at positions from p0 on, not in lists");
  product.args.kernel = 0;
  product.bundle = openBundle(listedBundle(shape, listedManifest(shape, /*with_group_rows=*/false)));
  refused("none for device 0 that makes such a list");
  product.bundle = openBundle(listedBundle(shape, listedManifest(shape)));
  product.args.positions = nullptr;
  refused("the bundle has no kernel for CUDA devices that writes bf16");
  product.args.kernel = 1;
  refused("kernel forward-bf16 takes rows in lists, not at positions from p0 on");
  EXPECT_EQ(launches.size(), 0u);
}

// The kernel that makes lists is one of the bundle's, and is prepared with them.
TEST_F(CudaRowList, IsPreparedWithTheOthers) {
  const TestContext context(0);
  const BundleHandle bundle = openBundle(listedBundle(shape, listedManifest(shape)));
  const std::string kernels = algrt_bundle_describe_kernels(bundle.get());
  EXPECT_NE(kernels.find(R"("name":"group_rows","map":"group_rows","target":"sm_80")"), std::string::npos)
      << kernels;
  EXPECT_EQ(kernels.find(R"("usable":false)"), std::string::npos) << kernels;
  ASSERT_EQ(algrt_bundle_prepare(bundle.get(), 0), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(cuda_stand_in::callCount("cuModuleLoadDataEx"), 2);
}

TEST(CudaRowListManifest, IsChecked) {
  const GpuShape shape{.vector = 4};
  const auto refused = [&](const char *key, const nlohmann::ordered_json &value, const char *words) {
    nlohmann::ordered_json manifest = listedManifest(shape);
    manifest["kernels"][2][key] = value;
    try {
      Bundle::parse(listedBundle(shape, manifest));
      ADD_FAILURE() << "accepted: " << words;
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused("threads", 100, "not a multiple of 32");
  refused("threads", 2048, "threads");
  refused("symbol", "", "symbol");
  refused("images", nlohmann::ordered_json::array(), "images");
  refused("images", {{{"kind", "ptx"}, {"section", "nowhere"}}}, "nowhere");
  nlohmann::ordered_json manifest = listedManifest(shape);
  manifest["kernels"][2]["target"] = "sm_999"; // of a later version: kept, and not looked at
  EXPECT_FALSE(Bundle::parse(listedBundle(shape, manifest)).manifest().kernels[2].group_rows);
}

} // namespace
} // namespace algrt::test
