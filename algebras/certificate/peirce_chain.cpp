#include "algebras/certificate/peirce_chain.h"

#include "algebras/structure/sparse_product.h"

#include <algorithm>
#include <set>

namespace algebras {

namespace {

class ChainSearch {
public:
  ChainSearch(const Table &table, const SlotFiltration &filtration)
      : table_(table), product_(table), filtration_(filtration), level_(table.dimension()) {
    for (size_t s = 0; s < filtration.layers.size(); ++s)
      for (int64_t slot : filtration.layers[s])
        level_[slot] = static_cast<int64_t>(s) + 1;
  }

  std::vector<int64_t> run() {
    for (const std::vector<int64_t> &component : filtration_.components) {
      chain_ = {component[0]};
      if (extend({{component[0], Rational(1)}}) || products_ > most_products)
        break;
    }
    return best_;
  }

private:
  static constexpr int64_t most_products = 1 << 16;

  // The next slots x and j; whether the chain cannot become longer.
  bool extend(const SparseVector &start) {
    for (int64_t x : following(start, 1)) {
      SparseVector half = times(start, x);
      for (int64_t j : following(half, 0)) {
        SparseVector whole = times(half, j);
        auto steps = static_cast<int64_t>(chain_.size() + 1) / 2; // whole lies in J^steps
        if (j == chain_.back() || !reaches(whole, steps))
          continue;
        chain_.push_back(x);
        chain_.push_back(j);
        if (chain_.size() > best_.size())
          best_ = chain_;
        if (steps == longest() || extend(whole))
          return true;
        chain_.resize(chain_.size() - 2);
        if (products_ > most_products)
          return true;
      }
    }
    return false;
  }
  int64_t longest() const { return std::min<int64_t>(2, std::ssize(filtration_.layers)); }
  // Slots of this level that have products with some term of x.
  std::set<int64_t> following(const SparseVector &x, int64_t level) const {
    std::set<int64_t> result;
    for (const auto &[slot, coefficient] : x)
      for (const Constant &constant : table_.row(slot))
        if (level_[constant.j] == level)
          result.insert(constant.j);
    return result;
  }
  bool reaches(const SparseVector &x, int64_t level) const {
    return std::any_of(x.begin(), x.end(), [&](const auto &term) { return level_[term.first] <= level; });
  }
  SparseVector times(const SparseVector &x, int64_t slot) {
    ++products_;
    return product_.multiply(x, {{slot, Rational(1)}});
  }

  const Table &table_;
  SparseProduct product_;
  const SlotFiltration &filtration_;
  std::vector<int64_t> level_, chain_, best_;
  int64_t products_ = 0;
};

} // namespace

std::vector<int64_t> findPeirceChain(const Table &table, const SlotFiltration &filtration) {
  for (const std::vector<int64_t> &component : filtration.components)
    if (component.size() != 1)
      return {};
  if (filtration.layers.empty() || filtration.components.size() < 2)
    return {};
  return ChainSearch(table, filtration).run();
}

} // namespace algebras
