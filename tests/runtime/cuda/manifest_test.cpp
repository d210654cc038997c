// GPU kernels in the manifest: read as written, and nothing that no device could launch.
#include "runtime/bundle/bundle.h"
#include "runtime/support/error.h"
#include "tests/runtime/cuda/gpu_bundle.h"

#include <gtest/gtest.h>

namespace algrt::test {
namespace {

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
  EXPECT_EQ(kernel.output, ElementType::f32);
  EXPECT_EQ(kernel.symbol, "forward_f32");
  ASSERT_EQ(kernel.images.size(), 1u);
  EXPECT_EQ(kernel.images[0].kind, ImageKind::ptx);
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

TEST(GpuManifest, OtherTargetsAndMapsAreKept) {
  Json manifest = gpuManifest(GpuShape());
  manifest["kernels"][0] = {{"name", "b"}, {"map", "forward"}, {"target", "sm_100a"}};
  manifest["kernels"][1] = {{"name", "d"}, {"map", "dx"}, {"target", "sm_90a"}};
  const Bundle bundle = Bundle::parse(gpuBundle(GpuShape(), manifest));
  for (const Kernel &kernel : bundle.manifest().kernels)
    EXPECT_FALSE(kernel.gpu || kernel.known);
}

TEST(GpuManifest, InconsistentKernelsAreRefused) {
  struct Spoiled {
    void (*change)(Json &kernel, Json &manifest);
    const char *words;
  };
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
      {[](Json &, Json &m) {
         m["layer"]["row_types"] = {{"kind", "explicit"}};
       },
       "row types are explicit"},
      {[](Json &, Json &m) {
         m["layer"]["out_groups"] = {16, 32, 24, 24};
       },
       "out_groups are not all equal"},
  };
  for (const Spoiled &spoiled : cases) {
    Json manifest = gpuManifest(GpuShape());
    spoiled.change(manifest["kernels"][0], manifest);
    try {
      gpuBundle(GpuShape(), manifest);
      ADD_FAILURE() << "accepted: " << spoiled.words;
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), ALGRT_BAD_BUNDLE);
      EXPECT_NE(std::string(error.what()).find(spoiled.words), std::string::npos) << error.what();
    }
  }
}

} // namespace
} // namespace algrt::test
