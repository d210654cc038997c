// Everything `cost` says about a layer and a batch.
#pragma once

#include "algebras/cost/padding.h"
#include "algebras/cost/reach.h"
#include "algebras/cost/screening.h"
#include "algebras/layer.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace algebras::cost {

struct CostOptions {
  Tile tile;
  LeafMinimum leaf;
  // Rows of each type for explicit schedules; m rows spread evenly when empty (the remainder to the first
  // types).
  std::vector<int64_t> rows_of_type;
};

struct CostReport {
  std::string algebra, lift, row_types, dtype;
  int64_t m = 0, k = 0, n = 0, p0 = 0;
  int64_t types = 0, groups = 0, terms = 0;
  std::vector<int64_t> rows_of_type; // M_i
  std::vector<int64_t> row_macs;     // C_i
  int64_t dense_macs = 0, active_macs = 0, padded_macs = 0;
  int64_t training_dense_macs = 0, training_active_macs = 0;
  Rational fraction;                     // active / dense of this batch
  Rational equal_fraction;               // of the algebra with equal groups and types: rho_q for Q(q)
  std::optional<int64_t> complete_graph; // q where the closed forms of Q(q) apply
  Tile tile;
  Reach reach;
  std::vector<WeightBlock> unreached; // at most 64 of them; reach has the counts
  bool weight_identity_is_identity = true;
  int64_t decode_row_macs_least = 0, decode_row_macs_most = 0; // one token, over types
  int64_t activation_bytes = 0,
          live_weight_bytes = 0; // compulsory traffic of the forward map: X and Y; the reached weight matrix
  int64_t largest_efficient_groups = 0; // eq. hardware-q
  Rational break_even_rate;             // eq. crossover without overhead
  std::string note;                     // the lift's
};

// InputError for m < 1 and p0 < 0, for an invalid layer, and where counts leave 64 bits.
CostReport costReport(const Layer &layer, int64_t m, int64_t p0 = 0, const CostOptions &options = {});
nlohmann::ordered_json toJson(const CostReport &report);

} // namespace algebras::cost
