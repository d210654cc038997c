#include "algebras/rank/peirce.h"

#include <flint/ulong_extras.h>

#include <random>

namespace algebras {

namespace {

using Residue = uint64_t;
using Dense = std::vector<Residue>;

// The slot that a vector is, when it is a basis element.
std::optional<int64_t> asSlot(const SparseVector &vector) {
  if (vector.size() != 1 || !vector[0].second.isOne())
    return std::nullopt;
  return vector[0].first;
}

// The table modulo a prime.
class ModularTable {
public:
  // Over Q some prime that divides no denominator of the table.
  explicit ModularTable(const Table &table) : dimension_(table.dimension()) {
    if (!table.field().isRationals()) {
      p_ = table.field().characteristic();
      fill(table);
      return;
    }
    for (p_ = n_nextprime(Residue{1} << 31, 1); !fill(table);)
      p_ = n_nextprime(p_, 1);
  }

  Residue prime() const { return p_; }

  std::optional<Dense> reduce(const SparseVector &vector) const {
    Dense result(dimension_, 0);
    for (const auto &[slot, value] : vector) {
      std::optional<Residue> own = value.residue(p_);
      if (!own)
        return std::nullopt;
      result[slot] = *own;
    }
    return result;
  }

  Residue times(Residue a, Residue b) const {
    return static_cast<Residue>(static_cast<unsigned __int128>(a) * b % p_);
  }
  Residue plus(Residue a, Residue b) const {
    Residue sum = a + b; // p is below 2^63
    return sum >= p_ ? sum - p_ : sum;
  }

  Dense multiply(const Dense &x, const Dense &y) const {
    Dense result(dimension_, 0);
    for (const Entry &entry : entries_)
      if (x[entry.i] != 0 && y[entry.j] != 0)
        result[entry.k] = plus(result[entry.k], times(times(x[entry.i], y[entry.j]), entry.value));
    return result;
  }

private:
  struct Entry {
    int64_t i, j, k;
    Residue value;
  };

  bool fill(const Table &table) {
    entries_.clear();
    for (const Constant &constant : table.constants()) {
      std::optional<Residue> value = constant.value.residue(p_);
      if (!value)
        return false;
      entries_.push_back({constant.i, constant.j, constant.k, *value});
    }
    return true;
  }

  int64_t dimension_;
  Residue p_ = 0;
  std::vector<Entry> entries_;
};

bool isZero(const Dense &vector) {
  for (Residue value : vector)
    if (value != 0)
      return false;
  return true;
}

} // namespace

std::optional<PeircePositions> adaptedPositions(const Table &table, const Decomposition &decomposition) {
  PeircePositions result;
  std::vector<int64_t> number(table.dimension(), -1);
  auto add = [&](const SparseVector &idempotent, size_t component) {
    std::optional<int64_t> slot = asSlot(idempotent);
    if (!slot || number[*slot] >= 0)
      return false;
    number[*slot] = static_cast<int64_t>(result.idempotents.size());
    result.idempotents.push_back(*slot);
    result.component.push_back(static_cast<int64_t>(component));
    return true;
  };
  for (size_t index = 0; index < decomposition.components.size(); ++index) {
    const SimpleComponent &own = decomposition.components[index];
    if (!own.matrix_degree || *own.matrix_degree * *own.matrix_degree != own.dimension)
      return std::nullopt;
    int64_t d = *own.matrix_degree;
    if (d == 1 && !add(own.idempotent, index))
      return std::nullopt;
    for (int64_t a = 0; d > 1 && a < d; ++a)
      if (!add(own.matrix_units[a * d + a], index))
        return std::nullopt;
  }
  result.radical.resize(table.dimension());
  if (!decomposition.radical_powers.empty())
    for (const SparseVector &vector : decomposition.radical_powers.front()) {
      std::optional<int64_t> slot = asSlot(vector);
      if (!slot)
        return std::nullopt;
      result.radical[*slot] = true;
    }

  // e s = s for one idempotent slot e, and s f = s for one f; with 1 = sum of the e every other product with
  // an idempotent is zero, which is checked as well.
  result.row.assign(table.dimension(), -1);
  result.column.assign(table.dimension(), -1);
  const std::vector<Constant> &constants = table.constants();
  for (size_t first = 0, next; first < constants.size(); first = next) {
    const Constant &constant = constants[first];
    for (next = first + 1;
         next < constants.size() && constants[next].i == constant.i && constants[next].j == constant.j;)
      ++next;
    bool one_term = next == first + 1 && constant.value.isOne();
    if (int64_t e = number[constant.i]; e >= 0) {
      if (!one_term || constant.k != constant.j || result.row[constant.j] >= 0)
        return std::nullopt;
      result.row[constant.j] = e;
    }
    if (int64_t f = number[constant.j]; f >= 0) {
      if (!one_term || constant.k != constant.i || result.column[constant.i] >= 0)
        return std::nullopt;
      result.column[constant.i] = f;
    }
  }
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    if (result.row[slot] < 0 || result.column[slot] < 0)
      return std::nullopt;
  return result;
}

OffDiagonalProducts findOffDiagonalProducts(const Table &table, const std::vector<SparseVector> &idempotents,
                                            const std::vector<SparseVector> &radical) {
  OffDiagonalProducts result;
  ModularTable modular(table);
  std::vector<Dense> units, basis;
  for (auto [from, to] : {std::pair(&idempotents, &units), std::pair(&radical, &basis)})
    for (const SparseVector &vector : *from) {
      std::optional<Dense> own = modular.reduce(vector);
      if (!own)
        return result; // a denominator that the prime divides: one in two thousand million
      to->push_back(std::move(*own));
    }
  // Some element of rad; over small fields several, as one may miss.
  std::mt19937_64 random(1);
  auto element = [&] {
    Dense x(table.dimension(), 0);
    for (const Dense &vector : basis) {
      Residue factor = random() % modular.prime();
      for (size_t slot = 0; slot < x.size(); ++slot)
        x[slot] = modular.plus(x[slot], modular.times(factor, vector[slot]));
    }
    return x;
  };
  int rounds = modular.prime() < 1000 ? 6 : 1;
  for (int round = 0; round < rounds && !result.chain; ++round) {
    Dense x = element(), y = element();
    std::vector<Dense> left; // e_i x
    for (const Dense &unit : units)
      left.push_back(modular.multiply(unit, x));
    for (size_t i = 0; i < units.size() && !result.chain; ++i)
      for (size_t j = 0; j < units.size() && !result.chain; ++j) {
        if (i == j || isZero(left[i]))
          continue;
        Dense own = modular.multiply(left[i], units[j]);
        if (isZero(own))
          continue;
        result.off_diagonal = true;
        Dense after = modular.multiply(own, y), before = modular.multiply(y, own);
        if (isZero(after) && isZero(before))
          continue;
        result.any = true;
        // after = e_i x e_j y: the parts that end elsewhere than in e_j.
        Dense inside = modular.multiply(after, units[j]), inside_before = modular.multiply(units[i], before);
        result.chain = after != inside || before != inside_before;
      }
  }
  return result;
}

} // namespace algebras
