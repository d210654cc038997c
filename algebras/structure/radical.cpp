#include "algebras/structure/radical.h"

#include "algebras/linear/modular_span.h"

#include <random>
#include <stdexcept>

namespace algebras {

namespace {

// g_i on a basis of the ideal, as a linear form that is right on the ideal: its values sit at the pivots.
Matrix traceOfPowers(const ProductOperator &product, const Subspace &ideal, uint64_t p, uint64_t exponent) {
  Matrix form(product.field(), 1, product.dimension());
  for (int64_t index = 0; index < ideal.dimension(); ++index) {
    Matrix left = product.leftMatrix(ideal.basis().row(index));
    nmod_mat_t lifted;
    nmod_mat_init(lifted, product.dimension(), product.dimension(), exponent * p);
    for (int64_t row = 0; row < product.dimension(); ++row)
      for (int64_t column = 0; column < product.dimension(); ++column)
        nmod_mat_entry(lifted, row, column) = nmod_mat_entry(left.modular(), row, column);
    nmod_mat_pow(lifted, lifted, exponent);
    mp_limb_t trace = nmod_mat_trace(lifted);
    nmod_mat_clear(lifted);
    if (trace % exponent != 0)
      throw std::logic_error("radical: a trace is not divisible as it has to be on this ideal");
    nmod_mat_entry(form.modular(), 0, ideal.pivots()[index]) = trace / exponent;
  }
  return form;
}

Subspace radicalModulo(const ProductOperator &product) {
  uint64_t p = product.field().characteristic();
  Subspace ideal(kernel(product.bilinear(product.traces())));
  auto n = static_cast<uint64_t>(product.dimension());
  for (uint64_t exponent = p; exponent <= n && ideal.dimension() > 0; exponent *= p) {
    Matrix values = ideal.basis() * product.bilinear(traceOfPowers(product, ideal, p, exponent));
    ideal = Subspace(kernel(values.transposed()) * ideal.basis());
  }
  return ideal;
}

// Everything below runs on row vectors modulo a prime.
struct ModularImage {
  Field field;
  std::vector<Matrix> multipliers; // left and right matrices of the generators
  Matrix radical;
};

std::optional<ModularImage> modularImage(const ProductOperator &product, const Subspace &radical,
                                         const Matrix &generators, uint64_t p) {
  bool is_rational = product.field().isRationals();
  auto image = [&](const Matrix &matrix) {
    return is_rational ? reduceModulo(matrix, p) : std::optional(matrix);
  };
  std::optional<Matrix> basis = image(radical.basis());
  if (!basis)
    return std::nullopt;
  ModularImage result{basis->field(), {}, std::move(*basis)};
  for (int64_t index = 0; index < generators.rows(); ++index)
    for (const Matrix &multiplier :
         {product.leftMatrix(generators.row(index)), product.rightMatrix(generators.row(index))}) {
      std::optional<Matrix> residues = image(multiplier);
      if (!residues)
        return std::nullopt;
      result.multipliers.push_back(std::move(*residues));
    }
  return result;
}

ModularSpan::Vector rowOf(const Matrix &matrix, int64_t row) {
  const mp_limb_t *first = matrix.modular()->rows[row];
  return ModularSpan::Vector(first, first + matrix.columns());
}

// Elements of the radical that generate it as a two-sided ideal: the rank modulo a prime proves it.
Matrix idealGenerators(const ProductOperator &product, const Subspace &radical, const Matrix &generators) {
  uint64_t p = product.field().characteristic();
  std::optional<ModularImage> image;
  if (product.field().isRationals())
    while (!image)
      image = modularImage(product, radical, generators, p = nextModulus(p));
  else
    image = modularImage(product, radical, generators, p);

  constexpr int random_elements = 6;
  std::mt19937_64 random(1);
  ModularSpan span(p, radical.ambient());
  std::vector<Matrix> members;
  auto grow = [&](Matrix element) {
    if (span.insert(rowOf(element, 0)))
      members.push_back(std::move(element));
  };
  Matrix coefficients(product.field(), 0, radical.dimension());
  size_t done = 0;
  int64_t next_basis = 0;
  for (int count = 0; span.dimension() < radical.dimension(); ++count) {
    Matrix choice(product.field(), 1, radical.dimension());
    if (count < random_elements)
      for (int64_t index = 0; index < radical.dimension(); ++index)
        choice.set(0, index, Rational(static_cast<int64_t>(random() % 7) - 3));
    else
      choice.set(0, next_basis++, Rational(1));
    Matrix modular = product.field().isRationals() ? reduceModulo(choice, p).value() : choice;
    int64_t before = span.dimension();
    grow(modular * image->radical);
    if (span.dimension() == before)
      continue;
    coefficients = coefficients.above(choice);
    for (; done < members.size() && span.dimension() < radical.dimension(); ++done)
      for (const Matrix &multiplier : image->multipliers)
        grow(members[done] * multiplier);
  }
  return coefficients * radical.basis();
}

} // namespace

Subspace radical(const ProductOperator &product) {
  if (!product.field().isRationals())
    return radicalModulo(product);
  return Subspace(kernel(product.bilinear(product.traces())));
}

std::vector<Subspace> radicalPowers(const ProductOperator &product, const Subspace &radical,
                                    const Matrix &generators) {
  std::vector<Subspace> powers;
  if (radical.dimension() == 0)
    return powers;
  std::vector<Matrix> left, elements;
  for (int64_t index = 0; index < generators.rows(); ++index)
    left.push_back(product.leftMatrix(generators.row(index)));
  Matrix x = idealGenerators(product, radical, generators);
  for (int64_t index = 0; index < x.rows(); ++index)
    elements.push_back(product.leftMatrix(x.row(index)));

  powers.push_back(radical);
  for (;;) {
    const Subspace &last = powers.back();
    Matrix rows(product.field(), 0, product.dimension());
    for (const Matrix &element : elements)
      rows = rows.above(last.basis() * element);
    Subspace next(rows);
    for (bool closed = false; !closed && next.dimension() > 0;) {
      Matrix outside(product.field(), 0, product.dimension());
      for (const Matrix &generator : left)
        outside = outside.above(next.reduce(next.basis() * generator));
      closed = outside.isZero();
      if (!closed)
        next = Subspace(next.basis().above(outside));
    }
    if (next.dimension() >= last.dimension())
      throw std::logic_error("radicalPowers: an ideal that is not nilpotent");
    if (next.dimension() == 0)
      return powers;
    powers.push_back(std::move(next));
  }
}

} // namespace algebras
