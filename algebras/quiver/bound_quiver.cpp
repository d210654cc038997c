#include "algebras/quiver/bound_quiver.h"

#include "algebras/algebra.h"
#include "algebras/error.h"
#include "algebras/quiver/path_products.h"

#include <fmt/format.h>

namespace algebras {

namespace {

std::string describeCycle(const Quiver &quiver, const Word &cycle) {
  constexpr size_t spelled_out = 20; // arrows
  Word shown = cycle.substr(0, spelled_out);
  std::string vertices = quiver.vertexName(quiver.arrow(cycle.front()).source);
  for (char32_t arrow : shown)
    vertices += " -> " + quiver.vertexName(quiver.arrow(arrow).target);
  if (shown.size() < cycle.size())
    return fmt::format("that begins with {} ({}), {} arrows in all", pathText(quiver, 0, shown), vertices,
                       cycle.size());
  return fmt::format("{} ({})", pathText(quiver, 0, cycle), vertices);
}

PathBasis finiteBasis(const Quiver &quiver, const RewritingRules &rules, std::optional<int64_t> below) {
  AvoidingPaths automaton(quiver, rules.leadingWords(), rules.aliveVertices());
  if (!below) {
    if (std::optional<Word> cycle = automaton.findCycle())
      throw InputError(fmt::format("this algebra is infinite-dimensional: no relation stops the cycle {}",
                                   describeCycle(quiver, *cycle)))
          .hint("add a relation that makes a power of the cycle zero, or take path_algebra(quiver(...), n), "
                "the paths "
                "with fewer than n arrows");
    std::optional<int64_t> count = automaton.count(int64_t{1} << 60);
    if (!count || *count > PathBasis::most_paths)
      throw InputError(fmt::format("this algebra has {} paths that are not zero; the limit is {}",
                                   count ? fmt::format("{}", *count) : "more than 2^60",
                                   PathBasis::most_paths))
          .hint("bound the length of paths, or take fewer arrows");
  }
  return PathBasis(quiver, automaton, below);
}

} // namespace

BoundQuiver::BoundQuiver(Quiver quiver, std::vector<Relation> relations, std::optional<int64_t> below,
                         const Field &field)
    : quiver_(std::move(quiver)), relations_(std::move(relations)),
      rules_(RewritingRules::complete(quiver_, relations_, field)),
      basis_(finiteBasis(quiver_, rules_, below)), is_truncated_(below.has_value()) {
  for (int64_t vertex = 0; vertex < quiver_.vertexCount(); ++vertex)
    if (rules_.aliveVertices()[vertex])
      vertices_.push_back(vertex);
  if (vertices_.empty())
    throw InputError("the relations make every vertex zero, so that nothing is left of the algebra");
  if (!rules_.isMonomial()) {
    products_ = pathProducts(quiver_, rules_, basis_, field);
    checkPathProducts(quiver_, relations_, rules_, basis_, *products_);
    nonzeros_ = products_->nonzeros();
    return;
  }
  // A path is the product of its two pieces, wherever it is cut.
  for (int64_t slot = 0; slot < basis_.size(); ++slot)
    nonzeros_ += basis_.path(slot).length + 1;
}

BoundQuiver BoundQuiver::modulo(Quiver quiver, std::vector<Relation> relations, const Field &field) {
  BoundQuiver result(std::move(quiver), std::move(relations), std::nullopt, field);
  std::string text;
  for (const Relation &relation : result.relations_)
    text += (text.empty() ? "" : ", ") + relationText(result.quiver_, relation);
  result.expression_ = fmt::format("quiver(\"{}\"", result.quiver_.text());
  result.expression_ += text.empty() ? ")" : fmt::format(", relations=\"{}\")", text);
  return result;
}

BoundQuiver BoundQuiver::truncated(Quiver quiver, int64_t below, std::string notation, const Field &field) {
  if (below < 1)
    throw InputError(
        fmt::format("paths shorter than {}: there are none; the bound has to be at least 1", below));
  BoundQuiver result(std::move(quiver), {}, below, field);
  result.expression_ = fmt::format("path_algebra({}, {})", notation, below);
  return result;
}

std::string BoundQuiver::slotName(int64_t slot) const {
  return pathText(quiver_, basis_.path(slot).source, basis_.word(slot));
}

} // namespace algebras
