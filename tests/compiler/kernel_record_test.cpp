// Compiled code says of itself what the manifest says of it, and no other manifest is believed.
#include "algebras/constructions.h"
#include "compiler/pipeline/pipeline.h"
#include "runtime/bundle/bundle.h"
#include "runtime/support/file.h"
#include "tests/runtime/lies.h"
#include "tests/tools/temporary_folder.h"

#include <gtest/gtest.h>

namespace {

using namespace compiler;
using algebras::DataType;
using algebras::RowTypes;

Spec specOf(const algebras::Algebra &algebra, int64_t width, DataType dtype, const RowTypes &types) {
  algebras::Layer layer =
      algebras::makeLayer(algebras::Lift::rows(algebra), types.count() * width, types.count() * width);
  layer.dtype = dtype;
  layer.row_types = types;
  return {algebra, layer, false, ""};
}

std::string compiled(const Spec &spec, const CompileOptions &options) {
  TemporaryFolder folder;
  compileBundle(spec, folder.path("layer.alg"), options);
  return algrt::readFile(folder.path("layer.alg"));
}

CompileOptions forCpu() {
  CompileOptions options;
  options.cpu_levels = {"x86-64-v3"};
  return options;
}

void expectNoFaults(const std::string &bytes, size_t least) {
  const algrt::Bundle bundle = algrt::Bundle::parse(bytes);
  EXPECT_GE(bundle.manifest().kernels.size(), least);
  for (size_t i = 0; i < bundle.manifest().kernels.size(); ++i)
    EXPECT_EQ(bundle.fault(i), "") << bundle.manifest().kernels[i].name;
}

void expectAllCompared(const std::string &bytes) {
  algrt::test::forEachLie(bytes, [&](const algrt::test::Lie &lie) {
    if (const auto kernel = algrt::test::kernelLiedAbout(lie))
      EXPECT_FALSE(algrt::test::wouldRun(bytes, lie.manifest, *kernel)) << lie.what;
  });
}

TEST(CompiledRecords, EveryCpuKernelHasOneForEveryField) {
  const std::string bytes =
      compiled(specOf(algebras::path(3), 16, DataType::BF16, RowTypes::interval(3, 2)), forCpu());
  expectNoFaults(bytes, 6);
  expectAllCompared(bytes);
}

TEST(CompiledRecords, LiesAboutCpuKernelsAreRefusedOrDoNoHarm) {
  for (const DataType dtype : {DataType::F32, DataType::BF16}) {
    const std::string good =
        compiled(specOf(algebras::completeGraph(3), 16, dtype, RowTypes::cyclic(3)), forCpu());
    expectNoFaults(good, 5);
    algrt::test::forEachLie(good, [&](const algrt::test::Lie &lie) {
      algrt::test::expectRefusedOrRight(good, algrt::test::withManifest(good, lie.manifest), lie.what);
    });
  }
}

/// Weights of two layers, which are of one shape here, are packed by functions of their own.
TEST(CompiledRecords, EveryLayerHasItsPackingFunction) {
  Spec spec{algebras::completeGraph(3), {}, false, "square.toml"};
  const algebras::Groups groups = algebras::Groups::equal(3, 8);
  spec.program = Swiglu{.lift = algebras::Lift::rows(*spec.algebra),
                        .in = groups,
                        .hidden = groups,
                        .out = groups,
                        .dtype = DataType::F32,
                        .row_types = RowTypes::cyclic(3)};
  const std::string bytes = compiled(spec, forCpu());
  const algrt::Bundle bundle = algrt::Bundle::parse(bytes);
  ASSERT_EQ(bundle.projection(0).fault(0), "");
  nlohmann::json manifest = nlohmann::json::parse(bundle.manifestText());
  nlohmann::json &kernel = manifest["projections"][0]["kernels"][0];
  ASSERT_EQ(kernel["weights"], "packed");
  std::swap(kernel["pack_symbol"], kernel["next"]["pack_symbol"]);
  const algrt::Bundle swapped = algrt::Bundle::parse(algrt::test::withManifest(bytes, manifest));
  EXPECT_NE(swapped.projection(0).fault(0), "");
}

void expectGpuKernels(Target target, algrt::Map map, size_t least) {
  Spec spec = specOf(algebras::path(3), 64, DataType::BF16, RowTypes::cyclic(3));
  spec.layer->bias = true;
  CompileOptions options;
  options.targets = {target};
  options.maps = {map};
  options.row_lists = true;
  options.rows = 1;
  const std::string bytes = compiled(spec, options);
  expectNoFaults(bytes, least);
  expectAllCompared(bytes);
}

// Vector reductions, rows in lists, and the kernel that lists them.
TEST(CompiledRecords, EveryForwardKernelForHopperHasOneForEveryField) {
  expectGpuKernels(Target::Sm90a, algrt::Map::Forward, 4);
}

// And the gradient of the bias.
TEST(CompiledRecords, EveryWeightGradientForAmpereHasOneForEveryField) {
  expectGpuKernels(Target::Sm80, algrt::Map::Dw, 4);
}

} // namespace
