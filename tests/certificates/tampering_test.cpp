// Certificates that were changed: numbers, entries and keys in turn, from end to end. A change is refused, or
// what is accepted says the truth: then the claims are those that the engine derives for the algebra that the
// certificate now has. (A proof may be exchanged for another proof of the same, and a table for another with
// the same facts.)
#include "tests/certificates/samples.h"

#include "algebras/certificate/certificate.h"
#include "algebras/constructions.h"
#include "algebras/error.h"
#include "algebras/expression.h"
#include "tests/algebras/check_decomposition.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <stdexcept>

namespace {

using namespace algebras;
using nlohmann::json;
using testing_support::certificateOf;
using testing_support::refusal;

Rational parseInteger(const json &value) {
  return Rational::parse(value.is_string() ? value.get<std::string>() : value.dump());
}

// Slots at positions; (i,k)(k,j) = (i,j), for a graph only if k is i or j.
Table positionTable(const json &rows, bool graph, const Field &field) {
  std::map<std::pair<int64_t, int64_t>, int64_t> slots;
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t at = 0; at < rows[i].size(); at += 2)
      for (int64_t j = rows[i][at]; j <= rows[i][at + 1]; ++j)
        slots.emplace(std::pair(i, j), std::ssize(slots));
  std::vector<Constant> constants;
  for (auto [left, i] : slots)
    for (auto [right, j] : slots)
      if (left.second == right.first && (!graph || left.first == left.second || right.first == right.second))
        constants.push_back({i, j, slots.at({left.first, right.second}), Rational(1)});
  return Table("positions", field, std::ssize(slots), constants);
}

// The algebra that a certificate is about, built by the engine.
Algebra algebraOf(const json &node, const Field &field) {
  std::string kind = node.at("kind");
  if (node.contains("factors")) {
    std::optional<Algebra> result;
    for (const json &factor : node.at("factors"))
      for (int copy = factor.value("power", 1); copy > 0; --copy) {
        Algebra own = algebraOf(factor, field);
        result = !result ? own : kind == "tensor" ? tensor(*result, own) : directProduct(*result, own);
      }
    return *result;
  }
  if (kind == "table") {
    Rational denominator = parseInteger(node.value("denominator", json(1)));
    std::vector<Constant> constants;
    for (const json &entry : node.at("constants"))
      constants.push_back(
          {entry[0], entry[1], entry[2],
           field.isRationals() ? parseInteger(entry[3]) / denominator : parseInteger(entry[3])});
    return tableAlgebra(Table("tampered", field, node.at("dimension"), constants));
  }
  Table table = positionTable(node.at("rows"), kind == "graph", field);
  auto n = static_cast<int64_t>(node.at("rows").size());
  if (kind == "matrices" && table.dimension() == n * n)
    return matrices(n, field); // for which better algorithms are known than for tables
  return tableAlgebra(table);
}

void visit(json &value, const std::string &path,
           const std::function<void(json &, const std::string &)> &act) {
  act(value, path);
  if (value.is_object())
    for (auto &[key, member] : value.items())
      visit(member, path + "/" + key, act);
  else if (value.is_array())
    for (size_t at = 0; at < value.size(); ++at)
      visit(value[at], fmt::format("{}/{}", path, at), act);
}

class Tampering {
public:
  explicit Tampering(json certificate) : original_(std::move(certificate)) {
    EXPECT_EQ(refusal(original_), std::nullopt);
    std::vector<std::string> paths;
    json copy = original_;
    visit(copy, "", [&](json &, const std::string &path) { paths.push_back(path); });
    const size_t stride = strideOf(paths.size());
    for (size_t i = 0; i < paths.size(); i += stride)
      tamper(paths[i]);
  }
  int refused = 0, accepted = 0;

private:
  // Every place of small certificates. A large table repeats each kind of place, and a prime number of steps
  // meets all of them in turn.
  static size_t strideOf(size_t places) {
#ifdef ALGCTL_SANITIZED
    // Sanitizers look for what a refusal touches, not for what is accepted: some places do.
    static_cast<void>(places);
    return 31;
#else
    return places > 200 ? 7 : 1;
#endif
  }

  void tamper(const std::string &path) {
    json::json_pointer pointer(path);
    const json &value = original_.at(pointer);
    if (value.is_number()) {
      for (int change : {-1, 1, 7})
        replace(pointer, value.get<int64_t>() + change);
      replace(pointer, "1/2");
    } else if (value.is_string()) {
      std::string text = value;
      replace(pointer, text + "0");
      replace(pointer, text.starts_with('-') ? text.substr(1) : "-" + text);
      replace(pointer, 1);
    } else if (value.is_boolean()) {
      replace(pointer, !value.get<bool>());
    }
    replace(pointer, nullptr);
    if (path.empty())
      return;
    json &parent = copy_.at(pointer.parent_pointer());
    if (parent.is_object()) {
      parent.erase(pointer.back());
      judge(path + " dropped");
    } else {
      size_t at = std::stoul(pointer.back());
      parent.erase(at);
      judge(path + " dropped");
      json &twice = copy_.at(pointer.parent_pointer());
      twice.insert(twice.begin() + static_cast<ptrdiff_t>(at), twice[at]);
      judge(path + " twice");
    }
  }
  void replace(const json::json_pointer &pointer, json value) {
    if (original_.at(pointer) == value)
      return;
    std::string what = fmt::format("{} = {}", pointer.to_string(), value.dump());
    copy_.at(pointer) = std::move(value);
    judge(what);
  }
  void judge(const std::string &what) {
    std::optional<std::string> reason = refusal(copy_);
    if (reason) {
      ++refused;
      EXPECT_GT(reason->find(':'), 0u) << what; // names a claim
    } else {
      ++accepted;
      // The name is for people, and the only thing that is not proved.
      Field field = Field::parse(copy_.at("field").get<std::string>());
      json expected = certificateOf(algebraOf(copy_.at("algebra"), field)).at("claims"),
           claims = copy_.at("claims");
      // Of bounds there may be better ones for the changed algebra than the old proof gives.
      EXPECT_GE(claims["rank_upper"], expected["rank_upper"]) << what;
      if (claims.contains("rank_lower")) {
        EXPECT_LE(claims["rank_lower"], expected["rank_lower"]) << what;
      }
      for (const char *key : {"rank_upper", "rank_lower", "rank_lower_rule"}) {
        claims.erase(key);
        expected.erase(key);
      }
      EXPECT_EQ(claims, expected) << what;
      if (copy_.at("algebra").contains("proof") || copy_.at("algebra").contains("basis") ||
          copy_.at("algebra").contains("factors")) {
        EXPECT_TRUE(copy_.at("claims") == original_.at("claims") ||
                    copy_.at("algebra") != original_.at("algebra") ||
                    copy_.at("field") != original_.at("field"))
            << what;
      }
    }
    copy_ = original_;
  }

  json original_, copy_ = original_;
};

TEST(Tampering, KnownTables) {
  for (const Algebra &algebra : testing_support::knownTables()) {
    if (algebra.dimension() > 8)
      continue;
    SCOPED_TRACE(algebra.name());
    json certificate = certificateOf(algebra);
    Tampering tampering(certificate);
    // A product that is not associative stays so, with the same witness, whatever becomes of its other
    // constants.
    if (certificate["claims"]["associative"] == true) {
      EXPECT_GT(tampering.refused, 5 * tampering.accepted);
    }
  }
}

TEST(Tampering, FieldsAndProducts) {
  for (const Algebra &algebra : testing_support::smallSamples()) {
    if (algebra.dimension() > 8)
      continue;
    SCOPED_TRACE(algebra.name() + " over " + algebra.field().name());
    Tampering tampering(certificateOf(algebra));
    EXPECT_GT(tampering.refused, tampering.accepted);
  }
}

// Towers, primes with factors, orders and signatures: nothing of a proof can be changed that it needs.
TEST(Tampering, TowersAndDivisionAlgebras) {
  for (auto samples : {testing_support::fieldSamples, testing_support::divisionSamples})
    for (const Algebra &algebra : samples()) {
      if (algebra.dimension() > 4)
        continue;
      SCOPED_TRACE(algebra.name());
      Tampering tampering(certificateOf(algebra));
      EXPECT_GT(tampering.refused, tampering.accepted);
    }
}

json certificateOfSample(const std::vector<Algebra> &samples, const std::string &name) {
  for (const Algebra &algebra : samples)
    if (algebra.name() == name)
      return certificateOf(algebra);
  throw std::logic_error("no such sample");
}

std::string refusalAfter(json certificate, const std::string &path, const json &value) {
  certificate.at(json::json_pointer(path)) = value;
  return refusal(certificate).value_or("accepted");
}

TEST(Tampering, AStepOfATower) {
  const json eighth = certificateOfSample(testing_support::fieldSamples(), "Q(zeta_8)");
  const std::string center = "/algebra/proof/components/0/center/";
  // x^4 + 1 is not irreducible modulo any prime, by itself or over Q(i) where the root is none.
  EXPECT_EQ(refusalAfter(eighth, center + "1/irreducible/0/roots/0", 1),
            "simple_components: a root is none, or not a simple one");
  EXPECT_EQ(refusalAfter(eighth, center + "0/irreducible/0/modulo", 15),
            "simple_components: a modulus is not prime");
  EXPECT_EQ(refusalAfter(eighth, center + "0/irreducible", json::array()),
            "simple_components: a polynomial may factor");
  EXPECT_EQ(refusalAfter(eighth, center + "1/element", eighth.at(json::json_pointer(center + "0/element"))),
            "simple_components: the polynomial of a centre does not vanish");
  // One of two steps is not enough for the centre.
  json shorter = eighth;
  shorter.at(json::json_pointer("/algebra/proof/components/0/center")).erase(1);
  EXPECT_EQ(refusal(shorter), "simple_components: the centre may be larger");
}

// The degrees at one of the primes leave factors possible: both are needed, with all factors.
TEST(Tampering, DegreesThatFitTogether) {
  const json a4 = certificateOfSample(testing_support::fieldSamples(), "A4");
  const std::string primes = "/algebra/proof/components/0/center/0/irreducible";
  const json list = a4.at(json::json_pointer(primes));
  ASSERT_EQ(list.size(), 2u);
  for (const json &one : list)
    EXPECT_EQ(refusalAfter(a4, primes, json::array({one, one})),
              "simple_components: a polynomial may factor");
  json factors = list;
  factors[0].erase("factors"); // as if it stayed irreducible
  EXPECT_EQ(refusalAfter(a4, primes, factors), "simple_components: a factor may factor");
  factors[0]["factors"] = json::array({list[0]["factors"][0]});
  EXPECT_EQ(refusalAfter(a4, primes, factors), "simple_components: these are not the factors");
}

TEST(Tampering, WhatMakesADivisionAlgebra) {
  const std::vector<Algebra> samples = testing_support::divisionSamples();
  const std::string place = "/algebra/proof/components/0/division/0/";
  const json hamilton = certificateOfSample(samples, "(-1, -1)");
  EXPECT_EQ(refusalAfter(hamilton, place + "basis/3", hamilton.at(json::json_pointer(place + "basis/2"))),
            "simple_components: a basis is not orthogonal");
  // The quaternions by which M(2) would be one: its form has another signature.
  json split = hamilton;
  for (json &constant : split["algebra"]["constants"])
    if (constant[0] == constant[1] && constant[0] == 1)
      constant[3] = 1;
  EXPECT_TRUE(refusal(split));
  const json at_prime = certificateOfSample(samples, "(2, 3)");
  for (const char *member : {"uniformizer", "cofactor", "modulo", "scale"})
    EXPECT_NE(refusalAfter(at_prime, place + member, 1), "accepted") << member;
  EXPECT_NE(refusalAfter(at_prime, place + "proof/radical", json::array()), "accepted");
  json without = at_prime;
  without["algebra"]["proof"]["components"][0].erase("division");
  EXPECT_EQ(refusal(without), "simple_components: the certificate proves another value");
  for (const char *member : {"matrix_degree", "division_dimension"})
    EXPECT_EQ(refusalAfter(at_prime, std::string("/claims/simple_components/0/") + member, 2),
              "simple_components: the certificate proves another value");
}

TEST(Tampering, OneSidedIdentities) {
  Table rows("rows", Field::rationals(), 2, {{0, 0, 0, Rational(1)}, {0, 1, 1, Rational(1)}});
  const json certificate = certificateOf(tableAlgebra(rows));
  EXPECT_EQ(refusalAfter(certificate, "/claims/left_identity", false),
            "left_identity: the certificate proves another value");
  EXPECT_EQ(refusalAfter(certificate, "/claims/right_identity", true),
            "right_identity: the certificate proves another value");
  EXPECT_THAT(refusalAfter(certificate, "/algebra/proof/left/identity", 1), testing::StartsWith("unital:"));
  json swapped = certificate;
  std::swap(swapped["algebra"]["proof"]["left"], swapped["algebra"]["proof"]["right"]);
  EXPECT_TRUE(refusal(swapped)->starts_with("unital:"));
}

TEST(Tampering, ADenseBasis) {
  for (const Algebra &algebra : testing_support::denseSamples())
    if (algebra.dimension() <= 4)
      Tampering tampering(certificateOf(algebra));
}

// What is changed in a large table and its other basis is found, each by the claim that it carries.
TEST(Tampering, LargeDenseBases) {
  for (const Algebra &algebra : testing_support::largeDenseSamples()) {
    SCOPED_TRACE(algebra.name() + " over " + algebra.field().name());
    const json original = certificateOf(algebra);
    ASSERT_TRUE(original["algebra"].contains("basis"));
    auto refused_after = [&](const std::string &path, const json &value) {
      json certificate = original;
      certificate.at(json::json_pointer("/algebra" + path)) = value;
      return refusal(certificate).value_or("accepted");
    };
    auto with_other = [&](const std::string &path) { // the number there
      return refused_after(path, original.at(json::json_pointer("/algebra" + path)) == 1 ? 2 : 1);
    };
    size_t constants = original["algebra"]["constants"].size(),
           few = original["algebra"]["basis"]["constants"].size();
    for (size_t at : {constants / 7, constants / 2, constants - 1})
      EXPECT_THAT(with_other(fmt::format("/constants/{}/3", at)), testing::StartsWith("basis:"));
    for (size_t at : {few / 7, few / 2, few - 1})
      EXPECT_THAT(with_other(fmt::format("/basis/constants/{}/3", at)), testing::StartsWith("basis:"));
    EXPECT_THAT(with_other("/basis/scale"), testing::StartsWith("basis:"));
    EXPECT_THAT(with_other("/basis/images/3/0/1"), testing::StartsWith("basis:"));
    EXPECT_THAT(refused_after("/basis/images/3", original["algebra"]["basis"]["images"][4]),
                testing::StartsWith("basis:"));
    EXPECT_THAT(refused_after("/basis/proof/identity", 0), testing::StartsWith("unital:"));
    EXPECT_THAT(refused_after("/basis/proof/center/0", 0), testing::StartsWith("center_dimension:"));
    EXPECT_THAT(refused_after("/basis/proof/radical", json::array()),
                testing::StartsWith("radical_dimension:"));
    EXPECT_THAT(refused_after("/basis/proof/components/0", {0, 1}),
                testing::StartsWith("simple_components:"));
    EXPECT_THAT(refused_after("/basis/proof/peirce/1", 0), testing::StartsWith("rank_lower:"));
  }
}

// A basis of its own has to be one: its table may be that of another algebra of the same dimension.
TEST(Tampering, AnotherAlgebrasBasis) {
  std::mt19937 random(1);
  Table path = parseExpression("path(3)").expand(), triangular = parseExpression("D(5)").expand();
  json ours = certificateOf(tableAlgebra(testing_support::denseBasis(path, random))),
       theirs = certificateOf(tableAlgebra(testing_support::denseBasis(triangular, random)));
  json mixed = ours;
  mixed["algebra"]["basis"] = theirs["algebra"]["basis"];
  EXPECT_THAT(refusal(mixed).value_or("accepted"), testing::StartsWith("basis:"));
  // An isomorphism is injective: the zero map respects all products.
  for (json &image : ours["algebra"]["basis"]["images"])
    image = json::array();
  EXPECT_EQ(refusal(ours), "basis: images depend on each other");
}

// The claims, one by one: each refusal names the claim that was changed.
TEST(Tampering, TheClaimIsNamed) {
  json certificate = certificateOf(parseExpression("Q(2)^2"));
  for (const auto &[key, value] : certificate["claims"].items()) {
    json changed = certificate;
    changed["claims"][key] = value.is_number() ? json(value.get<int64_t>() + 1) : json("something else");
    ASSERT_TRUE(refusal(changed)) << key;
    EXPECT_TRUE(refusal(changed)->starts_with(key + ":")) << *refusal(changed);
    changed["claims"].erase(key);
    ASSERT_TRUE(refusal(changed)) << key;
    EXPECT_TRUE(refusal(changed)->starts_with(key + ":")) << *refusal(changed);
  }
  certificate["claims"]["division_algebra"] = true;
  EXPECT_EQ(refusal(certificate), "claims: there is one that is not proved");
}

} // namespace
