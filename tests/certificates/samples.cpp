#include "tests/certificates/samples.h"

#include "algebras/certificate/certificate.h"
#include "algebras/constructions.h"
#include "algebras/error.h"
#include "algebras/expression.h"
#include "algebras/rank/adapted_basis.h"
#include "algebras/structure/product_operator.h"
#include "checker/certificate.h"
#include "tests/algebras/check_decomposition.h"
#include "tests/algebras/examples.h"

#include <fmt/format.h>

#include <fstream>
#include <random>

namespace testing_support {

namespace {

using namespace algebras;

Table fromJson(const nlohmann::json &entry) {
  nlohmann::json document = {{"name", entry.at("name")},
                             {"field", entry.at("field")},
                             {"dimension", entry.at("dimension")},
                             {"constants", entry.at("constants")}};
  return parseTable(document.dump(), "case.json");
}

// F[x]/(f), f monic without its leading coefficient.
Table polynomialAlgebra(const std::string &name, Field field, const std::vector<int64_t> &f) {
  auto n = static_cast<int64_t>(f.size());
  std::vector<std::vector<Rational>> powers; // x^s modulo f
  for (int64_t s = 0; s < 2 * n - 1; ++s) {
    std::vector<Rational> power(n);
    if (s < n) {
      power[s] = Rational(1);
    } else {
      for (int64_t t = 0; t < n; ++t)
        power[t] = field.reduce((t > 0 ? powers[s - 1][t - 1] : Rational(0)) -
                                powers[s - 1][n - 1] * Rational(f[t]));
    }
    powers.push_back(power);
  }
  std::vector<Constant> constants;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n; ++k)
        if (!powers[i + j][k].isZero())
          constants.push_back({i, j, k, powers[i + j][k]});
  return Table(name, field, n, constants);
}

Table cyclicGroup(int64_t order, Field field) {
  std::vector<Constant> constants;
  for (int64_t i = 0; i < order; ++i)
    for (int64_t j = 0; j < order; ++j)
      constants.push_back({i, j, (i + j) % order, Rational(1)});
  return Table(fmt::format("C{}", order), field, order, constants);
}

// (a, b) over Q: i^2 = a, j^2 = b, k = i j = -j i.
Table quaternionAlgebra(int64_t a, int64_t b) {
  std::vector<Constant> constants;
  int64_t squares[] = {1, a, b, -a * b};
  for (int64_t s = 0; s < 4; ++s) {
    constants.push_back({0, s, s, Rational(1)});
    if (s > 0) {
      constants.push_back({s, 0, s, Rational(1)});
      constants.push_back({s, s, 0, Rational(squares[s])});
    }
  }
  auto anticommute = [&](int64_t x, int64_t y, int64_t z, int64_t c) {
    constants.push_back({x, y, z, Rational(c)});
    constants.push_back({y, x, z, Rational(-c)});
  };
  anticommute(1, 2, 3, 1);
  anticommute(2, 3, 1, -b);
  anticommute(3, 1, 2, -a);
  return Table(fmt::format("({}, {})", a, b), Field::rationals(), 4, constants);
}

} // namespace

std::vector<Algebra> knownTables() {
  std::ifstream file(ALGCTL_SOURCE_DIR "/tests/algebras/data/cases.json");
  std::vector<Algebra> result;
  const nlohmann::json document = nlohmann::json::parse(file);
  for (const nlohmann::json &entry : document.at("cases"))
    result.push_back(tableAlgebra(fromJson(entry)));
  return result;
}

std::vector<Algebra> smallSamples() {
  std::vector<Algebra> result;
  for (const char *expression :
       {"Q(1)", "Q(3)", "path(4)", "D(3)", "M(2)", "M(3)", "T(4)", "graph(4; 0->1, 1->2, 2->0)", "Q(2)^2",
        "Q(2)*M(2)", "T(3)*D(2)", "Q(2)+M(2)+D(1)", "(Q(2)+path(3))*T(2)", "M(2)*M(2)"})
    for (const char *field : {"Q", "GF(2)", "GF(7)"}) {
      ExpressionOptions options;
      options.field = Field::parse(field);
      result.push_back(parseExpression(expression, options));
    }
  Field q = Field::rationals(), two = Field::prime(2), five = Field::prime(5);
  Algebra i = tableAlgebra(polynomialAlgebra("Q(i)", q, {1, 0}));
  Algebra cube = tableAlgebra(polynomialAlgebra("Q(cbrt 2)", q, {-2, 0, 0}));
  Algebra eighth = tableAlgebra(polynomialAlgebra("Q(zeta_8)", q, {1, 0, 0, 0}));
  Algebra sixteen = tableAlgebra(polynomialAlgebra("GF(16)", two, {1, 1, 0, 0}));
  for (const Table &table :
       {polynomialAlgebra("Q(zeta_12)", q, {1, 0, -1, 0}), polynomialAlgebra("Q[x]/x^4", q, {0, 0, 0, 0}),
        polynomialAlgebra("Q[x]/(x^2+1)^2", q, {1, 0, 2, 0}), quaternionAlgebra(-1, -1),
        quaternionAlgebra(2, 3), quaternionAlgebra(1, 5), cyclicGroup(6, q), cyclicGroup(8, q),
        cyclicGroup(6, two), cyclicGroup(6, five)})
    result.push_back(tableAlgebra(table));
  result.insert(result.end(), {i, cube, eighth, sixteen});
  result.push_back(tensor(i, cube));                     // by the rule: degrees 2 and 3
  result.push_back(tensor(i, i));                        // as one table: Q(i) splits itself
  result.push_back(tensor(eighth, completeGraph(2, q))); // split by one factor
  result.push_back(tensor(sixteen, sixteen));            // by the rule for finite fields
  result.push_back(directProduct(i, tableAlgebra(quaternionAlgebra(-1, -1))));
  return result;
}

std::vector<Algebra> fieldSamples() {
  Field q = Field::rationals();
  auto number_field = [&](const char *name, const std::vector<int64_t> &f) {
    return tableAlgebra(polynomialAlgebra(name, q, f));
  };
  Algebra eighth = number_field("Q(zeta_8)", {1, 0, 0, 0}), i = number_field("Q(i)", {1, 0}),
          root = number_field("Q(sqrt 2)", {-2, 0});
  return {eighth,
          number_field("Q(sqrt 2, sqrt 3)", {1, 0, -10, 0}),
          number_field("Q(sqrt 2, sqrt 3, sqrt 5)", {576, 0, -960, 0, 352, 0, -40, 0}),
          number_field("Q(zeta_15)", {1, -1, 0, 1, -1, 1, 0, -1}),
          number_field("Q(zeta_16)", {1, 0, 0, 0, 0, 0, 0, 0}),
          number_field("A4", {12, 8, 0, 0}),
          number_field("closure of Q(cube root of 2)", {108, 0, 0, 0, 0, 0}),
          number_field("Q8", {36, 0, -144, 0, 180, 0, -72, 0}),
          number_field("Q(zeta_7)", {1, 1, 1, 1, 1, 1}),
          tensor(i, root),
          tensor(tensor(i, root), number_field("Q(sqrt 3)", {-3, 0})),
          tensor(eighth, matrices(2, q)),
          directProduct(eighth, number_field("A4", {12, 8, 0, 0}))};
}

std::vector<Algebra> divisionSamples() {
  Field q = Field::rationals();
  Algebra h = tableAlgebra(quaternionAlgebra(-1, -1)), other = tableAlgebra(quaternionAlgebra(2, 3));
  auto number_field = [&](const char *name, const std::vector<int64_t> &f) {
    return tableAlgebra(polynomialAlgebra(name, q, f));
  };
  Algebra cubic = tableAlgebra(examples::cyclic({1, -3, 0}, {-2, 0, 1}, 2)); // over x^3 - 3x + 1
  return {h,
          other,
          tableAlgebra(quaternionAlgebra(2, 5)),
          tableAlgebra(quaternionAlgebra(-3, 7)),
          tensor(h, matrices(2, q)),
          tensor(other, matrices(2, q)),
          tensor(h, other),                              // M(2) over another one
          tensor(h, number_field("Q(sqrt 2)", {-2, 0})), // ramified at real places alone
          tensor(tableAlgebra(quaternionAlgebra(2, 5)), number_field("Q(i)", {1, 0})), // at two primes over 5
          tensor(h, number_field("Q(cbrt 2)", {-2, 0, 0})),
          cubic,
          directProduct(h, number_field("Q(zeta_8)", {1, 0, 0, 0}))};
}

Algebra inRationalBasis(const Algebra &algebra, std::mt19937 &random, int digits) {
  Table table = algebra.table() ? *algebra.table() : algebra.expand();
  auto number = [&] {
    std::string text(1, static_cast<char>('1' + random() % 9));
    while (static_cast<int>(text.size()) < digits)
      text += static_cast<char>('0' + random() % 10);
    return text;
  };
  for (;;) {
    std::vector<SparseVector> elements(table.dimension());
    for (SparseVector &element : elements)
      for (int64_t slot = 0; slot < table.dimension(); ++slot)
        element.emplace_back(slot, Rational::parse((random() % 2 ? "-" : "") + number() + "/" + number()));
    if (std::optional<Table> own = tableInBasis(ProductOperator(table), elements))
      return tableAlgebra(Table(table.name(), table.field(), table.dimension(), own->constants()));
  }
}

std::vector<Algebra> denseSamples() {
  std::mt19937 random(1);
  std::vector<Algebra> result;
  for (const Algebra &algebra : smallSamples())
    if (algebra.dimension() >= 3 && algebra.dimension() <= 9)
      result.push_back(
          tableAlgebra(denseBasis(algebra.table() ? *algebra.table() : algebra.expand(), random)));
  return result;
}

std::vector<Algebra> largeDenseSamples() {
  std::mt19937 random(1);
  std::vector<Algebra> result;
  for (const char *field : {"Q", "GF(101)"}) {
    ExpressionOptions options;
    options.field = Field::parse(field);
    for (const char *expression : {"Q(6)", "T(8)"}) {
      Table table = parseExpression(expression, options).expand();
      for (int again = 0; again < 3; ++again) // one change leaves many constants zero
        table = denseBasis(table, random);
      result.push_back(tableAlgebra(table));
    }
  }
  return result;
}

std::optional<std::string> refusal(const nlohmann::json &certificate) {
  try {
    checker::check(certificate);
    return std::nullopt;
  } catch (const std::exception &error) {
    return checker::claim + ": " + error.what();
  }
}

nlohmann::json certificateOf(const Algebra &algebra) {
  return nlohmann::json::parse(certify(algebra).json.dump());
}

} // namespace testing_support
