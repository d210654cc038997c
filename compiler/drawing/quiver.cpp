#include "compiler/drawing/quiver.h"

#include "algebras/position_names.h"

#include <algorithm>
#include <fmt/format.h>

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
  std::int64_t count = algebra.positions();
  if (count > kLargestDrawing) {
    quiver.caption = fmt::format("{} has {} vertices; more than {} are not drawn.", algebra.name(), count,
                                 kLargestDrawing);
    return quiver;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    quiver.labels.push_back(algebras::positionName(algebra, i));
    quiver.row_types.push_back(algebra.rowTypeOf(i));
    for (std::int64_t j = 0; j < count; ++j)
      if (i != j && algebra.slotAt({i, j}))
        quiver.arrows.push_back({i, j, static_cast<std::int64_t>(algebra.support(i, j).size())});
  }
  // The number of products tells something only where it differs from slot to slot.
  if (!quiver.arrows.empty() &&
      std::all_of(quiver.arrows.begin(), quiver.arrows.end(),
                  [&](const Arrow &arrow) { return arrow.products == quiver.arrows.front().products; }))
    quiver.unlabelled = quiver.arrows.front().products;
  quiver.caption = captionFor(algebra);
  if (count > kMostBentPairs)
    quiver.caption += " A line without a head stands for both arrows.";
  return quiver;
}

namespace {

std::string quoted(const std::string &text) {
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
  std::string dot = fmt::format("digraph {} {{\n", quoted(name));
  dot += "  layout=circo;\n  node [shape=circle, fontname=\"Helvetica\"];\n";
  for (const std::string &label : quiver.labels)
    dot += fmt::format("  {};\n", quoted(label));
  for (const Arrow &arrow : quiver.arrows) {
    dot += fmt::format("  {} -> {}", quoted(quiver.labels[arrow.from]), quoted(quiver.labels[arrow.to]));
    dot += arrow.products != quiver.unlabelled ? fmt::format(" [label={}];\n", arrow.products) : ";\n";
  }
  return dot + "}\n";
}

} // namespace compiler
