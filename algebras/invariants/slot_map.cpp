#include "algebras/invariants/slot_map.h"

#include "algebras/invariants/matching.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <string>
#include <tuple>

namespace algebras {

namespace {

ColouredStructure structureOf(const Table &table, bool with_values) {
  ColouredStructure result;
  result.colours.assign(table.dimension(), 0);
  for (const Constant &constant : table.constants())
    result.triples.push_back(
        {constant.i, constant.j, constant.k,
         with_values ? std::hash<std::string>()(constant.value.toString()) : uint64_t{1}});
  return result;
}

// Factors that turn the constants of `left` into those of `right` along the permutation: factor_i factor_j
// right = left factor_k. Solved one unknown at a time; where an equation leaves a choice, 1 is taken.
std::vector<Rational> propagateFactors(const Table &left, const Table &right,
                                       const std::vector<int64_t> &image) {
  const Field &field = left.field();
  const std::vector<Constant> &constants = left.constants();
  std::vector<Rational> factors(left.dimension()); // zero: not known yet
  std::vector<std::vector<size_t>> uses(left.dimension());
  for (size_t index = 0; index < constants.size(); ++index)
    for (int64_t slot : {constants[index].i, constants[index].j, constants[index].k})
      uses[slot].push_back(index);
  auto inverse = [&](const Rational &value) { return field.reduce(Rational(1) / value); };
  std::queue<int64_t> known;
  auto set = [&](int64_t slot, const Rational &value) {
    factors[slot] = value;
    known.push(slot);
  };
  auto use = [&](const Constant &constant) {
    auto row = right.row(image[constant.i]);
    auto other = std::find_if(row.begin(), row.end(), [&](const Constant &candidate) {
      return candidate.j == image[constant.j] && candidate.k == image[constant.k];
    });
    if (other == row.end())
      return;
    Rational ratio =
        field.multiply(constant.value, inverse(other->value)); // factor_i factor_j = ratio factor_k
    auto [i, j, k] = std::tie(constant.i, constant.j, constant.k);
    const Rational &a = factors[i], &b = factors[j], &c = factors[k];
    if (i == k && j != k && b.isZero())
      set(j, ratio);
    else if (j == k && i != k && a.isZero())
      set(i, ratio);
    else if (i == j && i == k && a.isZero())
      set(i, ratio);
    else if (!a.isZero() && !b.isZero() && c.isZero())
      set(k, field.multiply(field.multiply(a, b), inverse(ratio)));
    else if (!a.isZero() && b.isZero() && !c.isZero() && i != j)
      set(j, field.multiply(field.multiply(ratio, c), inverse(a)));
    else if (a.isZero() && !b.isZero() && !c.isZero() && i != j)
      set(i, field.multiply(field.multiply(ratio, c), inverse(b)));
  };
  auto drain = [&] {
    for (; !known.empty(); known.pop())
      for (size_t index : uses[known.front()])
        use(constants[index]);
  };
  for (const Constant &constant : constants)
    use(constant);
  drain();
  for (int64_t slot = 0; slot < left.dimension(); ++slot)
    if (factors[slot].isZero()) {
      set(slot, Rational(1));
      drain();
    }
  return factors;
}

} // namespace

bool isIsomorphism(const Table &left, const Table &right, const SlotMap &map) {
  if (left.field() != right.field() || left.dimension() != right.dimension() ||
      left.nonzeros() != right.nonzeros())
    return false;
  const Field &field = left.field();
  std::vector<bool> hit(right.dimension(), false);
  for (int64_t slot = 0; slot < left.dimension(); ++slot) {
    if (hit[map.image[slot]] || map.factors[slot].isZero())
      return false;
    hit[map.image[slot]] = true;
  }
  // Different constants of the left go to different ones of the right, and there are as many.
  return std::all_of(left.constants().begin(), left.constants().end(), [&](const Constant &constant) {
    auto row = right.row(map.image[constant.i]);
    Constant wanted{map.image[constant.i], map.image[constant.j], map.image[constant.k], {}};
    auto other = std::lower_bound(row.begin(), row.end(), wanted, [](const Constant &a, const Constant &b) {
      return std::tie(a.j, a.k) < std::tie(b.j, b.k);
    });
    if (other == row.end() || other->j != wanted.j || other->k != wanted.k)
      return false;
    return field.multiply(field.multiply(map.factors[constant.i], map.factors[constant.j]), other->value) ==
           field.multiply(constant.value, map.factors[constant.k]);
  });
}

std::optional<SlotMap> findSlotMap(const Table &left, const Table &right) {
  if (left.field() != right.field() || left.dimension() != right.dimension() ||
      left.nonzeros() != right.nonzeros())
    return std::nullopt;
  constexpr int64_t most_constants = int64_t{1} << 16;
  if (left.nonzeros() > most_constants)
    return std::nullopt;
  for (bool with_values : {true, false}) {
    Matching matching = match(structureOf(left, with_values), structureOf(right, with_values));
    if (matching.verdict != Matching::Verdict::Found)
      continue;
    SlotMap map{matching.image, {}};
    map.factors = with_values ? std::vector<Rational>(left.dimension(), Rational(1))
                              : propagateFactors(left, right, map.image);
    if (isIsomorphism(left, right, map))
      return map;
  }
  return std::nullopt;
}

} // namespace algebras
