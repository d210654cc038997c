// A partition of a feature axis into contiguous groups.
#pragma once

#include <cstdint>
#include <vector>

namespace algebras {

class Groups {
public:
  Groups() = default; // no groups at all
  // `count` groups of `width` features each. InputError unless both are positive and the total fits.
  static Groups equal(int64_t count, int64_t width);
  // `count` equal groups that cover `total`. InputError that suggests explicit groups when count does not
  // divide total.
  static Groups dividing(int64_t total, int64_t count);
  // InputError for an empty list and for widths below 1.
  static Groups explicitWidths(std::vector<int64_t> widths);

  int64_t count() const { return count_; }
  int64_t total() const { return total_; }
  bool isEqual() const { return starts_.empty(); } // all widths equal, however it was built
  int64_t width(int64_t group) const;
  int64_t start(int64_t group) const;
  int64_t widest() const; // of the groups, of which there is at least one
  std::vector<int64_t> widths() const;
  // Each group cut into `parts` equal groups, or `parts` neighbours joined. InputError when it does not
  // divide.
  Groups refined(int64_t parts) const;
  Groups coarsened(int64_t parts) const;

  bool operator==(const Groups &) const = default;

private:
  int64_t count_ = 0, width_ = 0, total_ = 0;
  std::vector<int64_t> starts_; // count + 1 entries, empty for equal groups
};

} // namespace algebras
