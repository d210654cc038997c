// Single elements of a map's result in double precision, straight from the layer and its terms.
#pragma once

#include "runtime/bundle/bundle.h"
#include "runtime/bundle/map.h"

#include <cstdint>
#include <vector>

namespace algrt {

// How the result of a map lies: m x n (forward), m x k (dx) or k x weightColumns() (dw), in blocks of rows of
// one kind by a group of columns.
struct ResultBlocks {
  int64_t rows, columns;
  // Of every row: its type, or where the map is dw the row group of the weight matrix.
  std::vector<int64_t> kind_of_row;
  int64_t kinds;
  std::vector<int64_t> column_groups; // widths: output groups, input groups of dx, all in one for dw of slots
};

// Where each of some neighbours begins, and where the last one ends.
std::vector<int64_t> beginsOf(const std::vector<int64_t> &widths);

// `type_of_row` is of the m rows of the batch.
ResultBlocks resultBlocks(const Layer &layer, Map map, const std::vector<int64_t> &type_of_row);

struct ElementSum {
  double value = 0;
  double magnitude = 0; // the sum of the products' absolute values, and the bias's
};

class ElementSums {
public:
  // The operands are x and the weight matrix (forward), dy and the weight matrix (dx), or x and dy (dw), all
  // bf16, row-major and compact. To a forward product `bias` is added, n numbers, unless it is null. They and
  // the bundle have to outlive this object.
  ElementSums(const Bundle &bundle, Map map, std::vector<int64_t> type_of_row, const uint16_t *first,
              const uint16_t *second, const uint16_t *bias = nullptr);

  // At a row and a column of the result. May be called from several threads.
  ElementSum at(int64_t row, int64_t column) const;

private:
  struct Product {
    int64_t type; // of dw
    int64_t input_group, weight_row, output_group;
    double coefficient;
  };
  ElementSum forward(int64_t row, int64_t column) const;
  ElementSum dx(int64_t row, int64_t column) const;
  ElementSum dw(int64_t row, int64_t column) const;
  void collectProducts();
  int64_t columnGroups() const;

  const Bundle &bundle_;
  Map map_;
  std::vector<int64_t> type_of_row_;
  const uint16_t *first_, *second_, *bias_;
  std::vector<int64_t> input_begin_, output_begin_, weight_begin_;
  std::vector<int64_t> input_group_, output_group_, weight_row_; // of every feature
  // Of a gradient: what adds up to a block, by the row's type and the input group (dx), or by the row group
  // of the weight matrix and the output group, or for slots by the row group alone (dw).
  std::vector<std::vector<Product>> products_;
  std::vector<std::vector<int64_t>> rows_of_type_;
};

} // namespace algrt
