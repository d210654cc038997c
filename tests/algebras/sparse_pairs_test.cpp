// The search for slots that fail, in words and in residues, against the search in rationals.
#include "algebras/associativity.h"
#include "algebras/associativity/slot_generators.h"
#include "algebras/associativity/sparse_pairs.h"
#include "algebras/expression.h"
#include "tests/algebras/random_algebra.h"
#include "tests/algebras/reference.h"
#include "tests/algebras/sparse_basis.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace algebras;
using namespace testing_support;

Table stretched(const Table &table, const Rational &factor) {
  std::vector<Constant> constants = table.constants();
  for (Constant &constant : constants)
    constant.value *= factor;
  return Table("stretched", table.field(), table.dimension(), std::move(constants));
}

TEST(SparsePairs, FirstFailuresOfDamagedTables) {
  std::mt19937 random(21);
  int searched = 0, failures = 0;
  for (const char *field : {"Q", "GF(2)", "GF(7)"})
    for (int round = 0; round < 40; ++round) {
      Table whole =
          rescaled(permuted(randomAlgebra(random, 20, Field::parse(field)).expand(), random), random);
      std::vector<Constant> constants = whole.constants();
      constants[random() % constants.size()].value += Rational(1);
      Table damaged("damaged", whole.field(), whole.dimension(), constants);
      for (const Table &table : {whole, damaged}) {
        std::optional<SparsePairs> pairs = searchSparsePairs(table);
        if (!pairs)
          continue;
        ++searched;
        EXPECT_TRUE(pairs->not_examined.empty());
        EXPECT_EQ(pairs->first_failing.has_value(), !reference::Product(table).isAssociative())
            << printTable(table);
        failures += pairs->first_failing.has_value();
        std::optional<Witness> witness = findNonassociative(table);
        EXPECT_EQ(witness.has_value(), pairs->first_failing.has_value());
        if (witness) {
          EXPECT_EQ(witness->i, *pairs->first_failing);
          EXPECT_TRUE(reference::Product(table).differs(witness->i, witness->j, witness->k, witness->l));
        }
        if (whole.field().isRationals()) {
          // Scaled by one number a table stays what it is: integers beyond words, and denominators.
          for (const char *factor :
               {"1000000000000", "12345678901234567890123", "1/6469693230", "7/1000000000000007"}) {
            std::optional<SparsePairs> same = searchSparsePairs(stretched(table, Rational::parse(factor)));
            ASSERT_TRUE(same);
            EXPECT_EQ(same->first_failing, pairs->first_failing);
          }
        }
      }
    }
  EXPECT_GT(searched, 40);
  EXPECT_GT(failures, 10);
}

// A difference that is a multiple of the first primes, and of 2^64, is a difference.
TEST(SparsePairs, NoResidueIsTakenForZero) {
  for (const char *text :
       {"18446744073709551616", "4611686018427387904", "21267647932558653966460912964485513216", "1",
        "340282366920938463463374607431768211456"}) {
    std::vector<Constant> constants;
    constexpr int64_t slots = 24;
    for (int64_t slot = 0; slot < slots; ++slot)
      constants.push_back({slot, slot, slot, Rational(1)});
    constants.push_back({0, 1, 2, Rational::parse(text)}); // (b0 b1) b2 = c b2, and b0 (b1 b2) = 0
    Table table("hidden", Field(), slots, std::move(constants));
    EXPECT_EQ(searchSparsePairs(table).value().first_failing, 0) << text;
  }
  // Coefficients of thousands of digits are left to exact arithmetic.
  std::vector<Constant> constants;
  for (int64_t slot = 0; slot < 24; ++slot)
    constants.push_back({slot, slot, slot, Rational::parse(std::string(5000, '9'))});
  Table table("long", Field(), 24, std::move(constants));
  EXPECT_FALSE(searchSparsePairs(table));
  EXPECT_FALSE(findNonassociative(table));
}

// The span of the chosen slots under products, by brute force.
TEST(SparsePairs, ChosenSlotsGenerate) {
  std::mt19937 random(23);
  for (int round = 0; round < 40; ++round) {
    Table table = withSums(rescaled(randomAlgebra(random, 14, Field()).expand(), random), round % 3, random);
    std::vector<bool> chosen = slotGenerators(table);
    reference::Product product(table);
    reference::Matrix span;
    for (int64_t slot = 0; slot < table.dimension(); ++slot)
      if (chosen[slot])
        span.push_back(product.unit(slot));
    for (int64_t rank = 0; rank < reference::rank(span, reference::reference_prime);) {
      rank = reference::rank(span, reference::reference_prime);
      reference::Matrix larger = span;
      for (const reference::Vector &x : span)
        for (const reference::Vector &y : span)
          larger.push_back(product.multiply(x, y));
      // A basis keeps the number of products small.
      span.clear();
      for (reference::Vector &vector : larger) {
        span.push_back(std::move(vector));
        if (reference::rank(span, reference::reference_prime) < static_cast<int64_t>(span.size()))
          span.pop_back();
      }
    }
    EXPECT_EQ(reference::rank(span, reference::reference_prime), table.dimension()) << printTable(table);
  }
  // Few are needed where much is a product.
  auto count = [](const char *expression) {
    std::vector<bool> chosen = slotGenerators(parseExpression(expression).expand());
    return std::count(chosen.begin(), chosen.end(), true);
  };
  EXPECT_LE(count("M(12)"), 24);
  EXPECT_LE(count("T(12)"), 23);
  EXPECT_LE(count("Q(2)^5"), 32 + 5 * 32);
}

TEST(SparsePairs, ManySlotsOnAllCores) {
  std::mt19937 random(22);
  Table whole = rescaled(permuted(parseExpression("Q(80)").expand(), random), random);
  EXPECT_FALSE(searchSparsePairs(whole).value().first_failing);
  // The last rows alone are damaged; the first of them has to be found.
  std::vector<Constant> constants = whole.constants();
  int64_t late = 6000;
  auto place =
      std::find_if(constants.begin(), constants.end(), [&](const Constant &c) { return c.i >= late; });
  ASSERT_NE(place, constants.end());
  for (auto at = place; at != constants.end(); ++at)
    at->value *= Rational(2);
  Table damaged("damaged", Field(), whole.dimension(), std::move(constants));
  std::optional<Witness> witness = findNonassociative(damaged);
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->i, searchSparsePairs(damaged).value().first_failing);
}

} // namespace
