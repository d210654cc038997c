#include "algebras/identity/short_equations.h"

#include "algebras/structure/slot_classes.h"

#include <algorithm>

namespace algebras {

namespace {

// sum_i u_i c[i,j,k] = delta_jk and sum_j u_j c[i,j,k] = delta_ik.
class ShortEquations {
public:
  explicit ShortEquations(const Table &table)
      : index_(table), field_(table.field()), values_(table.dimension()), known_(table.dimension(), false),
        open_(table.dimension()) {}

  std::optional<std::vector<Rational>> solve() {
    constexpr int passes = 8;
    for (int pass = 0; pass < passes && open_ > 0; ++pass) {
      int64_t before = open_;
      for (int64_t slot = 0; slot < index_.table().dimension() && open_ > 0; ++slot) {
        terms_.clear();
        for (const Constant &constant : index_.withFirst(slot))
          terms_.push_back({constant.k, constant.j, &constant.value});
        take(slot);
        terms_.clear();
        index_.withSecond(slot, [&](const Constant &constant) {
          terms_.push_back({constant.k, constant.i, &constant.value});
        });
        take(slot);
      }
      if (open_ == before)
        return std::nullopt;
    }
    if (open_ > 0)
      return std::nullopt;
    return std::move(values_);
  }

private:
  struct Term {
    int64_t output, unknown;
    const Rational *coefficient;
  };

  // The equations of one fixed slot; the terms of one output are one equation.
  void take(int64_t slot) {
    std::sort(terms_.begin(), terms_.end(), [](const Term &a, const Term &b) { return a.output < b.output; });
    for (size_t first = 0, end; first < terms_.size(); first = end) {
      const Term *unknown = nullptr;
      size_t unknowns = 0;
      for (end = first; end < terms_.size() && terms_[end].output == terms_[first].output; ++end)
        if (!known_[terms_[end].unknown]) {
          unknown = &terms_[end];
          ++unknowns;
        }
      if (unknowns != 1)
        continue;
      Rational right(terms_[first].output == slot ? 1 : 0);
      for (size_t at = first; at < end; ++at)
        if (const Rational &value = values_[terms_[at].unknown]; !value.isZero())
          right -= *terms_[at].coefficient * value;
      right = field_.reduce(right);
      known_[unknown->unknown] = true;
      values_[unknown->unknown] = right.isZero() ? right : field_.reduce(right / *unknown->coefficient);
      --open_;
    }
  }

  TableIndex index_;
  const Field field_;
  std::vector<Rational> values_; // zero where not yet known
  std::vector<bool> known_;
  int64_t open_;
  std::vector<Term> terms_;
};

} // namespace

std::optional<std::vector<Rational>> identityByShortEquations(const Table &table) {
  if (table.dimension() > table.nonzeros())
    return std::nullopt;
  return ShortEquations(table).solve();
}

} // namespace algebras
