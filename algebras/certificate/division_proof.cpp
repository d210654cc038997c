#include "algebras/certificate/division_proof.h"

#include "algebras/certificate/encode.h"
#include "algebras/certificate/filtered_basis.h"
#include "algebras/certificate/integral.h"
#include "algebras/certificate/leaf_proof.h"
#include "algebras/constructions.h"
#include "algebras/linear/echelon.h"
#include "algebras/rational_flint.h"
#include "algebras/structure/dense_decomposition.h"
#include "algebras/structure/lattice.h"
#include "algebras/structure/local_indices.h"
#include "algebras/structure/real_places.h"

#include <flint/fmpz.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

namespace algebras {

namespace {

using nlohmann::ordered_json;

Matrix identityOf(const Table &table) {
  return Matrix::fromSparse(table.field(), table.dimension(), findIdentity(table).value());
}

// value modulo a power of a prime that does not divide its denominator; nothing where it does.
std::optional<Rational> residue(const Rational &value, const Rational &modulus) {
  const auto *m = fmpq_numref(FlintAccess::get(modulus));
  Rational result;
  fmpz *r = fmpq_numref(FlintAccess::get(result));
  if (!fmpz_invmod(r, fmpq_denref(FlintAccess::get(value)), m))
    return std::nullopt;
  fmpz_mul(r, r, fmpq_numref(FlintAccess::get(value)));
  fmpz_mod(r, r, m);
  return result;
}

class Places {
public:
  Places(const Table &table, const std::vector<int64_t> &slots, const SimpleComponent &component,
         int64_t degree)
      : table_(table), slots_(slots), component_(component), degree_(degree), own_(restricted()),
        product_(own_), one_(identityOf(own_)) {}

  std::optional<ordered_json> run(int64_t index) {
    if (index == 2)
      if (std::optional<ordered_json> place = realPlace())
        return ordered_json::array({std::move(*place)});
    Lattice lattice(product_, Matrix::identity(own_.field(), own_.dimension()));
    lattice.reduce();
    LocalIndices indices = localIndices(lattice, one_, component_.center_polynomial, degree_);
    if (indices.common_multiple % index != 0)
      return std::nullopt;
    ordered_json places = ordered_json::array();
    int64_t found = 1;
    for (const RamifiedPrime &prime : indices.primes)
      if (std::lcm(found, prime.index) > found && found % index != 0)
        if (std::optional<ordered_json> place = finitePlace(prime)) {
          found = std::lcm(found, prime.index);
          places.push_back(std::move(*place));
        }
    if (index % 2 == 0 && found % 2 != 0)
      if (std::optional<ordered_json> place = realPlace()) {
        found = std::lcm(found, 2);
        places.push_back(std::move(*place));
      }
    return found == index ? std::optional(std::move(places)) : std::nullopt;
  }

private:
  // The component as a table of its own.
  Table restricted() const {
    std::vector<int64_t> place(table_.dimension(), -1);
    for (size_t at = 0; at < slots_.size(); ++at)
      place[slots_[at]] = static_cast<int64_t>(at);
    std::vector<Constant> constants;
    for (const Constant &constant : table_.constants())
      if (place[constant.i] >= 0 && place[constant.j] >= 0 && place[constant.k] >= 0)
        constants.push_back({place[constant.i], place[constant.j], place[constant.k], constant.value});
    return Table("component", table_.field(), std::ssize(slots_), std::move(constants));
  }
  // An element of the component in the slots of the whole table.
  SparseVector outside(const Matrix &row) const {
    SparseVector result = row.sparseRow(0);
    for (auto &[slot, value] : result)
      slot = slots_[slot];
    return result;
  }

  // At a real place of the centre over which the component is not split, the trace form is definite in
  // another way: the signature is less than that of matrices.
  std::optional<ordered_json> realPlace() const {
    Matrix form = product_.bilinear(product_.traces());
    if (signature(form) >= degree_ * realRoots(component_.center_polynomial))
      return std::nullopt;
    std::vector<Matrix> basis;
    auto value = [&](const Matrix &x, const Matrix &y) { return (x * form * y.transposed()).get(0, 0); };
    // Takes an orthogonal basis of the span of these and of what is there, from which the form splits off.
    auto take = [&](std::vector<Matrix> rest) {
      for (const Matrix &x : basis)
        for (Matrix &y : rest)
          y = y - x.scaled(value(x, y) / value(x, x));
      while (true) {
        std::erase_if(rest, [](const Matrix &x) { return x.isZero(); });
        if (rest.empty())
          return;
        auto found =
            std::find_if(rest.begin(), rest.end(), [&](const Matrix &x) { return !value(x, x).isZero(); });
        if (found == rest.end()) { // the form does not vanish: some sum of two serves
          found = rest.begin();
          auto other = std::find_if(rest.begin(), rest.end(),
                                    [&](const Matrix &y) { return !value(*found, y).isZero(); });
          *found = *found + *other;
        }
        Matrix x = Matrix::fromSparse(own_.field(), own_.dimension(), integralMultiple(found->sparseRow(0)));
        rest.erase(found);
        for (Matrix &y : rest)
          y = y - x.scaled(value(x, y) / value(x, x));
        basis.push_back(std::move(x));
      }
    };
    std::vector<Matrix> center{one_}, units;
    Matrix z = centerGenerator();
    while (center.size() + 1 < component_.center_polynomial.size())
      center.push_back(product_.multiply(center.back(), z));
    for (int64_t slot = 0; slot < own_.dimension(); ++slot)
      units.push_back(product_.unit(slot));
    take(std::move(center));
    take(std::move(units));
    ordered_json json = {{"basis", ordered_json::array()}};
    for (const Matrix &x : basis)
      json["basis"].push_back(encodeElement(outside(x)));
    return json;
  }
  Matrix centerGenerator() const {
    Matrix result(own_.field(), 1, own_.dimension());
    for (const auto &[slot, value] : component_.center_generator)
      if (auto found = std::lower_bound(slots_.begin(), slots_.end(), slot);
          found != slots_.end() && *found == slot)
        result.set(0, found - slots_.begin(), value);
    return result;
  }

  // The order in a basis that goes through the radical of the order modulo p, and an element that generates
  // it.
  std::optional<ordered_json> finitePlace(const RamifiedPrime &place) const {
    uint64_t p = place.prime;
    Lattice lattice(product_, place.order);
    Table residues = lattice.modulo(p);
    SparseVector one = findIdentity(residues).value();
    std::optional<FilteredBasis> filtered = filteredBasis(residues, one, decomposeDense(residues, one));
    if (!filtered)
      return std::nullopt;
    Matrix rows = solve(filtered->slots, Matrix::identity(residues.field(), residues.dimension())).value();
    Matrix integral(Field::rationals(), rows.rows(), rows.columns());
    for (int64_t row = 0; row < rows.rows(); ++row)
      for (const auto &[slot, value] : rows.sparseRow(row))
        integral.set(row, slot, value);
    Matrix elements = integral * place.order;
    Table order = Lattice(product_, elements).table();
    Rational denominator = commonDenominator(order);
    std::vector<Constant> scaled_constants, modular;
    Field prime_field = Field::prime(p);
    for (const Constant &constant : order.constants()) {
      Rational value = constant.value * denominator;
      scaled_constants.push_back({constant.i, constant.j, constant.k, value});
      if (Rational left = prime_field.reduce(value); !left.isZero())
        modular.push_back({constant.i, constant.j, constant.k, std::move(left)});
    }
    Table whole("order", Field::rationals(), order.dimension(), std::move(scaled_constants)),
        modulo("order modulo p", prime_field, order.dimension(), std::move(modular));
    std::vector<std::string> omissions;
    std::optional<LeafProof> proof = proveLeaf(tableAlgebra(modulo), modulo, omissions);
    if (!proof || !proof->json.contains("proof") || !proof->json["proof"].contains("components"))
      return std::nullopt;
    ordered_json json = encodeTable(order);
    if (!addUniformizer(json, whole, modulo, proof->json["proof"]["radical"]))
      return std::nullopt;
    json["modulo"] = p;
    json["proof"] = std::move(proof->json["proof"]);
    std::vector<SparseVector> images;
    for (int64_t row = 0; row < elements.rows(); ++row)
      images.push_back(scaled(outside(elements.row(row)), denominator / commonDenominator(table_)));
    Rational scale = commonDenominator(images);
    json["scale"] = encodeInteger(scale);
    for (SparseVector &image : images)
      json["basis"].push_back(encodeElement(scaled(std::move(image), scale)));
    return json;
  }

  // x in the radical modulo p, and y with x y = p modulo p^2, such that x times the order is the radical
  // modulo p.
  bool addUniformizer(ordered_json &json, const Table &order, const Table &modulo,
                      const ordered_json &layers) const {
    constexpr int tries = 1000;
    uint64_t p = modulo.field().characteristic();
    const Rational prime(static_cast<int64_t>(p));
    std::vector<bool> in_radical(order.dimension());
    int64_t radical = 0;
    for (const ordered_json &layer : layers)
      for (size_t at = 0; at < layer.size(); at += 2)
        for (int64_t slot = layer[at]; slot <= layer[at + 1]; ++slot, ++radical)
          in_radical[slot] = true;
    ProductOperator product(order);
    Matrix one(Field::rationals(), 1, order.dimension());
    SparseVector identity = findIdentity(modulo).value();
    for (const auto &[slot, value] : identity)
      one.set(0, slot, value * prime);
    std::mt19937_64 random{1};
    for (int attempt = 0; attempt < tries; ++attempt) {
      Matrix x(Field::rationals(), 1, order.dimension());
      for (int64_t slot = 0; slot < order.dimension(); ++slot) {
        Rational digit(static_cast<int64_t>(random() % std::min<uint64_t>(p, 1000)));
        x.set(0, slot, in_radical[slot] ? digit : digit * prime);
      }
      Matrix times_x = product.leftMatrix(x);
      if (reducedEchelon(reduceModulo(times_x, p).value()).rank() != radical)
        continue;
      std::optional<Matrix> y = solve(times_x.transposed(), one.transposed());
      SparseVector cofactor;
      bool integral = y.has_value();
      for (int64_t slot = 0; integral && slot < order.dimension(); ++slot) {
        std::optional<Rational> value = residue(y->get(slot, 0), prime * prime);
        integral = value.has_value();
        if (integral && !value->isZero())
          cofactor.emplace_back(slot, *value);
      }
      if (!integral)
        continue;
      json["uniformizer"] = encodeElement(x.sparseRow(0));
      json["cofactor"] = encodeElement(cofactor);
      return true;
    }
    return false;
  }

  const Table &table_;
  const std::vector<int64_t> &slots_;
  const SimpleComponent &component_;
  int64_t degree_;
  Table own_;
  ProductOperator product_;
  Matrix one_;
};

} // namespace

std::optional<ordered_json> divisionPlaces(const Table &table, const std::vector<int64_t> &slots,
                                           const SimpleComponent &component, int64_t degree, int64_t index) {
  constexpr int64_t largest = 128; // as where division algebras are recognised
  if (component.dimension > largest)
    return std::nullopt;
  return Places(table, slots, component, degree).run(index);
}

} // namespace algebras
