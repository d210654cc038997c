#include "algebras/structure/class_decomposition.h"

#include "algebras/identity.h"
#include "algebras/structure/dense_decomposition.h"
#include "algebras/structure/nilpotent.h"
#include "algebras/structure/scaled_units.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

namespace algebras {

namespace {

constexpr int64_t most_lifting_operations = int64_t{1} << 27; // operations of lifting

// The algebra that a class spans modulo the earlier ones; slots are numbered within the class.
Table classTable(const TableIndex &index, const SlotClasses &classes, size_t number) {
  std::span<const uint32_t> members = classes.members(number);
  auto place = [&](int64_t slot) {
    return std::lower_bound(members.begin(), members.end(), static_cast<uint32_t>(slot)) - members.begin();
  };
  std::vector<Constant> constants;
  for (uint32_t slot : members)
    for (const Constant &constant : index.withFirst(slot))
      if (classes.class_of[constant.j] == number && classes.class_of[constant.k] == number)
        constants.push_back({place(constant.i), place(constant.j), place(constant.k), constant.value});
  return Table("class", index.table().field(), static_cast<int64_t>(members.size()), std::move(constants));
}

SimpleComponent matrixComponent(const Field &field, const ScaledUnits &units) {
  SimpleComponent component;
  int64_t d = units.degree;
  component.dimension = d * d;
  component.matrix_degree = d;
  for (int64_t a = 0; a < d; ++a)
    component.idempotent.push_back(units.units[a * d + a]);
  std::sort(component.idempotent.begin(), component.idempotent.end(),
            [](const auto &left, const auto &right) { return left.first < right.first; });
  component.center_generator = component.idempotent;
  component.center_polynomial = {field.reduce(Rational(-1)), Rational(1)};
  if (d > 1)
    for (const auto &unit : units.units)
      component.matrix_units.push_back({unit});
  return component;
}

class Decomposer {
public:
  explicit Decomposer(const TableIndex &index)
      : index_(index), field_(index.table().field()), classes_(slotClasses(index)) {}

  std::optional<ClassDecomposition> run() {
    result_.in_radical.assign(index_.table().dimension(), false);
    components_of_.resize(classes_.count());
    below_.resize(classes_.count());
    for (size_t number = 0; number < classes_.count(); ++number) {
      if (!gatherBelow(number))
        return std::nullopt;
      if (!classes_.multiplies[number] ? !addRadicalSlots(number) : !addComponents(number))
        return std::nullopt;
    }
    return std::move(result_);
  }

private:
  using Classes = std::vector<uint32_t>;

  bool spend(size_t operations) { return (budget_ -= static_cast<int64_t>(operations)) >= 0; }

  static void makeUnique(Classes &classes) {
    std::sort(classes.begin(), classes.end());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  }

  // below_[number]: the classes with components that this one reaches, itself apart.
  bool gatherBelow(size_t number) {
    Classes found;
    size_t limit = 1024; // of repetitions, before they are taken out
    auto reach = [&](int64_t slot) {
      uint32_t other = classes_.class_of[slot];
      if (other == number || (components_of_[other].empty() && below_[other].empty()))
        return;
      if (last_ == other)
        return;
      last_ = other;
      found.insert(found.end(), below_[other].begin(), below_[other].end());
      if (!components_of_[other].empty())
        found.push_back(other);
      if (found.size() > limit) {
        makeUnique(found);
        limit = std::max(limit, 2 * found.size());
      }
    };
    last_ = UINT32_MAX;
    for (uint32_t slot : classes_.members(number)) {
      for (const Constant &constant : index_.withFirst(slot))
        reach(constant.k);
      index_.withSecond(slot, [&](const Constant &constant) { reach(constant.k); });
      makeUnique(found);
      if (!spend(found.size()))
        return false;
    }
    below_[number] = std::move(found);
    return true;
  }

  bool addRadicalSlots(size_t number) {
    for (uint32_t slot : classes_.members(number)) {
      if (below_[number].empty()) {
        result_.in_radical[slot] = true;
        continue;
      }
      std::optional<SparseVector> lifted = lift(number, {{slot, Rational(1)}}, false);
      if (!lifted)
        return false;
      result_.radical_elements.push_back(std::move(*lifted));
    }
    return true;
  }

  bool addComponents(size_t number) {
    std::vector<SimpleComponent> found;
    std::vector<SparseVector> radical;
    std::span<const uint32_t> members = classes_.members(number);
    if (members.size() == 1) {
      Rational square;
      for (const Constant &constant : index_.withFirst(members[0]))
        if (constant.j == members[0] && constant.k == members[0])
          square = constant.value;
      found.push_back(matrixComponent(field_, {1, {{0, field_.reduce(Rational(1) / square)}}}));
    } else {
      Table table = classTable(index_, classes_, number);
      if (std::optional<ScaledUnits> units = scaledUnits(table)) {
        found.push_back(matrixComponent(field_, *units));
      } else {
        // Of one class alone, dense linear algebra gives more at once: powers of the radical, the centre.
        if (classes_.count() == 1)
          return false;
        result_.by_linear_algebra = true;
        std::optional<SparseVector> identity;
        if (fitsDense(table))
          identity = findIdentity(table);
        if (!identity)
          return isNilpotent(table).value_or(false) && addRadicalSlots(number);
        Decomposition dense = decomposeDense(table, *identity);
        found = std::move(dense.components);
        if (!dense.radical_powers.empty())
          radical = std::move(dense.radical_powers.front());
      }
    }
    for (SparseVector &vector : radical) {
      std::optional<SparseVector> lifted = lift(number, fromClass(members, std::move(vector)), false);
      if (!lifted)
        return false;
      result_.radical_elements.push_back(std::move(*lifted));
    }
    for (SimpleComponent &component : found) {
      std::vector<SparseVector *> vectors = {&component.idempotent, &component.center_generator};
      for (SparseVector &unit : component.matrix_units)
        vectors.push_back(&unit);
      for (SparseVector *vector : vectors) {
        std::optional<SparseVector> lifted = lift(number, fromClass(members, std::move(*vector)), true);
        if (!lifted)
          return false;
        *vector = std::move(*lifted);
      }
      components_of_[number].push_back(result_.components.size());
      result_.components.push_back(std::move(component));
    }
    return true;
  }

  static SparseVector fromClass(std::span<const uint32_t> members, SparseVector vector) {
    for (auto &[slot, value] : vector)
      slot = members[slot];
    return vector;
  }

  // (1 - f) x, where f is the sum of the components below: the part of x outside of these. `modulo_radical`:
  // parts in slots of the radical do not count, and are left out.
  std::optional<SparseVector> lift(size_t number, SparseVector x, bool modulo_radical) {
    if (below_[number].empty())
      return x;
    if (last_sum_ != number) {
      sum_.clear();
      for (uint32_t other : below_[number])
        for (size_t component : components_of_[other])
          for (const auto &[slot, value] : result_.components[component].idempotent) {
            sum_[slot] += value;
            if (!spend(1))
              return std::nullopt;
          }
      last_sum_ = number;
    }
    std::map<int64_t, Rational> sums(x.begin(), x.end());
    for (const auto &[j, value] : x) {
      bool enough = true;
      index_.withSecond(j, [&](const Constant &constant) {
        enough = enough && spend(1);
        auto left = sum_.find(constant.i);
        if (left == sum_.end() || (modulo_radical && result_.in_radical[constant.k]))
          return;
        Rational &sum = sums[constant.k];
        sum = field_.reduce(sum - left->second * value * constant.value);
      });
      if (!enough)
        return std::nullopt;
    }
    SparseVector lifted;
    for (auto &[slot, value] : sums)
      if (!value.isZero())
        lifted.emplace_back(slot, std::move(value));
    return lifted;
  }

  const TableIndex &index_;
  const Field &field_;
  SlotClasses classes_;
  ClassDecomposition result_;
  std::vector<std::vector<size_t>> components_of_; // of a class, as indices of components
  std::vector<Classes> below_;
  std::unordered_map<int64_t, Rational> sum_; // of the components below class `last_sum_`
  size_t last_sum_ = SIZE_MAX;
  uint32_t last_ = UINT32_MAX;
  int64_t budget_ = most_lifting_operations;
};

} // namespace

std::optional<ClassDecomposition> decomposeByClasses(const TableIndex &index) {
  return Decomposer(index).run();
}

} // namespace algebras
