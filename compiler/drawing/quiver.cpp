#include "compiler/drawing/quiver.h"

#include "algebras/position_names.h"
#include "compiler/drawing/palette.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <set>

namespace compiler {
namespace {

using algebras::Algebra;
using Kind = algebras::Algebra::Kind;

std::string captionFor(const Algebra &algebra) {
  switch (algebra.kind()) {
  case Kind::Graph:
  case Kind::CompleteGraph:
  case Kind::Path:
    return fmt::format(
        "The graph of {}: every vertex is an idempotent, every arrow a slot that squares to zero.",
        algebra.name());
  case Kind::Tensor:
    return fmt::format(
        "The row lift of {}: vertices are feature groups, named by their positions in the factors; "
        "an arrow i -> j says that tokens of type i read group j. It is labelled with the number "
        "of block products that output group j of type i sums.",
        algebra.name());
  default:
    return fmt::format(
        "The positions of {}: an arrow i -> j stands for the slot at row i, column j, labelled with "
        "the number of products that it sums.",
        algebra.name());
  }
}

} // namespace

Quiver quiverOf(const Algebra &algebra) {
  Quiver quiver;
  if (!algebra.isMatrixLike()) {
    quiver.caption =
        fmt::format("The slots of {} sit at no positions of a matrix, so that there is no graph to draw.",
                    algebra.name());
    return quiver;
  }
  int64_t count = algebra.positions();
  if (count > largest_drawing) {
    quiver.caption = fmt::format("{} has {} vertices; more than {} are not drawn.", algebra.name(), count,
                                 largest_drawing);
    return quiver;
  }
  for (int64_t i = 0; i < count; ++i) {
    quiver.labels.push_back(algebras::positionName(algebra, i));
    quiver.row_types.push_back(algebra.rowTypeOf(i));
    for (int64_t j = 0; j < count; ++j)
      if (i != j && algebra.slotAt({i, j}))
        quiver.arrows.push_back({i, j, static_cast<int64_t>(algebra.support(i, j).size())});
  }
  // The number of products tells something only where it differs from slot to slot.
  if (!quiver.arrows.empty() &&
      std::all_of(quiver.arrows.begin(), quiver.arrows.end(),
                  [&](const Arrow &arrow) { return arrow.products == quiver.arrows.front().products; }))
    quiver.unlabelled = quiver.arrows.front().products;
  quiver.caption = captionFor(algebra);
  if (count > most_bent_pairs)
    quiver.caption += " A line without a head stands for both arrows.";
  return quiver;
}

namespace {

std::string quotedForDot(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + '"';
}

} // namespace

std::string toDot(const Quiver &quiver, const std::string &name) {
  const auto count = static_cast<int64_t>(quiver.labels.size());
  const bool crowded = count > most_bent_pairs;
  const int64_t types = quiver.row_types.empty() ? 0 : *std::ranges::max_element(quiver.row_types) + 1;
  // Inches: vertices shrink, and the circle grows, with their number. Two lie side by side, more begin at the
  // top.
  const double vertex = count <= 12 ? 0.6 : count <= 32 ? 0.4 : 0.25;
  const double ring = count == 1 ? 0 : std::max(1.3, static_cast<double>(count) * vertex * 0.26);
  std::string dot = fmt::format(
      "digraph {} {{\n  layout=neato; splines={}; bgcolor=transparent;\n"
      "  node [shape=circle, style=filled, fontname=Helvetica, fontsize={}, width={}, margin=0];\n"
      "  edge [fontname=Helvetica, fontsize=11, arrowsize=0.7, penwidth={}];\n",
      quotedForDot(name), crowded ? "line" : "curved", crowded ? 9 : 13, vertex, crowded ? 0.5 : 1.0);
  for (int64_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count) -
                         (count == 2 ? std::numbers::pi : std::numbers::pi / 2);
    const TypeColours colours = typeColours(quiver.row_types[i], types);
    dot += fmt::format("  {} [pos=\"{:.2f},{:.2f}!\", fillcolor=\"{}\", color=\"{}\"];\n",
                       quotedForDot(quiver.labels[i]), ring * std::cos(angle), -ring * std::sin(angle),
                       colours.pale, colours.strong);
  }
  std::set<std::pair<int64_t, int64_t>> present;
  for (const Arrow &arrow : quiver.arrows)
    present.emplace(arrow.from, arrow.to);
  for (const Arrow &arrow : quiver.arrows) {
    const bool paired = arrow.from != arrow.to && present.contains({arrow.to, arrow.from});
    dot += fmt::format(
        "  {} -> {} [color=\"{}\"{}{}];\n", quotedForDot(quiver.labels[arrow.from]),
        quotedForDot(quiver.labels[arrow.to]), typeColours(quiver.row_types[arrow.from], types).strong,
        arrow.products != quiver.unlabelled && !crowded ? fmt::format(", label={}", arrow.products) : "",
        paired && crowded ? ", arrowhead=none" : "");
  }
  return dot + "}\n";
}

} // namespace compiler
