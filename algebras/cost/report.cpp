#include "algebras/cost/report.h"

#include "algebras/checked.h"
#include "algebras/cost/projection.h"
#include "algebras/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace algebras::cost {

namespace {

constexpr int64_t listed_blocks = 64;

// How many terms and places of terms have to be looked at. Between groups of one width all are alike, and
// those of a product are counted factor by factor.
int64_t walkedTerms(const Lift &lift, bool alike) {
  if (lift.completeGraph() || (alike && lift.formula()))
    return 0;
  const char *what = "the number of block products";
  if (!alike || lift.factors().empty())
    return checkedAdd(checkedMultiply(lift.types(), lift.outputGroups(), what), lift.termCount(), what);
  int64_t walked = lift.types();
  for (const Lift &factor : lift.factors())
    walked = checkedAdd(walked, walkedTerms(factor, alike), what);
  return walked;
}

void requireCountable(const Layer &layer) {
  constexpr int64_t most_terms = int64_t{1} << 26;
  const Lift &lift = layer.lift;
  const int64_t walked = walkedTerms(lift, layer.in.isEqual() && layer.out.isEqual());
  if (walked > most_terms)
    throw InputError(fmt::format("{} has {} block products, too many to count one by one: that would take {} "
                                 "steps; {} are the limit",
                                 lift.algebra().name(), lift.termCount(), walked, most_terms))
        .hint("take a smaller algebra, or matrix factors M(n) on its right, which need no terms");
}

std::vector<int64_t> evenly(int64_t m, int64_t types) {
  std::vector<int64_t> rows(types, m / types);
  for (int64_t type = 0; type < m % types; ++type)
    ++rows[type];
  return rows;
}

std::vector<int64_t> countRows(const Layer &layer, int64_t m, int64_t p0, const CostOptions &options) {
  int64_t types = layer.lift.types();
  if (layer.row_types.kind() != RowTypes::Kind::Explicit) {
    std::vector<int64_t> rows(types);
    for (int64_t type = 0; type < types; ++type)
      rows[type] = layer.row_types.countOf(type, m, p0);
    return rows;
  }
  if (options.rows_of_type.empty())
    return evenly(m, types);
  const std::vector<int64_t> &given = options.rows_of_type;
  bool sound =
      static_cast<int64_t>(given.size()) == types &&
      std::all_of(given.begin(), given.end(), [&](int64_t rows) { return rows >= 0 && rows <= m; }) &&
      std::accumulate(given.begin(), given.end(), __int128{0}) == m;
  if (!sound)
    throw InputError(fmt::format("the row counts have to be {} numbers that add up to {}", types, m));
  return given;
}

nlohmann::ordered_json toJson(const Reach &reach) {
  return {{"blocks", reach.blocks},
          {"live_blocks", reach.live_blocks},
          {"reached_blocks", reach.reached_blocks},
          {"parameters", reach.parameters},
          {"live_parameters", reach.live_parameters},
          {"reached_parameters", reach.reached_parameters}};
}

} // namespace

CostReport costReport(const Layer &layer, int64_t m, int64_t p0, const CostOptions &options) {
  layer.validate();
  if (m < 1)
    throw InputError(fmt::format("M = {}: at least one row is needed", m));
  if (p0 < 0)
    throw InputError(fmt::format("the first position is {}; positions count from 0", p0));
  const Lift &lift = layer.lift;
  requireCountable(layer);

  CostReport report;
  report.algebra = lift.algebra().name();
  report.lift = lift.kind() == Lift::Kind::Rows ? "rows" : "slots";
  report.row_types = layer.row_types.toString();
  report.dtype = toString(layer.dtype);
  report.m = m;
  report.k = layer.in.total();
  report.n = layer.out.total();
  report.p0 = p0;
  report.types = lift.types();
  report.groups = lift.inputGroups();
  report.terms = lift.termCount();
  report.note = lift.note();

  report.rows_of_type = countRows(layer, m, p0, options);
  report.row_macs = allRowMacs(lift, layer.in, layer.out);
  report.dense_macs = denseMacs(m, report.k, report.n);
  report.active_macs = batchMacs(lift, layer.in, layer.out, report.rows_of_type);
  report.tile = options.tile;
  report.padded_macs = paddedMacs(lift, layer.in, layer.out, report.rows_of_type, options.tile);
  report.training_dense_macs = trainingMacs(report.dense_macs);
  report.training_active_macs = trainingMacs(report.active_macs);
  report.fraction = Rational(report.active_macs, report.dense_macs);
  report.equal_fraction = equalGroupFraction(lift);
  report.complete_graph = lift.completeGraph();

  report.reach = reach(lift, layer.in, layer.out, report.rows_of_type);
  report.unreached = unreachedBlocks(lift, report.rows_of_type, listed_blocks);
  report.weight_identity_is_identity = lift.weightIdentityIsIdentity();
  auto [least, most] = std::minmax_element(report.row_macs.begin(), report.row_macs.end());
  report.decode_row_macs_least = *least;
  report.decode_row_macs_most = *most;

  int64_t bytes = byteWidth(layer.dtype);
  int64_t features = checkedAdd(report.k, report.n, "the width of a row");
  report.activation_bytes =
      checkedMultiply(bytes, checkedMultiply(m, features, "the size of X and Y"), "the size of X and Y");
  report.live_weight_bytes =
      checkedMultiply(bytes, report.reach.reached_parameters, "the size of the weight matrix");
  report.largest_efficient_groups = largestEfficientGroups(m, report.k, report.n, options.leaf);
  report.break_even_rate = breakEvenRate(report.fraction, Rational(0));
  return report;
}

nlohmann::ordered_json toJson(const CostReport &report) {
  nlohmann::ordered_json result;
  result["algebra"] = report.algebra;
  result["lift"] = report.lift;
  result["row_types"] = report.row_types;
  result["dtype"] = report.dtype;
  result["m"] = report.m;
  result["k"] = report.k;
  result["n"] = report.n;
  result["p0"] = report.p0;
  result["types"] = report.types;
  result["groups"] = report.groups;
  result["terms"] = report.terms;
  result["rows_of_type"] = report.rows_of_type;
  result["row_macs"] = report.row_macs;
  result["dense_macs"] = report.dense_macs;
  result["active_macs"] = report.active_macs;
  result["padded_macs"] = report.padded_macs;
  result["training_dense_macs"] = report.training_dense_macs;
  result["training_active_macs"] = report.training_active_macs;
  result["fraction"] = report.fraction.toDouble();
  result["fraction_exact"] = report.fraction.toString();
  result["equal_fraction"] = report.equal_fraction.toDouble();
  result["equal_fraction_exact"] = report.equal_fraction.toString();
  result["complete_graph"] = report.complete_graph ? nlohmann::ordered_json(*report.complete_graph)
                                                   : nlohmann::ordered_json(nullptr);
  result["tile"] = {
      {"rows", report.tile.rows}, {"columns", report.tile.columns}, {"depth", report.tile.depth}};
  result["reach"] = toJson(report.reach);
  result["unreached"] = nlohmann::ordered_json::array();
  for (const WeightBlock &block : report.unreached)
    result["unreached"].push_back({block.weight_row, block.output_group});
  result["bank_identity_is_identity"] = report.weight_identity_is_identity;
  result["decode_row_macs_least"] = report.decode_row_macs_least;
  result["decode_row_macs_most"] = report.decode_row_macs_most;
  result["activation_bytes"] = report.activation_bytes;
  result["live_weight_bytes"] = report.live_weight_bytes;
  result["largest_efficient_groups"] = report.largest_efficient_groups;
  result["break_even_rate"] = report.break_even_rate.toDouble();
  result["note"] =
      report.note.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(report.note);
  return result;
}

} // namespace algebras::cost
