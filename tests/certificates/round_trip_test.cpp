// What the engine certifies, the checker accepts; and the claims are the facts.
#include "tests/certificates/samples.h"

#include "algebras/certificate/certificate.h"
#include "algebras/constructions.h"
#include "algebras/expression.h"
#include "algebras/facts.h"
#include "tests/algebras/check_decomposition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>
#include <tuple>

namespace {

using namespace algebras;
using testing_support::certificateOf;
using testing_support::refusal;

template <typename Value> nlohmann::json orNull(const std::optional<Value> &value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

// Matrix degrees and division algebras: everything that is known is claimed.
void expectComponents(const nlohmann::json &claims, const Facts &facts) {
  using Kind = std::tuple<int64_t, int64_t, int64_t, int64_t>;
  std::map<Kind, int64_t> claimed, known;
  for (const nlohmann::json &entry : claims) {
    const nlohmann::json &degree = entry["matrix_degree"], &division = entry["division_dimension"];
    claimed[{entry["dimension"], entry["center_degree"], degree.is_null() ? 0 : degree.get<int64_t>(),
             division.is_null() ? 0 : division.get<int64_t>()}] += entry["count"].get<int64_t>();
  }
  for (const auto &[kind, count] : facts.component_kinds)
    known[{kind.dimension, kind.centerDimension(), kind.matrix_degree.value_or(0),
           kind.divisionDimension().value_or(0)}] += count;
  EXPECT_EQ(claimed, known);
}

// The numbers that the facts and the certificate both have come from different code.
void expectFacts(const nlohmann::json &claims, const Algebra &algebra) {
  Facts facts = deriveFacts(algebra);
  EXPECT_EQ(claims["associative"], *facts.associative);
  EXPECT_EQ(claims["unital"], *facts.unital);
  EXPECT_EQ(claims["commutative"], *facts.commutative);
  EXPECT_EQ(claims["nonzeros"], facts.nonzeros);
  EXPECT_EQ(claims.value("left_identity", true), facts.identity || facts.left_identity.has_value());
  EXPECT_EQ(claims.value("right_identity", true), facts.identity || facts.right_identity.has_value());
  if (!*facts.associative || !*facts.unital)
    return;
  expectComponents(claims["simple_components"], facts);
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

// What is known and not claimed is said.
TEST(RoundTrip, SharperFactsAreNamed) {
  auto notes = [](const Algebra &algebra) { return notClaimed(deriveFacts(algebra), certify(algebra)); };
  EXPECT_EQ(notes(parseExpression("Q(2)^2")), std::vector<std::string>());
  size_t sharper = 0;
  for (const Algebra &algebra : testing_support::smallSamples()) {
    Facts facts = deriveFacts(algebra);
    nlohmann::ordered_json claims = certify(algebra).json["claims"];
    bool lower = facts.rank_lower > claims["rank_lower"].get<int64_t>(),
         upper = facts.rank_upper < claims["rank_upper"].get<int64_t>(),
         divides = std::any_of(
             facts.component_kinds.begin(), facts.component_kinds.end(),
             [](const auto &entry) { return !entry.first.division_reason.empty(); });
    EXPECT_EQ(notes(algebra).size(), size_t(lower) + size_t(upper) + size_t(divides)) << algebra.name();
    sharper += lower || upper;
  }
  EXPECT_GT(sharper, 0u);
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

TEST(RoundTrip, FieldsWithoutAnInertPrime) {
  for (const Algebra &algebra : testing_support::fieldSamples())
    expectRoundTrip(algebra);
}

TEST(RoundTrip, DivisionAlgebras) {
  for (const Algebra &algebra : testing_support::divisionSamples())
    expectRoundTrip(algebra);
}

// Bases whose elements have rational coefficients of many digits: nothing is small there.
TEST(RoundTrip, RationalBases) {
  std::mt19937 random(3);
  for (auto samples : {testing_support::fieldSamples, testing_support::divisionSamples})
    for (const Algebra &algebra : samples())
      if (algebra.dimension() <= 6)
        expectRoundTrip(testing_support::inRationalBasis(algebra, random, 12));
}

nlohmann::json centerOf(const char *name) {
  for (const Algebra &algebra : testing_support::fieldSamples())
    if (algebra.name() == name)
      return certificateOf(algebra)["algebra"]["proof"]["components"][0]["center"];
  throw std::logic_error("no such sample");
}

// x^4 + 1 factors modulo every prime. It is shown in two steps: each stays irreducible at one prime of the
// field before.
TEST(RoundTrip, Towers) {
  struct {
    const char *name;
    size_t steps;
  } cases[] = {
      {"Q(zeta_8)", 2},  {"Q(sqrt 2, sqrt 3)", 2}, {"Q(sqrt 2, sqrt 3, sqrt 5)", 3},    {"Q(zeta_7)", 1},
      {"Q(zeta_15)", 2}, {"Q(zeta_16)", 2},        {"closure of Q(cube root of 2)", 2}, {"Q8", 2}};
  for (const auto &[name, steps] : cases) {
    nlohmann::json center = centerOf(name);
    EXPECT_EQ(center.size(), steps) << name << ": " << center;
    for (const nlohmann::json &step : center) {
      ASSERT_EQ(step["irreducible"].size(), 1u) << name << ": " << step;
      EXPECT_FALSE(step["irreducible"][0].contains("factors")) << name << ": " << step;
    }
  }
}

// A quartic field with group A4 has neither an inert prime nor subfields: degrees 1 + 3 and 2 + 2 exclude
// each other.
TEST(RoundTrip, DegreesOfFactors) {
  nlohmann::json center = centerOf("A4");
  ASSERT_EQ(center.size(), 1u) << center;
  EXPECT_EQ(center[0]["irreducible"].size(), 2u) << center;
  for (const nlohmann::json &prime : center[0]["irreducible"])
    EXPECT_EQ(prime["factors"].size(), 2u) << center;
}

// Matrices with one row that is not zero have left identities alone, and the transposed ones right
// identities.
TEST(RoundTrip, OneSidedIdentities) {
  for (bool left : {true, false}) {
    std::vector<Constant> constants;
    for (int64_t slot = 0; slot < 2; ++slot)
      constants.push_back({left ? 0 : slot, left ? slot : 0, slot, Rational(2)});
    Algebra algebra = tableAlgebra(Table("rows", Field::rationals(), 2, constants));
    nlohmann::json claims = certificateOf(algebra)["claims"];
    EXPECT_EQ(claims["unital"], false);
    EXPECT_EQ(claims["left_identity"], left);
    EXPECT_EQ(claims["right_identity"], !left);
    expectRoundTrip(algebra);
  }
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
  constexpr int64_t order = 10;
  std::map<std::pair<int64_t, int64_t>, int64_t> slots;
  for (int64_t i = 0; i < order; ++i)
    for (int64_t j = i + 1; j < order; ++j)
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
  for (int64_t slot = 0; slot < 5; ++slot) {
    constants.push_back({0, slot, slot, Rational(1)});
    if (slot > 0)
      constants.push_back({slot, 0, slot, Rational(1)});
  }
  for (int64_t k : {3, 4}) {
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
    size_t most;
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

} // namespace
