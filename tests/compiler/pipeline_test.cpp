// The pipeline as a command uses it: stages, options, failures.
#include "compiler/pipeline/pipeline.h"

#include "algebras/constructions.h"
#include "algebras/error.h"
#include "runtime/support/error.h"
#include "tests/compiler/compiled_layer.h"
#include "tests/compiler/layers.h"
#include "tests/tools/temporary_folder.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <stdexcept>

namespace {

using namespace compiler;
using compiler_test::layerCase;
using compiler_test::makeSpec;

CompileOptions forLevel(const std::string &level) {
  CompileOptions options;
  options.cpu_levels = {level};
  return options;
}

TEST(Stages, AreNamed) {
  for (const std::string &name : stageNames())
    EXPECT_NO_THROW(stageNamed(name));
  EXPECT_THROW(stageNamed("object"), std::out_of_range);
}

TEST(Stages, ShowEachProgram) {
  const Spec spec = makeSpec(layerCase("CompleteUnequalHalf"));
  const CompileOptions options = forLevel("x86-64-v3");
  EXPECT_NE(emitStage(spec, Stage::Alg, options).find("alg.contract"), std::string::npos);
  EXPECT_NE(emitStage(spec, Stage::Tile, options).find("tile.kernel @forward_packed"), std::string::npos);
  EXPECT_NE(emitStage(spec, Stage::Vector, options).find("vector.fma"), std::string::npos);
  EXPECT_NE(emitStage(spec, Stage::Llvm, options).find("void @_mlir_ciface_forward_packed("),
            std::string::npos);
  EXPECT_NE(emitStage(spec, Stage::Assembly, options).find("vfmadd"), std::string::npos);
  EXPECT_EQ(emitStage(spec, Stage::Object, options).substr(0, 4), "\177ELF");
  EXPECT_NE(emitStage(spec, Stage::C, options).find("void forward("), std::string::npos);
}

// Q(q) needs no tables, whatever q is: its terms are arithmetic. Anything else has them.
TEST(Stages, CompleteGraphsHaveNoTables) {
  auto vector_program = [](const algebras::Algebra &algebra, int64_t groups) {
    const Spec spec{algebra, algebras::makeLayer(algebras::Lift::rows(algebra), groups * 16, groups * 48),
                    false, ""};
    return emitStage(spec, Stage::Vector, forLevel("x86-64-v4"));
  };
  EXPECT_EQ(vector_program(algebras::completeGraph(256), 256).find("memref.global"), std::string::npos);
  EXPECT_NE(vector_program(algebras::path(8), 8).find("memref.global"), std::string::npos);
}

TEST(Stages, CompilingTwiceGivesTheSameBytes) {
  const Spec spec = makeSpec(layerCase("GraphHalf"));
  TemporaryFolder folder;
  compileBundle(spec, folder.path("a.alg"), forLevel("x86-64-v3"));
  compileBundle(spec, folder.path("b.alg"), forLevel("x86-64-v3"));
  EXPECT_TRUE(folder.read("a.alg") == folder.read("b.alg"));
}

TEST(Bundles, OneSectionForEachLevel) {
  const Spec spec = makeSpec(layerCase("Path"));
  TemporaryFolder folder;
  CompileOptions options;
  options.cpu_levels = {"x86-64-v4", "x86-64-v3"};
  std::vector<size_t> done;
  options.progress = [&](size_t finished, size_t total, const std::string &) {
    EXPECT_EQ(total, 2u);
    done.push_back(finished);
  };
  compileBundle(spec, folder.path("layer.alg"), options);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(done.back(), 2u);
  EXPECT_EQ(folder.fileCount(), 1u) << "nothing else is left behind";
  const std::string bytes = folder.read("layer.alg");
  EXPECT_NE(bytes.find("cpu-x86-64-v3"), std::string::npos);
  EXPECT_NE(bytes.find("cpu-x86-64-v4"), std::string::npos);
}

TEST(Failures, UnknownLevel) {
  EXPECT_THROW(emitStage(makeSpec(layerCase("Path")), Stage::Tile, forLevel("pentium")),
               algebras::InputError);
}

TEST(Failures, UnwritableBundleLeavesNothing) {
  TemporaryFolder folder;
  EXPECT_THROW(
      compileBundle(makeSpec(layerCase("Path")), folder.path("missing/layer.alg"), forLevel("x86-64-v3")),
      algrt::Error);
  EXPECT_EQ(folder.fileCount(), 0u);
}

// k[x]/(x^2 - c): the constant c cannot be held by a kernel, however good the algebra is.
TEST(Failures, CoefficientsBeyondFloatAreRefused) {
  for (const char *constant : {"1", "1e39", "1e-50"}) {
    std::string c = constant;
    c = c == "1e39" ? "1" + std::string(39, '0') : c == "1e-50" ? "1/1" + std::string(50, '0') : c;
    const algebras::Algebra algebra = algebras::tableAlgebra(algebras::parseTable(
        R"({"dimension": 2, "constants": [[0,0,0,"1"],[0,1,1,"1"],[1,0,1,"1"],[1,1,0,")" + c + R"("]]})",
        "root"));
    const Spec spec{algebra, algebras::makeLayer(algebras::Lift::slots(algebra), 8, 8), false, ""};
    if (c == "1")
      EXPECT_NO_THROW(emitStage(spec, Stage::C, forLevel("x86-64-v3")));
    else
      EXPECT_THROW(emitStage(spec, Stage::C, forLevel("x86-64-v3")), algebras::InputError) << c;
  }
}

TEST(Failures, NonassociativeTableIsRefused) {
  Spec spec = makeSpec(layerCase("Lawless"));
  spec.allow_nonassociative = false;
  try {
    emitStage(spec, Stage::Alg, forLevel("x86-64-v3"));
    FAIL() << "a product without laws was taken for an algebra";
  } catch (const std::exception &error) {
    EXPECT_NE(std::string(error.what()).find("not associative"), std::string::npos) << error.what();
  }
}

} // namespace
