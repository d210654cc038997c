// z = sum z_s b_s is central when sum_s z_s (c[s,j,k] - c[j,s,k]) = 0 for all j and k. Where products of
// slots are multiples of slots, such an equation has one or two terms. Equations with more are set aside,
// written in what is still free, and eliminated.
#include "algebras/structure/proportions.h"
#include "algebras/structure/slot_classes.h"
#include "algebras/structure/sparse_echelon.h"
#include "algebras/structure/table_structure.h"

#include <algorithm>
#include <tuple>

namespace algebras {

namespace {

constexpr int64_t most_center_operations = int64_t{1} << 26; // operations of the elimination

class CenterEquations {
public:
  explicit CenterEquations(const Table &table)
      : index_(table), field_(table.field()), proportions_(table.field(), table.dimension()) {}

  std::optional<int64_t> dimension() {
    for (int64_t j = 0; j < index_.table().dimension(); ++j)
      gather(j);
    constexpr int rounds = 4; // the elimination copes with what is left
    for (int round = 0; round < rounds && simplify(); ++round)
      ;
    for (SparseVector &equation : open_)
      if (Rational first = equation.front().second; !first.isOne())
        for (auto &[unknown, coefficient] : equation)
          coefficient = field_.reduce(coefficient / first);
    // Short equations first: they fill in least.
    std::sort(open_.begin(), open_.end(), [](const SparseVector &a, const SparseVector &b) {
      return a.size() != b.size() ? a.size() < b.size()
                                  : std::lexicographical_compare(
                                        a.begin(), a.end(), b.begin(), b.end(),
                                        [](const auto &x, const auto &y) {
                                          return x.first != y.first ? x.first < y.first : x.second < y.second;
                                        });
    });
    open_.erase(std::unique(open_.begin(), open_.end()), open_.end());
    SparseEchelon echelon(field_, most_center_operations);
    for (const SparseVector &equation : open_)
      if (!echelon.insert(equation))
        return std::nullopt;
    return proportions_.free() - echelon.rank();
  }

private:
  struct Term {
    int64_t k, unknown;
    Rational coefficient;
  };

  // The equations of one j.
  void gather(int64_t j) {
    terms_.clear();
    index_.withSecond(j, [&](const Constant &constant) {
      if (constant.i != j)
        terms_.push_back({constant.k, constant.i, constant.value});
    });
    for (const Constant &constant : index_.withFirst(j))
      if (constant.j != j)
        terms_.push_back({constant.k, constant.j, -constant.value});
    std::sort(terms_.begin(), terms_.end(), [](const Term &a, const Term &b) {
      return std::tie(a.k, a.unknown) < std::tie(b.k, b.unknown);
    });
    for (size_t at = 0; at < terms_.size();) {
      equation_.clear();
      for (int64_t k = terms_[at].k; at < terms_.size() && terms_[at].k == k;) {
        int64_t unknown = terms_[at].unknown;
        Rational sum = terms_[at].coefficient;
        for (++at; at < terms_.size() && terms_[at].k == k && terms_[at].unknown == unknown; ++at)
          sum += terms_[at].coefficient;
        if (sum = field_.reduce(sum); !sum.isZero())
          equation_.emplace_back(unknown, std::move(sum));
      }
      if (!takeShort(equation_))
        open_.push_back(equation_);
    }
  }

  bool takeShort(const SparseVector &equation) {
    if (equation.size() == 1)
      proportions_.setZero(equation[0].first);
    else if (equation.size() == 2)
      proportions_.relate(equation[0].second, equation[0].first, equation[1].second, equation[1].first);
    return equation.size() <= 2;
  }

  // Writes the open equations in roots; whether some became short.
  bool simplify() {
    bool progress = false;
    std::vector<SparseVector> still_open;
    for (SparseVector &equation : open_) {
      SparseVector in_roots;
      for (const auto &[unknown, coefficient] : equation) {
        auto [root, factor] = proportions_.find(unknown);
        if (!factor.isZero())
          in_roots.emplace_back(root, field_.multiply(coefficient, factor));
      }
      std::sort(in_roots.begin(), in_roots.end(),
                [](const auto &a, const auto &b) { return a.first < b.first; });
      equation.clear();
      for (auto &[root, coefficient] : in_roots) {
        if (!equation.empty() && equation.back().first == root)
          equation.back().second = field_.add(equation.back().second, coefficient);
        else
          equation.emplace_back(root, std::move(coefficient));
      }
      std::erase_if(equation, [](const auto &term) { return term.second.isZero(); });
      if (takeShort(equation))
        progress = progress || !equation.empty();
      else
        still_open.push_back(std::move(equation));
    }
    open_ = std::move(still_open);
    return progress;
  }

  TableIndex index_;
  Field field_;
  Proportions proportions_;
  std::vector<Term> terms_;
  SparseVector equation_;
  std::vector<SparseVector> open_; // of three terms and more
};

} // namespace

std::optional<int64_t> centerDimension(const Table &table) { return CenterEquations(table).dimension(); }

} // namespace algebras
