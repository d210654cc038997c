#include "algebras/quiver/path_products.h"

#include "algebras/algebra.h"
#include "algebras/associativity.h"
#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace algebras {

namespace {

using SlotSum = std::map<int64_t, Rational>;

void addTo(SlotSum &sum, int64_t slot, const Rational &value, const Field &field) {
  auto [place, is_new] = sum.try_emplace(slot, value);
  if (!is_new)
    place->second = field.add(place->second, value);
  if (place->second.isZero())
    sum.erase(place);
}

// A combination of paths in terms of the basis. Paths that touch a vertex without idempotent are zero.
SlotSum toSlots(const PathBasis &basis, int64_t source, const PathSum &sum) {
  SlotSum result;
  for (const auto &[word, value] : sum)
    if (std::optional<int64_t> slot = basis.find(source, word))
      result.emplace(*slot, value);
  return result;
}

class Products {
public:
  Products(const Quiver &quiver, const RewritingRules &rules, const PathBasis &basis, const Field &field)
      : quiver_(quiver), rules_(rules), basis_(basis), field_(field) {}

  Table run() {
    // The paths that start at a vertex, short ones first.
    std::vector<std::vector<int64_t>> starting(quiver_.vertexCount());
    for (int64_t slot = 0; slot < basis_.size(); ++slot)
      starting[basis_.path(slot).source].push_back(slot);
    for (auto &slots : starting)
      std::sort(slots.begin(), slots.end(), [&](int64_t left, int64_t right) {
        return std::pair(basis_.path(left).length, left) < std::pair(basis_.path(right).length, right);
      });
    int64_t pairs = 0;
    for (int64_t slot = 0; slot < basis_.size(); ++slot)
      pairs += static_cast<int64_t>(starting[basis_.path(slot).target].size());
    requireAtMost(pairs, "pairs of paths to be multiplied");

    std::vector<Constant> constants;
    for (int64_t left = 0; left < basis_.size(); ++left) {
      std::map<int64_t, SlotSum> products; // by the right factor
      for (int64_t right : starting[basis_.path(left).target]) {
        const PathBasis::Path &path = basis_.path(right);
        SlotSum product;
        if (path.length == 0)
          product.emplace(left, Rational(1));
        else
          for (const auto &[slot, value] : products.at(path.without_last))
            for (const auto &[target, coefficient] : timesArrow(slot, path.last))
              addTo(product, target, field_.multiply(value, coefficient), field_);
        for (const auto &[slot, value] : product)
          constants.push_back({left, right, slot, value});
        requireAtMost(static_cast<int64_t>(constants.size()), "nonzero structure constants");
        products.emplace(right, std::move(product));
      }
    }
    return Table("", field_, basis_.size(), std::move(constants));
  }

private:
  void requireAtMost(int64_t count, const char *what) const {
    if (count > Algebra::expansion_limit)
      throw InputError(fmt::format("this algebra has more than {} {}", Algebra::expansion_limit, what))
          .hint("relations with sums are worked out product by product; paths that are zero need no such "
                "table");
  }

  const SlotSum &timesArrow(int64_t slot, int32_t arrow) {
    auto [place, is_new] = extended_.try_emplace({slot, arrow});
    if (!is_new)
      return place->second;
    if (std::optional<int64_t> longer = basis_.extended(slot, arrow)) {
      place->second.emplace(*longer, Rational(1));
      return place->second;
    }
    PathSum sum;
    sum.emplace(basis_.word(slot) + static_cast<char32_t>(arrow), Rational(1));
    place->second = toSlots(basis_, basis_.path(slot).source, rules_.normalForm(sum));
    return place->second;
  }

  const Quiver &quiver_;
  const RewritingRules &rules_;
  const PathBasis &basis_;
  const Field &field_;
  std::map<std::pair<int64_t, int32_t>, SlotSum> extended_; // (slot, arrow) -> their product
};

} // namespace

Table pathProducts(const Quiver &quiver, const RewritingRules &rules, const PathBasis &basis,
                   const Field &field) {
  return Products(quiver, rules, basis, field).run();
}

void checkPathProducts(const Quiver &quiver, const std::vector<Relation> &relations,
                       const RewritingRules &rules, const PathBasis &basis, const Table &table) {
  if (std::optional<Witness> witness = findNonassociative(table))
    throw std::logic_error(fmt::format("products of paths that are not associative, at [{}, {}, {}, {}]",
                                       witness->i, witness->j, witness->k, witness->l));
  const Field &field = table.field();
  auto times = [&](const SlotSum &left, const SlotSum &right) {
    SlotSum product;
    for (const auto &[i, value] : left)
      for (const Constant &constant : table.row(i))
        if (auto factor = right.find(constant.j); factor != right.end())
          addTo(product, constant.k, field.multiply(field.multiply(value, factor->second), constant.value),
                field);
    return product;
  };
  auto arrow_in_basis = [&](char32_t arrow) {
    PathSum sum;
    sum.emplace(Word(1, arrow), Rational(1));
    return toSlots(basis, quiver.arrow(arrow).source, rules.normalForm(sum));
  };
  for (const Relation &relation : relations) {
    SlotSum total;
    for (const auto &[word, value] : relation.sum) {
      SlotSum product;
      if (std::optional<int64_t> unit = basis.idempotent(relation.source))
        product.emplace(*unit, Rational(1));
      for (char32_t arrow : word)
        product = times(product, arrow_in_basis(arrow));
      for (const auto &[slot, coefficient] : product)
        addTo(total, slot, field.multiply(value, coefficient), field);
    }
    if (!total.empty())
      throw std::logic_error(
          fmt::format("{} does not vanish in its own quotient", relationText(quiver, relation)));
  }
}

} // namespace algebras
