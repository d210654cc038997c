// The search for slots that fail, in words and in residues, against the search in rationals.
#include "algebras/associativity.h"
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

// The first slot i that fails, by all quadruples.
std::optional<std::int64_t> firstFailing(const Table &table) {
  reference::Product product(table);
  std::int64_t n = table.dimension();
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t k = 0; k < n; ++k)
        for (std::int64_t l = 0; l < n; ++l)
          if (product.differs(i, j, k, l))
            return i;
  return std::nullopt;
}

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
    for (int round = 0; round < 15; ++round) {
      Table whole =
          rescaled(permuted(randomAlgebra(random, 13, Field::parse(field)).expand(), random), random);
      std::vector<Constant> constants = whole.constants();
      constants[random() % constants.size()].value += Rational(1);
      Table damaged("damaged", whole.field(), whole.dimension(), constants);
      for (const Table &table : {whole, damaged}) {
        std::optional<SparsePairs> pairs = searchSparsePairs(table);
        if (!pairs)
          continue;
        ++searched;
        EXPECT_TRUE(pairs->not_examined.empty());
        EXPECT_EQ(pairs->first_failing, firstFailing(table)) << printTable(table);
        failures += pairs->first_failing.has_value();
        std::optional<Witness> witness = findNonassociative(table);
        EXPECT_EQ(witness.has_value(), pairs->first_failing.has_value());
        if (witness)
          EXPECT_EQ(witness->i, *pairs->first_failing);
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
    constexpr std::int64_t kSlots = 24;
    for (std::int64_t slot = 0; slot < kSlots; ++slot)
      constants.push_back({slot, slot, slot, Rational(1)});
    constants.push_back({0, 1, 2, Rational::parse(text)}); // (b0 b1) b2 = c b2, and b0 (b1 b2) = 0
    Table table("hidden", Field(), kSlots, std::move(constants));
    EXPECT_EQ(searchSparsePairs(table).value().first_failing, 0) << text;
  }
  // Coefficients of thousands of digits are left to exact arithmetic.
  std::vector<Constant> constants;
  for (std::int64_t slot = 0; slot < 24; ++slot)
    constants.push_back({slot, slot, slot, Rational::parse(std::string(5000, '9'))});
  Table table("long", Field(), 24, std::move(constants));
  EXPECT_FALSE(searchSparsePairs(table));
  EXPECT_FALSE(findNonassociative(table));
}

TEST(SparsePairs, ManySlotsOnAllCores) {
  std::mt19937 random(22);
  Table whole = rescaled(permuted(parseExpression("Q(80)").expand(), random), random);
  EXPECT_FALSE(searchSparsePairs(whole).value().first_failing);
  // The last rows alone are damaged; the first of them has to be found.
  std::vector<Constant> constants = whole.constants();
  std::int64_t late = 6000;
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
