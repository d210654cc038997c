#include "tests/compiler/dense_product.h"

#include <algorithm>
#include <cmath>

namespace compiler_test {

std::vector<double> magnitudes(std::vector<double> values) {
  for (double &value : values)
    value = std::abs(value);
  return values;
}

int64_t mostTerms(const algebras::Layer &layer) {
  int64_t most = 0;
  for (int64_t type = 0; type < layer.lift.types(); ++type)
    for (int64_t group = 0; group < layer.out.count(); ++group) {
      int64_t terms = 0;
      for (const algebras::BlockTerm &term : layer.lift.terms(type, group))
        terms += layer.in.width(term.input_group);
      most = std::max(most, terms);
    }
  return most;
}

double gammaOf(int64_t operations) {
  constexpr double unit = 0x1p-24; // half an ulp of 1
  const double sum = static_cast<double>(operations) * unit;
  return sum / (1 - sum);
}

using algebras::Layer;
using algebras::Lift;
using algebras::RowTypes;

static double valueOf(double term, Terms terms) { return terms == Terms::Absolute ? std::abs(term) : term; }

int64_t Batch::typeOf(const Layer &layer, int64_t row) const {
  if (layer.lift.kind() == Lift::Kind::Slots)
    return 0;
  if (layer.row_types.kind() == RowTypes::Kind::Explicit)
    return types.at(static_cast<size_t>(row));
  const int64_t width = layer.row_types.kind() == RowTypes::Kind::Interval ? layer.row_types.width() : 1;
  const int64_t position = positions.empty() ? p0 + row : positions.at(static_cast<size_t>(row));
  return position % (layer.lift.types() * width) / width;
}

int64_t weightColumns(const Layer &layer) {
  return layer.lift.kind() == Lift::Kind::Slots ? layer.out.total() / layer.out.count() : layer.out.total();
}

std::vector<double> weightGradient(const Layer &layer, const Batch &batch, const std::vector<double> &x,
                                   const std::vector<double> &dy, Terms terms) {
  const int64_t k = layer.in.total(), n = layer.out.total(), columns = weightColumns(layer);
  std::vector<double> dw(static_cast<size_t>(k * columns));
  for (int64_t type = 0; type < layer.lift.types(); ++type)
    for (int64_t group = 0; group < layer.out.count(); ++group) {
      const int64_t first = layer.lift.kind() == Lift::Kind::Slots ? 0 : layer.out.start(group);
      for (const algebras::BlockTerm &term : layer.lift.terms(type, group))
        for (int64_t row = 0; row < batch.m; ++row) {
          if (batch.typeOf(layer, row) != type)
            continue;
          const double *xs = x.data() + row * k + layer.in.start(term.input_group);
          const double *dys = dy.data() + row * n + layer.out.start(group);
          for (int64_t depth = 0; depth < layer.in.width(term.input_group); ++depth)
            for (int64_t column = 0; column < layer.out.width(group); ++column)
              dw[static_cast<size_t>((layer.in.start(term.weight_row) + depth) * columns + first + column)] +=
                  valueOf(term.coefficient.toDouble() * xs[depth] * dys[column], terms);
        }
    }
  return dw;
}

DenseProduct::DenseProduct(const Layer &layer, const std::vector<double> &w, Terms terms) : layer_(layer) {
  const int64_t k = layer.in.total(), n = layer.out.total(), columns = weightColumns(layer);
  planes_.resize(static_cast<size_t>(layer.lift.types()));
  for (int64_t type = 0; type < layer.lift.types(); ++type) {
    std::vector<Plane> &of_type = planes_[static_cast<size_t>(type)];
    for (int64_t group = 0; group < layer.out.count(); ++group)
      for (const algebras::BlockTerm &term : layer.lift.terms(type, group)) {
        const double coefficient = term.coefficient.toDouble();
        auto place = [&](int64_t depth, int64_t column) {
          return static_cast<size_t>((layer.in.start(term.input_group) + depth) * n + layer.out.start(group) +
                                     column);
        };
        size_t plane = 0;
        while (plane < of_type.size() && of_type[plane].present[place(0, 0)])
          ++plane;
        if (plane == of_type.size())
          of_type.push_back({std::vector<double>(static_cast<size_t>(k * n)),
                             std::vector<bool>(static_cast<size_t>(k * n))});
        const int64_t first = layer.lift.kind() == Lift::Kind::Slots ? 0 : layer.out.start(group);
        for (int64_t depth = 0; depth < layer.in.width(term.input_group); ++depth)
          for (int64_t column = 0; column < layer.out.width(group); ++column) {
            of_type[plane].weight[place(depth, column)] = valueOf(
                coefficient * w[static_cast<size_t>((layer.in.start(term.weight_row) + depth) * columns +
                                                    first + column)],
                terms);
            of_type[plane].present[place(depth, column)] = true;
          }
      }
  }
}

std::vector<double> DenseProduct::multiply(const Batch &batch, const std::vector<double> &x) const {
  const size_t k = static_cast<size_t>(layer_.in.total()), n = static_cast<size_t>(layer_.out.total());
  std::vector<double> y(static_cast<size_t>(batch.m) * n);
  for (int64_t row = 0; row < batch.m; ++row) {
    const double *from = x.data() + static_cast<size_t>(row) * k;
    double *to = y.data() + static_cast<size_t>(row) * n;
    for (const Plane &plane : planes_[static_cast<size_t>(batch.typeOf(layer_, row))])
      for (size_t depth = 0; depth < k; ++depth)
        for (size_t column = 0; column < n; ++column)
          if (plane.present[depth * n + column])
            to[column] += from[depth] * plane.weight[depth * n + column];
  }
  return y;
}

std::vector<double> DenseProduct::multiplyTransposed(const Batch &batch,
                                                     const std::vector<double> &dy) const {
  const size_t k = static_cast<size_t>(layer_.in.total()), n = static_cast<size_t>(layer_.out.total());
  std::vector<double> dx(static_cast<size_t>(batch.m) * k);
  for (int64_t row = 0; row < batch.m; ++row) {
    const double *from = dy.data() + static_cast<size_t>(row) * n;
    double *to = dx.data() + static_cast<size_t>(row) * k;
    for (const Plane &plane : planes_[static_cast<size_t>(batch.typeOf(layer_, row))])
      for (size_t depth = 0; depth < k; ++depth)
        for (size_t column = 0; column < n; ++column)
          if (plane.present[depth * n + column])
            to[depth] += from[column] * plane.weight[depth * n + column];
  }
  return dx;
}

} // namespace compiler_test
