// What is proved about an algebra: the object that `verify` prints.
#pragma once

#include "algebras/algebra.h"
#include "algebras/associativity.h"
#include "algebras/identity.h"
#include "algebras/structure/structure.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace algebras {

// An empty optional means: has no meaning for this input, or is not known.
struct Facts {
  std::string name;
  Field field;
  int64_t dimension = 0;
  int64_t nonzeros = 0;
  std::optional<bool> associative, unital, commutative;
  std::optional<Witness> witness;       // when not associative
  std::optional<SparseVector> identity; // when unital and at most list_limit entries long
  // Some left, or right, identity where there is no two-sided one: at most one of them exists.
  std::optional<SparseVector> left_identity, right_identity;
  std::optional<int64_t> center_dimension;
  std::optional<int64_t> radical_dimension;
  std::optional<std::vector<int64_t>> radical_series; // dimensions of rad, rad^2, ..., ending with 0
  std::optional<std::vector<int64_t>>
      simple_components; // dimensions of the simple factors of A/rad, ascending
  // The same factors, with what is known of each: empty where they are not known.
  std::map<SimpleKind, int64_t> component_kinds;
  std::optional<int64_t> maximal_ideals;
  std::optional<int64_t> alder_strassen; // 2 dim A - maximal_ideals
  std::optional<int64_t> rank_lower, rank_upper;
  std::string rank_lower_rule, rank_upper_rule; // empty where there is no bound
  bool rank_exact = false;
  int64_t active_products = 0;
  // Of matrix-like algebras: row types, groups, dense products, active over dense.
  std::optional<int64_t> types, groups, dense_products;
  std::optional<Rational> fraction;

  // Of tables: what the structure was read off.
  std::optional<Decomposition> decomposition;

  // Which step proves a fact: (its key in the JSON object, the step).
  std::vector<std::pair<std::string, std::string>> proofs;

  static constexpr int64_t list_limit = int64_t{1} << 20; // longer lists are left out
};

// In closed form for constructions: microseconds, but for the lists. For tables everything exactly, the
// structure as far as structure/table_structure.h goes. InputError when a table claims an identity that is
// not one.
Facts deriveFacts(const Algebra &algebra);

} // namespace algebras
