#include "compiler/drawing/describe.h"

#include "algebras/error.h"
#include "compiler/drawing/product_text.h"
#include "compiler/drawing/quiver.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

constexpr std::int64_t kShownSlots = 40;
constexpr std::int64_t kShownVertices = 24;
constexpr std::size_t kTableWidth = 150; // columns of a terminal that a table may take

// Width on a terminal: code points, not bytes.
std::size_t width(const std::string &text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(const std::string &text, std::size_t columns) {
  return text + std::string(columns > width(text) ? columns - width(text) : 0, ' ');
}

// Empty when the table would not fit; products that vanish are dots.
std::string tableText(const algebras::Algebra &algebra, bool full) {
  std::int64_t size = algebra.dimension();
  if (size > (full ? kLargestProductTable : 16))
    return {};
  auto entries = productTable(algebra);
  std::vector<std::string> names;
  std::size_t head = 0;
  for (std::int64_t slot = 0; slot < size; ++slot) {
    names.push_back(algebra.slotName(slot));
    head = std::max(head, width(names.back()));
  }
  std::vector<std::size_t> columns;
  std::size_t total = head + 2;
  for (std::int64_t j = 0; j < size; ++j) {
    std::size_t widest = width(names[j]);
    for (std::int64_t i = 0; i < size; ++i)
      widest = std::max(widest, width(entries[i][j]));
    columns.push_back(widest);
    total += widest + 2;
  }
  if (!full && total > kTableWidth)
    return {};
  std::string text = "  " + std::string(head, ' ') + " |";
  for (std::int64_t j = 0; j < size; ++j)
    text += " " + padded(names[j], columns[j] + 1);
  text += "\n  " + std::string(head, '-') + "-+" + std::string(total - head - 2, '-') + "\n";
  for (std::int64_t i = 0; i < size; ++i) {
    text += "  " + padded(names[i], head) + " |";
    for (std::int64_t j = 0; j < size; ++j)
      text += " " + padded(entries[i][j] == "0" ? "." : entries[i][j], columns[j] + 1);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

std::string quiverText(const algebras::Algebra &algebra, bool full) {
  Quiver quiver = quiverOf(algebra);
  std::string text = quiver.caption + "\n";
  std::int64_t count = static_cast<std::int64_t>(quiver.labels.size());
  std::int64_t shown = full ? count : std::min(count, kShownVertices);
  auto arrow = quiver.arrows.begin();
  for (std::int64_t i = 0; i < shown; ++i) {
    std::string targets;
    for (; arrow != quiver.arrows.end() && arrow->from == i; ++arrow)
      targets += " " + quiver.labels[arrow->to];
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
  return text + "\n" + quiverText(algebra, full);
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
