// The product of a layer as ordinary dense matrices in double precision, one set for each row type: an
// evaluation that shares nothing with the kernels or with the runtime's reference but the list of terms.
#pragma once

#include "algebras/layer.h"

#include <cstdint>
#include <vector>

namespace compiler_test {

// The rows of one call.
struct Batch {
  int64_t m = 0, p0 = 0;
  std::vector<int32_t> types; // explicit types only
  // Of rows that do not follow one another: the position of each, and where they are sequences, one behind
  // the other, the first row of every one and behind the last, and the positions of these rows.
  std::vector<int64_t> positions = {}, sequence_starts = {}, sequence_positions = {};
  // Above 0: of sequences of one length, from p0 on, whose positions are there, too.
  int64_t sequence_rows = 0;

  int64_t typeOf(const algebras::Layer &layer, int64_t row) const;
};

// The columns that the weight matrix has in memory: N, or N/m in the slot lift.
int64_t weightColumns(const algebras::Layer &layer);

// What a sum adds up: its terms, or their absolute values, which bound what rounding can do to it.
enum class Terms { Signed, Absolute };

std::vector<double> magnitudes(std::vector<double> values);
// The most terms that an element of the product adds up.
int64_t mostTerms(const algebras::Layer &layer);
// What the roundings of so many operations in f32 may change of a sum, relative to the sum of the absolute
// values of its terms (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1).
double gammaOf(int64_t operations);

// K x weightColumns from m x K and m x N: the gradient of the weight matrix, row by row of the batch and term
// by term.
std::vector<double> weightGradient(const algebras::Layer &layer, const Batch &batch,
                                   const std::vector<double> &x, const std::vector<double> &dy,
                                   Terms terms = Terms::Signed);

class DenseProduct {
public:
  // `w` is K x weightColumns, row-major and without padding. With absolute terms, what is multiplied has to
  // be absolute, too.
  DenseProduct(const algebras::Layer &layer, const std::vector<double> &w, Terms terms = Terms::Signed);
  // m x N from m x K. An element of W that no term names is not read: NaN there does not matter, while NaN in
  // what a term names does, as 0 * NaN is NaN.
  std::vector<double> multiply(const Batch &batch, const std::vector<double> &x) const;
  // m x K from m x N: the gradient of x, the same matrices transposed.
  std::vector<double> multiplyTransposed(const Batch &batch, const std::vector<double> &dy) const;

private:
  // Terms of one output slot that read the same columns of X lie in different planes, so that infinities of
  // opposite signs meet in the sum and not in the matrix.
  struct Plane {
    std::vector<double> weight; // K x N
    std::vector<bool> present;
  };
  const algebras::Layer &layer_;
  std::vector<std::vector<Plane>> planes_; // by type
};

} // namespace compiler_test
