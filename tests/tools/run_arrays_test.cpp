// Arrays of `algctl run`: shapes, row counts, random numbers.
#include "compiler/tools/run_arrays.h"

#include "compiler/process/failure.h"
#include "compiler/spec/usage_error.h"
#include "runtime/numpy/npy.h"
#include "runtime/support/error.h"
#include "tests/tools/temporary_folder.h"

#include <array>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

algrt::Layer rowLayer() {
  algrt::Layer layer{};
  layer.lift = algrt::Lift::Rows;
  layer.dtype = algrt::ElementType::F32;
  layer.k = 6;
  layer.n = 4;
  layer.types = 2;
  layer.row_types = algrt::RowTypesKind::Cyclic;
  layer.row_type_width = 1;
  layer.in_groups = {3, 3};
  layer.out_groups = {2, 2};
  layer.weight_rows = {3, 3};
  return layer;
}

std::string array(const TemporaryFolder &folder, const std::string &name, std::vector<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  std::vector<float> values(static_cast<size_t>(count));
  for (size_t index = 0; index < values.size(); ++index)
    values[index] = 1.0f + static_cast<float>(index) / 1024;
  algrt::writeNpy(folder.path(name), shape, std::span<const float>(values));
  return folder.path(name);
}

std::string failureOf(const algrt::Layer &layer, const compiler::ArraySources &sources) {
  try {
    compiler::makeArrays(layer, sources);
  } catch (const compiler::Failure &failure) {
    return failure.what();
  } catch (const compiler::UsageError &error) {
    return std::string("usage: ") + error.what();
  }
  ADD_FAILURE() << "the arrays are accepted";
  return {};
}

TEST(RunArrays, RandomOnesDependOnTheSeedAlone) {
  compiler::ArraySources sources;
  sources.m = 500;
  compiler::RunArrays first = compiler::makeArrays(rowLayer(), sources),
                      second = compiler::makeArrays(rowLayer(), sources);
  EXPECT_EQ(first.x, second.x);
  EXPECT_EQ(first.w, second.w);
  sources.seed = 2;
  EXPECT_NE(compiler::makeArrays(rowLayer(), sources).x, first.x);
  double square = 0;
  for (float value : first.x)
    square += static_cast<double>(value) * value;
  EXPECT_NEAR(square / static_cast<double>(first.x.size()), 1, 0.1);
}

TEST(RunArrays, ABiasBelongsToTheProductsOfLayersThatHaveOne) {
  TemporaryFolder folder;
  algrt::Layer layer = rowLayer();
  compiler::ArraySources sources;
  sources.m = 3;
  const std::vector<float> x = compiler::makeArrays(layer, sources).x;
  layer.bias = true;
  compiler::RunArrays arrays = compiler::makeArrays(layer, sources);
  EXPECT_EQ(arrays.bias.size(), static_cast<size_t>(layer.n));
  EXPECT_EQ(arrays.x, x);
  EXPECT_TRUE(compiler::makeArrays(layer, sources, algrt::Map::Dx).bias.empty());
  sources.bias = array(folder, "b.npy", {layer.n});
  EXPECT_EQ(compiler::makeArrays(layer, sources).bias.size(), static_cast<size_t>(layer.n));
  layer.bias = false;
  EXPECT_THROW(compiler::makeArrays(layer, sources), compiler::Failure);
}

TEST(RunArrays, FilesGiveTheRows) {
  TemporaryFolder folder;
  compiler::ArraySources sources;
  sources.x = array(folder, "x.npy", {7, 6});
  sources.w = array(folder, "w.npy", {6, 4});
  compiler::RunArrays arrays = compiler::makeArrays(rowLayer(), sources);
  EXPECT_EQ(arrays.m, 7);
  EXPECT_EQ(arrays.x[1], 1.0f + 1.0f / 1024);
  sources.m = 8;
  EXPECT_NE(failureOf(rowLayer(), sources).find("has 7 rows, but --m says 8"), std::string::npos);
}

TEST(RunArrays, ShapesThatDoNotFitNameFileShapeAndNeed) {
  TemporaryFolder folder;
  compiler::ArraySources sources;
  sources.x = array(folder, "x.npy", {6, 7});
  EXPECT_EQ(failureOf(rowLayer(), sources),
            sources.x + " has shape (6, 7), but the layer needs (M, 6): M rows of K features; transposed?");
  sources.x = array(folder, "x0.npy", {5, 7});
  EXPECT_EQ(failureOf(rowLayer(), sources),
            sources.x + " has shape (5, 7), but the layer needs (M, 6): M rows of K features");
  sources.x = array(folder, "x1.npy", {6});
  EXPECT_NE(failureOf(rowLayer(), sources).find("has shape (6,)"), std::string::npos);
  sources.x = array(folder, "x2.npy", {2, 6});
  sources.w = array(folder, "w.npy", {4, 6});
  EXPECT_EQ(failureOf(rowLayer(), sources),
            sources.w + " has shape (4, 6), but the layer needs (6, 4): transposed? Weights are (in, out), "
                        "those of torch.nn.Linear (out, in)");
  sources.w = array(folder, "w1.npy", {6, 6});
  EXPECT_EQ(failureOf(rowLayer(), sources), sources.w + " has shape (6, 6), but the layer needs (6, 4)");
}

TEST(RunArrays, FilesMayHaveNoRows) {
  TemporaryFolder folder;
  compiler::ArraySources sources;
  sources.x = array(folder, "x.npy", {0, 6});
  EXPECT_EQ(compiler::makeArrays(rowLayer(), sources).m, 0);
  sources.m = 1;
  EXPECT_NE(failureOf(rowLayer(), sources).find("has 0 rows, but --m says 1"), std::string::npos);
}

TEST(RunArrays, PositionsGiveTheRowsAndTheirTypes) {
  TemporaryFolder folder;
  const auto integers = [&](const std::string &name, const std::vector<int64_t> &values) {
    algrt::writeNpy(folder.path(name), std::vector<int64_t>{static_cast<int64_t>(values.size())},
                    std::span<const int64_t>(values));
    return folder.path(name);
  };
  algrt::Layer layer = rowLayer();
  layer.row_types = algrt::RowTypesKind::Interval;
  layer.row_type_width = 3;
  compiler::ArraySources sources;
  sources.positions.positions = integers("p.npy", {0, 2, 3, 5, 6, 1000000000007});
  compiler::RunArrays arrays = compiler::makeArrays(layer, sources);
  EXPECT_EQ(arrays.m, 6);
  EXPECT_EQ(arrays.positions.types(layer, 6, 0), (std::vector<int32_t>{0, 0, 1, 1, 0, 1}));
  sources.offset = 4;
  EXPECT_EQ(failureOf(layer, sources),
            "usage: --offset is for rows one after another: leave it out with --positions");
  sources.offset = 0;

  compiler::ArraySources ragged;
  ragged.positions.sequence_starts = integers("s.npy", {0, 2, 2, 6});
  EXPECT_EQ(compiler::makeArrays(layer, ragged).positions.types(layer, 6, 0),
            (std::vector<int32_t>{0, 0, 0, 0, 0, 1}));
  ragged.positions.sequence_positions = integers("sp.npy", {2, 9, 5});
  EXPECT_EQ(compiler::makeArrays(layer, ragged).positions.types(layer, 6, 0),
            (std::vector<int32_t>{0, 1, 1, 0, 0, 0}));

  compiler::ArraySources equal;
  equal.m = 8;
  equal.positions.sequence_rows = 4;
  EXPECT_EQ(compiler::makeArrays(layer, equal).positions.types(layer, 8, 1),
            (std::vector<int32_t>{0, 0, 1, 1, 0, 0, 1, 1}));

  ragged.positions.positions = sources.positions.positions;
  EXPECT_THAT(failureOf(layer, ragged),
              testing::AllOf(testing::StartsWith("usage: "), testing::HasSubstr("give one of them")));
  ragged.positions.positions.clear();
  ragged.positions.sequence_starts.clear();
  EXPECT_THAT(failureOf(layer, ragged),
              testing::AllOf(testing::StartsWith("usage: "),
                             testing::HasSubstr("give their first rows with --sequence-starts")));
  ragged.positions.sequence_starts = integers("bad.npy", {0, -2});
  EXPECT_NE(failureOf(layer, ragged).find("ends with -2, needs the number of rows"), std::string::npos);
  ragged.positions.sequence_starts = integers("none.npy", {});
  EXPECT_NE(failureOf(layer, ragged).find("is empty, needs the number of rows"), std::string::npos);
  sources.positions.positions = array(folder, "x.npy", {3});
  EXPECT_THROW(compiler::makeArrays(layer, sources), algrt::Error) << "of float";
  layer.row_types = algrt::RowTypesKind::ExplicitTypes;
  sources.types = "";
  EXPECT_NE(failureOf(layer, sources).find("leave --positions, --sequence-starts and --sequence-rows out"),
            std::string::npos);
}

TEST(RunArrays, TheSlotLiftTakesBlocksOrAMatrix) {
  algrt::Layer layer = rowLayer();
  layer.lift = algrt::Lift::Slots;
  layer.types = 1;
  TemporaryFolder folder;
  compiler::ArraySources sources;
  sources.m = 1;
  sources.w = array(folder, "blocks.npy", {2, 3, 2});
  std::vector<float> blocks = compiler::makeArrays(layer, sources).w;
  sources.w = array(folder, "matrix.npy", {6, 2});
  EXPECT_EQ(compiler::makeArrays(layer, sources).w, blocks);
  sources.w = array(folder, "dense.npy", {6, 4});
  EXPECT_NE(failureOf(layer, sources).find("needs (2, 3, 2) or (6, 2)"), std::string::npos);
}

TEST(RunArrays, Bfloat16IsRoundedOnTheWayIn) {
  algrt::Layer layer = rowLayer();
  layer.dtype = algrt::ElementType::Bf16;
  TemporaryFolder folder;
  compiler::ArraySources sources;
  sources.x = array(folder, "x.npy", {1, 6});
  // Ties between 1 and 1 + 2^-7 at 4/1024 go to the even 1.
  EXPECT_EQ(compiler::makeArrays(layer, sources).x[4], 1.0f);
  EXPECT_EQ(compiler::makeArrays(layer, sources).x[5], 1.0f + 1.0f / 128);
}

TEST(RunArrays, TypesBelongToExplicitSchedules) {
  TemporaryFolder folder;
  std::vector<int32_t> values{0, 1, 1};
  std::array<int64_t, 1> shape{3};
  algrt::writeNpy(folder.path("t.npy"), shape, std::span<const int32_t>(values));
  compiler::ArraySources sources;
  sources.types = folder.path("t.npy");
  EXPECT_NE(failureOf(rowLayer(), sources).find("leave --types out"), std::string::npos);
  algrt::Layer layer = rowLayer();
  layer.row_types = algrt::RowTypesKind::ExplicitTypes;
  EXPECT_EQ(compiler::makeArrays(layer, sources).types, values);
  sources.types.clear();
  sources.m = 100;
  for (int32_t type : compiler::makeArrays(layer, sources).types)
    EXPECT_TRUE(type == 0 || type == 1);
}

TEST(RunArrays, TheNumberOfRowsHasToComeFromSomewhere) {
  EXPECT_THROW(compiler::makeArrays(rowLayer(), {}), compiler::UsageError);
}

TEST(RunArrays, MoreThanTheMachineHasIsRefusedBeforeAllocating) {
  compiler::ArraySources sources;
  sources.m = int64_t{1} << 45;
  try {
    compiler::makeArrays(rowLayer(), sources);
    FAIL() << "so much memory is nowhere";
  } catch (const algrt::Error &error) {
    EXPECT_EQ(error.status(), ALGRT_OUT_OF_MEMORY);
    EXPECT_NE(std::string(error.what()).find("M = 35184372088832 rows takes "), std::string::npos)
        << error.what();
  }
  // What the caller takes besides counts, too.
  sources.m = 3;
  int64_t asked = 0;
  sources.further = [&](int64_t m) {
    asked = m;
    return int64_t{1} << 60;
  };
  EXPECT_THROW(compiler::makeArrays(rowLayer(), sources), algrt::Error);
  EXPECT_EQ(asked, 3);
  sources.further = nullptr;
  sources.m = int64_t{1} << 62;
  EXPECT_THROW(compiler::makeArrays(rowLayer(), sources), algrt::Error);
}

} // namespace
