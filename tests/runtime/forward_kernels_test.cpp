// Kernels that a CPU cannot run, and code that is none.
#include "tests/runtime/cpu_product.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace algrt {
namespace {

using test::openBytes;
using test::Shape;
using Product = test::CpuProduct;

// A kernel that was compiled without lists would take the rows for others.
TEST(ForwardKernels, PositionsNeedAKernelThatTakesLists) {
  const Shape &shape = test::shape("cyclic_f32");
  nlohmann::ordered_json manifest = test::manifestOf(shape);
  for (nlohmann::ordered_json &kernel : manifest["kernels"])
    kernel.erase("row_lists");
  Product product(shape, 9);
  product.bundle = openBytes(test::agreeingBundleOf(shape, manifest));
  product.expectCorrect("offset");
  product.setPositions({8, 7, 6, 5, 4, 3, 2, 1, 0}, true);
  EXPECT_EQ(product.run(), ALGRT_UNSUPPORTED);
  EXPECT_NE(std::string(algrt_last_error()).find("takes rows at positions from p0 on alone"),
            std::string::npos)
      << algrt_last_error();
}

TEST(ForwardKernels, MissingCpuFeaturesAreNamed) {
  const Shape &shape = test::shape("cyclic_f32");
  nlohmann::ordered_json manifest = test::manifestOf(shape);
  for (nlohmann::ordered_json &kernel : manifest["kernels"])
    kernel["features"] = {"sse2", "avx1024f"};
  Product product(shape, 9);
  product.bundle = openBytes(test::bundleOf(shape, manifest));
  EXPECT_EQ(product.run(), ALGRT_UNSUPPORTED);
  EXPECT_NE(std::string(algrt_last_error()).find("lacks avx1024f"), std::string::npos) << algrt_last_error();
  algrt_weights *weights = nullptr;
  EXPECT_EQ(algrt_weights_pack(product.bundle.get(), &product.w.tensor, 0, &weights), ALGRT_UNSUPPORTED);
  EXPECT_EQ(weights, nullptr);
  algrt_bundle_info info = algrt_bundle_info_init();
  ASSERT_EQ(algrt_bundle_get_info(product.bundle.get(), &info), ALGRT_OK);
  EXPECT_EQ(info.runs_here, 0);
  EXPECT_NE(std::string(algrt_bundle_describe_kernels(product.bundle.get())).find("avx1024f"),
            std::string::npos);
  // Where one kernel can run, it is the one that runs.
  manifest["kernels"][2]["features"] = {"sse2"};
  product.bundle = openBytes(test::bundleOf(shape, manifest));
  product.expectCorrect("direct kernel only");
}

TEST(ForwardKernels, BrokenCodeIsRefused) {
  const Shape &shape = test::shape("cyclic_f32");
  nlohmann::ordered_json manifest = test::manifestOf(shape);
  manifest["kernels"][1]["symbol"] = "no_such_symbol";
  Product product(shape, 30); // too many rows per type for the direct kernel
  product.bundle = openBytes(test::bundleOf(shape, manifest));
  EXPECT_EQ(product.run(), ALGRT_BAD_BUNDLE);
  EXPECT_NE(std::string(algrt_last_error()).find("no_such_symbol"), std::string::npos) << algrt_last_error();
}

// Two bundles open at once hold different code under the same symbols.
TEST(ForwardKernels, BundlesDoNotShareCode) {
  Product a(test::shape("cyclic_f32"), 9), b(test::shape("interval_f32"), 9),
      c(test::shape("cyclic_bf16"), 9);
  a.expectCorrect("a");
  b.expectCorrect("b");
  a.bundle.reset();
  c.expectCorrect("c");
  b.expectCorrect("b again");
}

} // namespace
} // namespace algrt
