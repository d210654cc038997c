#include "compiler/schedule/work.h"

#include "algebras/cost/report.h"
#include "compiler/schedule/group_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace compiler {

int64_t joinedRun(const algebras::RowTypes &types) {
  constexpr int64_t rows_of_tile = 64;
  const int64_t width = types.width();
  const bool joined =
      types.kind() == algebras::RowTypes::Kind::Interval && width < rows_of_tile && rows_of_tile % width == 0;
  return joined ? width : 0;
}

/// Whether the rows of a type lie in several segments.
static bool isByRuns(const algebras::Layer &layer) {
  return layer.row_types.kind() == algebras::RowTypes::Kind::Interval && joinedRun(layer.row_types) == 0;
}

static std::vector<EqualSegments> segmentsOf(const algebras::Layer &layer, int64_t m) {
  const bool interval = isByRuns(layer);
  // Of each kind: how many segments, and rows of each.
  const int64_t types = layer.lift.types();
  const int64_t width = interval ? layer.row_types.width() : m / types;
  const std::pair<int64_t, int64_t> kinds[] = {
      interval ? std::pair(m / width, width) : std::pair(m % types, width + 1),
      interval ? std::pair(int64_t{1}, m % width) : std::pair(types - m % types, width)};
  std::vector<EqualSegments> segments;
  for (const auto &[count, rows] : kinds)
    if (count > 0 && rows > 0)
      segments.push_back({static_cast<double>(count), static_cast<double>(rows)});
  return segments;
}

/// Most terms that a type and a group have; of large algebras from a few thousand of them, evenly spread.
double mostTerms(const algebras::Lift &lift) {
  if (lift.completeGraph())
    return lift.isTransposed() ? static_cast<double>(lift.types()) : lift.types() > 1 ? 2 : 1;
  constexpr int64_t looked_at = 4096;
  const int64_t pairs = lift.types() * lift.outputGroups();
  int64_t most = 0;
  for (int64_t pair = 0; pair < pairs; pair += (pairs + looked_at - 1) / looked_at)
    most = std::max(most, lift.termCount(pair / lift.outputGroups(), pair % lift.outputGroups()));
  return static_cast<double>(most);
}

std::pair<double, double> ProjectionWork::termsOfLongAndShort(int64_t longest_first) const {
  const auto middle = terms_by_rank.begin() + longest_first;
  auto average = [](auto begin, auto end) {
    return begin == end ? 0.0 : std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
  };
  return {average(terms_by_rank.begin(), middle), average(middle, terms_by_rank.end())};
}

double ProjectionWork::longestSegment() const {
  double longest = 0;
  for (const EqualSegments &kind : segments)
    longest = std::max(longest, kind.rows);
  return longest;
}

double ProjectionWork::rows() const {
  double sum = 0;
  for (const EqualSegments &kind : segments)
    sum += kind.count * kind.rows;
  return sum;
}

static double meanWidth(const algebras::Groups &groups) {
  return static_cast<double>(groups.total()) / static_cast<double>(groups.count());
}

/// The layer with row types that a count of bytes and multiplications can use.
static algebras::Layer withKnownRowTypes(const algebras::Layer &layer) {
  algebras::Layer known = layer;
  if (layer.row_types.kind() == algebras::RowTypes::Kind::Explicit)
    known.row_types = algebras::RowTypes::cyclic(layer.row_types.count());
  return known;
}

ProjectionWork projectionWork(const algebras::Layer &given, int64_t m, algebras::DataType output) {
  const algebras::Layer layer = withKnownRowTypes(given);
  const algebras::cost::CostReport report = algebras::cost::costReport(layer, m);
  const double element = static_cast<double>(byteWidth(layer.dtype));
  ProjectionWork work;
  work.types = static_cast<double>(layer.lift.types());
  work.groups = static_cast<double>(layer.lift.outputGroups());
  work.k = meanWidth(layer.in);
  work.n = meanWidth(layer.out);
  work.terms = static_cast<double>(report.terms) / (work.types * work.groups);
  work.most_terms = mostTerms(layer.lift);
  work.terms_by_rank = termsByRank(layer.lift);
  work.weights = static_cast<double>(layer.fused.weights);
  work.results = static_cast<double>(layer.fused.results);
  work.macs = static_cast<double>(report.active_macs) * work.weights;
  work.x_bytes = element * static_cast<double>(m) * static_cast<double>(layer.in.total());
  work.y_bytes = (static_cast<double>(layer.fused.results * byteWidth(output)) +
                  static_cast<double>(layer.fused.element_operands) * element) *
                 static_cast<double>(m) * static_cast<double>(layer.out.total());
  work.weight_bytes = static_cast<double>(report.live_weight_bytes) * work.weights;
  // A term of the slot lift names a block that all groups share; of the row lift, one of its own group.
  const bool slots = layer.lift.kind() == algebras::Lift::Kind::Slots;
  work.type_bytes =
      slots ? work.weight_bytes : work.weights * work.terms * work.groups * work.k * work.n * element;
  work.transposed = layer.lift.isTransposed();
  work.own_groups_are_long = work.transposed && layer.lift.completeGraph().has_value();
  work.intervals = isByRuns(layer);
  work.segments = segmentsOf(layer, m);
  if (given.row_types.kind() == algebras::RowTypes::Kind::Explicit)
    work.list.emplace(m, layer.lift.types());
  return work;
}

ProjectionWork projectionWork(const algebras::Layer &layer, const RowsOfNetworks &networks,
                              algebras::DataType output) {
  ProjectionWork work = projectionWork(layer, networks.rows, output);
  const auto count = static_cast<double>(networks.count);
  for (double *of_one : {&work.types, &work.macs, &work.x_bytes, &work.y_bytes, &work.weight_bytes})
    *of_one *= count;
  for (EqualSegments &kind : work.segments)
    kind.count *= count;
  work.list.emplace(networks.total([](int64_t rows) { return rows; }), layer.lift.types(), networks.count);
  return work;
}

double WeightGradientWork::steps(double of_types, double depth) const {
  const double present = std::min(types, rows);
  if (of_types >= types)
    return of_types / types * std::ceil(rows / depth);
  if (list)
    return of_types / types * list->blocks(depth);
  return of_types / types * present * std::ceil(rows / present / depth);
}

double WeightGradientWork::stepsTypeAfterType(double depth) const {
  const double present = std::min(types, rows);
  return types * std::ceil(rows / present / depth);
}

WeightGradientWork weightGradientWork(const algebras::Layer &given, int64_t m, algebras::DataType output) {
  const algebras::Layer layer = withKnownRowTypes(given);
  const algebras::cost::CostReport report = algebras::cost::costReport(layer, m);
  const double element = static_cast<double>(byteWidth(layer.dtype));
  const bool slots = layer.lift.kind() == algebras::Lift::Kind::Slots;
  WeightGradientWork work;
  work.weight_rows = static_cast<double>(layer.lift.weightRows());
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
  work.dw_bytes = static_cast<double>(byteWidth(output)) * work.weight_rows * work.k * columns * work.n;
  if (given.row_types.kind() == algebras::RowTypes::Kind::Explicit)
    work.list.emplace(m, layer.lift.types());
  return work;
}

Floor floorOf(const ProjectionWork &work, const GpuMachine &machine) {
  return {(work.x_bytes + work.weight_bytes + work.y_bytes) / machine.memory_bytes_per_us,
          work.macs / machine.denseMacsPerUs()};
}

Floor floorOf(const WeightGradientWork &work, const GpuMachine &machine) {
  return {(work.x_bytes + work.dy_bytes + work.dw_bytes) / machine.memory_bytes_per_us,
          work.macs / machine.denseMacsPerUs()};
}

} // namespace compiler
