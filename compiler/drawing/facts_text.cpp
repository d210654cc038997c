#include "compiler/drawing/facts_text.h"

#include "algebras/linear/polynomial.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace compiler {
namespace {

constexpr size_t most_shown = 12;

std::string yesNo(const std::optional<bool> &value) { return !value ? "not known" : *value ? "yes" : "no"; }

std::string number(const std::optional<int64_t> &value) {
  return value ? fmt::format("{}", *value) : "not known";
}

// The first few of a long list, and how many there are.
std::string shortened(std::vector<std::string> items, const char *separator) {
  size_t count = items.size();
  if (count > most_shown) {
    items.resize(most_shown);
    items.push_back(fmt::format("... ({} in all)", count));
  }
  return fmt::format("{}", fmt::join(items, separator));
}

// "4 of dimension 1, 2 of dimension 9".
std::string components(const std::vector<int64_t> &dimensions) {
  std::map<int64_t, int64_t> counts;
  for (int64_t dimension : dimensions)
    ++counts[dimension];
  std::vector<std::string> parts;
  for (auto [dimension, count] : counts)
    parts.push_back(fmt::format("{} of dimension {}", count, dimension));
  return shortened(parts, ", ");
}

// Numbers that no one reads to the end are cut; --json has all of them.
std::string coefficientText(const algebras::Rational &value) {
  constexpr size_t longest = 60, kept = 20;
  std::string text = value.toString();
  return text.size() <= longest ? text
                                : fmt::format("{}...{} ({} characters)", text.substr(0, kept),
                                              text.substr(text.size() - kept), text.size());
}

std::string identity(const algebras::SparseVector &vector) {
  std::vector<std::string> parts;
  for (const auto &[slot, coefficient] : vector) {
    std::string scale = coefficient.isOne() ? "" : coefficientText(coefficient) + " ";
    parts.push_back(coefficient.sign() < 0 ? fmt::format("({}b{})", scale, slot)
                                           : fmt::format("{}b{}", scale, slot));
  }
  return shortened(parts, " + ");
}

std::string proof(const algebras::Facts &facts, std::string_view key) {
  auto found = std::find_if(facts.proofs.begin(), facts.proofs.end(),
                            [&](const auto &entry) { return entry.first == key; });
  return found == facts.proofs.end() ? std::string() : found->second;
}

// "M(2) over a division algebra of dimension 4: quaternion algebra (-1, -1) over Q, ramified at 2 and
// infinity".
std::string kindOf(const algebras::SimpleKind &kind, const algebras::Field &field) {
  std::string center =
      kind.center_polynomial.empty()
          ? field.name()
          : fmt::format("{}[x]/({})", field.name(), algebras::toString(kind.center_polynomial));
  constexpr size_t longest = 60;
  if (center.size() > longest)
    center = fmt::format("a field of degree {}", kind.centerDimension());
  if (!kind.matrix_degree)
    return fmt::format("simple with centre {}, matrix degree not decided", center);
  bool is_field = *kind.divisionDimension() == kind.centerDimension();
  std::string entries = is_field ? center : fmt::format("a division algebra: {}", kind.division_reason);
  return *kind.matrix_degree == 1 ? entries : fmt::format("M({}) over {}", *kind.matrix_degree, entries);
}

// What the components are, unless all are the ground field.
std::string kinds(const algebras::Facts &facts) {
  std::vector<std::string> parts;
  bool only_field = true;
  for (const auto &[kind, count] : facts.component_kinds) {
    only_field = only_field && kind.dimension == 1;
    parts.push_back((count > 1 ? fmt::format("{} x ", count) : "") + kindOf(kind, facts.field));
  }
  return only_field ? "" : shortened(parts, "; ");
}

std::string identities(const algebras::Facts &facts) {
  if (facts.identity)
    return "identity: " + identity(*facts.identity);
  if (facts.left_identity)
    return "left identity: " + identity(*facts.left_identity);
  return facts.right_identity ? "right identity: " + identity(*facts.right_identity) : "";
}

void addRank(const algebras::Facts &facts, std::vector<FactLine> &lines) {
  if (!facts.rank_lower && !facts.rank_upper)
    return;
  if (facts.rank_exact) {
    std::string reason =
        facts.rank_lower_rule == facts.rank_upper_rule
            ? facts.rank_lower_rule
            : fmt::format("at least: {}; at most: {}", facts.rank_lower_rule, facts.rank_upper_rule);
    lines.push_back({"bilinear rank", fmt::format("{}, exactly", number(facts.rank_lower)), reason});
    return;
  }
  lines.push_back({"bilinear rank, at least", number(facts.rank_lower), facts.rank_lower_rule});
  lines.push_back({"bilinear rank, at most", number(facts.rank_upper), facts.rank_upper_rule});
}

} // namespace

std::vector<FactLine> factLines(const algebras::Facts &facts) {
  std::vector<FactLine> lines;
  FactLine associative{"associative", yesNo(facts.associative), "", proof(facts, "associative")};
  if (facts.witness) {
    const algebras::Witness &w = *facts.witness;
    associative.reason =
        fmt::format("witness: (b{0} b{1}) b{2} and b{0} (b{1} b{2}) differ in the coefficient of b{3}", w.i,
                    w.j, w.k, w.l);
  }
  lines.push_back(associative);
  lines.push_back({"unital", yesNo(facts.unital), identities(facts), proof(facts, "unital")});
  lines.push_back({"commutative", yesNo(facts.commutative), "", proof(facts, "commutative")});
  // What follows is derived for associative algebras with an identity only.
  if (facts.associative.value_or(false) && facts.unital.value_or(false)) {
    lines.push_back(
        {"dimension of the centre", number(facts.center_dimension), "", proof(facts, "center_dimension")});
    FactLine radical{"dimension of the radical", number(facts.radical_dimension), "",
                     proof(facts, "radical_dimension")};
    if (facts.radical_series) {
      std::vector<std::string> powers;
      for (int64_t dimension : *facts.radical_series)
        powers.push_back(fmt::format("{}", dimension));
      radical.reason = "its powers: " + shortened(powers, ", ");
    }
    lines.push_back(radical);
    lines.push_back({"simple components of A/rad A",
                     facts.simple_components ? components(*facts.simple_components) : "not known",
                     kinds(facts), proof(facts, "simple_components")});
    lines.push_back({"maximal two-sided ideals", number(facts.maximal_ideals), ""});
    lines.push_back({"Alder-Strassen bound", number(facts.alder_strassen),
                     facts.maximal_ideals && facts.alder_strassen
                         ? fmt::format("2 * {} - {}", facts.dimension, *facts.maximal_ideals)
                         : ""});
  }
  addRank(facts, lines);
  lines.push_back({"active products", fmt::format("{}", facts.active_products), ""});
  if (facts.dense_products && facts.fraction) {
    lines.push_back({"dense products", fmt::format("{}", *facts.dense_products),
                     fmt::format("active over dense: {} = {:.4g}", facts.fraction->toString(),
                                 facts.fraction->toDouble())});
    lines.push_back(
        {"row types, groups", fmt::format("{}, {}", number(facts.types), number(facts.groups)), ""});
  }
  return lines;
}

} // namespace compiler
