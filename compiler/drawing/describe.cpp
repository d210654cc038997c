#include "compiler/drawing/describe.h"

#include "algebras/error.h"
#include "algebras/invariants/peirce.h"
#include "compiler/drawing/gabriel.h"
#include "compiler/drawing/product_text.h"
#include "compiler/drawing/quiver.h"
#include "runtime/support/json_format.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <ranges>
#include <string_view>

namespace compiler {
namespace {

constexpr int64_t shown_slots = 40;
constexpr int64_t shown_vertices = 24;
constexpr int64_t largest_printed_table = 25;
constexpr size_t table_width = 120; // columns of a terminal that a table may take

// Width on a terminal: code points, not bytes.
size_t width(const std::string &text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(const std::string &text, size_t columns) {
  return text + std::string(columns > width(text) ? columns - width(text) : 0, ' ');
}

// The table with its columns headed by `names` and its rows by `heads`; products that vanish are dots.
std::string squareTable(const algebras::Algebra &algebra, const std::vector<std::string> &heads,
                        const std::vector<std::string> &names) {
  auto entries = productTable(algebra, names);
  size_t size = names.size(), head = 0;
  for (const std::string &name : heads)
    head = std::max(head, width(name));
  std::string first = "  " + std::string(head, ' ') + " |", rule = "  " + std::string(head, '-') + "-+";
  std::vector<std::string> lines;
  for (const std::string &name : heads)
    lines.push_back("  " + padded(name, head) + " |");
  for (size_t j = 0; j < size; ++j) {
    size_t widest = width(names[j]);
    for (size_t i = 0; i < size; ++i)
      widest = std::max(widest, width(entries[i][j]));
    first += " " + padded(names[j], widest + 1);
    rule += std::string(widest + 2, '-');
    for (size_t i = 0; i < size; ++i)
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
  if (algebra.dimension() > (full ? largest_product_table : largest_printed_table))
    return {};
  std::vector<std::string> names = slotNames(algebra), numbers = slotNumbers(algebra);
  std::string text = squareTable(algebra, names, names);
  if (width(text.substr(0, text.find('\n'))) <= table_width)
    return text;
  std::vector<std::string> heads;
  for (size_t slot = 0; slot < names.size(); ++slot)
    heads.push_back(fmt::format("{:<4}{}", numbers[slot], names[slot]));
  return squareTable(algebra, heads, numbers);
}

std::string quiverText(const Quiver &quiver, bool full) {
  std::string text = quiver.caption + "\n";
  int64_t count = static_cast<int64_t>(quiver.labels.size());
  int64_t shown = full ? count : std::min(count, shown_vertices);
  auto arrow = quiver.arrows.begin();
  for (int64_t i = 0; i < shown; ++i) {
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

std::string quoted(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// "[", one line for each entry, and "]" at the depth of `indent`.
template <typename List, typename Print>
void appendList(std::string &text, std::string_view indent, const List &list, Print print) {
  std::string_view separator = "[\n";
  for (const auto &entry : list) {
    text += separator;
    text += indent;
    text += "  ";
    text += print(entry);
    separator = ",\n";
  }
  text += separator == "[\n" ? "[]" : fmt::format("\n{}]", indent);
}

} // namespace

std::string describeText(const algebras::Algebra &algebra, bool full) {
  if (full && algebra.nonzeros() > algebras::Algebra::expansion_limit)
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
  int64_t shown = full ? algebra.dimension() : std::min(algebra.dimension(), shown_slots);
  for (int64_t slot = 0; slot < shown; ++slot)
    text += fmt::format("  y[{}] = {}\n", algebra.slotName(slot), outputTerms(algebra, slot));
  if (shown < algebra.dimension())
    text += fmt::format("  ... and {} more slots (--full prints them)\n", algebra.dimension() - shown);
  if (algebra.isMatrixLike())
    text += "\n" + quiverText(quiverOf(algebra), full);
  if (!isItsOwnGabrielQuiver(algebra))
    text += "\n" + quiverText(gabrielQuiverOf(algebra), full);
  return text;
}

std::string describeJson(const algebras::Algebra &algebra) {
  const algebras::Table table = algebra.expand();
  std::string text = fmt::format(
      "{{\n  \"format\": {},\n  \"name\": {},\n  \"field\": {},\n  \"dimension\": {},\n  \"slots\": ",
      algrt::json_format, quoted(algebra.name()), quoted(algebra.field().name()), algebra.dimension());
  appendList(text, "  ", std::views::iota(int64_t{0}, algebra.dimension()),
             [&](int64_t slot) { return quoted(algebra.slotName(slot)); });
  text += ",\n  \"constants\": ";
  appendList(text, "  ", table.constants(), [](const algebras::Constant &constant) {
    return fmt::format("[{}, {}, {}, \"{}\"]", constant.i, constant.j, constant.k, constant.value.toString());
  });
  text += ",\n  \"gabriel_quiver\": ";
  if (const std::optional<algebras::PeirceQuiver> peirce = algebras::peirceQuiver(algebra)) {
    text += "{\n    \"vertices\": ";
    appendList(text, "    ", peirce->labels, quoted);
    text += ",\n    \"sizes\": ";
    appendList(text, "    ", peirce->sizes, [](int64_t size) { return std::to_string(size); });
    text += ",\n    \"arrows\": ";
    appendList(text, "    ", peirce->arrows(), [](const auto &arrow) {
      return fmt::format("[{}, {}, {}]", arrow.first.first, arrow.first.second, arrow.second);
    });
    text += "\n  }";
  } else {
    text += "null";
  }
  text += ",\n  \"quiver\": ";
  if (const Quiver quiver = quiverOf(algebra); quiver.drawn()) {
    text += "{\n    \"vertices\": ";
    appendList(text, "    ", quiver.labels, quoted);
    text += ",\n    \"arrows\": ";
    appendList(text, "    ", quiver.arrows,
               [](const Arrow &arrow) { return fmt::format("[{}, {}]", arrow.from, arrow.to); });
    text += "\n  }";
  } else {
    text += "null";
  }
  return text + "\n}\n";
}

} // namespace compiler
