#include "compiler/drawing/product_text.h"

#include <fmt/format.h>

namespace compiler {

using algebras::Rational;

std::string sumText(const std::vector<std::pair<Rational, std::string>> &summands) {
  std::string text;
  for (const auto &[coefficient, name] : summands) {
    bool negative = coefficient.sign() < 0;
    Rational size = negative ? -coefficient : coefficient;
    if (text.empty())
      text = negative ? "-" : "";
    else
      text += negative ? " - " : " + ";
    if (!size.isOne())
      text += size.toString() + " ";
    text += name;
  }
  return text.empty() ? "0" : text;
}

std::string outputTerms(const algebras::Algebra &algebra, int64_t slot) {
  std::vector<std::pair<Rational, std::string>> summands;
  for (const algebras::Constant &constant : algebra.constantsInto(slot))
    summands.emplace_back(constant.value, fmt::format("x[{}] w[{}]", algebra.slotName(constant.i),
                                                      algebra.slotName(constant.j)));
  return sumText(summands);
}

std::vector<std::string> slotNames(const algebras::Algebra &algebra) {
  std::vector<std::string> names;
  for (int64_t slot = 0; slot < algebra.dimension(); ++slot)
    names.push_back(algebra.slotName(slot));
  return names;
}

std::vector<std::string> slotNumbers(const algebras::Algebra &algebra) {
  std::vector<std::string> names;
  for (int64_t slot = 0; slot < algebra.dimension(); ++slot)
    names.push_back(fmt::format("b{}", slot));
  return names;
}

std::vector<std::vector<std::string>> productTable(const algebras::Algebra &algebra,
                                                   const std::vector<std::string> &names) {
  size_t size = static_cast<size_t>(algebra.dimension());
  std::vector<std::vector<std::vector<std::pair<Rational, std::string>>>> sums(
      size, std::vector<std::vector<std::pair<Rational, std::string>>>(size));
  algebras::Table table = algebra.expand();
  for (const algebras::Constant &constant : table.constants())
    sums[constant.i][constant.j].emplace_back(constant.value, names[constant.k]);
  std::vector<std::vector<std::string>> entries(size, std::vector<std::string>(size));
  for (size_t i = 0; i < size; ++i)
    for (size_t j = 0; j < size; ++j)
      entries[i][j] = sumText(sums[i][j]);
  return entries;
}

} // namespace compiler
