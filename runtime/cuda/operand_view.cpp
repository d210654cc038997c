#include "runtime/cuda/operand_view.h"

#include "runtime/support/checked.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace algrt::cuda {

namespace {

// Throws unless all rows lie within the address space: every offset below is then one of them, and fits.
void checkSpan(const char *name, const Operand &operand, ElementType element, int64_t rows, int64_t columns) {
  if (operand.leading_dimension < columns)
    throw Error(ALGRT_INVALID_ARGUMENT,
                std::string(name) + ": has rows " + std::to_string(operand.leading_dimension) +
                    " elements apart, less than their width " + std::to_string(columns));
  const int64_t row_bytes = checkedMultiply(operand.leading_dimension, elementBytes(element), name);
  const int64_t bytes = checkedMultiply(rows, row_bytes, name);
  checkedAdd(operand.address, uint64_t(bytes), name);
}

struct Lines {
  int64_t first_row; // of X
  int64_t count;
  int64_t rows; // of each line
};

// Column, group, line, row. Lines that are empty are one row that nobody reads.
OperandView viewLines(const Operand &operand, ElementType element, int64_t groups, int64_t width, Lines lines,
                      int64_t line_step, int64_t row_step) {
  if (lines.count == 0 || lines.rows == 0)
    lines = {0, 1, 1};
  const int64_t row = operand.leading_dimension;
  return {
      operand.address + uint64_t(lines.first_row * row * elementBytes(element)),
      {width, groups, lines.count, lines.rows},
      {groups > 1 ? width : 0, lines.count > 1 ? line_step * row : 0, lines.rows > 1 ? row_step * row : 0}};
}

// The views of X, Y or a gradient of one.
ViewsOfOperand viewRows(const KernelShape &shape, const Operand &operand, ElementType element, int64_t groups,
                        int64_t width, int64_t m, int64_t offset) {
  ViewsOfOperand views{};
  views.row_dimension = 3;
  const auto append = [&](Lines lines, int64_t line_step, int64_t row_step) {
    OperandView &view = views.all.at(size_t(views.count++));
    view = viewLines(operand, element, groups, width, lines, line_step, row_step);
    if (m == 0) // not even one that nobody reads
      view.extents[3] = 0;
  };
  if (!shape.interval) {
    const int64_t q = shape.period, longer = m % q;
    append({0, longer, m / q + 1}, 1, q);
    append({longer, q - longer, m / q}, 1, q);
  } else {
    const int64_t run = shape.run, into = offset % run;
    const int64_t first = into == 0 ? 0 : std::min(m, run - into);
    const int64_t whole = (m - first) / run, left = m - first - whole * run;
    append({0, 1, first}, run, 1);
    append({first, whole, run}, run, 1);
    append({first + whole * run, 1, left}, run, 1);
  }
  if (shape.isBankGradient()) // all rows
    append({0, 1, m}, 1, 1);
  return views;
}

// Column, output group, depth, row group.
ViewsOfOperand viewBank(const KernelShape &shape, const Operand &operand) {
  const int64_t row = operand.leading_dimension;
  ViewsOfOperand views{};
  views.row_dimension = 2;
  views.count = 1;
  views.all[0] = {operand.address,
                  {shape.bank_width, shape.bank_groups, shape.bank_height, shape.bank_row_groups},
                  {shape.bank_groups > 1 ? shape.bank_width : 0, shape.bank_height > 1 ? row : 0,
                   shape.bank_row_groups > 1 ? shape.bank_height * row : 0}};
  return views;
}

} // namespace

KernelShape kernelShape(const Layer &layer, const GpuKernel &kernel) {
  return kernelShape(layer, kernel.map, kernel.groups);
}

KernelShape kernelShape(const Layer &layer, Map map, int64_t groups) {
  const bool slots = layer.lift == Lift::slots;
  KernelShape shape{};
  shape.map = map;
  shape.interval = !slots && layer.row_types == RowTypesKind::interval;
  shape.run = shape.interval ? layer.row_type_width : 1;
  shape.period = slots ? 1 : layer.types * shape.run;
  const auto counted = [&](const std::vector<int64_t> &widths) {
    return groups == 0 ? int64_t(widths.size()) : groups;
  };
  shape.in_groups = counted(layer.in_groups);
  shape.in_width = layer.k / shape.in_groups;
  shape.out_groups = counted(layer.out_groups);
  shape.out_width = layer.n / shape.out_groups;
  shape.bank_row_groups = counted(layer.bank_rows);
  shape.bank_height = layer.k / shape.bank_row_groups;
  shape.bank_groups = slots ? 1 : shape.out_groups;
  shape.bank_width = layer.bankColumns() / shape.bank_groups;
  if (map == Map::dx) {
    std::swap(shape.in_groups, shape.out_groups);
    std::swap(shape.in_width, shape.out_width);
  }
  return shape;
}

OperandViews viewOperands(const KernelShape &shape, ElementType input, ElementType output,
                          const Operands &operands, int64_t m, int64_t offset) {
  const bool gradient = shape.isBankGradient();
  const auto checkRows = [&](const char *name, const Operand &operand, ElementType element, int64_t columns) {
    checkSpan(name, operand, element, m, columns);
  };
  const auto checkBank = [&](const char *name, const Operand &operand, ElementType element) {
    checkSpan(name, operand, element, shape.bankRows(), shape.bankColumns());
  };
  const auto rowsOf = [&](const Operand &operand, ElementType element, int64_t groups, int64_t width) {
    return viewRows(shape, operand, element, groups, width, m, offset);
  };
  OperandViews views{};
  checkRows(shape.rowsName(), operands.x, input, shape.k());
  views.x = rowsOf(operands.x, input, shape.in_groups, shape.in_width);
  if (gradient) {
    checkRows(shape.secondName(), operands.w, input, shape.n());
    checkBank(shape.resultName(), operands.y, output);
    views.w = rowsOf(operands.w, input, shape.out_groups, shape.out_width);
    views.y = viewBank(shape, operands.y);
  } else {
    checkBank(shape.secondName(), operands.w, input);
    checkRows(shape.resultName(), operands.y, output, shape.n());
    views.w = viewBank(shape, operands.w);
    views.y = rowsOf(operands.y, output, shape.out_groups, shape.out_width);
  }
  return views;
}

} // namespace algrt::cuda
