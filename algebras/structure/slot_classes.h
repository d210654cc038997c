// The basis of an algebra, ordered by which slots the products of a slot can reach.
#pragma once

#include "algebras/table/table.h"

#include <cstdint>
#include <span>
#include <vector>

namespace algebras {

// A table's constants, found by their second slot as well.
class TableIndex {
public:
  // Linear time; 4 bytes for each constant. The dimension is at most the number of constants, as in unital
  // algebras, and that is below 2^32 (std::logic_error).
  explicit TableIndex(const Table &table);

  const Table &table() const { return table_; }
  std::span<const Constant> withFirst(int64_t i) const {
    return std::span(table_.constants()).subspan(first_starts_[i], first_starts_[i + 1] - first_starts_[i]);
  }
  // Calls take(constant) for those with second slot j, by ascending first slot.
  template <typename Take> void withSecond(int64_t j, Take take) const {
    for (uint32_t at = second_starts_[j]; at < second_starts_[j + 1]; ++at)
      take(table_.constants()[by_second_[at]]);
  }

private:
  const Table &table_;
  std::vector<uint32_t> first_starts_, second_starts_, by_second_;
};

// Slot s reaches slot k when k occurs in a product with s, or along several such steps. What a slot reaches
// spans an ideal. Slots that reach each other are one class; classes are numbered so that none reaches a
// later one: the first classes of any number span an ideal.
struct SlotClasses {
  std::vector<uint32_t> class_of;      // by slot
  std::vector<uint32_t> starts, slots; // class c holds slots[starts[c] .. starts[c+1]), ascending
  // Whether a product of two slots of the class has a part in the class. If not, the class spans, modulo the
  // earlier ones, an ideal whose square is zero.
  std::vector<bool> multiplies;

  size_t count() const { return multiplies.size(); }
  std::span<const uint32_t> members(size_t number) const {
    return std::span(slots).subspan(starts[number], starts[number + 1] - starts[number]);
  }
};

// Linear in the number of constants.
SlotClasses slotClasses(const TableIndex &index);

} // namespace algebras
