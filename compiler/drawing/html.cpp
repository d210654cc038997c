#include "compiler/drawing/html.h"

#include "compiler/drawing/facts_text.h"
#include "compiler/drawing/gabriel.h"
#include "compiler/drawing/palette.h"
#include "compiler/drawing/product_text.h"
#include "compiler/drawing/quiver.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {
namespace {

using algebras::Algebra;

constexpr int64_t largest_support_table = 48;

constexpr const char *style = R"css(
:root { color-scheme: light; --ink: #1b2430; --soft: #5b6675; --line: #dfe4ea; --paper: #fff; --ground: #f4f6f8; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.5 ui-sans-serif, system-ui, Helvetica, Arial, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 32px 20px 48px; }
h1 { font-size: 30px; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 17px; margin: 0 0 12px; }
.lead { color: var(--soft); margin: 4px 0 24px; }
.columns { display: grid; grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: 20px; align-items: start; }
@media (max-width: 860px) { .columns { grid-template-columns: minmax(0, 1fr); } }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 20px; margin-bottom: 20px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 6px 18px; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
dd small { color: var(--soft); display: block; }
.yes { color: #17663a; font-weight: 600; } .no { color: #a3262a; font-weight: 600; }
figure { margin: 0; text-align: center; } figure svg { max-width: 100%; height: auto; }
figcaption, .note { color: var(--soft); font-size: 13px; text-align: left; }
.scroll { text-align: left; overflow: auto; max-height: 80vh; }
table { border-collapse: separate; border-spacing: 2px; font-variant-numeric: tabular-nums; font-size: 13px; }
th, td { padding: 4px 8px; text-align: center; white-space: nowrap; border-radius: 4px; }
th { font-weight: 600; background: #eceff3; position: sticky; z-index: 1; }
thead th { top: 0; } tbody th { left: 0; }
thead th:first-child { left: 0; z-index: 2; }
td.zero { color: #c3cad3; }
)css";

// & < > " as entities.
std::string escapeMarkup(const std::string &text) {
  std::string result;
  for (char c : text) {
    const char *entity = c == '&'   ? "&amp;"
                         : c == '<' ? "&lt;"
                         : c == '>' ? "&gt;"
                         : c == '"' ? "&quot;"
                                    : nullptr;
    entity != nullptr ? result += entity : result += c;
  }
  return result;
}

std::string figure(const Quiver &quiver, const std::string &name, const DrawGraph &draw) {
  std::string picture, caption = escapeMarkup(quiver.caption);
  if (quiver.drawn()) {
    const std::string dot = toDot(quiver, name);
    if (std::optional<std::string> svg = draw(dot)) {
      picture = std::move(*svg);
    } else {
      picture = "<pre class=\"scroll\">" + escapeMarkup(dot) + "</pre>";
      caption +=
          " It stands here as text because there is no Graphviz to draw it: install the package graphviz.";
    }
  }
  return "<figure>" + picture + "<figcaption>" + caption + "</figcaption></figure>";
}

// What colours a slot: its row type, in matrix-like algebras.
std::string background(const Algebra &algebra, int64_t slot) {
  if (!algebra.isMatrixLike())
    return {};
  int64_t type = algebra.rowTypeOf(algebra.position(slot).row);
  return fmt::format(" style=\"background:{}\"", typeColours(type, algebra.rowTypes()).pale);
}

std::string factList(const algebras::Facts &facts) {
  std::string html = "<dl>\n";
  for (const FactLine &line : factLines(facts)) {
    // Not to commute is no fault; not to be associative or unital is.
    const char *kind = line.value == "yes"                                 ? " class=\"yes\""
                       : line.value == "no" && line.label != "commutative" ? " class=\"no\""
                                                                           : "";
    html += fmt::format("<dt>{}</dt><dd><span{}>{}</span>", escapeMarkup(line.label), kind,
                        escapeMarkup(line.value));
    if (!line.reason.empty())
      html += fmt::format("<small>{}</small>", escapeMarkup(line.reason));
    html += "</dd>\n";
  }
  return html + "</dl>\n";
}

std::string squareTable(const Algebra &algebra) {
  auto entries = productTable(algebra, slotNames(algebra));
  std::string html = "<div class=\"scroll\"><table><thead><tr><th>x &middot; w</th>";
  for (int64_t j = 0; j < algebra.dimension(); ++j)
    html += fmt::format("<th>{}</th>", escapeMarkup(algebra.slotName(j)));
  html += "</tr></thead><tbody>\n";
  for (int64_t i = 0; i < algebra.dimension(); ++i) {
    std::string colour = background(algebra, i);
    html += fmt::format("<tr><th{}>{}</th>", colour, escapeMarkup(algebra.slotName(i)));
    for (int64_t j = 0; j < algebra.dimension(); ++j) {
      const std::string &entry = entries[i][j];
      html += entry == "0"
                  ? "<td class=\"zero\">&middot;</td>"
                  : fmt::format("<td{}>{}</td>", colour.empty() ? " style=\"background:#eef3fb\"" : colour,
                                escapeMarkup(entry));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

// One line per row type: which input groups each output group sums.
std::string supportTable(const Algebra &algebra) {
  std::string html = "<div class=\"scroll\"><table><thead><tr><th>type</th>";
  for (int64_t j = 0; j < algebra.positions(); ++j)
    html += fmt::format("<th>y<sub>{}</sub></th>", j);
  html += "</tr></thead><tbody>\n";
  for (int64_t type = 0; type < algebra.rowTypes(); ++type) {
    int64_t row = algebra.firstRowOf(type);
    std::string colour = typeColours(type, algebra.rowTypes()).pale;
    html += fmt::format("<tr><th style=\"background:{}\">{}</th>", colour, type);
    for (int64_t j = 0; j < algebra.positions(); ++j) {
      std::vector<int64_t> support = algebra.support(row, j);
      if (support.empty())
        html += "<td class=\"zero\">&middot;</td>";
      else if (support.size() <= 4)
        html += fmt::format("<td style=\"background:{}\">{}</td>", colour, fmt::join(support, " "));
      else
        html += fmt::format("<td style=\"background:{}\">{} groups</td>", colour, support.size());
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string products(const Algebra &algebra) {
  if (algebra.dimension() <= largest_product_table)
    return "<section><h2>Multiplication table</h2>\n<p class=\"note\">Row times column" +
           std::string(algebra.isMatrixLike() ? ", coloured by the row type of the left factor" : "") +
           ".</p>\n" + squareTable(algebra) + "</section>\n";
  if (algebra.isMatrixLike() && algebra.positions() <= largest_support_table)
    return fmt::format(
        "<section><h2>Supports</h2>\n<p class=\"note\">The table has {0} x {0} entries. Shown is, for "
        "every row type, the set of input groups that each output group sums.</p>\n{1}</section>\n",
        algebra.dimension(), supportTable(algebra));
  return fmt::format(
      "<section><h2>Multiplication table</h2>\n<p class=\"note\">With {} slots it is too large for a page. "
      "<code>algctl show --format=json</code> writes every constant.</p></section>\n",
      algebra.dimension());
}

} // namespace

std::string toHtml(const Algebra &algebra, const algebras::Facts &facts, const DrawGraph &draw) {
  std::string name = escapeMarkup(algebra.name());
  std::string positions;
  if (algebra.isMatrixLike() && !isItsOwnGabrielQuiver(algebra))
    positions =
        "<section><h2>Row lift</h2>\n" + figure(quiverOf(algebra), algebra.name(), draw) + "</section>\n";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n"
      "<p class=\"lead\">An algebra of dimension {2} over {3} with {4} nonzero structure constants</p>\n"
      "<div class=\"columns\">\n<section><h2>What is proved</h2>\n{5}</section>\n"
      "<div><section><h2>Quiver</h2>\n{6}</section>\n{8}</div>\n</div>\n{7}"
      "</main>\n</body>\n</html>\n",
      name, style, algebra.dimension(), escapeMarkup(algebra.field().name()), algebra.nonzeros(),
      factList(facts), figure(gabrielQuiverOf(algebra), algebra.name(), draw), products(algebra), positions);
}

} // namespace compiler
