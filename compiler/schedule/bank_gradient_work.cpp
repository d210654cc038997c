#include "compiler/schedule/bank_gradient_work.h"

#include "algebras/cost/report.h"
#include "compiler/schedule/group_order.h"
#include "compiler/schedule/projection_work.h"

#include <algorithm>
#include <cmath>

namespace compiler {

double BankGradientWork::steps(double of_types, double depth) const {
  const double present = std::min(types, rows);
  if (of_types >= types)
    return of_types / types * std::ceil(rows / depth);
  if (list)
    return of_types / types * list->blocks(depth);
  return of_types / types * present * std::ceil(rows / present / depth);
}

double BankGradientWork::stepsTypeAfterType(double depth) const {
  const double present = std::min(types, rows);
  return types * std::ceil(rows / present / depth);
}

BankGradientWork bankGradientWork(const algebras::Layer &given, std::int64_t m, algebras::DataType output) {
  const algebras::Layer layer = withKnownRowTypes(given);
  const algebras::cost::CostReport report = algebras::cost::costReport(layer, m);
  const double element = static_cast<double>(byteWidth(layer.dtype));
  const bool slots = layer.lift.kind() == algebras::Lift::Kind::Slots;
  BankGradientWork work;
  work.bank_rows = static_cast<double>(layer.lift.bankRows());
  work.k = meanWidth(layer.in);
  work.n = meanWidth(layer.out);
  work.types_by_rank = typesByRank(layer.lift);
  work.types = static_cast<double>(layer.lift.types());
  work.complete = layer.lift.completeGraph().has_value() && !slots;
  work.rows = static_cast<double>(m);
  // Every term of the product is one of the gradient, of the same size.
  work.macs = static_cast<double>(report.active_macs);
  work.x_bytes = element * work.rows * static_cast<double>(layer.in.total());
  work.dy_bytes = element * work.rows * static_cast<double>(layer.out.total());
  // Blocks that no row reaches are written, too.
  const double columns = slots ? 1 : static_cast<double>(layer.lift.outputGroups());
  work.dw_bytes = static_cast<double>(byteWidth(output)) * work.bank_rows * work.k * columns * work.n;
  if (given.row_types.kind() == algebras::RowTypes::Kind::Explicit)
    work.list.emplace(m, layer.lift.types());
  return work;
}

} // namespace compiler
