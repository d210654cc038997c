#include "runtime/bundle/support.h"

#include "runtime/support/checked.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace algrt {

namespace {

// Of one slot of a product, whose terms are held together when they are asked for: 4 GiB.
constexpr int64_t most_terms_of_slot = int64_t(1) << 28;

void checkTerm(const Term &term, const Layer &layer, int64_t index) {
  const std::string which = "term " + std::to_string(index);
  if (term.input_group < 0 || size_t(term.input_group) >= layer.in_groups.size())
    refuseTerms(which + " names input group " + std::to_string(term.input_group) + " of " +
                std::to_string(layer.in_groups.size()));
  if (term.weight_row < 0 || size_t(term.weight_row) >= layer.weight_rows.size())
    refuseTerms(which + " names weight row group " + std::to_string(term.weight_row) + " of " +
                std::to_string(layer.weight_rows.size()));
  if (layer.in_groups[term.input_group] != layer.weight_rows[term.weight_row])
    refuseTerms(which + " multiplies " + std::to_string(layer.in_groups[term.input_group]) +
                " columns of x with " + std::to_string(layer.weight_rows[term.weight_row]) +
                " rows of the weight matrix");
  if (!std::isfinite(term.coefficient))
    refuseTerms(which + " has a coefficient that is not finite");
}

auto placeOf(const Term &term) { return std::tuple(term.input_group, term.weight_row); }

bool before(const Term &a, const Term &b) { return placeOf(a) < placeOf(b); }

bool allEqual(const std::vector<int64_t> &widths) {
  return std::all_of(widths.begin(), widths.end(), [&](int64_t width) { return width == widths.front(); });
}

// What is known of a factor's table once it is known to be in order.
struct TableSummary {
  int64_t most_terms = 0;  // of a slot
  double largest = 0;      // coefficient
  bool same_groups = true; // every term's weight row is its input group
};

TableSummary checkTableOfProduct(const FactorTerms &factor, const std::string &which) {
  TableSummary summary;
  for (const Term &term : factor.all()) {
    if (term.input_group < 0 || term.input_group >= factor.groups() || term.weight_row < 0 ||
        term.weight_row >= factor.groups())
      refuseTerms(which + " names input group " + std::to_string(term.input_group) +
                  " and weight row group " + std::to_string(term.weight_row) + " of " +
                  std::to_string(factor.groups()));
    if (!std::isfinite(term.coefficient))
      refuseTerms(which + " has a coefficient that is not finite");
    summary.largest = std::max(summary.largest, std::abs(term.coefficient));
    summary.same_groups = summary.same_groups && term.input_group == term.weight_row;
  }
  for (int64_t type = 0; type < factor.types(); ++type)
    for (int64_t group = 0; group < factor.groups(); ++group) {
      const std::span<const Term> slot = factor.slot(type, group);
      if (std::adjacent_find(slot.begin(), slot.end(),
                             [](const Term &a, const Term &b) { return !before(a, b); }) != slot.end())
        refuseTerms(which + ": the terms of a slot do not ascend");
      summary.most_terms = std::max(summary.most_terms, int64_t(slot.size()));
    }
  return summary;
}

} // namespace

Support Support::complete(int64_t types) {
  Support support;
  support.factors_.push_back(FactorTerms::formula(SupportKind::Complete, types));
  return support;
}

Support Support::parseTable(std::string_view section, const Layer &layer) {
  Support support;
  const FactorTerms &table = support.factors_.emplace_back(FactorTerms::table(section));
  const auto groups = int64_t(layer.out_groups.size());
  if (table.types() != layer.types || table.groups() != groups)
    refuseTerms("is for " + std::to_string(table.types()) + " types and " + std::to_string(table.groups()) +
                " output groups, the layer has " + std::to_string(layer.types) + " and " +
                std::to_string(groups));
  int64_t index = 0;
  for (const Term &term : table.all())
    checkTerm(term, layer, index++);
  return support;
}

Support Support::parse(const SupportDescription &description, const SectionOf &section_of,
                       const Layer &layer) {
  if (!description.is_product && description.factors.front().kind == SupportKind::Table)
    return parseTable(section_of(description.factors.front().section), layer);
  Support support;
  for (const SupportFactor &factor : description.factors)
    support.factors_.push_back(factor.kind == SupportKind::Table
                                   ? FactorTerms::table(section_of(factor.section))
                                   : FactorTerms::formula(factor.kind, factor.groups));
  support.requireSizes(layer);
  support.requireFactorsOfProduct(layer);
  return support;
}

// Without a look at single terms, of which there may be far more than a file could hold.
void Support::requireSizes(const Layer &layer) const {
  int64_t types = 1, groups = 1;
  for (const FactorTerms &factor : factors_) {
    types = checkedMultiply(types, factor.types(), "support: types");
    groups = checkedMultiply(groups, factor.groups(), "support: groups");
  }
  const auto fits = [&](const std::vector<int64_t> &widths) { return int64_t(widths.size()) == groups; };
  if (types != layer.types || !fits(layer.in_groups) || !fits(layer.out_groups) || !fits(layer.weight_rows))
    throw Error(ALGRT_BAD_BUNDLE,
                "manifest: support is of " + std::to_string(types) + " types and " + std::to_string(groups) +
                    " groups; types, input groups, output groups and weight rows of the layer do not agree "
                    "with that: "
                    "they are " +
                    std::to_string(layer.types) + ", " + std::to_string(layer.in_groups.size()) + ", " +
                    std::to_string(layer.out_groups.size()) + " and " +
                    std::to_string(layer.weight_rows.size()));
}

void Support::requireFactorsOfProduct(const Layer &layer) const {
  int64_t most_terms = 1;
  double largest = 1;
  bool same_groups = true;
  for (size_t f = 0; f < factors_.size(); ++f) {
    const FactorTerms &factor = factors_[f];
    if (!factor.isTable()) { // no formula gives more terms than there are groups
      most_terms = checkedMultiply(most_terms, factor.groups(), "support: terms of a slot");
      continue;
    }
    const TableSummary summary = checkTableOfProduct(factor, "factor " + std::to_string(f));
    most_terms = checkedMultiply(most_terms, summary.most_terms, "support: terms of a slot");
    largest *= summary.largest;
    same_groups = same_groups && summary.same_groups;
  }
  if (most_terms > most_terms_of_slot)
    refuseTerms("a slot of the product may have " + std::to_string(most_terms) +
                " terms, and this runtime reads at most " + std::to_string(most_terms_of_slot));
  if (!std::isfinite(largest))
    refuseTerms("coefficients of the factors multiply to more than a double holds");
  // Every term multiplies as many columns of x as rows of the weight matrix.
  if (same_groups ? layer.in_groups == layer.weight_rows
                  : allEqual(layer.in_groups) && allEqual(layer.weight_rows) &&
                        layer.in_groups.front() == layer.weight_rows.front())
    return;
  throw Error(ALGRT_BAD_BUNDLE, "manifest: support: layer.in_groups and layer.bank_rows do not agree");
}

std::span<const Term> Support::terms(int64_t type, int64_t output_group, TermStorage &storage) const {
  if (factors_.size() == 1 && factors_.front().isTable())
    return factors_.front().slot(type, output_group);
  storage.assign(1, {0, 0, 1.0});
  // From the last factor, whose digits are the lowest, to the first; every factor found so far is one of
  // fewer terms, before which the next one's are put.
  int64_t low_groups = 1;
  bool ascending = true;
  for (auto factor = factors_.rbegin(); factor != factors_.rend(); ++factor) {
    const int64_t own_type = type % factor->types(), own_group = output_group % factor->groups();
    type /= factor->types();
    output_group /= factor->groups();
    const int64_t own = factor->count(own_type, own_group), found = int64_t(storage.size());
    storage.resize(size_t(own * found));
    // From the end, so that what is read has not been written over.
    for (int64_t high = own - 1; high >= 0; --high) {
      const Term term = factor->at(own_type, own_group, high);
      ascending = ascending && term.input_group == term.weight_row;
      for (int64_t low = 0; low < found; ++low) {
        const Term &lower = storage[size_t(low)];
        storage[size_t(high * found + low)] = {int32_t(term.input_group * low_groups + lower.input_group),
                                               int32_t(term.weight_row * low_groups + lower.weight_row),
                                               term.coefficient * lower.coefficient};
      }
    }
    low_groups *= factor->groups();
  }
  if (!ascending) // pairs of tuples are not in the order of tuples of pairs
    std::sort(storage.begin(), storage.end(), before);
  return storage;
}

int64_t Support::countOfType(int64_t type) const {
  int64_t count = 1;
  for (auto factor = factors_.rbegin(); factor != factors_.rend(); ++factor) {
    count = checkedMultiply(count, factor->countOfType(type % factor->types()), "terms of a type");
    type /= factor->types();
  }
  return count;
}

int64_t Support::rowMacs(const Layer &layer, int64_t type) const {
  if (allEqual(layer.in_groups) &&
      allEqual(layer.out_groups)) // all terms are alike, and need not be looked at
    return checkedMultiply(
        countOfType(type),
        checkedMultiply(layer.in_groups.front(), layer.out_groups.front(), "MACs of a row"), "MACs of a row");
  TermStorage storage;
  int64_t macs = 0;
  for (int64_t group = 0; group < int64_t(layer.out_groups.size()); ++group)
    for (const Term &term : terms(type, group, storage)) {
      int64_t block =
          checkedMultiply(layer.in_groups[term.input_group], layer.out_groups[group], "MACs of a row");
      macs = checkedAdd(macs, block, "MACs of a row");
    }
  return macs;
}

std::string encodeTerms(int64_t types, int64_t output_groups, const std::vector<std::vector<Term>> &terms) {
  if (int64_t(terms.size()) != checkedMultiply(types, output_groups, "terms section: slots"))
    throw Error(ALGRT_INTERNAL, "encodeTerms: " + std::to_string(terms.size()) + " slots instead of " +
                                    std::to_string(types) + " times " + std::to_string(output_groups));
  std::vector<int64_t> numbers = {types, output_groups, 0, 0};
  for (const std::vector<Term> &slot : terms)
    numbers.push_back(numbers.back() + int64_t(slot.size()));
  numbers[2] = numbers.back();
  std::string bytes(reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(int64_t));
  for (const std::vector<Term> &slot : terms)
    bytes.append(reinterpret_cast<const char *>(slot.data()), slot.size() * sizeof(Term));
  return bytes;
}

} // namespace algrt
