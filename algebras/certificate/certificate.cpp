#include "algebras/certificate/certificate.h"

#include "algebras/certificate/encode.h"
#include "algebras/certificate/leaf_proof.h"
#include "algebras/constructions.h"
#include "algebras/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace algebras {

namespace {

using nlohmann::ordered_json;
using Kind = Algebra::Kind;

constexpr int64_t most_slots = int64_t{1} << 21, most_constants = int64_t{1} << 23;

struct Node {
  ordered_json json;
  Claims claims;
};

// Families whose slots are positions, which the checker expands by itself.
std::optional<ordered_json> familyJson(const Algebra &algebra) {
  Kind kind = algebra.kind();
  bool matrices = kind == Kind::Matrices || kind == Kind::Triangular,
       full = kind == Kind::Matrices || kind == Kind::CompleteGraph, path = kind == Kind::Path;
  if (!matrices && !full && !path && kind != Kind::Graph && kind != Kind::Coordinates)
    return std::nullopt;
  int64_t n = algebra.parameter();
  std::vector<std::vector<int64_t>> rows(n);
  for (int64_t i = 0; i < n; ++i) {
    int64_t last = full || matrices ? n - 1 : path ? std::min(i + 1, n - 1) : i;
    for (int64_t j = full ? 0 : i; j <= last; ++j)
      rows[i].push_back(j);
  }
  if (kind == Kind::Graph)
    for (const auto &[from, to] : algebra.graph()->edges())
      rows[from].push_back(to);
  ordered_json json = {{"kind", matrices ? "matrices" : "graph"}, {"rows", ordered_json::array()}};
  for (std::vector<int64_t> &row : rows) {
    std::sort(row.begin(), row.end());
    json["rows"].push_back(encodeSlots(row));
  }
  return json;
}

std::optional<Node> leaf(const Algebra &algebra, std::vector<std::string> &omissions) {
  if (algebra.dimension() >= most_slots || algebra.nonzeros() >= most_constants)
    throw InputError(fmt::format("{} is too large for a certificate: it has {} slots and {} constants",
                                 algebra.name(), algebra.dimension(), algebra.nonzeros()))
        .hint(fmt::format(
            "a family or table may have up to {} and {}; tensor and direct products of smaller ones may "
            "have any number",
            most_slots, most_constants));
  std::optional<ordered_json> family = familyJson(algebra);
  Table table = algebra.table() ? *algebra.table() : algebra.expand();
  std::optional<LeafProof> proof =
      proveLeaf(algebra.table() || family ? algebra : tableAlgebra(table), table, omissions);
  if (!proof)
    return std::nullopt;
  Node node{family ? std::move(*family) : encodeTable(table), std::move(proof->claims)};
  node.json.update(proof->json);
  return node;
}

std::optional<Node> prove(const Algebra &algebra, std::vector<std::string> &omissions);

// By the rules for products; nothing where they do not apply.
std::optional<Node> product(const Algebra &algebra, std::vector<std::string> &omissions) {
  bool tensor = algebra.kind() == Kind::Tensor;
  std::optional<Claims> claims;
  ordered_json factors = ordered_json::array();
  std::string before; // equal neighbours are written once
  for (const Algebra &factor : algebra.factors()) {
    std::string expression = factor.expression();
    bool repeated = expression == before && factors.back().value("power", 1) < 64;
    std::optional<Node> node = prove(factor, omissions);
    if (!node || !node->claims.associative || !node->claims.unital())
      return std::nullopt;
    if (!claims)
      claims = node->claims;
    else
      claims = tensor ? tensorProductClaims(algebra.field(), *claims, node->claims)
                      : directProductClaims(*claims, node->claims);
    if (!claims)
      return std::nullopt;
    if (repeated)
      factors.back()["power"] = factors.back().value("power", 1) + 1;
    else
      factors.push_back(std::move(node->json));
    before = std::move(expression);
  }
  // One table may tell what the factors do not.
  constexpr int64_t small = 256;
  for (const auto &[component, count] : claims->components)
    if (tensor && component.degree == 0 && algebra.dimension() <= small)
      return std::nullopt;
  return Node{{{"kind", tensor ? "tensor" : "direct"}, {"factors", std::move(factors)}}, std::move(*claims)};
}

std::optional<Node> prove(const Algebra &algebra, std::vector<std::string> &omissions) {
  if (algebra.kind() == Kind::Tensor || algebra.kind() == Kind::DirectProduct) {
    std::vector<std::string> own;
    if (std::optional<Node> node = product(algebra, own)) {
      omissions.insert(omissions.end(), own.begin(), own.end());
      return node;
    }
  }
  return leaf(algebra, omissions);
}

} // namespace

Certificate certify(const Algebra &algebra) {
  Certificate result;
  std::optional<Node> node = prove(algebra, result.omissions);
  if (!node)
    throw InputError(fmt::format("no certificate for {}", algebra.name()))
        .hint(result.omissions.empty() ? "" : result.omissions.back());
  result.json["certificate"] = 3;
  result.json["name"] = algebra.name();
  result.json["field"] = algebra.field().name();
  result.json["claims"] = toJson(node->claims);
  result.json["algebra"] = std::move(node->json);
  return result;
}

std::vector<std::string> notClaimed(const Facts &facts, const Certificate &certificate) {
  const ordered_json &claims = certificate.json["claims"];
  std::vector<std::string> result;
  int64_t upper = claims["rank_upper"];
  if (facts.rank_upper && *facts.rank_upper < upper)
    result.push_back(fmt::format("the rank is at most {} ({}); it claims {}", *facts.rank_upper,
                                 facts.rank_upper_rule, upper));
  if (claims.contains("rank_lower")) {
    int64_t lower = claims["rank_lower"];
    if (facts.rank_lower && *facts.rank_lower > lower)
      result.push_back(fmt::format("the rank is at least {} ({}); it claims {}", *facts.rank_lower,
                                   facts.rank_lower_rule, lower));
    for (const auto &[kind, count] : facts.component_kinds)
      if (!kind.division_reason.empty())
        result.push_back(fmt::format(
            "all places in \"{}\": it shows as many as make the division algebra one", kind.division_reason));
  } else if (facts.rank_lower) {
    result.push_back(fmt::format("the rank is at least {} ({})", *facts.rank_lower, facts.rank_lower_rule));
  }
  return result;
}

} // namespace algebras
