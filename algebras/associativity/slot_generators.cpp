#include "algebras/associativity/slot_generators.h"

#include "algebras/structure/slot_classes.h"

namespace algebras {

namespace {

class Closure {
public:
  explicit Closure(const Table &table)
      : index_(table), reached_(table.dimension()), chosen_(table.dimension()) {}

  std::vector<bool> run() {
    // First those that are no product of two other slots: they have to be chosen.
    std::vector<bool> is_product(reached_.size());
    forEachMultiple([&](const Constant &constant) {
      if (constant.k != constant.i && constant.k != constant.j)
        is_product[constant.k] = true;
    });
    for (bool products : {false, true})
      for (size_t slot = 0; slot < reached_.size(); ++slot)
        if (is_product[slot] == products && !reached_[slot]) {
          chosen_[slot] = true;
          reach(static_cast<int64_t>(slot));
        }
    return std::move(chosen_);
  }

private:
  // Whether b_i b_j is this constant's multiple of b_k, and no sum.
  bool isMultiple(const Constant &constant) const {
    const Constant *first = index_.table().constants().data(), *last = first + index_.table().nonzeros() - 1;
    auto same = [&](const Constant &other) { return other.i == constant.i && other.j == constant.j; };
    return (&constant == first || !same(*(&constant - 1))) && (&constant == last || !same(*(&constant + 1)));
  }
  template <typename Take> void forEachMultiple(Take take) const {
    for (const Constant &constant : index_.table().constants())
      if (isMultiple(constant))
        take(constant);
  }

  void reach(int64_t start) {
    reached_[start] = true;
    open_.push_back(start);
    while (!open_.empty()) {
      int64_t slot = open_.back();
      open_.pop_back();
      auto multiply = [&](const Constant &constant) {
        if (!reached_[constant.k] && reached_[constant.i] && reached_[constant.j] && isMultiple(constant)) {
          reached_[constant.k] = true;
          open_.push_back(constant.k);
        }
      };
      for (const Constant &constant : index_.withFirst(slot))
        multiply(constant);
      index_.withSecond(slot, multiply);
    }
  }

  TableIndex index_;
  std::vector<bool> reached_, chosen_;
  std::vector<int64_t> open_;
};

} // namespace

std::vector<bool> slotGenerators(const Table &table) {
  if (table.dimension() > table.nonzeros())
    return std::vector<bool>(table.dimension(), true);
  return Closure(table).run();
}

} // namespace algebras
