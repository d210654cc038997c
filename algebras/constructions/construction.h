// What every construction of an algebra knows about itself.
#pragma once

#include "algebras/algebra.h"

#include <memory>
#include <string>
#include <vector>

namespace algebras::detail {

// Immutable. The half about positions is called only where hasPositions(), with arguments in range: Algebra
// checks both.
class Construction {
public:
  Construction(Algebra::Kind kind, Field field, int64_t dimension, int64_t nonzeros)
      : kind_(kind), field_(field), dimension_(dimension), nonzeros_(nonzeros) {}
  virtual ~Construction() = default;

  Algebra::Kind kind() const { return kind_; }
  const Field &field() const { return field_; }
  int64_t dimension() const { return dimension_; }
  int64_t nonzeros() const { return nonzeros_; }
  const std::string &name() const { return name_; }

  virtual std::string expression() const { return name_; }
  virtual int64_t parameter() const { return 0; }
  virtual const Graph *graph() const { return nullptr; }
  virtual const Table *table() const { return nullptr; }
  virtual const BoundQuiver *boundQuiver() const { return nullptr; }
  virtual const Poset *poset() const { return nullptr; }
  virtual const std::vector<Algebra> &factors() const;

  // c[i,j,slot], sorted by (i, j).
  virtual std::vector<Constant> constantsInto(int64_t slot) const = 0;
  virtual std::string slotName(int64_t slot) const = 0;

  virtual bool isMatrixLike() const = 0;
  virtual bool hasPositions() const { return isMatrixLike(); }
  // Of an algebra with positions: whether all constants that are not zero are 1.
  virtual bool hasConstantsOne() const { return true; }
  virtual int64_t positions() const = 0;
  virtual Position position(int64_t slot) const = 0;
  virtual std::optional<int64_t> slotAt(Position position) const = 0;
  virtual std::vector<int64_t> support(int64_t i, int64_t j) const = 0;
  virtual int64_t rowTypes() const = 0;
  virtual int64_t rowTypeOf(int64_t row) const = 0;
  virtual int64_t firstRowOf(int64_t type) const = 0;

protected:
  void setName(std::string name) { name_ = std::move(name); }

private:
  Algebra::Kind kind_;
  Field field_;
  int64_t dimension_, nonzeros_;
  std::string name_;
};

// One of the basic families, whose basis elements sit at positions of one matrix and all of whose constants
// are 1.
class MatrixConstruction : public Construction {
public:
  using Construction::Construction;

  bool isMatrixLike() const override { return true; }
  // From position, slotAt and support.
  std::vector<Constant> constantsInto(int64_t slot) const override;
  // All rows of the table are different, as in every basic family but M(n).
  int64_t rowTypes() const override { return positions(); }
  int64_t rowTypeOf(int64_t row) const override { return row; }
  int64_t firstRowOf(int64_t type) const override { return type; }
};

} // namespace algebras::detail
