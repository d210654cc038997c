#include "algebras/linear/sparse_span.h"

#include <algorithm>

namespace algebras {

SparseSpan::Reduced SparseSpan::reduce(const SparseVector &vector) const {
  Reduced result{vector, {}};
  // Rows have their leading entry first, so that one pass in ascending order meets each of them once.
  for (auto row = rows_.begin(); row != rows_.end() && !result.rest.empty(); ++row) {
    auto place = std::lower_bound(result.rest.begin(), result.rest.end(), row->first,
                                  [](const auto &entry, int64_t index) { return entry.first < index; });
    if (place == result.rest.end() || place->first != row->first)
      continue;
    Rational factor = place->second;
    result.rest = combine(field_, Rational(1), result.rest, -factor, row->second.rest);
    result.coordinates = combine(field_, Rational(1), result.coordinates, factor, row->second.coordinates);
  }
  return result;
}

bool SparseSpan::insert(const SparseVector &vector) {
  Reduced reduced = reduce(vector);
  if (reduced.rest.empty())
    return false;
  // rest = vector - sum of coordinates, so that vector's own coordinate is one.
  SparseVector own{{dimension(), Rational(1)}};
  Rational factor = field_.reduce(Rational(1) / reduced.rest[0].second);
  Reduced row{combine(field_, factor, reduced.rest, Rational(), {}),
              combine(field_, factor, own, -factor, reduced.coordinates)};
  basis_.push_back(vector);
  rows_.emplace(row.rest[0].first, std::move(row));
  return true;
}

std::optional<SparseVector> SparseSpan::coordinates(const SparseVector &vector) const {
  Reduced reduced = reduce(vector);
  if (!reduced.rest.empty())
    return std::nullopt;
  return std::move(reduced.coordinates);
}

std::vector<SparseVector> relations(const Field &field, const std::vector<SparseVector> &images) {
  SparseSpan span(field);
  std::vector<int64_t> origin; // of the basis vectors
  std::vector<SparseVector> result;
  for (size_t s = 0; s < images.size(); ++s) {
    if (std::optional<SparseVector> coordinates = span.coordinates(images[s])) {
      SparseVector relation;
      for (const auto &[index, value] : *coordinates)
        relation.emplace_back(origin[index], field.reduce(-value));
      relation.emplace_back(static_cast<int64_t>(s), Rational(1));
      result.push_back(std::move(relation));
    } else {
      span.insert(images[s]);
      origin.push_back(static_cast<int64_t>(s));
    }
  }
  return result;
}

} // namespace algebras
