#include "algebras/certificate/leaf_proof.h"

#include "algebras/associativity.h"
#include "algebras/certificate/center_basis.h"
#include "algebras/certificate/encode.h"
#include "algebras/certificate/few_generators.h"
#include "algebras/certificate/irreducibility.h"
#include "algebras/certificate/no_identity.h"
#include "algebras/certificate/peirce_chain.h"
#include "algebras/rank/bounds.h"
#include "algebras/structure/decomposition.h"
#include "algebras/structure/sparse_product.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras {

namespace {

using nlohmann::ordered_json;

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

// Whether a prime divides no denominator of what the test modulo this prime reads.
class Denominators {
public:
  Denominators(const Table &table, const Decomposition &decomposition) {
    for (const Constant &constant : table.constants())
      add(constant.value);
    if (!decomposition.radical_powers.empty())
      for (const SparseVector &row : decomposition.radical_powers[0])
        add(row);
  }
  void add(const SparseVector &element) {
    for (const auto &[slot, value] : element)
      add(value);
  }
  bool allow(std::uint64_t q) const {
    return std::none_of(denominators_.begin(), denominators_.end(),
                        [&](const Rational &value) { return value.integerModulo(q) == 0; });
  }

private:
  void add(const Rational &value) {
    if (value.isInteger())
      return;
    Rational denominator = value.denominator();
    if (denominators_.empty() || denominators_.back() != denominator)
      denominators_.push_back(denominator);
  }
  std::vector<Rational> denominators_;
};

class Prover {
public:
  Prover(const Algebra &algebra, const Table &table, std::vector<std::string> &omissions)
      : algebra_(algebra), table_(table), product_(table), omissions_(omissions) {}

  std::optional<LeafProof> run() {
    claims_.dimension = table_.dimension();
    claims_.nonzeros = claims_.rank_upper = table_.nonzeros();
    claims_.commutative = isCommutative(table_);
    proveAssociative();
    if (!proveUnital())
      return std::nullopt;
    proveRankUpper();
    if (claims_.associative && claims_.unital) {
      proveCenter();
      if (std::optional<Decomposition> decomposition = decompose(algebra_))
        proveStructure(*decomposition);
      else
        omissions_.push_back(fmt::format("{}: radical and simple components are not known", algebra_.name()));
    }
    return LeafProof{std::move(proof_), std::move(claims_)};
  }

private:
  void proveAssociative() {
    if (std::optional<Witness> witness = algebra_.table() ? findNonassociative(table_) : std::nullopt) {
      claims_.associative = false;
      proof_["witness"] = {witness->i, witness->j, witness->k, witness->l};
    } else if (std::optional<std::vector<std::int64_t>> slots = fewGenerators(table_)) {
      proof_["generators"] = *slots;
    }
  }

  bool proveUnital() {
    if (std::optional<SparseVector> identity = findIdentity(table_)) {
      identity_ = *identity;
      proof_["identity"] = encodeElement(identity_);
      return true;
    }
    claims_.unital = false;
    std::optional<std::vector<WeightedEquation>> equations = contradiction(table_);
    if (!equations) {
      omissions_.push_back(
          fmt::format("{}: there is no identity, but no short proof of it", algebra_.name()));
      return false;
    }
    for (const WeightedEquation &equation : *equations)
      proof_["no_identity"].push_back(
          {equation.left ? "left" : "right", equation.s, equation.k, encodeNumber(equation.weight)});
    return true;
  }

  // One product for each constant needs no proof; a better algorithm is spelled out while it is short.
  void proveRankUpper() {
    constexpr std::int64_t kMostConstants = std::int64_t{1} << 14, kMostTerms = std::int64_t{1} << 16;
    if (table_.nonzeros() > kMostConstants)
      return;
    std::optional<BilinearAlgorithm> algorithm = constructedAlgorithm(algebra_);
    if (!algorithm || static_cast<std::int64_t>(algorithm->size()) >= claims_.rank_upper ||
        findMismatch(*algorithm, table_))
      return;
    std::size_t terms = 0;
    ordered_json products = ordered_json::array();
    for (const BilinearProduct &product : *algorithm) {
      terms += product.alpha.size() + product.beta.size() + product.gamma.size();
      products.push_back(
          {encodeElement(product.alpha), encodeElement(product.beta), encodeElement(product.gamma)});
    }
    if (terms > kMostTerms)
      return;
    proof_["algorithm"] = std::move(products);
    claims_.rank_upper = static_cast<std::int64_t>(algorithm->size());
  }

  void proveCenter() {
    std::optional<std::vector<SparseVector>> basis = centerBasis(table_, identity_);
    if (!basis) {
      omissions_.push_back(fmt::format("{}: the centre is not known", algebra_.name()));
      return;
    }
    proof_["center"] = encodeElements(*basis);
    claims_.center = static_cast<std::int64_t>(basis->size());
  }

  void proveStructure(const Decomposition &decomposition) {
    ordered_json components = ordered_json::array();
    std::map<ClaimedComponent, std::int64_t> counts;
    Denominators denominators(table_, decomposition);
    for (const SimpleComponent &component : decomposition.components) {
      ClaimedComponent claimed;
      std::optional<ordered_json> entry = componentProof(component, denominators, claimed);
      if (!entry) {
        omissions_.push_back(
            fmt::format("{}: radical and simple components, since no proof was found that the "
                        "polynomial {} of a centre is irreducible",
                        algebra_.name(), toString(component.center_polynomial)));
        return;
      }
      components.push_back(std::move(*entry));
      ++counts[claimed];
    }
    claims_.components = std::move(counts);
    ordered_json radical = ordered_json::array();
    std::int64_t before = table_.dimension();
    for (const std::vector<SparseVector> &power : decomposition.radical_powers) {
      radical.push_back(encodeElements(power));
      auto dimension = static_cast<std::int64_t>(power.size());
      claims_.layers.push_back(before - dimension);
      before = dimension;
    }
    claims_.layers.push_back(before);
    proof_["radical"] = std::move(radical);
    addForm(decomposition);
    proof_["components"] = std::move(components);
    if (std::optional<PeirceChain> chain = findPeirceChain(table_, decomposition)) {
      ordered_json &json = proof_["peirce"] = ordered_json::array({chain->ends[0]});
      for (std::size_t step = 0; step < chain->elements.size(); ++step) {
        json.push_back(encodeElement(chain->elements[step]));
        json.push_back(chain->ends[step + 1]);
      }
      claims_.arrow = true;
      claims_.chain = chain->ends.size() == 3;
    }
  }

  // Over Q the trace form of the quotient serves. Over GF(p) a trace may vanish: then on the left ideal that
  // one primitive idempotent of each component generates.
  void addForm(const Decomposition &decomposition) {
    if (table_.field().isRationals())
      return;
    SparseVector sum;
    bool plain = true;
    for (const SimpleComponent &component : decomposition.components) {
      plain = plain && component.matrix_units.empty();
      sum =
          product_.combine(Rational(1), sum, Rational(1),
                           component.matrix_units.empty() ? component.idempotent : component.matrix_units[0]);
    }
    if (!plain)
      proof_["form"] = encodeElement(sum);
  }

  std::optional<ordered_json> componentProof(const SimpleComponent &component,
                                             const Denominators &denominators, ClaimedComponent &claimed) {
    claimed.dimension = component.dimension;
    claimed.center = static_cast<std::int64_t>(component.center_polynomial.size()) - 1;
    std::int64_t quotient = claimed.dimension / claimed.center;
    std::int64_t degree = 1;
    while (degree * degree < quotient)
      ++degree;
    bool finite = !table_.field().isRationals();
    bool split = degree > 1 && component.matrix_degree == degree && !component.matrix_units.empty();
    claimed.degree = finite || degree == 1 || split ? degree : 0;

    ordered_json entry = {{"idempotent", encodeElement(component.idempotent)}};
    if (claimed.center > 1) {
      if (finite) {
        entry["center"] = encodeElement(component.center_generator);
        entry["polynomial"] = encodePolynomial(component.center_polynomial);
      } else if (!addField(entry, component, denominators)) {
        return std::nullopt;
      }
    }
    if (split && !finite) {
      SparseVector nilpotent;
      for (std::int64_t a = 0; a + 1 < degree; ++a)
        nilpotent =
            product_.combine(Rational(1), nilpotent, Rational(1), component.matrix_units[a * degree + a + 1]);
      entry["nilpotent"] = encodeElement(nilpotent);
    }
    return entry.size() == 1 ? entry["idempotent"] : entry;
  }

  // By exponents, like an element by slots.
  static ordered_json encodePolynomial(const Polynomial &polynomial) {
    SparseVector terms;
    for (std::size_t exponent = 0; exponent < polynomial.size(); ++exponent)
      if (!polynomial[exponent].isZero())
        terms.emplace_back(static_cast<std::int64_t>(exponent), polynomial[exponent]);
    return encodeElement(terms);
  }

  bool addField(ordered_json &entry, const SimpleComponent &component, Denominators denominators) {
    SmallGenerator small = smallGenerator(component.center_polynomial);
    Rational inverse = Rational(1) / small.scale;
    SparseVector generator =
        product_.combine(inverse, component.center_generator, -(small.shift * inverse), component.idempotent);
    denominators.add(component.idempotent);
    denominators.add(generator);
    std::optional<ordered_json> reason =
        irreducibilityReason(small.polynomial, [&](std::uint64_t q) { return denominators.allow(q); });
    if (!reason)
      return false;
    entry["center"] = encodeElement(generator);
    entry["polynomial"] = encodePolynomial(small.polynomial);
    entry["irreducible"] = std::move(*reason);
    return true;
  }

  const Algebra &algebra_;
  const Table &table_;
  SparseProduct product_;
  std::vector<std::string> &omissions_;
  SparseVector identity_;
  ordered_json proof_ = ordered_json::object();
  Claims claims_;
};

} // namespace

std::optional<LeafProof> proveLeaf(const Algebra &algebra, const Table &table,
                                   std::vector<std::string> &omissions) {
  return Prover(algebra, table, omissions).run();
}

} // namespace algebras
