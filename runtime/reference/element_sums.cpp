#include "runtime/reference/element_sums.h"

#include "runtime/numeric/bfloat16.h"

#include <cmath>
#include <numeric>

namespace algrt {

std::vector<int64_t> beginsOf(const std::vector<int64_t> &widths) {
  std::vector<int64_t> begins(widths.size() + 1, 0);
  std::partial_sum(widths.begin(), widths.end(), begins.begin() + 1);
  return begins;
}

namespace {

std::vector<int64_t> groupOfEach(const std::vector<int64_t> &widths) {
  std::vector<int64_t> groups;
  for (size_t group = 0; group < widths.size(); ++group)
    groups.insert(groups.end(), size_t(widths[group]), int64_t(group));
  return groups;
}

// Of one term, before its coefficient.
class Accumulator {
public:
  void add(uint16_t a, uint16_t b) {
    const double product = double(fromBfloat16(a)) * double(fromBfloat16(b));
    sum_ += product;
    magnitude_ += std::abs(product);
  }
  void addTo(ElementSum &total, double coefficient) const {
    total.value += coefficient * sum_;
    total.magnitude += std::abs(coefficient) * magnitude_;
  }

private:
  double sum_ = 0, magnitude_ = 0;
};

} // namespace

ResultBlocks resultBlocks(const Layer &layer, Map map, const std::vector<int64_t> &type_of_row) {
  const int64_t m = int64_t(type_of_row.size());
  switch (map) {
  case Map::Forward:
    return {m, layer.n, type_of_row, layer.types, layer.out_groups};
  case Map::Dx:
    return {m, layer.k, type_of_row, layer.types, layer.in_groups};
  case Map::Dw:
    break;
  }
  const int64_t columns = layer.weightColumns();
  return {layer.k, columns, groupOfEach(layer.weight_rows), int64_t(layer.weight_rows.size()),
          layer.lift == Lift::Rows ? layer.out_groups : std::vector<int64_t>{columns}};
}

ElementSums::ElementSums(const Bundle &bundle, Map map, std::vector<int64_t> type_of_row,
                         const uint16_t *first, const uint16_t *second, const uint16_t *bias)
    : bundle_(bundle), map_(map), type_of_row_(std::move(type_of_row)), first_(first), second_(second),
      bias_(bias), input_begin_(beginsOf(bundle.layer().in_groups)),
      output_begin_(beginsOf(bundle.layer().out_groups)), weight_begin_(beginsOf(bundle.layer().weight_rows)),
      input_group_(groupOfEach(bundle.layer().in_groups)),
      output_group_(groupOfEach(bundle.layer().out_groups)),
      weight_row_(groupOfEach(bundle.layer().weight_rows)) {
  if (map != Map::Forward)
    collectProducts();
}

int64_t ElementSums::columnGroups() const {
  return bundle_.layer().lift == Lift::Rows ? int64_t(bundle_.layer().out_groups.size()) : 1;
}

void ElementSums::collectProducts() {
  const Layer &layer = bundle_.layer();
  const int64_t inputs = int64_t(layer.in_groups.size());
  products_.resize(
      size_t(map_ == Map::Dx ? layer.types * inputs : int64_t(layer.weight_rows.size()) * columnGroups()));
  rows_of_type_.resize(size_t(layer.types));
  for (int64_t row = 0; row < int64_t(type_of_row_.size()); ++row)
    rows_of_type_[size_t(type_of_row_[size_t(row)])].push_back(row);
  TermStorage storage;
  for (int64_t type = 0; type < layer.types; ++type)
    for (int64_t group = 0; group < int64_t(layer.out_groups.size()); ++group)
      for (const Term &term : bundle_.support().terms(type, group, storage)) {
        const int64_t block = map_ == Map::Dx
                                  ? type * inputs + term.input_group
                                  : term.weight_row * columnGroups() + (layer.lift == Lift::Rows ? group : 0);
        products_[size_t(block)].push_back(
            {type, term.input_group, term.weight_row, group, term.coefficient});
      }
}

ElementSum ElementSums::at(int64_t row, int64_t column) const {
  switch (map_) {
  case Map::Forward:
    return forward(row, column);
  case Map::Dx:
    return dx(row, column);
  case Map::Dw:
    break;
  }
  return dw(row, column);
}

ElementSum ElementSums::forward(int64_t row, int64_t column) const {
  const Layer &layer = bundle_.layer();
  const int64_t stride = layer.weightColumns(), group = output_group_[size_t(column)];
  // In the slot lift every block has all columns of the weight matrix.
  const int64_t w_column = layer.lift == Lift::Rows ? column : column - output_begin_[size_t(group)];
  ElementSum total;
  TermStorage storage;
  for (const Term &term : bundle_.support().terms(type_of_row_[size_t(row)], group, storage)) {
    const uint16_t *x = first_ + row * layer.k + input_begin_[size_t(term.input_group)];
    const uint16_t *w = second_ + weight_begin_[size_t(term.weight_row)] * stride + w_column;
    Accumulator sum;
    for (int64_t d = 0; d < layer.in_groups[size_t(term.input_group)]; ++d)
      sum.add(x[d], w[d * stride]);
    sum.addTo(total, term.coefficient);
  }
  if (bias_ != nullptr) {
    const double bias = double(fromBfloat16(bias_[column]));
    total.value += bias;
    total.magnitude += std::abs(bias);
  }
  return total;
}

ElementSum ElementSums::dx(int64_t row, int64_t column) const {
  const Layer &layer = bundle_.layer();
  const int64_t group = input_group_[size_t(column)], feature = column - input_begin_[size_t(group)];
  const int64_t type = type_of_row_[size_t(row)];
  ElementSum total;
  for (const Product &product : products_[size_t(type * int64_t(layer.in_groups.size()) + group)]) {
    const int64_t begin = output_begin_[size_t(product.output_group)];
    const uint16_t *dy = first_ + row * layer.n + begin;
    const uint16_t *w = second_ +
                        (weight_begin_[size_t(product.weight_row)] + feature) * layer.weightColumns() +
                        (layer.lift == Lift::Rows ? begin : 0);
    Accumulator sum;
    for (int64_t c = 0; c < layer.out_groups[size_t(product.output_group)]; ++c)
      sum.add(dy[c], w[c]);
    sum.addTo(total, product.coefficient);
  }
  return total;
}

ElementSum ElementSums::dw(int64_t row, int64_t column) const {
  const Layer &layer = bundle_.layer();
  const int64_t weight_row = weight_row_[size_t(row)], feature = row - weight_begin_[size_t(weight_row)];
  const bool rows_lift = layer.lift == Lift::Rows;
  const int64_t block = weight_row * columnGroups() + (rows_lift ? output_group_[size_t(column)] : 0);
  ElementSum total;
  for (const Product &product : products_[size_t(block)]) {
    const uint16_t *x = first_ + input_begin_[size_t(product.input_group)] + feature;
    const uint16_t *dy = second_ + (rows_lift ? 0 : output_begin_[size_t(product.output_group)]) + column;
    Accumulator sum;
    for (const int64_t r : rows_of_type_[size_t(product.type)])
      sum.add(x[r * layer.k], dy[r * layer.n]);
    sum.addTo(total, product.coefficient);
  }
  return total;
}

} // namespace algrt
