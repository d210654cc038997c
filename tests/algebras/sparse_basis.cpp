#include "tests/algebras/sparse_basis.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace testing_support {

using namespace algebras;

namespace {

Rational randomUnit(const Field &field, std::mt19937 &random) {
  for (;;) {
    int64_t top = static_cast<int64_t>(random() % 11) - 5, bottom = 1 + static_cast<int64_t>(random() % 3);
    if (!field.isRationals())
      bottom = 1;
    if (Rational value = field.reduce(Rational(top, bottom)); !value.isZero())
      return value;
  }
}

} // namespace

Table permuted(const Table &table, std::mt19937 &random) {
  std::vector<int64_t> place(table.dimension());
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), random);
  std::vector<Constant> constants;
  for (const Constant &c : table.constants())
    constants.push_back({place[c.i], place[c.j], place[c.k], c.value});
  return Table("permuted", table.field(), table.dimension(), std::move(constants));
}

Table rescaled(const Table &table, std::mt19937 &random) {
  std::vector<Rational> scale;
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    scale.push_back(randomUnit(table.field(), random));
  std::vector<Constant> constants;
  for (const Constant &c : table.constants())
    constants.push_back(
        {c.i, c.j, c.k, table.field().reduce(scale[c.i] * scale[c.j] * c.value / scale[c.k])});
  return Table("rescaled", table.field(), table.dimension(), std::move(constants));
}

Table withSum(const Table &table, int64_t a, int64_t s, const Rational &factor) {
  if (a == s)
    return table;
  std::map<std::tuple<int64_t, int64_t, int64_t>, Rational> sums;
  // In factors b_a gains c b_s; in results b_a is (b_a + c b_s) - c b_s.
  for (const Constant &c : table.constants()) {
    std::vector<std::pair<int64_t, Rational>> lefts = {{c.i, Rational(1)}}, rights = {{c.j, Rational(1)}},
                                              outputs = {{c.k, Rational(1)}};
    if (c.i == s)
      lefts.emplace_back(a, factor);
    if (c.j == s)
      rights.emplace_back(a, factor);
    if (c.k == a)
      outputs.emplace_back(s, -factor);
    for (const auto &[i, x] : lefts)
      for (const auto &[j, y] : rights)
        for (const auto &[k, z] : outputs)
          sums[{i, j, k}] += x * y * z * c.value;
  }
  std::vector<Constant> constants;
  for (const auto &[slots, value] : sums)
    constants.push_back({std::get<0>(slots), std::get<1>(slots), std::get<2>(slots), value});
  return Table("sums", table.field(), table.dimension(), std::move(constants));
}

Table withSums(const Table &table, int steps, std::mt19937 &random) {
  Table result = table;
  for (int step = 0; step < steps; ++step) {
    int64_t a = random() % table.dimension(), s = random() % table.dimension();
    result = withSum(result, a, s, randomUnit(table.field(), random));
  }
  return result;
}

} // namespace testing_support
