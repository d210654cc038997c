// FLINT's matrices of integers, with their memory.
#pragma once

#include <flint/fmpz_mat.h>

#include <cstdint>

namespace algebras {

class IntegerMatrix {
public:
  IntegerMatrix(int64_t rows, int64_t columns) { fmpz_mat_init(value_, rows, columns); } // zeros
  IntegerMatrix(const IntegerMatrix &other) { fmpz_mat_init_set(value_, other.value_); }
  IntegerMatrix &operator=(IntegerMatrix other) noexcept {
    fmpz_mat_swap(value_, other.value_);
    return *this;
  }
  ~IntegerMatrix() { fmpz_mat_clear(value_); }

  int64_t rows() const { return fmpz_mat_nrows(value_); }
  int64_t columns() const { return fmpz_mat_ncols(value_); }
  fmpz_mat_struct *get() { return value_; }
  const fmpz_mat_struct *get() const { return value_; }
  fmpz *at(int64_t row, int64_t column) { return fmpz_mat_entry(value_, row, column); }
  const fmpz *at(int64_t row, int64_t column) const { return fmpz_mat_entry(value_, row, column); }
  void swap(IntegerMatrix &other) noexcept { fmpz_mat_swap(value_, other.value_); }

private:
  fmpz_mat_t value_;
};

} // namespace algebras
