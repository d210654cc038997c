#include "algebras/facts.h"

#include "algebras/constructions.h"
#include "algebras/error.h"
#include "algebras/facts_proofs.h"
#include "algebras/identity/one_sided.h"
#include "algebras/quiver/bound_quiver.h"
#include "algebras/rank/bounds.h"
#include "algebras/structure/structure.h"
#include "algebras/structure/table_structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace algebras {

namespace {

using Kind = Algebra::Kind;

// The laws of an algebra, before anything that rests on them.
struct Laws {
  bool associative = true;
  std::optional<Witness> witness;
  bool commutative = true;
  bool unital = true;
  std::optional<SparseVector> identity; // left out when longer than Facts::list_limit
  Associativity associativity;          // of a table: how that was found out
};

// Each constant [i, j, k] needs its like [j, i, k]. No memory, and most tables that are not commutative
// differ early.
bool isCommutative(const Table &table) {
  auto slots = [](const Constant &constant) { return std::tie(constant.i, constant.j, constant.k); };
  const std::vector<Constant> &constants = table.constants();
  return std::all_of(constants.begin(), constants.end(), [&](const Constant &constant) {
    if (constant.i == constant.j)
      return true;
    auto like = std::lower_bound(constants.begin(), constants.end(), constant,
                                 [&](const Constant &candidate, const Constant &own) {
                                   return slots(candidate) < std::tie(own.j, own.i, own.k);
                                 });
    return like != constants.end() && slots(*like) == std::tie(constant.j, constant.i, constant.k) &&
           like->value == constant.value;
  });
}

Laws tableLaws(const Table &table) {
  Laws laws;
  laws.associativity = examineAssociativity(table);
  laws.witness = laws.associativity.witness;
  laws.associative = !laws.witness;
  laws.commutative = isCommutative(table);
  laws.identity = findIdentity(table);
  laws.unital = laws.identity.has_value();
  if (!table.claimedIdentity())
    return laws;
  SparseVector claimed;
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    if (!(*table.claimedIdentity())[slot].isZero())
      claimed.emplace_back(slot, (*table.claimedIdentity())[slot]);
  if (!laws.identity || *laws.identity != claimed) {
    std::string message = fmt::format("the identity that {} claims is not one", table.name());
    InputError error =
        table.identityPlace() ? InputError(message, *table.identityPlace()) : InputError(message);
    throw error.hint(laws.identity ? "leave \"identity\" out: it is derived"
                                   : "the table has no identity: leave it out");
  }
  return laws;
}

// Sum of the units on the diagonal. Every family but M(n) and T(n) with its idempotents is a graph.
Laws matrixLikeLaws(const Algebra &algebra) {
  Laws laws;
  int64_t n = algebra.positions();
  // Basis elements off the diagonal do not commute with their ends.
  laws.commutative = algebra.dimension() == n;
  if (n > Facts::list_limit)
    return laws;
  laws.identity.emplace();
  for (int64_t position = 0; position < n; ++position)
    laws.identity->emplace_back(algebra.slotAt({position, position}).value(), Rational(1));
  std::sort(laws.identity->begin(), laws.identity->end(),
            [](const auto &left, const auto &right) { return left.first < right.first; });
  return laws;
}

// Associative by construction: paths are put one behind the other, modulo an ideal (quiver/path_products.h
// checks the tables of linear relations).
Laws quiverLaws(const Algebra &algebra) {
  const BoundQuiver &bound = *algebra.boundQuiver();
  Laws laws;
  if (bound.products())
    laws.commutative = isCommutative(*bound.products());
  else // arrows commute: loops, of which no two differ in a path that is not zero
    for (int64_t slot = 0; slot < algebra.dimension(); ++slot) {
      const PathBasis::Path &path = bound.basis().path(slot);
      laws.commutative =
          laws.commutative && path.source == path.target && (path.length != 2 || path.first == path.last);
    }
  laws.identity.emplace();
  for (int64_t vertex : bound.vertices())
    laws.identity->emplace_back(bound.basis().idempotent(vertex).value(), Rational(1));
  std::sort(laws.identity->begin(), laws.identity->end(),
            [](const auto &left, const auto &right) { return left.first < right.first; });
  return laws;
}

Laws deriveLaws(const Algebra &algebra);

Laws directProductLaws(const Algebra &algebra) {
  Laws laws;
  laws.identity.emplace();
  int64_t start = 0;
  for (const Algebra &factor : algebra.factors()) {
    Laws own = deriveLaws(factor);
    if (own.witness && !laws.witness)
      laws.witness = Witness{start + own.witness->i, start + own.witness->j, start + own.witness->k,
                             start + own.witness->l};
    laws.associative = laws.associative && own.associative;
    laws.commutative = laws.commutative && own.commutative;
    laws.unital = laws.unital && own.unital;
    if (!own.identity || (laws.identity && laws.identity->size() + own.identity->size() > Facts::list_limit))
      laws.identity.reset();
    if (laws.identity)
      for (const auto &[slot, coefficient] : *own.identity)
        laws.identity->emplace_back(start + slot, coefficient);
    start += factor.dimension();
  }
  return laws;
}

SparseVector tensorProduct(const Field &field, const SparseVector &left, const SparseVector &right,
                           int64_t right_dimension) {
  SparseVector result;
  for (const auto &[i, a] : left)
    for (const auto &[j, b] : right)
      result.emplace_back(i * right_dimension + j, field.multiply(a, b));
  return result;
}

// A witness of one factor, tensored with idempotent slots of the others: slot 0 of every matrix-like algebra
// is one.
Witness tensorWitness(const Algebra &algebra, const std::vector<Laws> &factors) {
  size_t guilty = 0;
  while (factors[guilty].associative)
    ++guilty;
  int64_t stride = 1; // between neighbouring slots of the guilty factor
  for (size_t f = 0; f < factors.size(); ++f) {
    if (f != guilty && !algebra.factors()[f].isMatrixLike())
      return findNonassociative(algebra.expand()).value();
    if (f > guilty)
      stride *= algebra.factors()[f].dimension();
  }
  const Witness &own = *factors[guilty].witness;
  return {own.i * stride, own.j * stride, own.k * stride, own.l * stride};
}

// A tensor product has an identity exactly when both factors have one. When both have, each sits inside as a
// subalgebra, so it is associative, or commutative, exactly when both are. Without identities signs can
// cancel (two anticommutative factors make a commutative product): then the product itself is examined.
Laws tensorLaws(const Algebra &algebra) {
  Laws laws;
  std::vector<Laws> factors;
  for (const Algebra &factor : algebra.factors())
    factors.push_back(deriveLaws(factor));
  auto all = [&](bool Laws::*law) {
    return std::all_of(factors.begin(), factors.end(), [&](const Laws &own) { return own.*law; });
  };
  laws.unital = all(&Laws::unital);
  laws.associative = all(&Laws::associative);
  laws.commutative = all(&Laws::commutative);
  if (!laws.unital && !(laws.associative && laws.commutative)) {
    Laws examined = tableLaws(algebra.expand());
    examined.unital = false;
    return examined;
  }
  if (!laws.unital)
    return laws;

  laws.identity = SparseVector{{0, Rational(1)}};
  size_t length = 1;
  for (size_t f = 0; f < factors.size(); ++f) {
    length = factors[f].identity ? length * factors[f].identity->size() : Facts::list_limit + 1;
    if (length > Facts::list_limit) {
      laws.identity.reset();
      break;
    }
    laws.identity = tensorProduct(algebra.field(), *laws.identity, *factors[f].identity,
                                  algebra.factors()[f].dimension());
  }
  if (!laws.associative)
    laws.witness = tensorWitness(algebra, factors);
  return laws;
}

Laws deriveLaws(const Algebra &algebra) {
  if (algebra.table())
    return tableLaws(*algebra.table());
  if (algebra.isMatrixLike())
    return matrixLikeLaws(algebra);
  if (algebra.boundQuiver())
    return quiverLaws(algebra);
  return algebra.kind() == Kind::DirectProduct ? directProductLaws(algebra) : tensorLaws(algebra);
}

void addStructure(Facts &facts, const Structure &structure) {
  facts.center_dimension = structure.center_dimension;
  facts.radical_dimension = structure.radicalDimension();
  facts.radical_series = structure.radicalSeries();
  facts.maximal_ideals = structure.maximalIdeals();
  if (*facts.maximal_ideals > Facts::list_limit)
    return;
  facts.component_kinds = structure.components;
  facts.simple_components.emplace();
  for (const auto &[kind, count] : structure.components)
    facts.simple_components->insert(facts.simple_components->end(), count, kind.dimension);
}

void addRank(Facts &facts, const Algebra &algebra, const std::optional<Structure> &structure) {
  const Decomposition *known = facts.decomposition ? &*facts.decomposition : nullptr;
  RankBound upper = facts.associative.value_or(false) && facts.identity
                        ? rankUpper(algebra, *facts.identity, known)
                        : rankUpper(algebra);
  facts.rank_upper = upper.products;
  facts.rank_upper_rule = upper.rule;
  if (structure) {
    facts.alder_strassen = alderStrassen(algebra, *structure);
    if (std::optional<RankBound> lower =
            known ? rankLower(algebra, *known) : rankLower(algebra, *structure)) {
      facts.rank_lower = lower->products;
      facts.rank_lower_rule = lower->rule;
    }
  } else if (facts.unital.value_or(false)) {
    facts.rank_lower = facts.dimension;
    facts.rank_lower_rule = "dimension: every element is a product with the identity";
  }
  facts.rank_exact = facts.rank_lower && *facts.rank_lower == *facts.rank_upper;
}

void addLift(Facts &facts, const Algebra &algebra) {
  if (!algebra.isMatrixLike())
    return;
  int64_t n = algebra.positions();
  facts.types = algebra.rowTypes();
  facts.groups = n;
  Rational dense = Rational(n) * Rational(n) * Rational(n);
  facts.dense_products = dense.toInteger(); // nothing where it leaves 64 bits
  facts.fraction = Rational(facts.nonzeros) / dense;
}

} // namespace

Facts deriveFacts(const Algebra &algebra) {
  Facts facts;
  facts.name = algebra.name();
  facts.field = algebra.field();
  facts.dimension = algebra.dimension();
  facts.nonzeros = algebra.nonzeros();
  facts.active_products = algebra.nonzeros();

  Laws laws = deriveLaws(algebra);
  facts.associative = laws.associative;
  facts.unital = laws.unital;
  facts.commutative = laws.commutative;
  facts.witness = laws.witness;
  if (laws.unital) {
    facts.identity = std::move(laws.identity);
  } else {
    facts.left_identity = leftIdentity(algebra);
    facts.right_identity = rightIdentity(algebra);
  }

  std::optional<Structure> structure;
  if (laws.associative && laws.unital) {
    if (!algebra.table()) {
      structure = deriveStructure(algebra);
    } else if (std::optional<TableStructure> both = decomposeWithStructure(*algebra.table())) {
      structure = std::move(both->structure);
      facts.decomposition = std::move(both->decomposition);
    } else {
      facts.center_dimension = centerDimension(*algebra.table());
    }
    if (structure)
      addStructure(facts, *structure);
  }
  facts.proofs = proofsOf(algebra, facts, structure, laws.associativity);
  addRank(facts, algebra, structure);
  addLift(facts, algebra);
  return facts;
}

} // namespace algebras
