// GPU kernels in the manifest: read as written, and nothing that no device could launch.
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/json_fields.h"
#include "runtime/cuda/launch_plan.h"
#include "runtime/support/error.h"
#include "tests/runtime/cuda/gpu_bundle.h"
#include "tests/runtime/usual_parameters.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace algrt::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

TEST(GpuManifest, IsReadAsWritten) {
  const Bundle bundle = Bundle::parse(gpuBundle({.table = true}));
  ASSERT_EQ(bundle.manifest().kernels.size(), 2u);
  const Kernel &entry = bundle.manifest().kernels[1];
  EXPECT_FALSE(entry.known) << "not for the CPU";
  ASSERT_TRUE(entry.gpu.has_value());
  const GpuKernel &kernel = *entry.gpu;
  EXPECT_EQ(kernel.architecture, 90);
  EXPECT_TRUE(kernel.exact_architecture);
  EXPECT_EQ(kernel.output, ElementType::F32);
  EXPECT_EQ(kernel.symbol, "forward_f32");
  ASSERT_EQ(kernel.images.size(), 1u);
  EXPECT_EQ(kernel.images[0].kind, ImageKind::Ptx);
  EXPECT_EQ(kernel.images[0].section, "ptx");
  EXPECT_EQ(kernel.threads, 384);
  EXPECT_EQ(kernel.cluster, 2);
  EXPECT_EQ(kernel.shared_bytes, 200000);
  EXPECT_TRUE(kernel.dependent_launch);
  EXPECT_EQ(kernel.registers, 168);
  EXPECT_EQ(kernel.tile.rows, 16);
  EXPECT_EQ(kernel.tile.columns, 32);
  EXPECT_EQ(kernel.tile.depth, 32);
  EXPECT_EQ(kernel.tile.stages, 4);
  EXPECT_EQ(kernel.tile.consumers, 2);
  EXPECT_EQ(kernel.y.columns, 32);
  EXPECT_EQ(kernel.y.rows, 16);
  EXPECT_EQ(kernel.y.swizzle, 128);
  EXPECT_EQ(kernel.w.rows, 32);
  EXPECT_TRUE(kernel.terms);
  EXPECT_FALSE(Bundle::parse(gpuBundle(GpuShape())).manifest().kernels[0].gpu->terms);
}

TEST(GpuManifest, WhatTilesShareIsReadAsWritten) {
  Json manifest = gpuManifest({.table = true});
  const auto tile = [&] {
    return Bundle::parse(gpuBundle({.table = true}, manifest)).manifest().kernels[0].gpu->tile;
  };
  EXPECT_EQ(tile().types, 1);
  EXPECT_EQ(tile().stationary_groups, 0);
  Json &fields = manifest["kernels"][0]["tile"];
  fields["types"] = 2;
  fields["held_groups"] = 1;
  EXPECT_EQ(tile().types, 2);
  EXPECT_EQ(tile().stationary_groups, 1);
  EXPECT_EQ(tile().split_k, 1);
  manifest["kernels"][0]["cluster"] = 4;
  fields["cluster_rows"] = fields["cluster_columns"] = 1;
  fields["split"] = 4;
  EXPECT_EQ(tile().split_k, 4);
  for (const char *name : {"types", "held_groups"})
    for (const int64_t number : {0, 100}) {
      const Json before = fields[name];
      fields[name] = number;
      EXPECT_THROW(tile(), Error) << name << " = " << number;
      fields[name] = before;
    }
}

// Of a gradient of X for all groups of dY: one block's, or the shares of a cluster.
TEST(GpuManifest, StationarySumsOfDxNeedAllGroups) {
  Json manifest = gpuManifest({.table = true});
  Json &kernel = manifest["kernels"][0];
  kernel["map"] = "dx";
  const auto tile = [&] {
    return Bundle::parse(gpuBundle({.table = true}, manifest)).manifest().kernels[0].gpu->tile;
  };
  const int64_t groups = std::ssize(manifest["layer"]["out_groups"]);
  Json &fields = kernel["tile"];
  fields["held_groups"] = groups;
  EXPECT_EQ(tile().stationary_groups, groups);
  fields["held_groups"] = groups - 1;
  EXPECT_THROW(tile(), Error);
  kernel["cluster"] = 2;
  fields["cluster_rows"] = fields["cluster_columns"] = 1;
  fields["split"] = 2;
  EXPECT_EQ(tile().stationary_groups, groups - 1);
}

TEST(GpuManifest, CopiesByThreadsAreReadAsWritten) {
  Json manifest = gpuManifest({.lift = Lift::Slots, .scaled = true, .vector = 4});
  manifest["kernels"][0]["best_for_rows"] = {17, 300};
  manifest["kernels"][0]["warps"] = {4, 1};
  // The copy engine's limits on boxes are none of theirs.
  manifest["kernels"][0]["boxes"]["y"] = {{"columns", 300}, {"rows", 512}, {"swizzle", 0}};
  const Bundle bundle =
      Bundle::parse(gpuBundle({.lift = Lift::Slots, .scaled = true, .vector = 4}, manifest));
  const GpuKernel &kernel = *bundle.manifest().kernels[0].gpu, &other = *bundle.manifest().kernels[1].gpu;
  EXPECT_EQ(kernel.architecture, 80);
  EXPECT_FALSE(kernel.exact_architecture);
  EXPECT_EQ(kernel.copies, GpuCopies::Threads);
  EXPECT_EQ(kernel.vector, 4);
  EXPECT_TRUE(kernel.scaled);
  EXPECT_EQ(kernel.warp_rows, 4);
  EXPECT_EQ(kernel.warp_columns, 1);
  EXPECT_EQ(kernel.best_for_rows.from, 17);
  EXPECT_EQ(kernel.best_for_rows.to, 300);
  EXPECT_EQ(kernel.y.rows, 512);
  EXPECT_EQ(other.warp_rows, 2);
  EXPECT_EQ(other.best_for_rows.to, 0);
  const GpuKernel engine = *Bundle::parse(gpuBundle(GpuShape())).manifest().kernels[0].gpu;
  EXPECT_EQ(engine.copies, GpuCopies::Engine);
  EXPECT_EQ(engine.vector, 0);
  EXPECT_FALSE(engine.scaled);
  EXPECT_EQ(engine.warp_rows, 0);
}

TEST(GpuManifest, VectorReductionsHaveSlicesInsteadOfWarps) {
  const GpuShape shape = {.vector = 4};
  Json manifest = gpuManifest(shape);
  Json &entry = manifest["kernels"][0];
  const auto refusal = [&] {
    try {
      Bundle::parse(gpuBundle(shape, manifest));
      return std::string();
    } catch (const Error &error) {
      return std::string(error.what());
    }
  };
  entry["slices"] = 16;
  EXPECT_NE(refusal().find("are given together with warps"), std::string::npos) << refusal();
  entry.erase("warps");
  EXPECT_EQ(refusal(), "");
  const Bundle bundle = Bundle::parse(gpuBundle(shape, manifest));
  EXPECT_EQ(bundle.manifest().kernels[0].gpu->slices, 16);
  EXPECT_TRUE(bundle.manifest().kernels[0].gpu->isReduction());
  EXPECT_FALSE(bundle.manifest().kernels[1].gpu->isReduction());
  entry["slices"] = 17;
  EXPECT_NE(refusal().find("which do not divide"), std::string::npos) << refusal();
  entry["slices"] = 16;
  entry["map"] = "dx";
  EXPECT_NE(refusal().find("vector reductions are for forward"), std::string::npos) << refusal();
}

// Rows of experts begin where their starts say, there are so many of them, and lists may name their rows.
TEST(GpuManifest, KernelsOfExpertsTakeTheirNumberTheirStartsAndTheirRows) {
  const GpuShape shape = {.vector = 4};
  Json manifest = gpuManifest(shape);
  manifest["kernels"][0]["slices"] = 16;
  manifest["kernels"][0].erase("warps");
  manifest = withParameters(manifest);
  const nlohmann::json document = manifest["kernels"][0];
  const KernelParameters usual = KernelParameters::parse(JsonFields(document, "kernel"), "parameters");
  const auto takes_experts = [&](const KernelParameters &list) {
    manifest["kernels"][0]["parameters"] = list.json();
    return Bundle::parse(gpuBundle(shape, manifest)).manifest().kernels[0].gpu->takesExperts();
  };
  const auto refusal = [&](const KernelParameters &list) {
    try {
      takes_experts(list);
      return std::string();
    } catch (const Error &error) {
      return std::string(error.what());
    }
  };
  const std::pair<ParameterValue, const char *> all[] = {{ParameterValue::Operand, "expert_starts"},
                                                         {ParameterValue::Experts, ""},
                                                         {ParameterValue::Operand, "x_rows"},
                                                         {ParameterValue::Operand, "expert_rows"},
                                                         {ParameterValue::BatchRows, ""}};
  // All but one, or one alone.
  const auto without = [&](size_t left_out, bool others) {
    KernelParameters list = usual;
    for (size_t number = 0; number < std::size(all); ++number)
      if ((number != left_out) == others)
        list.add(all[number].first, all[number].second);
    return list;
  };
  EXPECT_FALSE(takes_experts(usual));
  EXPECT_TRUE(takes_experts(without(std::size(all), true)));
  const char *const names[] = {"expert_starts", "expert_starts", "x_rows", "expert_rows", "batch_rows"};
  for (size_t number = 0; number < std::size(all); ++number)
    for (const bool others : {false, true}) {
      const std::string message = refusal(without(number, others));
      EXPECT_NE(
          message.find(std::string("have experts without ") + names[number] + ", or the other way round"),
          std::string::npos)
          << message;
    }
}

// A list says whose its rows are: the kernel takes the number of experts alone.
TEST(GpuManifest, KernelsOfExpertsWhoseRowsAreListedTakeTheirNumber) {
  const GpuShape shape = {.vector = 4};
  Json manifest = gpuManifest(shape);
  manifest["kernels"][0]["rows"] = "listed";
  manifest = withParameters(manifest);
  const nlohmann::json document = manifest["kernels"][0];
  KernelParameters list = KernelParameters::parse(JsonFields(document, "kernel"), "parameters");
  const auto parsed = [&] {
    manifest["kernels"][0]["parameters"] = list.json();
    return Bundle::parse(gpuBundle(shape, manifest));
  };
  EXPECT_FALSE(parsed().manifest().kernels[0].gpu->takesExperts());
  list.add(ParameterValue::Experts);
  EXPECT_TRUE(parsed().manifest().kernels[0].gpu->takesExperts());
  // Its tiles are numbered as if one type of one expert had all rows.
  const Bundle bundle = parsed();
  const GpuKernel &kernel = *bundle.manifest().kernels[0].gpu;
  EXPECT_TRUE(cuda::numbersTilesOfExperts(bundle.layer(), kernel, 5, 1'000'000));
  EXPECT_FALSE(cuda::numbersTilesOfExperts(bundle.layer(), kernel, 1'000'000, 1'000'000'000));
  list.add(ParameterValue::Operand, "expert_starts");
  EXPECT_THROW(parsed(), Error);
}

TEST(GpuManifest, OtherTargetsAndMapsAreKept) {
  Json manifest = gpuManifest(GpuShape());
  manifest["kernels"][0] = {{"name", "b"}, {"map", "forward"}, {"target", "sm_100a"}};
  manifest["kernels"][1] = {{"name", "d"}, {"map", "dq"}, {"target", "sm_90a"}};
  const Bundle bundle = Bundle::parse(gpuBundle(GpuShape(), manifest));
  for (const Kernel &kernel : bundle.manifest().kernels)
    EXPECT_FALSE(kernel.gpu || kernel.known);
}

struct Spoiled {
  std::function<void(Json &kernel, Json &manifest)> change;
  std::string words;
};

void expectRefused(const GpuShape &shape, const Spoiled &spoiled) {
  Json manifest = gpuManifest(shape);
  spoiled.change(manifest["kernels"][0], manifest);
  try {
    gpuBundle(shape, manifest);
    ADD_FAILURE() << "accepted: " << spoiled.words;
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), ALGRT_BAD_BUNDLE);
    EXPECT_NE(std::string(error.what()).find(spoiled.words), std::string::npos) << error.what();
  }
}

TEST(GpuManifest, InconsistentKernelsAreRefused) {
  const Spoiled cases[] = {
      {[](Json &k, Json &) { k["output"] = "f16"; }, "kernels[0].output is 'f16'"},
      {[](Json &k, Json &) { k.erase("output"); }, "kernels[0].output is missing"},
      {[](Json &k, Json &) { k["symbol"] = ""; }, "kernels[0].symbol is empty"},
      {[](Json &k, Json &) { k["images"] = Json::array(); }, "kernels[0].images is empty"},
      {[](Json &k, Json &) { k["images"][0]["kind"] = "fatbin"; }, "kernels[0].images[0].kind is 'fatbin'"},
      {[](Json &k, Json &) { k["images"][0]["kind"] = "cubin"; }, "'ptx' is not a section of kind cubin"},
      {[](Json &k, Json &) { k["images"][0]["section"] = "nowhere"; }, "'nowhere' is not a section"},
      {[](Json &k, Json &) { k["threads"] = 100; }, "kernels[0].threads is 100, not a multiple of 32"},
      {[](Json &k, Json &) { k["threads"] = 1056; }, "kernels[0].threads is 1056"},
      {[](Json &k, Json &) { k["cluster"] = 0; }, "kernels[0].cluster is 0"},
      {[](Json &k, Json &) { k["cluster"] = 16; }, "kernels[0].cluster is 16"},
      {[](Json &k, Json &) { k["cluster"] = 2; }, "kernels[0].tile.cluster_rows is missing"},
      {[](Json &k, Json &) {
         k["cluster"] = 4, k["tile"]["cluster_rows"] = 2, k["tile"]["cluster_columns"] = 1;
       },
       "kernels[0].tile.cluster_rows times cluster_columns is not the cluster of 4"},
      {[](Json &k, Json &) {
         k["cluster"] = 4, k["tile"]["cluster_rows"] = 2,
         k["tile"]["cluster_columns"] = k["tile"]["split"] = 1;
       },
       "kernels[0].tile.cluster_rows times cluster_columns is not the cluster of 4"},
      {[](Json &k, Json &) {
         k["cluster"] = 4, k["tile"]["cluster_rows"] = k["tile"]["cluster_columns"] = k["tile"]["split"] = 2;
       },
       "kernels[0].tile.cluster_rows times cluster_columns times split is not the cluster of 4"},
      {[](Json &k, Json &) {
         k["cluster"] = 2, k["tile"]["cluster_rows"] = k["tile"]["cluster_columns"] = 1,
         k["tile"]["split"] = 3;
       },
       "kernels[0].tile.split is 3"},
      {[](Json &k, Json &) { k["tile"]["split"] = 2; }, "kernels[0].tile.split is 2"},
      {[](Json &k, Json &) { k["shared_bytes"] = 232449; }, "kernels[0].shared_bytes is 232449"},
      {[](Json &k, Json &) { k["dependent_launch"] = 1; }, "kernels[0].dependent_launch is a number"},
      {[](Json &k, Json &) { k["terms"] = "yes"; }, "kernels[0].terms is a string"},
      {[](Json &k, Json &) { k["registers"] = 256; }, "kernels[0].registers is 256"},
      {[](Json &k, Json &) { k["tile"].erase("depth"); }, "kernels[0].tile.depth is missing"},
      {[](Json &k, Json &) { k["tile"]["rows"] = 0; }, "kernels[0].tile.rows is 0"},
      {[](Json &k, Json &) { k["boxes"].erase("w"); }, "kernels[0].boxes.w is missing"},
      {[](Json &k, Json &) { k["boxes"]["x"]["rows"] = 257; }, "kernels[0].boxes.x.rows is 257"},
      {[](Json &k, Json &) { k["boxes"]["x"]["columns"] = 12; }, "boxes.x.columns take 24 bytes"},
      {[](Json &k, Json &) { k["boxes"]["y"]["columns"] = 64; }, "boxes.y.columns take 128 bytes, more than"},
      {[](Json &k, Json &) { k["boxes"]["y"]["swizzle"] = 16; }, "boxes.y.swizzle is 16"},
      {[](Json &, Json &m) { m["layer"]["dtype"] = "f32"; },
       "kernels[0].target is a GPU, but the layer's dtype"},
      {[](Json &, Json &m) { m["layer"]["row_types"] = {{"kind", "explicit"}}; },
       "row types are explicit: its kernels need rows 'listed'"},
      {[](Json &, Json &m) { m["layer"]["out_groups"] = {16, 32, 24, 24}; },
       "kernels[0].copies is engine, but the layer's groups are not all of one width"},
      {[](Json &k, Json &) { k["rows"] = "listed"; }, "kernels[0].rows are listed, but the copy engine"},
      {[](Json &k, Json &) { k["rows"] = "sorted"; },
       "kernels[0].rows is 'sorted'; this runtime knows listed and joined_runs"},
      {[](Json &k, Json &) { k["rows"] = "joined_runs"; },
       "kernels[0].rows are joined runs, but the layer's row types are no intervals"},
  };
  for (const Spoiled &spoiled : cases)
    expectRefused(GpuShape(), spoiled);
}

TEST(GpuManifest, RunsAreJoinedWhereABoxHasWholeOnes) {
  GpuShape shape;
  shape.row_types = RowTypesKind::Interval;
  shape.run = 8;
  const auto joined = [](Json &kernel) {
    kernel["rows"] = "joined_runs";
    kernel["boxes"]["x"]["rows"] = kernel["boxes"]["y"]["rows"] = 16;
  };
  expectRefused(shape, {[&](Json &k, Json &m) {
                          joined(k);
                          m["layer"]["row_types"]["width"] = 12;
                        },
                        "kernels[0].rows are joined runs of 12 rows, which is no power of two"});
  for (const char *box : {"x", "y"})
    expectRefused(shape, {[&](Json &k, Json &) {
                            joined(k);
                            k["boxes"][box]["rows"] = 20;
                          },
                          std::string("kernels[0].boxes.") + box +
                              " has 20 rows, no whole runs of 8 rows and no part of one"});
  // Its maps are others than those of runs.
  Json manifest = gpuManifest(shape);
  const nlohmann::json of_runs = withParameters(manifest)["kernels"][0]["parameters"];
  joined(manifest["kernels"][0]);
  const Bundle bundle = Bundle::parse(gpuBundle(shape, withParameters(manifest)));
  EXPECT_TRUE(bundle.manifest().kernels[0].gpu->joins_runs);
  manifest["kernels"][0]["parameters"] = of_runs;
  expectRefused(shape, {[&](Json &k, Json &) {
                          joined(k);
                          k["parameters"] = of_runs;
                        },
                        "which no launch of such a kernel has"});
}

TEST(GpuManifest, InconsistentCopiesAreRefused) {
  const Spoiled of_the_engine[] = {
      {[](Json &k, Json &) { k["copies"] = "dma"; }, "kernels[0].copies is 'dma', not engine or threads"},
      {[](Json &k, Json &) { k["vector"] = 8; }, "kernels[0].vector is given, but the copy engine"},
      {[](Json &k, Json &) { k["warps"] = {2, 2}; }, "kernels[0].warps is given, but the copy engine"},
      {[](Json &k, Json &) { k["target"] = "sm_80"; }, "kernels[0].copies is engine, which"},
      {[](Json &k, Json &) { k["scaled"] = true; }, "kernels[0].scaled is true, but"},
      {[](Json &k, Json &) { k["best_for_rows"] = 7; }, "kernels[0].best_for_rows is not a list"},
      {[](Json &k, Json &) { k["best_for_rows"] = {7}; }, "kernels[0].best_for_rows has 1 numbers"},
      {[](Json &k, Json &) { k["best_for_rows"] = {0, 7}; }, "kernels[0].best_for_rows[0] is 0"},
      {[](Json &k, Json &) { k["best_for_rows"] = {9, 7}; },
       "kernels[0].best_for_rows goes from 9 down to 7"},
  };
  for (const Spoiled &spoiled : of_the_engine)
    expectRefused(GpuShape(), spoiled);
  const Spoiled of_threads[] = {
      {[](Json &k, Json &) { k.erase("vector"); }, "kernels[0].vector is missing"},
      {[](Json &, Json &m) { m["layer"]["row_types"] = {{"kind", "explicit"}}; },
       "kernels[0].target is a GPU, but the layer's row types are explicit"},
      {[](Json &, Json &m) { m["layer"]["out_groups"] = {16, 32, 24, 24}; },
       "kernels[0].terms is false, but the layer's groups are not all of one width"},
      {[](Json &k, Json &) { k["vector"] = 3; }, "kernels[0].vector is 3, not 1, 2, 4 or 8"},
      {[](Json &k, Json &) { k["vector"] = 16; }, "kernels[0].vector is 16"},
      {[](Json &k, Json &) { k.erase("warps"); }, "kernels[0].warps is missing"},
      {[](Json &k, Json &) { k["warps"] = {4}; }, "kernels[0].warps has 1 numbers"},
      {[](Json &k, Json &) { k["warps"] = {2, 4}; }, "kernels[0].warps are 2 x 4, which does not make 128"},
      {[](Json &k, Json &) { k["warps"] = {int64_t(1) << 62, 4}; }, "kernels[0].warps are"},
      {[](Json &k, Json &) { k["cluster"] = 2; }, "kernels[0].cluster is 2, but"},
      {[](Json &k, Json &) { k["boxes"]["x"]["swizzle"] = 48; }, "boxes.x.swizzle is 48"},
  };
  for (const Spoiled &spoiled : of_threads)
    expectRefused({.vector = 8}, spoiled);
}

// A kernel of gate, up, a map that reads a bias, down and a residual; `change` spoils it.
Json withNextLayer(void (*change)(Json &kernel, Json &fused)) {
  Json manifest = gpuManifest(GpuShape());
  manifest["layer"]["fused"] = {
      {"weights", 2},
      {"operands",
       {{{"name", "bias"}, {"per", "column"}, {"type", "bf16"}},
        {{"name", "residual"}, {"per", "element"}, {"type", "bf16"}, {"layer", 1}}}},
      {"results", {"bf16"}},
      {"next", {{"out_groups", manifest["layer"]["in_groups"]}, {"weights", 1}}}};
  manifest["kernels"].erase(1);
  Json &kernel = manifest["kernels"][0];
  kernel["tile"]["held_groups"] = 2;
  kernel["boxes"]["next_w"] = {{"columns", 16}, {"rows", 32}, {"swizzle", 32}};
  manifest = withParameters(manifest);
  change(manifest["kernels"][0], manifest["layer"]["fused"]);
  const int64_t k = manifest["layer"]["k"], n = manifest["layer"]["n"];
  const auto operand = [](const char *name, const char *role, const Json &extents) {
    return Json{{"name", name}, {"role", role}, {"types", {"bf16"}}, {"shape", extents}};
  };
  const Json operands = {operand("x", "input", {"M", k}),   operand("gate", "weight", {k, n}),
                         operand("up", "weight", {k, n}),   operand("bias", "weight", Json::array({n})),
                         operand("down", "weight", {n, k}), operand("y", "output", {"M", k})};
  const Json step = {{"projection", "network"},
                     {"map", "forward"},
                     {"operands",
                      {{"x", "x"},
                       {"w", "gate"},
                       {"w2", "up"},
                       {"w3", "down"},
                       {"bias", "bias"},
                       {"residual", "x"},
                       {"y", "y"}}}};
  return {{"compiler", manifest["compiler"]},
          {"projections", Json::array({{{"name", "network"},
                                        {"layer", manifest["layer"]},
                                        {"support", manifest["support"]},
                                        {"kernels", manifest["kernels"]}}})},
          {"programs",
           Json::array({{{"name", "forward"}, {"operands", operands}, {"steps", Json::array({step})}}})}};
}

TEST(GpuManifest, KernelsOfTwoLayersHaveTheBoxOfTheSecond) {
  const auto parsed = [](void (*change)(Json &, Json &)) {
    const std::string bytes = encodeBundle(withNextLayer(change), {{"ptx", "ptx", gpuPtx(GpuShape())}});
    return Bundle::parse(bytes).manifest().further.at(0).kernels.at(0);
  };
  const Kernel entry = parsed([](Json &, Json &) {});
  ASSERT_TRUE(entry.gpu);
  EXPECT_EQ(entry.gpu->next_w.columns, 16);
  EXPECT_EQ(entry.gpu->next_w.rows, 32);
  EXPECT_EQ(entry.gpu->next_w.swizzle, 32);
  EXPECT_EQ(entry.gpu->tile.stationary_groups, 2);
  const auto refusal = [&](void (*change)(Json &, Json &)) -> std::string {
    try {
      parsed(change);
      return "";
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), ALGRT_BAD_BUNDLE);
      return error.what();
    }
  };
  EXPECT_THAT(refusal([](Json &kernel, Json &) { kernel["boxes"].erase("next_w"); }),
              HasSubstr("boxes.next_w is missing"));
  EXPECT_THAT(refusal([](Json &kernel, Json &) { kernel["boxes"]["next_w"]["swizzle"] = 48; }),
              HasSubstr("boxes.next_w.swizzle is 48"));
  EXPECT_THAT(refusal([](Json &kernel, Json &) { kernel["tile"].erase("held_groups"); }),
              HasSubstr("tile has no held_groups"));
  EXPECT_THAT(refusal([](Json &kernel, Json &) {
                kernel["copies"] = "threads";
                kernel["vector"] = 8;
                kernel["warps"] = {4, 3};
              }),
              HasSubstr("copies is threads, but layers one after another"));
  EXPECT_THAT(refusal([](Json &, Json &fused) { fused["operands"][1]["layer"] = 0; }),
              HasSubstr("read no elements of 'residual'"));
}

} // namespace
} // namespace algrt::test
