// What makes schedules illegal, or not worth a look, as lists of rules.
#pragma once

#include "compiler/schedule/candidates.h"

#include <fmt/format.h>
#include <span>
#include <string>
#include <utility>

namespace compiler {

/// What no schedule may be of those whom it binds. A rule may count on all rules before it.
template <class Case> struct Rule {
  unsigned binds;                   ///< a bit for each kind of cases
  const char *kind;                 ///< the same words for all that fail by it
  std::string (*why)(const Case &); ///< a sentence that says what exceeds what; empty where nothing does
};

/// The sentence of a rule where its condition holds.
template <class... Values>
std::string when(bool broken, fmt::format_string<const Values &...> sentence, const Values &...values) {
  return broken ? fmt::format(sentence, values...) : std::string();
}

/// What the first rule says that a case of a kind breaks; nothing where it breaks none.
template <class Case>
MaybeRefusal firstBroken(std::span<const Rule<Case>> rules, unsigned kind, const Case &one) {
  for (const Rule<Case> &rule : rules)
    if (rule.binds & kind)
      if (std::string why = rule.why(one); !why.empty())
        return Refusal{rule.kind, std::move(why)};
  return std::nullopt;
}

} // namespace compiler
