#include "algebras/certificate/leaf_proof.h"

#include "algebras/associativity.h"
#include "algebras/certificate/center_basis.h"
#include "algebras/certificate/component_proof.h"
#include "algebras/certificate/encode.h"
#include "algebras/certificate/filtered_basis.h"
#include "algebras/certificate/integral.h"
#include "algebras/certificate/no_identity.h"
#include "algebras/certificate/peirce_chain.h"
#include "algebras/certificate/slot_filtration.h"
#include "algebras/constructions.h"
#include "algebras/linear/polynomial.h"
#include "algebras/linear/sparse_vector.h"
#include "algebras/rank/bounds.h"
#include "algebras/structure/decomposition.h"
#include "algebras/structure/table_structure.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras {

namespace {

using nlohmann::ordered_json;

constexpr int64_t cheap_pairs = int64_t{1} << 23; // that meet: seconds for the checker

bool isCommutative(const Table &table) {
  return std::all_of(table.constants().begin(), table.constants().end(), [&](const Constant &constant) {
    auto row = table.row(constant.j);
    auto key = std::pair(constant.i, constant.k);
    auto mirror = std::lower_bound(row.begin(), row.end(), key, [](const Constant &entry, const auto &place) {
      return std::pair(entry.j, entry.k) < place;
    });
    return mirror != row.end() && std::pair(mirror->j, mirror->k) == key && mirror->value == constant.value;
  });
}

// Pairs of constants that meet in (b_i b_j) b_k or b_i (b_j b_k): what it costs to check associativity.
int64_t meetingPairs(const Table &table) {
  std::vector<int64_t> as_left(table.dimension()), as_right(table.dimension());
  for (const Constant &constant : table.constants()) {
    ++as_left[constant.i];
    ++as_right[constant.j];
  }
  int64_t pairs = 0;
  for (const Constant &constant : table.constants())
    pairs += as_left[constant.k] + as_right[constant.k];
  return pairs;
}

Claims tableClaims(const Table &table) {
  Claims claims;
  claims.dimension = table.dimension();
  claims.nonzeros = claims.rank_upper = table.nonzeros();
  claims.commutative = isCommutative(table);
  return claims;
}

// The proof for an associative table with an identity, in its own slots.
class Prover {
public:
  Prover(const Algebra &algebra, const Table &table, const SparseVector &identity,
         std::vector<std::string> &omissions)
      : algebra_(algebra), table_(table), omissions_(omissions), identity_(identity),
        claims_(tableClaims(table)) {
    proof_["identity"] = encodeMultiple(table.field(), identity);
    proveRankUpper();
    proveCenter();
  }
  void proveStructure(const Decomposition &decomposition, const SlotFiltration &filtration) {
    ordered_json components = ordered_json::array();
    std::map<ClaimedComponent, int64_t> counts;
    for (size_t c = 0; c < decomposition.components.size(); ++c) {
      std::optional<ComponentProof> proof =
          proveComponent(table_, decomposition.components[c], filtration.components[c]);
      if (!proof) {
        omissions_.push_back(
            fmt::format("{}: radical and simple components, since no tower of primes was found that shows "
                        "that the polynomial {} of a centre is irreducible",
                        algebra_.name(), toString(decomposition.components[c].center_polynomial)));
        return;
      }
      if (proof->claimed.degree == 0)
        omissions_.push_back(
            fmt::format("{}: over which division algebra a component of dimension {} consists of matrices{}",
                        algebra_.name(), proof->claimed.dimension,
                        decomposition.components[c].matrix_degree ? "" : ", which is not known"));
      ordered_json slots = encodeSlots(filtration.components[c]);
      if (proof->json.empty())
        proof->json = std::move(slots);
      else
        proof->json["slots"] = std::move(slots);
      components.push_back(std::move(proof->json));
      ++counts[proof->claimed];
    }
    claims_.components = std::move(counts);
    claims_.layers.push_back(table_.dimension());
    ordered_json &radical = proof_["radical"] = ordered_json::array();
    for (const std::vector<int64_t> &layer : filtration.layers) {
      radical.push_back(encodeSlots(layer));
      claims_.layers.push_back(static_cast<int64_t>(layer.size()));
      claims_.layers[0] -= claims_.layers.back();
    }
    addForm(decomposition);
    proof_["components"] = std::move(components);
    std::vector<int64_t> chain = findPeirceChain(table_, filtration);
    claims_.chain = static_cast<int>(chain.size() / 2);
    if (!chain.empty())
      proof_["peirce"] = std::move(chain);
  }
  ordered_json takeProof() { return std::move(proof_); }
  const Claims &claims() const { return claims_; }

private:
  // One product for each constant needs no proof; a better algorithm is spelled out while it is short.
  void proveRankUpper() {
    constexpr int64_t most_constants = int64_t{1} << 14, most_terms = int64_t{1} << 16;
    if (table_.nonzeros() > most_constants)
      return;
    std::optional<BilinearAlgorithm> algorithm = constructedAlgorithm(algebra_);
    if (!algorithm || static_cast<int64_t>(algorithm->size()) >= claims_.rank_upper ||
        findMismatch(*algorithm, table_))
      return;
    size_t terms = 0;
    for (const BilinearProduct &product : *algorithm)
      terms += product.alpha.size() + product.beta.size() + product.gamma.size();
    if (terms > most_terms)
      return;
    proof_["algorithm"] = algorithmJson(*algorithm);
    claims_.rank_upper = static_cast<int64_t>(algorithm->size());
  }
  // The forms become integral, the elements gamma are divided by what these grow by, and then `scale` makes
  // them integral, too. It stands for the product of the file's table, which is `denominator` times this one.
  ordered_json algorithmJson(const BilinearAlgorithm &algorithm) const {
    std::vector<SparseVector> alphas, betas, gammas;
    Rational denominator = commonDenominator(table_);
    for (const BilinearProduct &product : algorithm) {
      Rational alpha = commonDenominator(std::span(&product.alpha, 1)),
               beta = commonDenominator(std::span(&product.beta, 1));
      alphas.push_back(scaled(product.alpha, alpha));
      betas.push_back(scaled(product.beta, beta));
      gammas.push_back(scaled(product.gamma, denominator / (alpha * beta)));
    }
    Rational scale = commonDenominator(gammas);
    ordered_json products = ordered_json::array();
    for (size_t r = 0; r < gammas.size(); ++r)
      products.push_back(
          {encodeElement(alphas[r]), encodeElement(betas[r]), encodeElement(scaled(gammas[r], scale))});
    return {{"scale", encodeInteger(scale)}, {"products", std::move(products)}};
  }

  void proveCenter() {
    std::optional<std::vector<SparseVector>> basis = centerBasis(table_, identity_);
    if (!basis) {
      omissions_.push_back(fmt::format("{}: the centre is not known", algebra_.name()));
      return;
    }
    ordered_json &json = proof_["center"] = ordered_json::array();
    for (const SparseVector &element : *basis)
      json.push_back(encodeMultiple(table_.field(), element));
    claims_.center = static_cast<int64_t>(basis->size());
  }

  // Over Q the trace form of the quotient serves. Over GF(p) a trace may vanish: then on the left ideal that
  // one primitive idempotent of each component generates.
  void addForm(const Decomposition &decomposition) {
    const Field &field = table_.field();
    if (field.isRationals())
      return;
    SparseVector sum;
    bool plain = true;
    for (const SimpleComponent &component : decomposition.components) {
      plain = plain && component.matrix_units.empty();
      sum = combine(field, Rational(1), sum, Rational(1),
                    component.matrix_units.empty() ? component.idempotent : component.matrix_units[0]);
    }
    if (!plain)
      proof_["form"] = encodeElement(sum);
  }

  const Algebra &algebra_;
  const Table &table_;
  std::vector<std::string> &omissions_;
  SparseVector identity_;
  ordered_json proof_ = ordered_json::object();
  Claims claims_;
};

// "basis": another table of the same algebra, how the slots look in it, and the proof of its claims.
LeafProof proofInBasis(const Table &table, const FilteredBasis &basis, ordered_json proof, Claims claims) {
  // Both tables stand there with their constants times a common denominator.
  std::vector<SparseVector> images;
  for (int64_t slot = 0; slot < table.dimension(); ++slot)
    images.push_back(basis.slots.sparseRow(slot));
  Rational factor = commonDenominator(table) / commonDenominator(basis.table);
  if (!factor.isOne())
    for (SparseVector &image : images)
      image = scaled(std::move(image), factor);
  Rational scale = commonDenominator(images);
  ordered_json json = encodeTable(basis.table);
  json["scale"] = encodeInteger(scale);
  for (SparseVector &image : images)
    json["images"].push_back(encodeElement(scale.isOne() ? image : scaled(std::move(image), scale)));
  json["proof"] = std::move(proof);
  claims.nonzeros = table.nonzeros();
  return {{{"basis", std::move(json)}}, std::move(claims)};
}

// In the basis of its own that shows the structure.
LeafProof proveInBasis(const FilteredBasis &basis, const Algebra &algebra, const Table &table,
                       const SparseVector &identity, std::vector<std::string> &omissions) {
  SparseVector one =
      (Matrix::fromSparse(table.field(), table.dimension(), identity) * basis.slots).sparseRow(0);
  Algebra own = tableAlgebra(basis.table);
  Prover prover(own, basis.table, one, omissions);
  std::optional<SlotFiltration> filtration = slotFiltration(basis.table, basis.decomposition);
  if (!filtration)
    throw std::logic_error(
        fmt::format("{}: a basis that was made for it does not show the structure", algebra.name()));
  prover.proveStructure(basis.decomposition, *filtration);
  return proofInBasis(table, basis, prover.takeProof(), prover.claims());
}

// "left" and "right": an identity of this side, or equations for one that contradict each other. False, with
// an omission, where neither is found.
bool addSides(ordered_json &proof, Claims &claims, const Algebra &algebra, const Table &table,
              std::vector<std::string> &omissions) {
  for (bool left : {true, false}) {
    const char *side = left ? "left" : "right";
    std::optional<SparseVector> identity = left ? findLeftIdentity(table) : findRightIdentity(table);
    (left ? claims.left_identity : claims.right_identity) = identity.has_value();
    if (identity) {
      proof[side]["identity"] = encodeMultiple(table.field(), *identity);
      continue;
    }
    std::optional<std::vector<WeightedEquation>> equations = contradiction(table, left);
    if (!equations) {
      omissions.push_back(
          fmt::format("{}: there is no {} identity, but no short proof of it", algebra.name(), side));
      return false;
    }
    SparseVector weights;
    for (const WeightedEquation &equation : *equations)
      weights.emplace_back(std::ssize(weights), equation.weight);
    if (table.field().isRationals())
      weights = integralMultiple(weights);
    proof[side] = ordered_json::array();
    for (size_t at = 0; at < weights.size(); ++at)
      proof[side].push_back({(*equations)[at].s, (*equations)[at].k, encodeInteger(weights[at].second)});
  }
  return true;
}

std::optional<LeafProof> proveWithoutIdentity(const Algebra &algebra, const Table &table,
                                              std::vector<std::string> &omissions) {
  std::optional<FilteredBasis> basis;
  if (meetingPairs(table) > cheap_pairs)
    basis = filteredBasisWithoutIdentity(table);
  const Table &own = basis ? basis->table : table;
  ordered_json proof = ordered_json::object();
  Claims claims = tableClaims(own);
  if (!addSides(proof, claims, algebra, own, omissions))
    return std::nullopt;
  if (basis)
    return proofInBasis(table, *basis, std::move(proof), std::move(claims));
  return LeafProof{{{"proof", std::move(proof)}}, std::move(claims)};
}

} // namespace

std::optional<LeafProof> proveLeaf(const Algebra &algebra, const Table &table,
                                   std::vector<std::string> &omissions) {
  std::optional<SparseVector> identity = findIdentity(table);
  if (std::optional<Witness> witness = algebra.table() ? findNonassociative(table) : std::nullopt) {
    LeafProof result{ordered_json::object(), tableClaims(table)};
    ordered_json &proof = result.json["proof"];
    proof["witness"] = {witness->i, witness->j, witness->k, witness->l};
    result.claims.associative = false;
    if (identity)
      proof["identity"] = encodeMultiple(table.field(), *identity);
    else if (!addSides(proof, result.claims, algebra, table, omissions))
      return std::nullopt;
    return result;
  }
  if (!identity)
    return proveWithoutIdentity(algebra, table, omissions);

  // Of a table what decompose() would examine again is known.
  std::optional<Decomposition> decomposition = algebra.table() ? decomposeTable(table) : decompose(algebra);
  std::optional<SlotFiltration> filtration;
  if (decomposition) {
    filtration = slotFiltration(table, *decomposition);
    if (!filtration || meetingPairs(table) > cheap_pairs)
      if (std::optional<FilteredBasis> basis = filteredBasis(table, *identity, *decomposition);
          basis && (!filtration || meetingPairs(basis->table) < meetingPairs(table)))
        return proveInBasis(*basis, algebra, table, *identity, omissions);
  }
  Prover prover(algebra, table, *identity, omissions);
  if (filtration)
    prover.proveStructure(*decomposition, *filtration);
  else
    omissions.push_back(fmt::format("{}: {}", algebra.name(),
                                    decomposition
                                        ? "no basis was found that shows its radical and simple components"
                                        : "radical and simple components are not known"));
  return LeafProof{{{"proof", prover.takeProof()}}, prover.claims()};
}

} // namespace algebras
