// What a certificate claims, and how the claims of factors make those of products (docs/certificates.md,
// [11]).
#pragma once

#include "algebras/field.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace algebras {

// A simple factor of A/rad as far as a certificate proves it.
struct ClaimedComponent {
  int64_t dimension = 1, center = 1;
  int64_t degree = 1; // it is M(degree) over a division algebra; 0 where that is not claimed
  auto operator<=>(const ClaimedComponent &) const = default;
};

struct Claims {
  int64_t dimension = 0, nonzeros = 0, rank_upper = 0;
  bool associative = true, commutative = true, left_identity = true, right_identity = true;
  bool unital() const { return left_identity && right_identity; }
  std::optional<int64_t> center;
  std::vector<int64_t> layers;                    // dim rad^s / rad^(s+1)
  std::map<ClaimedComponent, int64_t> components; // with their numbers; empty: no structure is claimed
  int chain = 0; // 1: e_i J e_j is not zero, 2: e_i J e_j J e_l is not, for some i != j != l
};

// Nothing where a number leaves 64 bits, or (tensor products over Q) the degrees of centres are not coprime.
std::optional<Claims> directProductClaims(Claims left, const Claims &right);
std::optional<Claims> tensorProductClaims(const Field &field, const Claims &left, const Claims &right);

nlohmann::ordered_json toJson(const Claims &claims);

} // namespace algebras
