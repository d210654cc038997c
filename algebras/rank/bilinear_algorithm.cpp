#include "algebras/rank/bilinear_algorithm.h"

#include "algebras/checked.h"
#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace algebras {

namespace {

SparseVector unit(int64_t slot) { return {{slot, Rational(1)}}; }

SparseVector tensorVector(const Field &field, const SparseVector &left, const SparseVector &right,
                          int64_t right_dimension) {
  SparseVector result;
  result.reserve(left.size() * right.size());
  for (const auto &[i, a] : left)
    for (const auto &[j, b] : right)
      result.emplace_back(checkedAdd(checkedMultiply(i, right_dimension, "an index"), j, "an index"),
                          field.isRationals() ? a * b : field.multiply(a, b));
  return result;
}

SparseVector shifted(SparseVector vector, int64_t start) {
  for (auto &[slot, coefficient] : vector)
    slot += start;
  return vector;
}

} // namespace

namespace {

using Pair = std::pair<int64_t, int64_t>;

// How many different pairs of slots the constants have.
size_t countPairs(const Table &table, int64_t Constant::*first, int64_t Constant::*second) {
  std::vector<Pair> pairs;
  pairs.reserve(table.constants().size());
  for (const Constant &constant : table.constants())
    pairs.emplace_back(constant.*first, constant.*second);
  std::sort(pairs.begin(), pairs.end());
  return static_cast<size_t>(std::unique(pairs.begin(), pairs.end()) - pairs.begin());
}

struct PairCounts {
  size_t inputs, left_outputs, right_outputs;
  size_t least() const { return std::min({inputs, left_outputs, right_outputs}); }
};

PairCounts pairCounts(const Table &table) {
  return {countPairs(table, &Constant::i, &Constant::j), countPairs(table, &Constant::i, &Constant::k),
          countPairs(table, &Constant::j, &Constant::k)};
}

} // namespace

int64_t ownProductCount(const Table &table) { return static_cast<int64_t>(pairCounts(table).least()); }

BilinearAlgorithm ownProducts(const Table &table) {
  const PairCounts counts = pairCounts(table);
  BilinearAlgorithm result;
  if (counts.least() == counts.inputs) { // sorted by (i, j) already
    for (const Constant &constant : table.constants()) {
      if (result.empty() || result.back().alpha[0].first != constant.i ||
          result.back().beta[0].first != constant.j)
        result.push_back({unit(constant.i), unit(constant.j), {}});
      result.back().gamma.emplace_back(constant.k, constant.value);
    }
    return result;
  }
  std::map<Pair, SparseVector> forms;
  bool by_left = counts.least() == counts.left_outputs;
  for (const Constant &constant : table.constants())
    forms[{by_left ? constant.i : constant.j, constant.k}].emplace_back(by_left ? constant.j : constant.i,
                                                                        constant.value);
  for (auto &[pair, form] : forms)
    result.push_back(by_left ? BilinearProduct{unit(pair.first), std::move(form), unit(pair.second)}
                             : BilinearProduct{std::move(form), unit(pair.first), unit(pair.second)});
  return result;
}

BilinearAlgorithm tensorAlgorithm(const Field &field, const BilinearAlgorithm &left,
                                  const BilinearAlgorithm &right, int64_t right_dimension) {
  BilinearAlgorithm result;
  result.reserve(left.size() * right.size());
  for (const BilinearProduct &a : left)
    for (const BilinearProduct &b : right)
      result.push_back({tensorVector(field, a.alpha, b.alpha, right_dimension),
                        tensorVector(field, a.beta, b.beta, right_dimension),
                        tensorVector(field, a.gamma, b.gamma, right_dimension)});
  return result;
}

void appendDirect(BilinearAlgorithm &algorithm, const BilinearAlgorithm &own, int64_t start) {
  for (const BilinearProduct &product : own)
    algorithm.push_back(
        {shifted(product.alpha, start), shifted(product.beta, start), shifted(product.gamma, start)});
}

} // namespace algebras
