#include "algebras/quiver/relation.h"

#include <fmt/format.h>

namespace algebras {

void addTerm(PathSum &sum, const Word &word, const Rational &value, const Field &field) {
  auto [place, is_new] = sum.try_emplace(word, value);
  if (!is_new)
    place->second = field.add(place->second, value);
  if (place->second.isZero())
    sum.erase(place);
}

std::string pathText(const Quiver &quiver, int64_t source, const Word &word) {
  if (word.empty())
    return fmt::format("e({})", quiver.vertexName(source));
  std::string text;
  for (size_t first = 0; first < word.size();) {
    size_t last = first;
    while (last < word.size() && word[last] == word[first])
      ++last;
    text += (first == 0 ? "" : "*") + quiver.arrow(word[first]).name;
    if (last - first > 1)
      text += fmt::format("^{}", last - first);
    first = last;
  }
  return text;
}

std::string relationText(const Quiver &quiver, const Relation &relation) {
  std::string text;
  for (auto term = relation.sum.rbegin(); term != relation.sum.rend(); ++term) {
    Rational size = term->second;
    bool negative = size.sign() < 0;
    if (negative)
      size = -size;
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    if (!size.isOne())
      text += size.toString() + "*";
    text += pathText(quiver, relation.source, term->first);
  }
  return text.empty() ? "0" : text;
}

int64_t targetOf(const Quiver &quiver, int64_t source, const Word &word) {
  return word.empty() ? source : quiver.arrow(word.back()).target;
}

} // namespace algebras
