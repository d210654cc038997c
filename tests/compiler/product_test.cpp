// Compiled layers against dense matrices.
#include "algebras/constructions.h"
#include "tests/compiler/compiled_layer.h"
#include "tests/compiler/layers.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace compiler_test;
using algebras::DataType;
using algebras::Layer;
using algebras::RowTypes;

double relativeError(const std::vector<double> &actual, const std::vector<double> &expected) {
  double error = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    error += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return norm == 0 ? std::sqrt(error) : std::sqrt(error / norm);
}

Batch randomBatch(const Layer &layer, int64_t m, std::mt19937 &random) {
  Batch batch;
  batch.m = m;
  if (layer.lift.kind() == algebras::Lift::Kind::Rows && layer.row_types.kind() == RowTypes::Kind::Explicit) {
    // Some types more often than others, and in a batch of a few rows some not at all.
    for (int64_t row = 0; row < m; ++row)
      batch.types.push_back(
          static_cast<int32_t>(std::min(random() % layer.lift.types(), random() % layer.lift.types())));
  } else {
    batch.p0 = static_cast<int64_t>(random() % 1000);
    if (random() % 4 == 0) // positions are 64-bit
      batch.p0 += int64_t{1} << 40;
  }
  return batch;
}

bool typesFollowFromPositions(const Layer &layer) {
  return layer.lift.kind() == algebras::Lift::Kind::Slots ||
         layer.row_types.kind() != RowTypes::Kind::Explicit;
}

// Rows at positions of their own, or sequences of any lengths, some of them empty.
Batch scatteredBatch(int64_t m, bool sequences, std::mt19937 &random) {
  Batch batch;
  batch.m = m;
  auto anywhere = [&] {
    const int64_t position = static_cast<int64_t>(random() % 1000);
    return random() % 4 == 0 ? position + (int64_t{1} << 40) : position;
  };
  if (!sequences) {
    for (int64_t row = 0; row < m; ++row)
      batch.positions.push_back(anywhere());
    return batch;
  }
  batch.sequence_starts = {0};
  while (batch.sequence_starts.back() < m) {
    const int64_t begin = batch.sequence_starts.back(), first = anywhere();
    const int64_t length =
        random() % 3 == 0 ? 0 : 1 + static_cast<int64_t>(random()) % std::min<int64_t>(m - begin, 90);
    batch.sequence_starts.push_back(begin + length);
    batch.sequence_positions.push_back(first);
    for (int64_t row = 0; row < length; ++row)
      batch.positions.push_back(first + row);
  }
  return batch;
}

// Every kernel of a bundle on the same data, with 1, 2 and 5 threads.
void expectProduct(const Layer &layer, const CompiledLayer &compiled, const Batch &batch,
                   std::mt19937 &random) {
  SCOPED_TRACE(testing::Message() << batch.m << " rows from position " << batch.p0);
  auto padding = [&] { return static_cast<int64_t>(random() % 3 * (random() % 21)); };
  PaddedMatrix x(batch.m, layer.in.total(), padding(), layer.dtype);
  PaddedMatrix w(layer.in.total(), weightColumns(layer), padding(), layer.dtype);
  x.fill(random);
  w.fill(random);
  const std::vector<double> expected = DenseProduct(layer, w.values()).multiply(batch, x.values());
  const int64_t y_padding = padding();
  for (int kernel = -1; kernel < static_cast<int>(compiled.kernels().size()); ++kernel) {
    SCOPED_TRACE(kernel < 0 ? "chosen by the runtime" : compiled.kernels()[static_cast<size_t>(kernel)]);
    std::vector<char> alone;
    for (int threads : {1, 2, 5}) {
      PaddedMatrix y(batch.m, layer.out.total(), y_padding, layer.dtype);
      compiled.multiply(batch, x, w, y, kernel, threads);
      EXPECT_TRUE(y.paddingIntact()) << threads << " threads wrote between the rows of y";
      if (threads == 1) {
        alone.assign(y.bytes().begin(), y.bytes().end());
        const double error = relativeError(y.values(), expected);
        // Not EXPECT_GT: an error that is not a number has to fail.
        EXPECT_TRUE(error < (layer.dtype == DataType::F32 ? 1e-5 : 4e-3)) << "relative error " << error;
      } else {
        EXPECT_TRUE(std::ranges::equal(y.bytes(), alone)) << threads << " threads give other bits than one";
      }
    }
  }
}

// The gradient of X on fresh data, with 1, 2 and 5 threads.
void expectDx(const Layer &layer, const CompiledLayer &compiled, const Batch &batch, std::mt19937 &random) {
  SCOPED_TRACE(testing::Message() << "dx of " << batch.m << " rows from position " << batch.p0);
  auto padding = [&] { return static_cast<int64_t>(random() % 3 * (random() % 21)); };
  PaddedMatrix dy(batch.m, layer.out.total(), padding(), layer.dtype);
  PaddedMatrix w(layer.in.total(), weightColumns(layer), padding(), layer.dtype);
  dy.fill(random);
  w.fill(random);
  const std::vector<double> expected = DenseProduct(layer, w.values()).multiplyTransposed(batch, dy.values());
  const int64_t dx_padding = padding();
  std::vector<char> alone;
  for (int threads : {1, 2, 5}) {
    PaddedMatrix dx(batch.m, layer.in.total(), dx_padding, layer.dtype);
    compiled.differentiate(batch, dy, w, dx, threads);
    EXPECT_TRUE(dx.paddingIntact()) << threads << " threads wrote between the rows of dx";
    if (threads == 1) {
      alone.assign(dx.bytes().begin(), dx.bytes().end());
      const double error = relativeError(dx.values(), expected);
      EXPECT_TRUE(error < (layer.dtype == DataType::F32 ? 1e-5 : 4e-3)) << "relative error " << error;
    } else {
      EXPECT_TRUE(std::ranges::equal(dx.bytes(), alone)) << threads << " threads give other bits than one";
    }
  }
}

// The gradient of the weight matrix in both types, written and added to, with 1, 2 and 5 threads.
void expectDw(const Layer &layer, const CompiledLayer &compiled, const Batch &batch, std::mt19937 &random) {
  SCOPED_TRACE(testing::Message() << "dw of " << batch.m << " rows from position " << batch.p0);
  auto padding = [&] { return static_cast<int64_t>(random() % 3 * (random() % 21)); };
  const int64_t k = layer.in.total(), columns = weightColumns(layer);
  PaddedMatrix x(batch.m, k, padding(), layer.dtype), dy(batch.m, layer.out.total(), padding(), layer.dtype);
  x.fill(random);
  dy.fill(random);
  const std::vector<double> gradient = weightGradient(layer, batch, x.values(), dy.values());
  for (DataType type : {DataType::F32, layer.dtype})
    for (float beta : {0.0f, 1.0f, -0.75f}) {
      SCOPED_TRACE(testing::Message() << "beta " << beta << (type == DataType::F32 ? ", f32" : ", bf16"));
      const int64_t dw_padding = padding();
      const uint32_t before = random();
      std::vector<char> alone;
      for (int threads : {1, 2, 5}) {
        PaddedMatrix dw(k, columns, dw_padding, type);
        std::vector<double> expected = gradient;
        if (beta != 0) { // otherwise what it holds, NaN, must not be read
          std::mt19937 same(before);
          dw.fill(same);
          const std::vector<double> held = dw.values();
          for (size_t i = 0; i < expected.size(); ++i)
            expected[i] += beta * held[i];
        }
        compiled.differentiateWeights(batch, x, dy, dw, beta, threads);
        EXPECT_TRUE(dw.paddingIntact()) << threads << " threads wrote between the rows of dw";
        if (threads == 1) {
          alone.assign(dw.bytes().begin(), dw.bytes().end());
          const double error = relativeError(dw.values(), expected);
          EXPECT_TRUE(error < (type == DataType::F32 ? 1e-5 : 4e-3)) << "relative error " << error;
        } else {
          EXPECT_TRUE(std::ranges::equal(dw.bytes(), alone))
              << threads << " threads give other bits than one";
        }
      }
    }
}

class Product : public testing::TestWithParam<LayerCase> {};

TEST_P(Product, AgreesWithDenseMatrices) {
  const std::vector<std::string> levels = levelsHere();
  if (levels.empty())
    GTEST_SKIP() << "this machine is below x86-64-v3: no kernel that the compiler makes runs on it";
  const compiler::Spec spec = makeSpec(GetParam());
  const Layer &layer = *spec.layer;
  // One level for each case, in turn, and all of them get cases of every kind: compiling is what takes time.
  const size_t number = static_cast<size_t>(&layerCase(GetParam().name) - layerCases().data());
  const std::string &level = levels[number % levels.size()];
  SCOPED_TRACE(level);
  const CompiledLayer compiled(spec, level);
  ASSERT_EQ(compiled.kernels(), (std::vector<std::string>{"packed", "copied", "direct"}));

  std::mt19937 random(static_cast<uint32_t>(number));
  const int64_t fewer = std::max<int64_t>(1, layer.lift.types() - 1);
  for (int64_t m : {int64_t{0}, int64_t{1}, fewer, int64_t{37}, int64_t{301}})
    for (auto expect : {expectProduct, expectDx, expectDw})
      expect(layer, compiled, randomBatch(layer, m, random), random);
  if (!typesFollowFromPositions(layer))
    return;
  SCOPED_TRACE("at positions of their own");
  for (int64_t m : {int64_t{1}, int64_t{53}, int64_t{211}})
    for (auto expect : {expectProduct, expectDx, expectDw})
      for (const bool sequences : {false, true})
        expect(layer, compiled, scatteredBatch(m, sequences, random), random);
}

INSTANTIATE_TEST_SUITE_P(Layers, Product, testing::ValuesIn(layerCases()),
                         [](const testing::TestParamInfo<LayerCase> &info) { return info.param.name; });

// The level of a layer above is chosen by its place in the list; here one of each sort meets all of them.
TEST(Levels, AgreeWithDenseMatrices) {
  for (const std::string &level : levelsHere())
    for (const char *name : {"CompleteUnequalHalf", "QuaternionsHalf"}) {
      SCOPED_TRACE(level + " " + name);
      const compiler::Spec spec = makeSpec(layerCase(name));
      std::mt19937 random(7);
      const CompiledLayer compiled(spec, level);
      for (auto expect : {expectProduct, expectDx, expectDw})
        expect(*spec.layer, compiled, randomBatch(*spec.layer, 53, random), random);
    }
}

TEST(Product, AllRowsOfOneType) {
  if (levelsHere().empty())
    GTEST_SKIP() << "this machine is below x86-64-v3";
  const compiler::Spec spec = makeSpec(layerCase("CompleteOne"));
  const CompiledLayer compiled(spec, levelsHere().front());
  std::mt19937 random(11);
  for (int32_t type : {0, 5, 7}) {
    Batch batch;
    batch.m = 129;
    batch.types.assign(129, type);
    for (auto expect : {expectProduct, expectDx, expectDw})
      expect(*spec.layer, compiled, batch, random);
  }
}

// GPT-2's pipeline: the type of a row is floor((p mod 768) / 192), here over sequences that begin anywhere.
TEST(Product, AQuarterOfAPipelineForEachType) {
  if (levelsHere().empty())
    GTEST_SKIP() << "this machine is below x86-64-v3";
  const algebras::Algebra algebra = algebras::completeGraph(4);
  const Layer layer{algebras::Lift::rows(algebra), algebras::Groups::equal(4, 12),
                    algebras::Groups::equal(4, 20), DataType::F32, RowTypes::interval(4, 192)};
  const CompiledLayer compiled({algebra, layer, false, "Q(4)"}, levelsHere().back());
  std::mt19937 random(17);
  Batch ragged;
  for (const auto &[length, first] : std::vector<std::pair<int64_t, int64_t>>{
           {770, 0}, {0, 5}, {1, 767}, {200, 190}, {33, 768 * 5 + 575}}) {
    if (ragged.sequence_starts.empty())
      ragged.sequence_starts = {0};
    ragged.sequence_starts.push_back(ragged.sequence_starts.back() + length);
    ragged.sequence_positions.push_back(first);
    for (int64_t row = 0; row < length; ++row)
      ragged.positions.push_back(first + row);
  }
  ragged.m = ragged.sequence_starts.back();
  for (int64_t row = 0; row < ragged.m; ++row) // what typeOf says is the pipeline's
    ASSERT_EQ(ragged.typeOf(layer, row), ragged.positions[static_cast<size_t>(row)] % 768 / 192);
  for (auto expect : {expectProduct, expectDx, expectDw})
    expect(layer, compiled, ragged, random);
  // Of one length, which is no whole number of pipelines and is one.
  for (const int64_t rows : {250, 768}) {
    Batch equal;
    equal.m = 2 * rows;
    equal.p0 = 700;
    equal.sequence_rows = rows;
    for (int64_t row = 0; row < equal.m; ++row)
      equal.positions.push_back(equal.p0 + row % rows);
    for (auto expect : {expectProduct, expectDx, expectDw})
      expect(layer, compiled, equal, random);
  }
  Batch one; // all rows of one type
  one.m = 97;
  one.positions.assign(97, 3 * 192 + 5);
  for (auto expect : {expectProduct, expectDx, expectDw})
    expect(layer, compiled, one, random);
}

// A result too large for the caches is stored past them where its rows lie on whole cache lines: here 17 MB,
// once on whole lines and once not.
TEST(Product, LargerThanTheCaches) {
  if (levelsHere().empty())
    GTEST_SKIP() << "this machine is below x86-64-v3";
  const algebras::Algebra algebra = algebras::completeGraph(4);
  const Layer layer{algebras::Lift::rows(algebra), algebras::Groups::equal(4, 2),
                    algebras::Groups::equal(4, 192), DataType::F32, RowTypes::cyclic(4)};
  const CompiledLayer compiled({algebra, layer, false, "Q(4)"}, levelsHere().back());
  std::mt19937 random(13);
  Batch batch;
  batch.m = 5801;
  for (int64_t padding : {0, 1}) {
    PaddedMatrix x(batch.m, 8, 0, DataType::F32), w(8, 768, 0, DataType::F32);
    x.fill(random);
    w.fill(random);
    const std::vector<double> expected = DenseProduct(layer, w.values()).multiply(batch, x.values());
    for (int kernel = 0; kernel < 3; ++kernel) {
      PaddedMatrix y(batch.m, 768, padding, DataType::F32);
      compiled.multiply(batch, x, w, y, kernel, 2);
      EXPECT_LT(relativeError(y.values(), expected), 1e-5) << compiled.kernels()[static_cast<size_t>(kernel)];
      EXPECT_TRUE(y.paddingIntact());
    }
  }
}

} // namespace
