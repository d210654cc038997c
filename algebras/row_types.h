// Which row of the table a token uses: tau(position) for absolute position p = row + offset.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace algebras {

class RowTypes {
public:
  enum class Kind { Cyclic, Interval, Explicit };

  RowTypes() = default;                  // cyclic with one type
  static RowTypes cyclic(int64_t count); // tau(p) = p mod count
  // tau(p) = floor((p mod count*width) / width); cyclic for a width of 1.
  static RowTypes interval(int64_t count, int64_t width);
  static RowTypes explicitTypes(int64_t count); // one type per row, given at run time
  // "cyclic", "interval(192)" or "explicit", for `count` types; InputError otherwise.
  static RowTypes parse(std::string_view text, int64_t count);

  Kind kind() const { return kind_; }
  int64_t count() const { return count_; } // number of types
  int64_t width() const { return width_; } // of an interval; 1 for the other kinds
  int64_t period() const;                  // count * width
  std::string toString() const;            // parse reads it back

  // The type at an absolute position >= 0. std::logic_error for explicit types.
  int64_t typeAt(int64_t position) const;
  // How many of the positions p0 .. p0+m-1 have `type`; closed form. std::logic_error for explicit types.
  int64_t countOf(int64_t type, int64_t m, int64_t p0) const;

  bool operator==(const RowTypes &) const = default;

private:
  Kind kind_ = Kind::Cyclic;
  int64_t count_ = 1, width_ = 1;
};

} // namespace algebras
