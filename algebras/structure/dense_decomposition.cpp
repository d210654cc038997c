// Generators, radical and its powers; then the quotient by the radical, its centre, the fields of the centre,
// and each simple component by itself. Elements of the quotient are represented in the slots that are no
// pivots of the radical.
#include "algebras/structure/dense_decomposition.h"

#include "algebras/structure/generators.h"
#include "algebras/structure/quotient.h"
#include "algebras/structure/radical.h"
#include "algebras/structure/shown_decomposition.h"
#include "algebras/structure/splitting.h"

#include <stdexcept>

namespace algebras {

namespace {

// The dimensions of the e B, for idempotents e.
class ComponentDimensions {
public:
  ComponentDimensions(const ProductOperator &product, int64_t center_dimension)
      : product_(product), is_commutative_(center_dimension == product.dimension()),
        traces_(product.traces()) {}

  int64_t of(const CentralField &center) const {
    if (is_commutative_)
      return degree(center.polynomial);
    // The trace of multiplication by e, where its residue tells.
    const Rational trace = (traces_ * center.idempotent.transposed()).get(0, 0);
    const uint64_t p = product_.field().characteristic();
    if (p == 0 || p > static_cast<uint64_t>(product_.dimension()))
      return trace.toInteger().value();
    return reducedEchelon(product_.leftMatrix(center.idempotent)).rank();
  }

private:
  const ProductOperator &product_;
  bool is_commutative_;
  Matrix traces_;
};

} // namespace

bool fitsDense(const Table &table) {
  constexpr int64_t largest_with_powers = 384;
  uint64_t p = table.field().characteristic();
  bool takes_powers = p != 0 && p <= static_cast<uint64_t>(table.dimension());
  return table.dimension() <= (takes_powers ? largest_with_powers : largest_dense);
}

Decomposition decomposeDense(const Table &table, const SparseVector &identity) {
  ProductOperator product(table);
  const Field &field = table.field();
  Matrix one = Matrix::fromSparse(field, table.dimension(), identity);
  Matrix generators = generatingElements(table, identity);

  Decomposition result;
  Subspace rad = radical(product);
  for (const Subspace &power : radicalPowers(product, rad, generators))
    result.radical_powers.push_back(power.sparseBasis());
  std::vector<int64_t> slots = rad.freeColumns();
  ProductOperator quotient(rad.dimension() == 0 ? table : quotientTable(product, rad));
  auto image = [&](const Matrix &rows) { return rad.reduce(rows).selectColumns(slots); };
  auto represent = [&](const Matrix &row) {
    return row.spreadColumns(slots, table.dimension()).sparseRow(0);
  };
  Matrix quotient_one = image(one);
  Subspace quotient_center = center(quotient, image(generators));
  result.center_dimension =
      rad.dimension() == 0 ? quotient_center.dimension() : center(product, generators).dimension();

  int64_t sum = 0;
  const ComponentDimensions dimensions(quotient, quotient_center.dimension());
  for (const CentralField &part : centralFields(quotient, quotient_center, quotient_one)) {
    SimpleComponent component;
    component.dimension = dimensions.of(part);
    component.idempotent = represent(part.idempotent);
    component.center_generator = represent(part.generator);
    component.center_polynomial = part.polynomial;
    Splitting splitting = split(quotient, part, component.dimension);
    component.matrix_degree = splitting.degree;
    component.division_reason = splitting.division_reason;
    component.local_indices = splitting.local_indices;
    for (const Matrix &unit : splitting.units)
      component.matrix_units.push_back(represent(unit));
    sum += component.dimension;
    result.components.push_back(std::move(component));
  }
  if (sum != quotient.dimension())
    throw std::logic_error("decomposeDense: the components do not add up to the quotient");
  sortComponents(result);
  return result;
}

} // namespace algebras
