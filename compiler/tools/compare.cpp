// algctl compare: whether two algebras are isomorphic, and how one knows.
#include "compiler/tools/commands.h"

#include "algebras/invariants/comparison.h"
#include "compiler/spec/spec_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

using algebras::Comparison;

struct CompareOptions {
  std::string left, right, field;
  bool json = false;
};

algebras::Algebra load(const std::string &spec, const CompareOptions &options) {
  SpecOptions one;
  one.spec = spec;
  one.field = options.field;
  return requireAlgebra(loadSpec(one));
}

std::string readable(const Comparison &comparison, const algebras::Algebra &left,
                     const algebras::Algebra &right) {
  size_t wide = left.name().size();
  for (const algebras::ComparedInvariant &invariant : comparison.invariants)
    wide = std::max(wide, invariant.left.size());
  constexpr size_t widest = 48;
  wide = std::min(wide, widest);
  std::string text = fmt::format("{:<36}{:<{}}  {}\n", "", left.name(), wide, right.name());
  for (const algebras::ComparedInvariant &invariant : comparison.invariants)
    text += fmt::format("{} {:<34}{:<{}}  {}\n", invariant.differs ? "*" : " ", invariant.name,
                        invariant.left, wide, invariant.right);
  switch (comparison.verdict) {
  case algebras::Verdict::NotIsomorphic:
    text += "\nnot isomorphic:\n";
    break;
  case algebras::Verdict::Isomorphic:
    text += "\nisomorphic:\n";
    break;
  case algebras::Verdict::Undistinguished:
    return text + "\nnot distinguished by these invariants; no isomorphism was found either\n";
  }
  for (const std::string &reason : comparison.reasons)
    text += fmt::format("  {}\n", reason);
  constexpr int64_t most_shown = 12;
  if (comparison.slot_map) {
    for (int64_t slot = 0; slot < std::min(left.dimension(), most_shown); ++slot) {
      const algebras::Rational &factor = comparison.slot_map->factors[slot];
      text +=
          fmt::format("    {} -> {}{}\n", left.slotName(slot), factor.isOne() ? "" : factor.toString() + " ",
                      right.slotName(comparison.slot_map->image[slot]));
    }
    if (left.dimension() > most_shown)
      text += fmt::format("    ... ({} slots in all; --json has them)\n", left.dimension());
  }
  return text;
}

int compare(const CompareOptions &options) {
  algebras::Algebra left = load(options.left, options), right = load(options.right, options);
  Comparison comparison = algebras::compare(left, right);
  if (options.json)
    printJson(algebras::toOrderedJson(comparison, left, right));
  else
    printText(readable(comparison, left, right));
  return ExitCode::Done;
}

} // namespace

void addCompare(CLI::App &app, Session &session) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App *command = app.add_subcommand("compare", "Tell two algebras apart, or prove them isomorphic");
  command->add_option("A", options->left, "a spec, as for verify")->required()->type_name("");
  command->add_option("B", options->right, "another one")->required()->type_name("");
  command->add_option("--field", options->field, "ground field of both: Q, or a prime field like GF(7)")
      ->type_name("FIELD");
  command->add_flag("--json", options->json, "print one JSON object");
  command->footer(R"help(Prints invariants side by side, those that differ with a star, and one of
  not isomorphic      some invariant differs
  isomorphic          with the proof: a map of slots that was checked, or a theorem
  not distinguished   neither was found
All three are answers: exit code 0.

Examples:
  algctl compare "Q(4)" "Q(2)^2"                 the same dimension, but rad^2 is zero in one only
  algctl compare "T(3)" "poset(path(3))"         isomorphic, slot by slot
  algctl compare a.json b.json --json)help");
  command->callback([&session, options] { session.run = [options] { return compare(*options); }; });
}

} // namespace compiler
