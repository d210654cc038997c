// What the engine certifies, the checker accepts; and the claims are the facts.
#include "tests/certificates/samples.h"

#include "algebras/constructions.h"
#include "algebras/expression.h"
#include "algebras/facts.h"
#include "tests/algebras/check_decomposition.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace {

using namespace algebras;
using testing_support::certificateOf;
using testing_support::refusal;

template <typename Value> nlohmann::json orNull(const std::optional<Value> &value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

// The numbers that the facts and the certificate both have come from different code.
void expectFacts(const nlohmann::json &claims, const Algebra &algebra) {
  Facts facts = deriveFacts(algebra);
  EXPECT_EQ(claims["associative"], *facts.associative);
  EXPECT_EQ(claims["unital"], *facts.unital);
  EXPECT_EQ(claims["commutative"], *facts.commutative);
  EXPECT_EQ(claims["nonzeros"], facts.nonzeros);
  if (!*facts.associative || !*facts.unital)
    return;
  EXPECT_EQ(claims["center_dimension"], orNull(facts.center_dimension));
  EXPECT_EQ(claims["radical_dimension"], orNull(facts.radical_dimension));
  EXPECT_EQ(claims["radical_series"], orNull(facts.radical_series));
  EXPECT_EQ(claims["maximal_ideals"], orNull(facts.maximal_ideals));
  EXPECT_EQ(claims["alder_strassen"], orNull(facts.alder_strassen));
  EXPECT_LE(claims["rank_lower"], orNull(facts.rank_upper));
  EXPECT_GE(claims["rank_upper"], orNull(facts.rank_lower));
  EXPECT_LE(claims["rank_lower"], claims["rank_upper"]);
}

void expectRoundTrip(const Algebra &algebra) {
  SCOPED_TRACE(algebra.name() + " over " + algebra.field().name());
  nlohmann::json certificate = certificateOf(algebra);
  EXPECT_EQ(refusal(certificate), std::nullopt) << certificate;
  expectFacts(certificate["claims"], algebra);
}

TEST(RoundTrip, KnownTables) {
  std::vector<Algebra> tables = testing_support::knownTables();
  EXPECT_GE(tables.size(), 26u);
  for (const Algebra &algebra : tables)
    expectRoundTrip(algebra);
}

TEST(RoundTrip, ConstructionsAndFields) {
  for (const Algebra &algebra : testing_support::smallSamples())
    expectRoundTrip(algebra);
}

TEST(RoundTrip, DenseBases) {
  for (const Algebra &algebra : testing_support::denseSamples())
    expectRoundTrip(algebra);
}

// In a basis of its own the table is sparse again, which makes all checks cheap.
TEST(RoundTrip, LargeDenseBases) {
  for (const Algebra &algebra : testing_support::largeDenseSamples()) {
    nlohmann::json node = certificateOf(algebra)["algebra"];
    ASSERT_TRUE(node.contains("basis"));
    EXPECT_LT(10 * node["basis"]["constants"].size(), node["constants"].size());
    expectRoundTrip(algebra);
  }
}

// Strictly upper triangular matrices: the identity is adjoined to find the basis, and left out again.
TEST(RoundTrip, ALargeDenseBasisWithoutIdentity) {
  constexpr std::int64_t kOrder = 10;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> slots;
  for (std::int64_t i = 0; i < kOrder; ++i)
    for (std::int64_t j = i + 1; j < kOrder; ++j)
      slots.emplace(std::pair(i, j), std::ssize(slots));
  for (const char *field : {"Q", "GF(3)"}) {
    std::vector<Constant> constants;
    for (const auto &[left, i] : slots)
      for (const auto &[right, j] : slots)
        if (left.second == right.first)
          constants.push_back({i, j, slots.at({left.first, right.second}), Rational(1)});
    Table table("nilpotent", Field::parse(field), std::ssize(slots), constants);
    std::mt19937 random(2);
    for (int again = 0; again < 3; ++again)
      table = testing_support::denseBasis(table, random);
    nlohmann::json certificate = certificateOf(tableAlgebra(table));
    EXPECT_EQ(refusal(certificate), std::nullopt);
    EXPECT_TRUE(certificate["algebra"].contains("basis"));
    EXPECT_EQ(certificate["claims"]["unital"], false);
    EXPECT_EQ(certificate["claims"]["associative"], true);
    // Its nonzero products stand for an algorithm: those of the second table are few.
    EXPECT_LT(certificate["claims"]["rank_upper"], certificate["claims"]["nonzeros"]);
  }
}

// The slots go through the powers of the radical, but those of its square are no multiples of products: a a =
// u + v and b b = u - v. So there is another basis, of products.
TEST(RoundTrip, SlotsThatAreNoProducts) {
  std::vector<Constant> constants;
  for (std::int64_t slot = 0; slot < 5; ++slot) {
    constants.push_back({0, slot, slot, Rational(1)});
    if (slot > 0)
      constants.push_back({slot, 0, slot, Rational(1)});
  }
  for (std::int64_t k : {3, 4}) {
    constants.push_back({1, 1, k, Rational(1)});
    constants.push_back({2, 2, k, Rational(k == 3 ? 1 : -1)});
  }
  Algebra algebra = tableAlgebra(Table("sums", Field::rationals(), 5, constants));
  EXPECT_TRUE(certificateOf(algebra)["algebra"].contains("basis"));
  expectRoundTrip(algebra);
}

TEST(RoundTrip, StructuredOnesAreSmall) {
  struct {
    const char *expression;
    std::size_t most;
  } cases[] = {{"Q(2)^8", 1000}, {"Q(2)^20", 1500}, {"Q(64)*M(4)", 8000}, {"Q(64)", 5000}, {"T(20)", 10000}};
  for (const auto &[expression, most] : cases) {
    nlohmann::json certificate = certificateOf(parseExpression(expression));
    EXPECT_LE(certificate.dump().size(), most) << expression;
    EXPECT_EQ(refusal(certificate), std::nullopt) << expression;
  }
}

TEST(RoundTrip, SharperBounds) {
  nlohmann::json claims = certificateOf(parseExpression("Q(2)^2"))["claims"];
  EXPECT_EQ(claims["rank_lower"], 29);
  EXPECT_EQ(claims["rank_lower_rule"], "peirce");
  claims = certificateOf(parseExpression("T(3)"))["claims"];
  EXPECT_EQ(claims["rank_lower"], 10);
  EXPECT_EQ(claims["rank_upper"], 10);
  claims = certificateOf(parseExpression("M(3)"))["claims"];
  EXPECT_EQ(claims["rank_lower_rule"], "blaser-2003");
  EXPECT_EQ(claims["rank_upper"], 23);
  claims = certificateOf(parseExpression("M(2)*M(2)"))["claims"];
  EXPECT_EQ(claims["rank_upper"], 49);
  // The gain does not add over direct products.
  EXPECT_EQ(certificateOf(parseExpression("T(3)+T(3)"))["claims"]["rank_lower"], 2 * 12 - 6 + 1);
}

// x^4 + 1 factors modulo every prime: its certificate has a prime value.
TEST(RoundTrip, IrreducibleWithoutAPrimeModulus) {
  for (const Algebra &algebra : testing_support::smallSamples())
    if (algebra.name() == "Q(zeta_8)") {
      nlohmann::json component = certificateOf(algebra)["algebra"]["proof"]["components"][0];
      EXPECT_TRUE(component["irreducible"].contains("at")) << component;
    }
}

} // namespace
