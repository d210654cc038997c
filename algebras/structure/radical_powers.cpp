#include "algebras/structure/radical_powers.h"

#include "algebras/structure/sparse_echelon.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace algebras {

namespace {

constexpr int64_t most_radical_operations = int64_t{1} << 26;

// Whether no product of two slots of the radical is a sum.
bool isMonomial(const TableIndex &index, const std::vector<bool> &in_radical) {
  const Constant *previous = nullptr;
  for (const Constant &constant : index.table().constants()) {
    if (!in_radical[constant.i] || !in_radical[constant.j])
      continue;
    if (previous && previous->i == constant.i && previous->j == constant.j)
      return false;
    previous = &constant;
  }
  return true;
}

// The largest s for which each slot lies in rad^s; 0 outside of rad. Slot k lies in rad^(s+1) when it is, up
// to a factor, a product of a slot of rad and one of rad^s: the longest way to it counts. There is no way
// around in a circle, because rad is nilpotent.
std::vector<int64_t> depths(const TableIndex &index, const std::vector<bool> &in_radical) {
  std::vector<int64_t> depth(in_radical.size(), 0), open(in_radical.size(), 0), ready;
  for (const Constant &constant : index.table().constants())
    if (in_radical[constant.i] && in_radical[constant.j])
      ++open[constant.k];
  for (size_t slot = 0; slot < in_radical.size(); ++slot)
    if (in_radical[slot]) {
      depth[slot] = 1;
      if (open[slot] == 0)
        ready.push_back(static_cast<int64_t>(slot));
    }
  while (!ready.empty()) {
    int64_t slot = ready.back();
    ready.pop_back();
    index.withSecond(slot, [&](const Constant &constant) {
      if (!in_radical[constant.i])
        return;
      depth[constant.k] = std::max(depth[constant.k], depth[slot] + 1);
      if (--open[constant.k] == 0)
        ready.push_back(constant.k);
    });
  }
  return depth;
}

RadicalPowers fromDepths(const std::vector<int64_t> &depth, bool with_bases) {
  RadicalPowers result;
  for (int64_t own : depth) {
    if (own > static_cast<int64_t>(result.dimensions.size()))
      result.dimensions.resize(own);
    if (own > 0)
      ++result.dimensions[own - 1];
  }
  for (size_t s = result.dimensions.size(); s-- > 1;)
    result.dimensions[s - 1] += result.dimensions[s];
  if (!with_bases)
    return result;
  for (int64_t dimension : result.dimensions)
    result.bases.emplace_back().reserve(dimension);
  for (size_t slot = 0; slot < depth.size(); ++slot)
    for (int64_t s = 0; s < depth[slot]; ++s)
      result.bases[s].push_back({{static_cast<int64_t>(slot), Rational(1)}});
  return result;
}

// The products of elements by a basis of rad.
class RadicalProducts {
public:
  RadicalProducts(const TableIndex &index, const ClassDecomposition &decomposition)
      : index_(index), decomposition_(decomposition) {
    for (size_t element = 0; element < decomposition.radical_elements.size(); ++element)
      for (const auto &[slot, value] : decomposition.radical_elements[element])
        elements_with_[slot].push_back(element);
  }

  // Calls take(r p) for the basis elements r with r p other than zero, until it returns false; then, or when
  // the budget is spent, the result is false.
  template <typename Take> bool visit(const SparseVector &p, int64_t &budget, Take take) const {
    // By the first slot: b_i p.
    std::map<int64_t, Sums> products;
    for (const auto &[j, value] : p)
      index_.withSecond(j, [&](const Constant &constant) {
        --budget;
        accumulate(products[constant.i], constant.k, value * constant.value);
      });
    std::set<size_t> elements;
    for (const auto &[i, sums] : products) {
      if (decomposition_.in_radical[i] && !offer(sums, budget, take))
        return false;
      if (auto found = elements_with_.find(i); found != elements_with_.end())
        elements.insert(found->second.begin(), found->second.end());
    }
    for (size_t element : elements) {
      Sums sums;
      for (const auto &[i, factor] : decomposition_.radical_elements[element])
        if (auto found = products.find(i); found != products.end())
          for (const auto &[k, value] : found->second) {
            --budget;
            accumulate(sums, k, factor * value);
          }
      if (!offer(sums, budget, take))
        return false;
    }
    return true;
  }

private:
  using Sums = std::map<int64_t, Rational>;

  void accumulate(Sums &sums, int64_t slot, const Rational &value) const {
    Rational &sum = sums[slot];
    sum = index_.table().field().reduce(sum + value);
  }
  template <typename Take> static bool offer(const Sums &sums, int64_t &budget, Take take) {
    SparseVector product;
    for (const auto &[slot, value] : sums)
      if (!value.isZero())
        product.emplace_back(slot, value);
    budget -= static_cast<int64_t>(product.size());
    return budget >= 0 && (product.empty() || take(product));
  }

  const TableIndex &index_;
  const ClassDecomposition &decomposition_;
  std::unordered_map<int64_t, std::vector<size_t>> elements_with_; // that have a part in the slot
};

std::optional<RadicalPowers> byElimination(const TableIndex &index, const ClassDecomposition &decomposition,
                                           bool with_bases) {
  int64_t budget = most_radical_operations;
  const Field &field = index.table().field();
  SparseEchelon radical(field, most_radical_operations);
  for (size_t slot = 0; slot < decomposition.in_radical.size(); ++slot)
    if (decomposition.in_radical[slot])
      radical.insert({{static_cast<int64_t>(slot), Rational(1)}});
  for (const SparseVector &element : decomposition.radical_elements)
    if (!radical.insert(element))
      return std::nullopt;
  RadicalProducts products(index, decomposition);
  RadicalPowers result;
  std::optional<std::vector<SparseVector>> power = radical.basis();
  while (power && !power->empty()) {
    SparseEchelon next(field, most_radical_operations);
    for (const SparseVector &vector : *power)
      if (!products.visit(vector, budget, [&](const SparseVector &product) { return next.insert(product); }))
        return std::nullopt;
    result.dimensions.push_back(static_cast<int64_t>(power->size()));
    if (with_bases)
      result.bases.push_back(std::move(*power));
    power = next.basis();
  }
  if (!power)
    return std::nullopt;
  return result;
}

} // namespace

std::optional<RadicalPowers> radicalPowers(const TableIndex &index, const ClassDecomposition &decomposition,
                                           bool with_bases) {
  if (decomposition.radical_elements.empty() && isMonomial(index, decomposition.in_radical))
    return fromDepths(depths(index, decomposition.in_radical), with_bases);
  return byElimination(index, decomposition, with_bases);
}

} // namespace algebras
