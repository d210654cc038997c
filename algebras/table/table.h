// The structure constants of an algebra: slot i of x times slot j of w goes to slot k (paper, eq.
// algebra-table).
#pragma once

#include "algebras/error.h"
#include "algebras/field.h"
#include "algebras/rational.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace algebras {

struct Constant {
  int64_t i = 0, j = 0, k = 0;
  Rational value;
  bool operator==(const Constant &) const = default;
};

// Two constants have the same slots.
class DuplicateConstant : public InputError {
public:
  explicit DuplicateConstant(const Constant &constant);
  const std::array<int64_t, 3> &slots() const { return slots_; }

private:
  std::array<int64_t, 3> slots_;
};

class Table {
public:
  // Checks and normalises: indices in [0, dimension), no duplicates, values reduced into the field, zeros
  // dropped, sorted by (i, j, k). InputError names the offending constant, DuplicateConstant included.
  // O(n log n) in the number of constants; the dimension costs nothing.
  Table(std::string name, Field field, int64_t dimension, std::vector<Constant> constants,
        std::optional<std::vector<Rational>> identity = std::nullopt,
        std::optional<SourceLocation> identity_place = std::nullopt);
  static void requireDimension(int64_t dimension); // InputError below 1

  const std::string &name() const { return name_; }
  const Field &field() const { return field_; }
  int64_t dimension() const { return dimension_; }
  const std::vector<Constant> &constants() const { return constants_; }
  int64_t nonzeros() const { return static_cast<int64_t>(constants_.size()); }
  // The constants with first index i, sorted by (j, k). Logarithmic in the number of constants.
  std::span<const Constant> row(int64_t i) const;
  // The identity as the file claims it, one coefficient per slot, reduced into the field; not yet checked.
  const std::optional<std::vector<Rational>> &claimedIdentity() const { return identity_; }
  const std::optional<SourceLocation> &identityPlace() const { return identity_place_; } // of the claim

  // Same field, dimension and constants; names and claims do not count.
  bool sameProduct(const Table &other) const;

private:
  std::string name_;
  Field field_;
  int64_t dimension_ = 0;
  std::vector<Constant> constants_;
  std::optional<std::vector<Rational>> identity_;
  std::optional<SourceLocation> identity_place_;
};

// {"name":..., "field":"Q"|"GF(7)", "dimension":m, "constants":[[i,j,k,"num/den"],...], "identity":["..."]?},
// zero-based. "name" and "field" may be left out (file stem, Q); "comment", "expect", "reason" and "source"
// are notes for people and ignored; any other key is refused. Values may be strings or JSON integers; a
// string may have a million characters, an integer 308 digits. Every InputError has the place of the guilty
// entry. The file is read in one pass; memory goes with its size and not with the dimension it claims.
Table readTableFile(const std::string &path);
Table parseTable(std::string_view text, const std::string &file);
// The same format, compact, on one line; parseTable reads it back.
std::string printTable(const Table &table);

} // namespace algebras
