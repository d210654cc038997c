// Products of sparse elements of an algebra.
#pragma once

#include "algebras/identity.h"
#include "algebras/table/table.h"

namespace algebras {

// Keeps a reference to the table.
class SparseProduct {
public:
  explicit SparseProduct(const Table &table) : table_(table) {}

  const Field &field() const { return table_.field(); }
  // Costs the constants in the rows of x, each looked up in y.
  SparseVector multiply(const SparseVector &x, const SparseVector &y) const;
  // a x + b y.
  SparseVector combine(const Rational &a, const SparseVector &x, const Rational &b,
                       const SparseVector &y) const;

private:
  const Table &table_;
};

} // namespace algebras
