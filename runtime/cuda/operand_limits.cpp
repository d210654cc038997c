#include "runtime/cuda/operand_limits.h"

#include "runtime/support/checked.h"

#include <algorithm>
#include <span>

namespace algrt::cuda {

namespace {

using Obstacle = OperandObstacle::Kind;

// cuTensorMapEncodeTiled: addresses and strides are multiples of 16 bytes, strides below 2^40. No thread
// moves more than 16 bytes at a time.
constexpr int64_t quantum = 16, stride_limit = int64_t(1) << 40;

// One operand, and what the kernel demands of it.
struct Demands {
  OperandObstacle obstacle; // but for its kind and value

  std::optional<OperandObstacle> refuse(Obstacle kind, int64_t value) const {
    OperandObstacle result = obstacle;
    result.kind = kind;
    result.value = value;
    return result;
  }
  bool engine() const { return obstacle.copies == GpuCopies::Engine; }
  // Elements that are moved at a time.
  int64_t unit() const { return obstacle.unit_bytes / obstacle.element_bytes; }
  bool isFar(int64_t elements) const { return engine() && elements >= stride_limit / obstacle.element_bytes; }

  std::optional<OperandObstacle> check(const Operand &operand, int64_t rows,
                                       std::span<const OperandView> views) const {
    if (operand.address % uint64_t(obstacle.unit_bytes) != 0)
      return refuse(Obstacle::Address, 0);
    // A tensor map has to be right about steps that it never takes.
    if (engine() || rows > 1) {
      if (operand.leading_dimension % unit() != 0)
        return refuse(Obstacle::RowDistance, operand.leading_dimension);
      if (isFar(operand.leading_dimension))
        return refuse(Obstacle::FarRows, operand.leading_dimension);
    }
    for (const OperandView &view : views) {
      for (int64_t extent : view.extents)
        if (extent > most_int32)
          return refuse(Obstacle::Extent, extent);
      if (!engine() && view.granule % unit() != 0)
        return refuse(view.group_list < 0 ? Obstacle::GroupWidth : Obstacle::GroupGranule, view.granule);
      for (int64_t stride : view.strides)
        if (stride % unit() != 0 || isFar(stride))
          return refuse(Obstacle::Stride, stride);
    }
    return std::nullopt;
  }
};

// Threads move what they read or write beside sums in pairs, or one by one where the kernel moves no more.
constexpr int64_t pair = 2;

// Of an operand that maps read row by row, or of a further result, whoever copies the others.
Demands demandsBesideSums(const std::string &name, const GpuKernel &kernel, ElementType element,
                          bool per_row) {
  const int64_t bytes = elementBytes(element);
  const int64_t elements = per_row                              ? 1
                           : kernel.copies == GpuCopies::Engine ? pair
                                                                : std::min(kernel.vector, pair);
  return {{Obstacle::Address, name, GpuCopies::Threads, elements * bytes, bytes, 0}};
}

Demands demandsOf(const std::string &name, const GpuKernel &kernel, ElementType element) {
  const int64_t bytes = elementBytes(element);
  // Vector reductions write their result element by element.
  const int64_t elements = kernel.isReduction() && name == "y" ? 1 : kernel.vector;
  const int64_t unit = kernel.copies == GpuCopies::Engine ? quantum : std::min(elements * bytes, quantum);
  return {{Obstacle::Address, name, kernel.copies, unit, bytes, 0}};
}

} // namespace

algrt_status OperandObstacle::status() const {
  return kind == Obstacle::Address || kind == Obstacle::RowDistance || kind == Obstacle::FarRows
             ? ALGRT_INVALID_ARGUMENT
             : ALGRT_UNSUPPORTED;
}

std::string OperandObstacle::text() const {
  const std::string name = operand + ": ", unit = std::to_string(unit_bytes),
                    elements = std::to_string(unit_bytes / element_bytes), number = std::to_string(value);
  const std::string moved = copies == GpuCopies::Engine
                                ? ""
                                : ", which the kernel's threads move " + elements + " elements at a time";
  switch (kind) {
  case Obstacle::Address:
    return name + "starts at an address that is not a multiple of " + unit + " bytes: align it";
  case Obstacle::RowDistance:
    return name + "has rows " + number + " elements apart, which is " +
           std::to_string(value * element_bytes) + " bytes, not a multiple of " + unit +
           ": pad the rows to a multiple of " + elements + " elements";
  case Obstacle::FarRows:
    return name + "has rows " + std::to_string(value * element_bytes) +
           " bytes apart, a tensor map takes less than 2^40";
  case Obstacle::GroupWidth:
  case Obstacle::GroupGranule:
    return name + "has groups of " + (kind == Obstacle::GroupWidth ? "" : "multiples of ") + number +
           " columns" + moved + ": choose group widths that are multiples of " + elements +
           ", or compile the kernel for fewer at a time";
  case Obstacle::Stride:
    return name + "a tensor map cannot step over " + std::to_string(value * element_bytes) +
           " bytes, only over multiples of 16 below 2^40: choose group widths that are multiples of " +
           elements + ", or the rows of the matrix closer together";
  case Obstacle::Extent:
    return name + number +
           " columns, groups or rows of one group do not fit a coordinate of 32 bits: cut the layer into "
           "smaller ones";
  }
  return name + "unknown";
}

OperandUnit unitOf(const Layer &layer, const GpuKernel &kernel, const std::string &operand) {
  const auto unit = [](const Demands &demands) {
    return OperandUnit{demands.obstacle.unit_bytes, demands.engine()};
  };
  const auto place = layer.fusion ? FurtherOperand::find(*layer.fusion, kernel.map, operand) : std::nullopt;
  if (!place)
    return unit(
        demandsOf(operand, kernel, operand == operandNames(kernel.map).y ? kernel.output : layer.dtype));
  const FurtherOperand further = FurtherOperand::at(*layer.fusion, *place);
  const ElementType element = further.element(*layer.fusion, layer.dtype);
  return unit(further.kind == FurtherOperand::Kind::Weight
                  ? demandsOf(operand, kernel, element)
                  : demandsBesideSums(operand, kernel, element, further.isPerRow(*layer.fusion)));
}

std::optional<OperandObstacle> findObstacle(const Layer &layer, const GpuKernel &kernel,
                                            const Operands &operands, const OperandViews &views, int64_t m,
                                            int64_t offset) {
  const OperandNames names = operandNames(kernel.map);
  const auto check = [&](const Demands &demands, const Operand &operand, const ViewsOfOperand &seen) {
    const OperandView &first = seen.all[0];
    const bool is_x = &seen == &views.x;
    const int64_t rows =
        seen.row_dimension == 3 ? (is_x ? operands.rowsOfX(m) : m) : first.extents[2] * first.extents[3];
    return demands.check(operand, rows, seen.views());
  };
  if (const auto found = check(demandsOf(names.x, kernel, layer.dtype), operands.x, views.x))
    return found;
  if (const auto found = check(demandsOf(names.w, kernel, layer.dtype), operands.w, views.w))
    return found;
  if (const auto found = check(demandsOf(names.y, kernel, kernel.output), operands.y, views.y))
    return found;
  for (size_t place = 0; place < operands.further.size(); ++place) {
    const FurtherOperand further = FurtherOperand::at(*layer.fusion, place);
    const std::string name = further.name(*layer.fusion, kernel.map);
    const ElementType element = further.element(*layer.fusion, layer.dtype);
    const bool is_weight = further.kind == FurtherOperand::Kind::Weight;
    const Demands demands = is_weight
                                ? demandsOf(name, kernel, element)
                                : demandsBesideSums(name, kernel, element, further.isPerRow(*layer.fusion));
    const Operand &operand = operands.further[place];
    if (further.hasNoMap(*layer.fusion)) {
      // Numbers of columns lie one behind the other, and are read one by one.
      if (operand.address % uint64_t(elementBytes(element)) != 0)
        return demandsBesideSums(name, kernel, element, true).refuse(Obstacle::Address, 0);
      continue;
    }
    const ViewsOfOperand seen =
        viewFurther(kernelShape(layer, kernel, operands.experts), layer, place, operand, m, offset);
    if (const auto found = check(demands, operand, seen))
      return found;
  }
  return std::nullopt;
}

} // namespace algrt::cuda
