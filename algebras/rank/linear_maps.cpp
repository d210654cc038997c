#include "algebras/rank/linear_maps.h"

#include <map>

namespace algebras {

SparseVector combine(const Field &field, const SparseVector &vector, const std::vector<SparseVector> &rows) {
  if (vector.size() == 1 && vector[0].second.isOne())
    return rows[vector[0].first];
  std::map<int64_t, Rational> sums;
  for (const auto &[s, factor] : vector)
    for (const auto &[index, value] : rows[s])
      sums[index] += factor * value;
  SparseVector result;
  for (auto &[index, sum] : sums)
    if (Rational value = field.reduce(sum); !value.isZero())
      result.emplace_back(index, std::move(value));
  return result;
}

BilinearAlgorithm transformed(const Field &field, const BilinearAlgorithm &algorithm,
                              const std::vector<SparseVector> &left_forms,
                              const std::vector<SparseVector> &right_forms,
                              const std::vector<SparseVector> &images) {
  BilinearAlgorithm result;
  result.reserve(algorithm.size());
  for (const BilinearProduct &product : algorithm) {
    BilinearProduct own{combine(field, product.alpha, left_forms), combine(field, product.beta, right_forms),
                        combine(field, product.gamma, images)};
    if (!own.alpha.empty() && !own.beta.empty() && !own.gamma.empty())
      result.push_back(std::move(own));
  }
  return result;
}

std::vector<SparseVector> transposed(const std::vector<SparseVector> &rows, int64_t columns) {
  std::vector<SparseVector> result(columns);
  for (size_t row = 0; row < rows.size(); ++row)
    for (const auto &[column, value] : rows[row])
      result[column].emplace_back(static_cast<int64_t>(row), value);
  return result;
}

std::optional<std::vector<SparseVector>> inverse(const Field &field, const std::vector<SparseVector> &rows) {
  size_t n = rows.size();
  std::vector<std::vector<Rational>> work(n, std::vector<Rational>(2 * n));
  for (size_t row = 0; row < n; ++row) {
    for (const auto &[column, value] : rows[row])
      work[row][column] = value;
    work[row][n + row] = Rational(1);
  }
  for (size_t column = 0; column < n; ++column) {
    size_t pivot = column;
    while (pivot < n && work[pivot][column].isZero())
      ++pivot;
    if (pivot == n)
      return std::nullopt;
    std::swap(work[pivot], work[column]);
    Rational factor = field.reduce(Rational(1) / work[column][column]);
    for (Rational &value : work[column])
      if (!value.isZero())
        value = field.multiply(value, factor);
    for (size_t row = 0; row < n; ++row) {
      if (row == column || work[row][column].isZero())
        continue;
      Rational multiple = work[row][column];
      for (size_t entry = column; entry < 2 * n; ++entry)
        if (!work[column][entry].isZero())
          work[row][entry] = field.reduce(work[row][entry] - multiple * work[column][entry]);
    }
  }
  std::vector<SparseVector> result(n);
  for (size_t row = 0; row < n; ++row)
    for (size_t column = 0; column < n; ++column)
      if (!work[row][n + column].isZero())
        result[row].emplace_back(static_cast<int64_t>(column), work[row][n + column]);
  return result;
}

std::optional<BilinearAlgorithm> inOwnBasis(const Field &field, const BilinearAlgorithm &algorithm,
                                            const std::vector<SparseVector> &basis) {
  // x = sum_s c_s basis[s] has own coordinates c P, so c = x P^-1: coordinate s is column s of P^-1.
  std::optional<std::vector<SparseVector>> back = inverse(field, basis);
  if (!back)
    return std::nullopt;
  std::vector<SparseVector> forms = transposed(*back, static_cast<int64_t>(basis.size()));
  return transformed(field, algorithm, forms, forms, basis);
}

} // namespace algebras
