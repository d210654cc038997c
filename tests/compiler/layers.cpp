#include "tests/compiler/layers.h"

#include "algebras/expression.h"
#include "tests/algebras/random_algebra.h"

#include <bit>
#include <functional>
#include <ostream>
#include <stdexcept>

namespace compiler_test {

using namespace algebras;

namespace {

// The Clifford algebra of a diagonal quadratic form: slot s is the product of the generators in the bits of
// s. Squares of generators are the entries of `metric`, so that (-1, -1) gives the quaternions.
Algebra clifford(const std::vector<Rational> &metric) {
  const int64_t dimension = int64_t{1} << metric.size();
  std::vector<Constant> constants;
  for (int64_t i = 0; i < dimension; ++i)
    for (int64_t j = 0; j < dimension; ++j) {
      int swaps = 0; // generators of i that have to pass smaller ones of j
      for (int64_t rest = i >> 1; rest != 0; rest >>= 1)
        swaps += std::popcount(static_cast<uint64_t>(rest & j));
      Rational value(swaps % 2 == 0 ? 1 : -1);
      for (size_t generator = 0; generator < metric.size(); ++generator)
        if ((i & j) >> generator & 1)
          value *= metric[generator];
      constants.push_back({i, j, i ^ j, value});
    }
  return tableAlgebra(Table("clifford", Field(), dimension, std::move(constants)));
}

// A product without any law, in which several terms of one output slot read the same input slot.
Algebra lawless(std::mt19937 &random, int64_t dimension) {
  std::vector<Constant> constants;
  for (int64_t i = 0; i < dimension; ++i)
    for (int64_t j = 0; j < dimension; ++j)
      for (int64_t k = 0; k < dimension; ++k)
        if (random() % 3 == 0)
          constants.push_back({i, j, k, Rational(1 + static_cast<int64_t>(random() % 9), 7)});
  return tableAlgebra(Table("lawless", Field(), dimension, std::move(constants)));
}

Algebra makeAlgebra(const std::string &name, std::mt19937 &random) {
  if (name == "quaternions")
    return clifford({Rational(-1), Rational(-1)});
  if (name == "clifford-signs")
    return clifford({Rational(1), Rational(-1), Rational(-1)});
  if (name == "clifford-rational")
    return clifford({Rational(-3, 2), Rational(5, 7)});
  if (name == "lawless")
    return lawless(random, 3);
  if (name == "zero")
    return tableAlgebra(Table("zero", Field(), 2, {}));
  if (name == "random-graph")
    while (true) // a graph with no edge to speak of would test nothing
      if (Graph graph = testing_support::randomGraph(random, 7);
          graph.vertexCount() > 3 && graph.edgeCount() > 3)
        return graphAlgebra(graph);
  if (name == "random")
    while (true)
      if (Algebra algebra = testing_support::randomAlgebra(random, 40); algebra.positions() > 3)
        return algebra;
  return parseExpression(name);
}

Groups makeGroups(Cut cut, int64_t count, std::mt19937 &random) {
  auto below = [&](uint32_t bound) { return static_cast<int64_t>(random() % bound); };
  switch (cut) {
  case Cut::Even:
    return Groups::equal(count, 2 + 2 * below(12));
  case Cut::Odd:
    return Groups::equal(count, 3 + 2 * below(12));
  case Cut::One:
    return Groups::equal(count, 1);
  case Cut::Full:
    return Groups::equal(count, 32);
  case Cut::Unequal: {
    std::vector<int64_t> widths;
    for (int64_t group = 0; group < count; ++group)
      widths.push_back(1 + below(23));
    widths.front() = 1;
    widths.back() = 17;
    return Groups::explicitWidths(widths);
  }
  }
  throw std::logic_error("every cut is above");
}

} // namespace

const std::vector<LayerCase> &layerCases() {
  constexpr DataType f32 = DataType::F32, bf16 = DataType::BF16;
  static const std::vector<LayerCase> cases = {
      {"CompleteEven", "Q(5)", "rows", f32, Cut::Even, Cut::Even, "cyclic"},
      {"CompleteEvenHalf", "Q(6)", "rows", bf16, Cut::Even, Cut::Full, "cyclic"},
      {"CompleteOddHalf", "Q(4)", "rows", bf16, Cut::Odd, Cut::Odd, "interval(5)"},
      {"CompleteUnequal", "Q(4)", "rows", f32, Cut::Unequal, Cut::Unequal, "interval(3)"},
      {"CompleteUnequalHalf", "Q(5)", "rows", bf16, Cut::Unequal, Cut::Unequal, "explicit"},
      {"CompleteOne", "Q(8)", "rows", f32, Cut::One, Cut::Odd, "explicit"},
      {"CompleteOneOut", "Q(7)", "rows", bf16, Cut::Odd, Cut::One, "cyclic"},
      {"CompleteManyTypes", "Q(32)", "rows", f32, Cut::Even, Cut::Odd, "cyclic"},
      {"CompleteSingle", "Q(1)", "rows", f32, Cut::Odd, Cut::Odd, "cyclic"},
      {"Triangular", "T(4)", "rows", f32, Cut::Unequal, Cut::Even, "cyclic"},
      {"TriangularHalf", "T(5)", "rows", bf16, Cut::Unequal, Cut::Unequal, "cyclic"},
      {"Path", "path(5)", "rows", f32, Cut::Odd, Cut::Full, "interval(4)"},
      {"Graph", "random-graph", "rows", f32, Cut::Unequal, Cut::Unequal, "explicit"},
      {"GraphHalf", "random-graph", "rows", bf16, Cut::Odd, Cut::Even, "interval(2)"},
      {"Power", "Q(2)^3", "rows", f32, Cut::Odd, Cut::Odd, "cyclic"},
      {"PowerHalf", "Q(2)^2", "rows", bf16, Cut::Full, Cut::Full, "interval(16)"},
      {"Tensor", "Q(3)*T(2)", "rows", bf16, Cut::Unequal, Cut::Unequal, "interval(3)"},
      {"MatrixFactor", "Q(3)*M(2)", "rows", f32, Cut::Odd, Cut::Even, "cyclic"},
      {"MatrixFactorUnequal", "Q(3)*M(2)", "rows", f32, Cut::Unequal, Cut::Unequal, "explicit"},
      {"MatrixFactorFirst", "M(2)*Q(3)", "rows", bf16, Cut::Even, Cut::Unequal, "cyclic"},
      {"Coordinates", "D(3)", "rows", f32, Cut::Even, Cut::Odd, "interval(2)"},
      {"DirectProduct", "Q(3)+path(2)", "rows", f32, Cut::Unequal, Cut::Odd, "explicit"},
      {"Random", "random", "rows", f32, Cut::Unequal, Cut::Unequal, "interval(2)"},
      {"RandomHalf", "random", "rows", bf16, Cut::Odd, Cut::Unequal, "cyclic"},
      {"Quaternions", "quaternions", "slots", f32, Cut::Odd, Cut::Odd},
      {"QuaternionsHalf", "quaternions", "slots", bf16, Cut::Odd, Cut::Even},
      {"CliffordSigns", "clifford-signs", "slots", bf16, Cut::Even, Cut::Full},
      {"CliffordRational", "clifford-rational", "slots", f32, Cut::Even, Cut::Odd},
      {"CliffordRationalHalf", "clifford-rational", "slots", bf16, Cut::Odd, Cut::Full},
      {"GraphSlots", "random-graph", "slots", f32, Cut::One, Cut::Odd},
      {"MatrixSlots", "M(2)", "slots", bf16, Cut::Odd, Cut::One},
      {"Lawless", "lawless", "slots", f32, Cut::Odd, Cut::Even},
      {"ZeroProduct", "zero", "slots", f32, Cut::Even, Cut::Odd},
  };
  return cases;
}

const LayerCase &layerCase(const std::string &name) {
  for (const LayerCase &which : layerCases())
    if (which.name == name)
      return which;
  throw std::out_of_range("no layer is called " + name);
}

compiler::Spec makeSpec(const LayerCase &which) {
  // A seed from the name, so that adding a case changes no other.
  uint32_t seed = 2166136261u;
  for (char letter : which.name)
    seed = (seed ^ static_cast<unsigned char>(letter)) * 16777619u;
  std::mt19937 random(seed);
  const Algebra algebra = makeAlgebra(which.algebra, random);
  const Lift lift = Lift::parse(which.lift, algebra);
  Layer layer{lift, makeGroups(which.in, lift.inputGroups(), random),
              makeGroups(which.out, lift.outputGroups(), random), which.dtype,
              RowTypes::parse(which.row_types, lift.types())};
  layer.validate();
  return {algebra, layer, /*allow_nonassociative=*/which.algebra == "lawless", which.name};
}

void PrintTo(const LayerCase &which, std::ostream *stream) { *stream << which.name; }

std::vector<std::string> levelsHere() {
  std::vector<std::string> levels;
  if (__builtin_cpu_supports("x86-64-v3"))
    levels = {"x86-64-v3", "native"};
  if (__builtin_cpu_supports("x86-64-v4"))
    levels.push_back("x86-64-v4");
  return levels;
}

} // namespace compiler_test
