#include "compiler/drawing/describe.h"

#include "algebras/error.h"
#include "algebras/invariants/peirce.h"
#include "compiler/drawing/gabriel.h"
#include "compiler/drawing/product_text.h"
#include "compiler/drawing/quiver.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

constexpr std::int64_t kShownSlots = 40;
constexpr std::int64_t kShownVertices = 24;
constexpr std::int64_t kLargestPrintedTable = 25;
constexpr std::size_t kTableWidth = 120; // columns of a terminal that a table may take

// Width on a terminal: code points, not bytes.
std::size_t width(const std::string &text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(const std::string &text, std::size_t columns) {
  return text + std::string(columns > width(text) ? columns - width(text) : 0, ' ');
}

// The table with its columns headed by `names` and its rows by `heads`; products that vanish are dots.
std::string squareTable(const algebras::Algebra &algebra, const std::vector<std::string> &heads,
                        const std::vector<std::string> &names) {
  auto entries = productTable(algebra, names);
  std::size_t size = names.size(), head = 0;
  for (const std::string &name : heads)
    head = std::max(head, width(name));
  std::string first = "  " + std::string(head, ' ') + " |", rule = "  " + std::string(head, '-') + "-+";
  std::vector<std::string> lines;
  for (const std::string &name : heads)
    lines.push_back("  " + padded(name, head) + " |");
  for (std::size_t j = 0; j < size; ++j) {
    std::size_t widest = width(names[j]);
    for (std::size_t i = 0; i < size; ++i)
      widest = std::max(widest, width(entries[i][j]));
    first += " " + padded(names[j], widest + 1);
    rule += std::string(widest + 2, '-');
    for (std::size_t i = 0; i < size; ++i)
      lines[i] += " " + padded(entries[i][j] == "0" ? "." : entries[i][j], widest + 1);
  }
  std::string text;
  for (std::string line : {first, rule})
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  for (const std::string &line : lines)
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return text;
}

// With the slots' names where that fits a terminal, else with their numbers and the names beside the rows.
// Empty when there are too many.
std::string tableText(const algebras::Algebra &algebra, bool full) {
  if (algebra.dimension() > (full ? kLargestProductTable : kLargestPrintedTable))
    return {};
  std::vector<std::string> names = slotNames(algebra), numbers = slotNumbers(algebra);
  std::string text = squareTable(algebra, names, names);
  if (width(text.substr(0, text.find('\n'))) <= kTableWidth)
    return text;
  std::vector<std::string> heads;
  for (std::size_t slot = 0; slot < names.size(); ++slot)
    heads.push_back(fmt::format("{:<4}{}", numbers[slot], names[slot]));
  return squareTable(algebra, heads, numbers);
}

std::string quiverText(const Quiver &quiver, bool full) {
  std::string text = quiver.caption + "\n";
  std::int64_t count = static_cast<std::int64_t>(quiver.labels.size());
  std::int64_t shown = full ? count : std::min(count, kShownVertices);
  auto arrow = quiver.arrows.begin();
  for (std::int64_t i = 0; i < shown; ++i) {
    std::string targets;
    for (; arrow != quiver.arrows.end() && arrow->from == i; ++arrow)
      targets +=
          " " + quiver.labels[arrow->to] +
          (quiver.unlabelled == 1 && arrow->products > 1 ? fmt::format(" (x{})", arrow->products) : "");
    text += fmt::format("  {} ->{}\n", quiver.labels[i], targets.empty() ? " (nothing)" : targets);
  }
  if (shown < count)
    text += fmt::format("  ... and {} more vertices (--full prints them)\n", count - shown);
  return text;
}

} // namespace

std::string describeText(const algebras::Algebra &algebra, bool full) {
  if (full && algebra.nonzeros() > algebras::Algebra::kExpansionLimit)
    throw algebras::InputError(
        fmt::format("{} has {} constants, too many to print", algebra.name(), algebra.nonzeros()))
        .hint("leave out --full");
  std::string text = fmt::format("{} over {}: {} slots, {} nonzero structure constants\n\n", algebra.name(),
                                 algebra.field().name(), algebra.dimension(), algebra.nonzeros());
  std::string table = tableText(algebra, full);
  if (table.empty())
    text += fmt::format("The multiplication table has {0} x {0} entries and is not printed as a square.\n\n",
                        algebra.dimension());
  else
    text += "Row times column:\n" + table + "\n";

  text += "Terms of each output slot:\n";
  std::int64_t shown = full ? algebra.dimension() : std::min(algebra.dimension(), kShownSlots);
  for (std::int64_t slot = 0; slot < shown; ++slot)
    text += fmt::format("  y[{}] = {}\n", algebra.slotName(slot), outputTerms(algebra, slot));
  if (shown < algebra.dimension())
    text += fmt::format("  ... and {} more slots (--full prints them)\n", algebra.dimension() - shown);
  if (algebra.isMatrixLike())
    text += "\n" + quiverText(quiverOf(algebra), full);
  if (!isItsOwnGabrielQuiver(algebra))
    text += "\n" + quiverText(gabrielQuiverOf(algebra), full);
  return text;
}

nlohmann::ordered_json describeJson(const algebras::Algebra &algebra) {
  nlohmann::ordered_json json;
  json["name"] = algebra.name();
  json["field"] = algebra.field().name();
  json["dimension"] = algebra.dimension();
  algebras::Table table = algebra.expand();
  auto slots = nlohmann::ordered_json::array();
  for (std::int64_t slot = 0; slot < algebra.dimension(); ++slot)
    slots.push_back(algebra.slotName(slot));
  json["slots"] = std::move(slots);
  auto constants = nlohmann::ordered_json::array();
  for (const algebras::Constant &constant : table.constants())
    constants.push_back({constant.i, constant.j, constant.k, constant.value.toString()});
  json["constants"] = std::move(constants);
  json["gabriel_quiver"] = nullptr;
  if (std::optional<algebras::PeirceQuiver> peirce = algebras::peirceQuiver(algebra)) {
    auto arrows = nlohmann::ordered_json::array();
    for (const auto &[pair, number] : peirce->arrows())
      arrows.push_back({pair.first, pair.second, number});
    json["gabriel_quiver"] = {{"vertices", peirce->labels}, {"sizes", peirce->sizes}, {"arrows", arrows}};
  }
  Quiver quiver = quiverOf(algebra);
  json["quiver"] = nullptr;
  if (quiver.drawn()) {
    auto arrows = nlohmann::ordered_json::array();
    for (const Arrow &arrow : quiver.arrows)
      arrows.push_back({arrow.from, arrow.to});
    json["quiver"] = {{"vertices", quiver.labels}, {"arrows", arrows}};
  }
  return json;
}

} // namespace compiler
