// Bound quiver algebras against brute force: paths are enumerated one by one, and quotients by linear
// relations are computed as quotients of a truncated path algebra by linear algebra.
#include "algebras/associativity.h"
#include "algebras/constructions.h"
#include "algebras/error.h"
#include "algebras/expression.h"
#include "algebras/facts.h"
#include "algebras/quiver/bound_quiver.h"
#include "tests/algebras/reference.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace {

using namespace algebras;

// A quiver of up to 4 vertices with up to 6 arrows.
Quiver randomQuiver(std::mt19937 &random) {
  int64_t vertices = 1 + random() % 4, arrows = random() % 7;
  std::vector<std::string> names;
  for (int64_t vertex = 0; vertex < vertices; ++vertex)
    names.push_back(fmt::format("{}", vertex));
  std::vector<Arrow> list;
  for (int64_t arrow = 0; arrow < arrows; ++arrow)
    list.push_back({fmt::format("a{}", arrow), static_cast<int64_t>(random() % vertices),
                    static_cast<int64_t>(random() % vertices)});
  return Quiver(names, list);
}

struct PlainPath {
  int64_t source, target;
  Word word;
  bool operator<(const PlainPath &other) const {
    return std::tie(source, target, word) < std::tie(other.source, other.target, other.word);
  }
};

// All paths of fewer than `below` arrows, one after the other.
std::vector<PlainPath> allPaths(const Quiver &quiver, size_t below) {
  std::vector<PlainPath> result;
  for (int64_t vertex = 0; vertex < quiver.vertexCount(); ++vertex)
    result.push_back({vertex, vertex, {}});
  for (size_t index = 0; index < result.size(); ++index)
    if (result[index].word.size() + 1 < below)
      for (int64_t arrow = 0; arrow < quiver.arrowCount(); ++arrow)
        if (quiver.arrow(arrow).source == result[index].target) {
          PlainPath next = result[index];
          next.word.push_back(static_cast<char32_t>(arrow));
          next.target = quiver.arrow(arrow).target;
          result.push_back(next);
        }
  return result;
}

TEST(QuiverRelations, MonomialRelationsAgainstEnumeration) {
  std::mt19937 random(5);
  int finite = 0;
  for (int round = 0; round < 120; ++round) {
    Quiver quiver = randomQuiver(random);
    std::vector<PlainPath> candidates = allPaths(quiver, 4);
    std::vector<Relation> relations;
    std::vector<Word> forbidden;
    for (const PlainPath &path : candidates)
      if (path.word.size() >= 1 && random() % 3 == 0) {
        relations.push_back({path.source, path.target, {{path.word, Rational(1)}}});
        forbidden.push_back(path.word);
      }
    auto survives = [&](const Word &word) {
      return std::none_of(forbidden.begin(), forbidden.end(),
                          [&](const Word &bad) { return word.find(bad) != Word::npos; });
    };
    // Paths of up to 40 arrows: with at most 4 * 85 states, a longer one exists only when there are
    // infinitely many, but the frontier of those that survive stays small.
    std::vector<PlainPath> paths, frontier;
    for (int64_t vertex = 0; vertex < quiver.vertexCount(); ++vertex)
      frontier.push_back({vertex, vertex, {}});
    for (int length = 0; length < 400 && !frontier.empty() && paths.size() < 4000; ++length) {
      paths.insert(paths.end(), frontier.begin(), frontier.end());
      std::vector<PlainPath> next;
      for (const PlainPath &path : frontier)
        for (int64_t arrow = 0; arrow < quiver.arrowCount(); ++arrow)
          if (quiver.arrow(arrow).source == path.target) {
            Word word = path.word + static_cast<char32_t>(arrow);
            if (survives(word.size() > 3 ? word.substr(word.size() - 3) : word))
              next.push_back({path.source, quiver.arrow(arrow).target, word});
          }
      frontier = std::move(next);
    }
    if (!frontier.empty()) {
      EXPECT_THROW(quiverAlgebra(quiver, relations), InputError);
      continue;
    }
    ++finite;
    Algebra algebra = quiverAlgebra(quiver, relations);
    std::sort(paths.begin(), paths.end(), [](const PlainPath &a, const PlainPath &b) {
      return std::tuple(a.source, a.target, a.word.size(), a.word) <
             std::tuple(b.source, b.target, b.word.size(), b.word);
    });
    ASSERT_EQ(algebra.dimension(), static_cast<int64_t>(paths.size()));
    std::map<PlainPath, int64_t> numbers;
    for (size_t slot = 0; slot < paths.size(); ++slot) {
      EXPECT_EQ(algebra.slotName(slot), pathText(quiver, paths[slot].source, paths[slot].word));
      numbers[paths[slot]] = static_cast<int64_t>(slot);
    }
    std::vector<Constant> constants;
    for (const auto &[left, i] : numbers)
      for (const auto &[right, j] : numbers)
        if (left.target == right.source)
          if (auto product = numbers.find({left.source, right.target, left.word + right.word});
              product != numbers.end())
            constants.push_back({i, j, product->second, Rational(1)});
    EXPECT_TRUE(algebra.expand().sameProduct(Table("", Field(), algebra.dimension(), constants)));
    EXPECT_EQ(algebra.nonzeros(), static_cast<int64_t>(constants.size()));
    if (algebra.dimension() > 40)
      continue;
    reference::Product product(algebra.expand());
    Facts facts = deriveFacts(algebra);
    EXPECT_EQ(facts.radical_series, product.radicalSeries()) << algebra.expression();
    EXPECT_EQ(facts.center_dimension, product.centerDimension());
    EXPECT_EQ(*facts.commutative, product.isCommutative());
    EXPECT_EQ(parseExpression(algebra.expression()).expression(), algebra.expression());
  }
  EXPECT_GT(finite, 24);
}

// dim of (paths of fewer than `below` arrows, longer ones zero) / relations, modulo p: the ideal is spanned
// by left * relation * right.
int64_t quotientDimension(const Quiver &quiver, const std::vector<Relation> &relations, size_t below,
                          uint64_t p = reference::reference_prime) {
  std::vector<PlainPath> paths = allPaths(quiver, below);
  std::map<PlainPath, size_t> columns;
  for (const PlainPath &path : paths)
    columns.emplace(path, columns.size());
  reference::Matrix rows;
  for (const Relation &relation : relations)
    for (const PlainPath &left : paths)
      for (const PlainPath &right : paths) {
        size_t shortest = left.word.size() + relation.sum.begin()->first.size() + right.word.size();
        if (left.target != relation.source || right.source != relation.target || shortest >= below)
          continue;
        reference::Vector row(columns.size(), 0);
        for (const auto &[word, value] : relation.sum)
          if (left.word.size() + word.size() + right.word.size() < below)
            row[columns.at({left.source, right.target, left.word + word + right.word})] =
                value.integerModulo(p).value();
        rows.push_back(row);
      }
  return static_cast<int64_t>(paths.size()) - reference::rank(rows, p);
}

TEST(QuiverRelations, LinearRelationsAgainstLinearAlgebra) {
  std::mt19937 random(11);
  int with_sums = 0;
  for (int round = 0; round < 60; ++round) {
    Quiver quiver = randomQuiver(random);
    constexpr size_t length_limit = 5;
    if (allPaths(quiver, length_limit).size() > 150)
      continue;
    std::vector<Relation> relations;
    // Sums of paths of equal lengths and ends, and all paths of length_limit - 1 arrows and of length_limit:
    // finite.
    std::map<std::tuple<int64_t, int64_t, size_t>, Relation> sums;
    for (const PlainPath &path : allPaths(quiver, length_limit + 1)) {
      if (path.word.size() == length_limit)
        relations.push_back({path.source, path.target, {{path.word, Rational(1)}}});
      else if (path.word.size() >= 2 && random() % 2) {
        Relation &sum = sums[{path.source, path.target, path.word.size()}];
        sum.source = path.source;
        sum.target = path.target;
        sum.sum.emplace(path.word, Rational(1 + static_cast<int64_t>(random() % 5)));
      }
    }
    bool has_sum = false;
    for (const auto &[ends, relation] : sums) {
      has_sum = has_sum || relation.sum.size() > 1;
      relations.push_back(relation);
    }
    with_sums += has_sum;
    Algebra algebra = quiverAlgebra(quiver, relations);
    EXPECT_EQ(algebra.dimension(), quotientDimension(quiver, relations, length_limit))
        << algebra.expression();
    EXPECT_FALSE(findNonassociative(algebra.expand()));
    if (algebra.dimension() <= 40) {
      reference::Product product(algebra.expand());
      Facts facts = deriveFacts(algebra);
      EXPECT_EQ(facts.radical_series, product.radicalSeries()) << algebra.expression();
      EXPECT_EQ(facts.center_dimension, product.centerDimension()) << algebra.expression();
      EXPECT_EQ(*facts.commutative, product.isCommutative());
    }
    EXPECT_TRUE(parseExpression(algebra.expression()).expand().sameProduct(algebra.expand()))
        << algebra.expression();
  }
  EXPECT_GT(with_sums, 10);
}

// Sums of paths of any lengths, idempotents now and then included: over Q and over GF(3).
TEST(QuiverRelations, MixedRelationsAgainstLinearAlgebra) {
  std::mt19937 random(17);
  int compared = 0, zero = 0;
  for (int round = 0; round < 100; ++round) {
    Quiver quiver = randomQuiver(random);
    constexpr size_t length_limit = 4;
    if (allPaths(quiver, length_limit).size() > 90)
      continue;
    Field field = round % 2 ? Field::prime(3) : Field();
    std::vector<Relation> relations;
    std::map<std::pair<int64_t, int64_t>, Relation> sums;
    for (const PlainPath &path : allPaths(quiver, length_limit + 1)) {
      if (path.word.size() == length_limit)
        relations.push_back({path.source, path.target, {{path.word, Rational(1)}}});
      else if (random() % (path.word.empty() ? 12 : 3) == 0) {
        Relation &sum = sums[{path.source, path.target}];
        sum.source = path.source;
        sum.target = path.target;
        sum.sum.emplace(path.word, Rational(1 + static_cast<int64_t>(random() % 2)));
      }
    }
    for (const auto &[ends, relation] : sums)
      relations.push_back(relation);
    std::shuffle(relations.begin(), relations.end(), random);
    int64_t expected = quotientDimension(quiver, relations, length_limit,
                                         field.isRationals() ? reference::reference_prime : 3);
    if (expected == 0) {
      EXPECT_THROW(quiverAlgebra(quiver, relations, field), InputError);
      ++zero;
      continue;
    }
    Algebra algebra = quiverAlgebra(quiver, relations, field);
    EXPECT_EQ(algebra.dimension(), expected) << algebra.expression();
    Facts facts = deriveFacts(algebra);
    Facts again = deriveFacts(tableAlgebra(algebra.expand()));
    EXPECT_TRUE(*again.associative);
    EXPECT_EQ(facts.identity, again.identity);
    EXPECT_EQ(facts.commutative, again.commutative);
    EXPECT_EQ(facts.radical_series, again.radical_series) << algebra.expression();
    EXPECT_EQ(facts.center_dimension, again.center_dimension) << algebra.expression();
    EXPECT_EQ(facts.simple_components, again.simple_components) << algebra.expression();
    ++compared;
  }
  EXPECT_GT(compared, 40);
  EXPECT_GT(zero, 0);
}

} // namespace
