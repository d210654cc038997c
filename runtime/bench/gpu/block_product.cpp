#include "runtime/bench/gpu/block_product.h"

#include "runtime/reference/element_sums.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

namespace algrt {

namespace {

// Rows of one type at a fixed distance, the first of them and how many.
struct RowSet {
  int64_t first, count;
};

// From one row of a set to the next.
int64_t rowDistance(const Layer &layer, int64_t m) {
  const int64_t width = layer.row_type_width, period = layer.types * width;
  const bool runs = width > 1 && ceilDivide(m, period) < width;
  return layer.types == 1 || runs ? 1 : period;
}

std::vector<RowSet> rowsOfType(const Layer &layer, int64_t m, int64_t type) {
  if (layer.types == 1)
    return {{0, m}};
  const int64_t width = layer.row_type_width, period = layer.types * width;
  std::vector<RowSet> sets;
  if (rowDistance(layer, m) == 1) {
    for (int64_t first = type * width; first < m; first += period)
      sets.push_back({first, std::min(width, m - first)});
  } else {
    for (int64_t first = type * width; first < std::min(m, (type + 1) * width); ++first)
      sets.push_back({first, ceilDivide(m - first, period)});
  }
  return sets;
}

// What a term takes, whatever group of y it is for.
using Source = std::tuple<int32_t, int32_t, double>;
Source sourceOf(const Term &term) { return {term.input_group, term.weight_row, term.coefficient}; }

// The terms of every output group of a type; those whose source most groups share come first, so that they
// meet in one round.
std::vector<std::vector<Term>> orderedTerms(const Layer &layer, const Support &support, int64_t type) {
  std::vector<std::vector<Term>> groups;
  std::map<Source, int64_t> uses;
  TermStorage storage;
  for (int64_t group = 0; group < int64_t(layer.out_groups.size()); ++group) {
    const std::span<const Term> terms = support.terms(type, group, storage);
    groups.emplace_back(terms.begin(), terms.end());
    for (const Term &term : terms)
      ++uses[sourceOf(term)];
  }
  for (std::vector<Term> &terms : groups) {
    std::sort(terms.begin(), terms.end(), [&](const Term &a, const Term &b) {
      const int64_t uses_of_a = uses.at(sourceOf(a)), uses_of_b = uses.at(sourceOf(b));
      return uses_of_a != uses_of_b ? uses_of_a > uses_of_b : sourceOf(a) < sourceOf(b);
    });
    if (terms.empty())
      terms.push_back({0, 0, 0});
  }
  return groups;
}

} // namespace

int64_t BlockProduct::gemms() const {
  int64_t count = 0;
  for (const BlockRound &round : rounds)
    count += int64_t(round.size());
  return count;
}

BlockProduct composeOfBlocks(const Layer &layer, const Support &support, int64_t m) {
  if (layer.row_types == RowTypesKind::ExplicitTypes)
    throw Error(ALGRT_UNSUPPORTED, "rows of explicit types have no regular places");
  const int64_t distance = rowDistance(layer, m);
  BlockProduct product{checkedMultiply(distance, layer.k, "the distance of rows"),
                       layer.weightColumns(),
                       checkedMultiply(distance, layer.n, "the distance of rows"),
                       {}};
  const std::vector<int64_t> x_begins = beginsOf(layer.in_groups), y_begins = beginsOf(layer.out_groups),
                             w_begins = beginsOf(layer.weight_rows);
  for (int64_t type = 0; type < layer.types; ++type) {
    const std::vector<RowSet> sets = rowsOfType(layer, m, type);
    const std::vector<std::vector<Term>> groups = orderedTerms(layer, support, type);
    for (size_t group = 0; group < groups.size(); ++group)
      for (size_t round = 0; round < groups[group].size(); ++round) {
        const Term &term = groups[group][round];
        // Slots all have the weight matrix's columns, and then no two neighbours are one product.
        const bool rows_lift = layer.lift == Lift::Rows;
        const auto continues = [&](size_t from) {
          return rows_lift && round < groups[from].size() && sourceOf(groups[from][round]) == sourceOf(term);
        };
        if (group > 0 && continues(group - 1))
          continue; // part of its neighbour's
        size_t end = group + 1;
        while (end < groups.size() && continues(end))
          ++end;
        if (product.rounds.size() <= round)
          product.rounds.resize(round + 1);
        for (const RowSet &set : sets)
          product.rounds[round].push_back(
              {set.count, y_begins[end] - y_begins[group], layer.in_groups[size_t(term.input_group)],
               set.first * layer.k + x_begins[size_t(term.input_group)],
               w_begins[size_t(term.weight_row)] * layer.weightColumns() + (rows_lift ? y_begins[group] : 0),
               set.first * layer.n + y_begins[group], term.coefficient});
      }
  }
  return product;
}

} // namespace algrt
