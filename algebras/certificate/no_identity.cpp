#include "algebras/certificate/no_identity.h"

#include "algebras/linear/echelon.h"
#include "algebras/linear/modular_span.h"

#include <map>

namespace algebras {

namespace {

constexpr int64_t largest_dense = 512;
using Form = std::vector<std::pair<int64_t, Rational>>; // in the coefficients of u; may name one twice
using Place = std::pair<int64_t, int64_t>;              // s, k

std::map<Place, Form> equations(const Table &table, bool left) {
  std::map<Place, Form> result;
  for (const Constant &constant : table.constants())
    if (left)
      result[{constant.j, constant.k}].emplace_back(constant.i, constant.value);
    else
      result[{constant.i, constant.k}].emplace_back(constant.j, constant.value);
  return result;
}

// The weights with which the rows (form, right side) add up to (0, 1), exactly; nothing where there are none.
std::optional<std::vector<Rational>> weights(const Table &table, const std::vector<Place> &places,
                                             const std::map<Place, Form> &forms) {
  int64_t n = table.dimension(), count = static_cast<int64_t>(places.size());
  Matrix columns(table.field(), n + 1, count), right(table.field(), n + 1, 1);
  for (int64_t column = 0; column < count; ++column) {
    for (const auto &[unknown, value] : forms.at(places[column]))
      columns.set(unknown, column, columns.get(unknown, column) + value);
    if (places[column].first == places[column].second)
      columns.set(n, column, Rational(1));
  }
  right.set(n, 0, Rational(1));
  std::optional<Matrix> solution = solve(columns, right);
  if (!solution)
    return std::nullopt;
  std::vector<Rational> result;
  for (int64_t column = 0; column < count; ++column)
    result.push_back(solution->get(column, 0));
  return result;
}

} // namespace

std::optional<std::vector<WeightedEquation>> contradiction(const Table &table, bool left) {
  std::map<Place, Form> forms = equations(table, left);
  // 0 = 1 at once, where b_s never occurs in a product with b_s on this side.
  for (int64_t s = 0; s < table.dimension(); ++s)
    if (!forms.contains({s, s}))
      return std::vector<WeightedEquation>{{s, s, Rational(1)}};
  int64_t n = table.dimension();
  if (n > largest_dense)
    return std::nullopt;
  // Modulo a prime, the rows that are independent, until one is a contradiction; then exactly with these
  // rows.
  constexpr int primes = 5;
  uint64_t p = 0;
  for (int attempt = 0; attempt < primes; ++attempt) {
    p = table.field().isRationals() ? nextModulus(p) : table.field().characteristic();
    Field modular = Field::prime(p);
    ModularSpan span(p, n + 1);
    std::vector<Place> places;
    for (const auto &[place, form] : forms) {
      ModularSpan::Vector row(n + 1);
      for (const auto &[unknown, value] : form)
        row[unknown] = nmod_add(row[unknown], modular.reduce(value).integerModulo(p).value(), span.mod());
      row[n] = place.first == place.second;
      if (span.insert(std::move(row)))
        places.push_back(place);
    }
    std::optional<std::vector<Rational>> found = weights(table, places, forms);
    if (!found)
      continue;
    std::vector<WeightedEquation> result;
    for (size_t at = 0; at < places.size(); ++at)
      if (!(*found)[at].isZero())
        result.push_back({places[at].first, places[at].second, (*found)[at]});
    return result;
  }
  return std::nullopt;
}

} // namespace algebras
