#include "runtime/cuda/operand_view.h"

#include "runtime/support/checked.h"

#include <algorithm>
#include <limits>
#include <numeric>
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
  int64_t rows; // of each segment
};

// How the groups of an operand's columns are to be found.
struct ColumnGroups {
  int64_t count, width, granule;
  int64_t list; // -1 where all have that width
};

// Column, group, segment, row. Segments that are empty are one row that nobody reads.
OperandView viewLines(const Operand &operand, ElementType element, const ColumnGroups &groups, Lines lines,
                      int64_t line_step, int64_t row_step) {
  if (lines.count == 0 || lines.rows == 0)
    lines = {0, 1, 1};
  const int64_t row = operand.leading_dimension;
  return {operand.address + uint64_t(lines.first_row * row * elementBytes(element)),
          {groups.width, groups.count, lines.count, lines.rows},
          {groups.count > 1 && groups.list < 0 ? groups.width : 0, lines.count > 1 ? line_step * row : 0,
           lines.rows > 1 ? row_step * row : 0},
          groups.granule,
          groups.list,
          -1,
          ViewKind::AllRows};
}

// Of the whole runs of each type, and of the partial ones: dimension 2 is the rows of the types' first runs,
// dimension 3 the runs of each.
void viewJoinedRuns(const KernelShape &shape, int64_t m, int64_t offset, const auto &append) {
  const RunsOfBatch runs(shape, m, offset);
  const int64_t run = shape.run, q = shape.types, of_each = runs.whole / q, longer = runs.whole % q;
  append(ViewKind::FirstRun, {0, runs.first_rows, 1}, 1, shape.period);
  append(ViewKind::LongerJoined, {runs.first_rows, longer * run, of_each + 1}, 1, shape.period);
  append(ViewKind::ShorterJoined, {runs.first_rows + longer * run, (q - longer) * run, of_each}, 1,
         shape.period);
  append(ViewKind::LastRun, {m - runs.last_rows, runs.last_rows, 1}, 1, shape.period);
  if (shape.isWeightGradient())
    append(ViewKind::AllRows, {0, m, 1}, 1, 1);
}

// The views of X, Y or a gradient of one.
ViewsOfOperand viewRows(const KernelShape &shape, const Operand &operand, ElementType element,
                        const ColumnGroups &groups, int64_t m, int64_t offset) {
  ViewsOfOperand views{};
  views.row_dimension = 3;
  views.listed = shape.listed;
  views.joined = shape.joins_runs ? shape.run : 0;
  const auto append = [&](ViewKind kind, Lines lines, int64_t line_step, int64_t row_step) {
    OperandView &view = views.all.at(size_t(views.count++));
    view = viewLines(operand, element, groups, lines, line_step, row_step);
    view.kind = kind;
    if (m == 0) // not even one that nobody reads
      view.extents[3] = 0;
  };
  if (shape.as_they_lie) {
    append(ViewKind::AllRows, {0, 1, m}, 1, 1);
    return views;
  }
  if (shape.listed) {
    // A type is no step in memory; its rows are.
    append(ViewKind::ListedRows, {0, shape.listedSegments(), m}, 0, 1);
    views.all[0].extents[2] = shape.listedSegments();
    return views;
  }
  if (shape.joins_runs) {
    viewJoinedRuns(shape, m, offset, append);
  } else if (!shape.interval) {
    const int64_t q = shape.period, longer = m % q;
    append(ViewKind::LongerSegments, {0, longer, m / q + 1}, 1, q);
    append(ViewKind::ShorterSegments, {longer, q - longer, m / q}, 1, q);
  } else {
    const int64_t run = shape.run;
    const RunsOfBatch runs(shape, m, offset);
    append(ViewKind::FirstRun, {0, 1, runs.first_rows}, run, 1);
    append(ViewKind::WholeRuns, {runs.first_rows, runs.whole, run}, run, 1);
    append(ViewKind::LastRun, {m - runs.last_rows, 1, runs.last_rows}, run, 1);
  }
  if (shape.isWeightGradient() && !shape.joins_runs)
    append(ViewKind::AllRows, {0, 1, m}, 1, 1);
  return views;
}

// Column, output group, depth, row group.
ViewsOfOperand viewWeights(const KernelShape &shape, const Operand &operand, int64_t granule) {
  const int64_t row = operand.leading_dimension;
  ViewsOfOperand views{};
  views.row_dimension = 2;
  views.count = 1;
  views.all[0] = {
      operand.address,
      {shape.weight_width, shape.weight_groups, shape.weight_height,
       shape.networks * shape.weight_row_groups},
      {shape.weight_groups > 1 && !shape.unequal ? shape.weight_width : 0, shape.weight_height > 1 ? row : 0,
       shape.networks * shape.weight_row_groups > 1 && !shape.unequal ? shape.weight_height * row : 0},
      granule,
      shape.unequal ? shape.outputList() : -1,
      shape.unequal ? shape.rowGroupList() : -1,
      ViewKind::Weights};
  return views;
}

// Of the widths of a layer's groups, `joined` consecutive ones taken as one.
struct GroupWidths {
  int64_t count, widest, granule; // granule: what divides all of them
  bool equal;
};

GroupWidths widthsOf(const std::vector<int64_t> &widths, int64_t count) {
  const size_t joined = widths.size() / size_t(count);
  GroupWidths result{count, 0, 0, true};
  for (size_t first = 0; first < widths.size(); first += joined) {
    const int64_t width = std::accumulate(widths.begin() + ptrdiff_t(first),
                                          widths.begin() + ptrdiff_t(first + joined), int64_t(0));
    result.equal = result.equal && (first == 0 || width == result.widest);
    result.widest = std::max(result.widest, width);
    result.granule = std::gcd(result.granule, width);
  }
  return result;
}

// Of what the kernel reads rows of, and of what it writes, of a gradient of the weight matrix also reads,
// rows of.
struct GroupsOfShape {
  explicit GroupsOfShape(const KernelShape &shape)
      : in{shape.in_groups, shape.in_width, shape.in_granule,
           !shape.unequal        ? -1
           : isTransposed(shape) ? shape.outputList()
                                 : shape.inputList()},
        out{shape.out_groups, shape.out_width, shape.out_granule,
            !shape.unequal        ? -1
            : isTransposed(shape) ? shape.inputList()
                                  : shape.outputList()},
        weight_granule(shape.unequal ? (isTransposed(shape) ? in : out).granule : shape.weight_width) {}

  static bool isTransposed(const KernelShape &shape) { return shape.map == Map::Dx; }

  ColumnGroups in, out;
  int64_t weight_granule;
};

// The weight matrices of a next layer: their rows are the columns of the first one's, their columns those of
// Y.
KernelShape nextWeights(const KernelShape &shape) {
  KernelShape next = shape;
  next.weight_row_groups = shape.weight_groups;
  next.weight_height = shape.weight_width;
  next.weight_groups = shape.out_groups;
  next.weight_width = shape.out_width;
  next.weight_rows_total = shape.weight_columns_total;
  next.weight_columns_total = shape.n_total;
  return next;
}

} // namespace

RunsOfBatch::RunsOfBatch(const KernelShape &shape, int64_t m, int64_t offset)
    : run(shape.run), types(shape.types) {
  const int64_t into = offset % run;
  first_rows = into == 0 ? 0 : std::min(m, run - into);
  whole = (m - first_rows) / run;
  last_rows = m - first_rows - whole * run;
}

int64_t RunsOfBatch::joinedSegments() const {
  const int64_t before = first_rows > 0 ? 1 : 0;
  if (last_rows == 0)
    return before + std::min(whole, types);
  return before + whole % types + (whole < types ? 0 : types) + 1;
}

int64_t RunsOfBatch::longestJoined() const {
  return whole > 0 ? run * ((whole + types - 1) / types) : std::max(first_rows, last_rows);
}

size_t FurtherOperand::count(const Fusion &fusion) {
  return size_t(fusion.allWeights() - 1) + fusion.operands.size() + fusion.results.size() - 1;
}

FurtherOperand FurtherOperand::at(const Fusion &fusion, size_t place) {
  const size_t weights = size_t(fusion.allWeights() - 1), operands = fusion.operands.size();
  if (place < weights)
    return {Kind::Weight, place + 1};
  if (place < weights + operands)
    return {Kind::Operand, place - weights};
  return {Kind::Result, place - weights - operands + 1};
}

std::optional<size_t> FurtherOperand::find(const Fusion &fusion, Map map, std::string_view name) {
  for (size_t place = 0; place < count(fusion); ++place)
    if (at(fusion, place).name(fusion, map) == name)
      return place;
  return std::nullopt;
}

std::string FurtherOperand::name(const Fusion &fusion, Map map) const {
  const OperandNames names = operandNames(map);
  if (kind == Kind::Operand)
    return fusion.operands[number].name;
  return numberedName(kind == Kind::Weight ? names.w : names.y, int64_t(number));
}

ElementType FurtherOperand::element(const Fusion &fusion, ElementType weights) const {
  if (kind == Kind::Weight)
    return weights;
  return kind == Kind::Operand ? fusion.operands[number].type : fusion.results[number];
}

std::array<int64_t, 4> ViewsOfOperand::box(ViewKind kind, int64_t columns, int64_t rows) const {
  std::array<int64_t, 4> box = {columns, 1, 1, 1};
  if (joined == 0) {
    box.at(size_t(row_dimension)) = rows;
    return box;
  }
  box[2] = kind == ViewKind::AllRows ? rows : std::min(rows, joined);
  box[3] = rows / box[2];
  return box;
}

const OperandView *ViewsOfOperand::find(ViewKind kind) const {
  for (const OperandView &view : views())
    if (view.kind == kind)
      return &view;
  return nullptr;
}

KernelShape kernelShape(const Layer &layer, const GpuKernel &kernel, int64_t experts) {
  KernelShape shape = kernelShape(layer, kernel.map, kernel.groups, kernel.rowAccess());
  shape.networks = std::max<int64_t>(experts, 1);
  return shape;
}

KernelShape kernelShape(const Layer &layer, Map map, int64_t groups, RowAccess access) {
  const bool slots = layer.lift == Lift::Slots;
  KernelShape shape{};
  shape.map = map;
  shape.listed = access == RowAccess::Listed;
  shape.as_they_lie = access == RowAccess::AsTheyLie;
  shape.interval = !slots && !shape.listed && layer.row_types == RowTypesKind::Interval;
  shape.joins_runs = access == RowAccess::JoinedRuns;
  shape.run = shape.interval ? layer.row_type_width : 1;
  shape.types = slots ? 1 : layer.types;
  shape.period = shape.types * shape.run;
  const auto counted = [&](const std::vector<int64_t> &widths) {
    return widthsOf(widths, groups == 0 ? int64_t(widths.size()) : groups);
  };
  const bool has_next = layer.fusion && layer.fusion->next;
  const GroupWidths in = counted(layer.in_groups), columns = counted(layer.out_groups),
                    weight_rows = counted(layer.weight_rows),
                    out = has_next ? counted(layer.fusion->next->out_groups) : columns;
  shape.unequal = !in.equal || !columns.equal || !out.equal || !weight_rows.equal;
  shape.in_groups = in.count;
  shape.in_width = in.widest;
  shape.in_granule = in.granule;
  shape.out_groups = out.count;
  shape.out_width = out.widest;
  shape.out_granule = out.granule;
  shape.weight_row_groups = weight_rows.count;
  shape.weight_height = weight_rows.widest;
  shape.weight_groups = slots ? 1 : columns.count;
  shape.weight_width = slots ? layer.weightColumns() : columns.widest;
  shape.k_total = layer.k;
  shape.n_total = has_next ? layer.fusion->next->n() : layer.n;
  shape.weight_columns_total = layer.weightColumns();
  shape.weight_rows_total = layer.k;
  if (map == Map::Dx) {
    std::swap(shape.in_groups, shape.out_groups);
    std::swap(shape.in_width, shape.out_width);
    std::swap(shape.in_granule, shape.out_granule);
    std::swap(shape.k_total, shape.n_total);
  }
  return shape;
}

int64_t rowTypePeriod(const Layer &layer) {
  if (layer.lift == Lift::Slots)
    return 1;
  return layer.types * (layer.row_types == RowTypesKind::Interval ? layer.row_type_width : 1);
}

OperandViews viewOperands(const KernelShape &shape, ElementType input, ElementType output,
                          const Operands &operands, int64_t m, int64_t offset) {
  const bool gradient = shape.isWeightGradient();
  const int64_t rows_of_x = operands.rowsOfX(m);
  const auto check_rows = [&](const char *name, const Operand &operand, ElementType element,
                              int64_t columns) { checkSpan(name, operand, element, m, columns); };
  const auto check_weights = [&](const char *name, const Operand &operand, ElementType element) {
    checkSpan(name, operand, element, checkedMultiply(shape.networks, shape.weightRows(), name),
              shape.weightColumns());
  };
  const auto rows_of = [&](const Operand &operand, ElementType element, const ColumnGroups &groups) {
    return viewRows(shape, operand, element, groups, m, offset);
  };
  const auto [in, out, weight_granule] = GroupsOfShape(shape);
  OperandViews views{};
  checkSpan(shape.rowsName(), operands.x, input, rows_of_x, shape.k());
  views.x = viewRows(shape, operands.x, input, in, rows_of_x, offset);
  if (gradient) {
    check_rows(shape.secondName(), operands.w, input, shape.n());
    check_weights(shape.resultName(), operands.y, output);
    views.w = rows_of(operands.w, input, out);
    views.y = viewWeights(shape, operands.y, weight_granule);
  } else {
    check_weights(shape.secondName(), operands.w, input);
    check_rows(shape.resultName(), operands.y, output, shape.n());
    views.w = viewWeights(shape, operands.w, weight_granule);
    views.y = rows_of(operands.y, output, out);
  }
  return views;
}

ViewsOfOperand viewFurther(const KernelShape &shape, const Layer &layer, size_t place, const Operand &operand,
                           int64_t m, int64_t offset) {
  const Fusion &fusion = *layer.fusion;
  const FurtherOperand further = FurtherOperand::at(fusion, place);
  const std::string name = further.name(fusion, shape.map);
  const ElementType element = further.element(fusion, layer.dtype);
  const GroupsOfShape groups(shape);
  if (further.kind == FurtherOperand::Kind::Weight) {
    const bool of_next = fusion.layerOf(int64_t(further.number)) > 0;
    const KernelShape own = of_next ? nextWeights(shape) : shape;
    checkSpan(name.c_str(), operand, element, checkedMultiply(own.networks, own.weightRows(), name.c_str()),
              own.weightColumns());
    return viewWeights(own, operand, of_next ? groups.out.granule : groups.weight_granule);
  }
  const ColumnGroups one = {1, 1, 1, -1};
  const bool per_row = further.isPerRow(fusion);
  checkSpan(name.c_str(), operand, element, m, per_row ? 1 : shape.n());
  return viewRows(shape, operand, element, per_row ? one : groups.out, m, offset);
}

} // namespace algrt::cuda
