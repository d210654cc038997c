#include "compiler/spec/spec.h"

#include "algebras/error.h"
#include "algebras/facts.h"
#include "compiler/spec/usage_error.h"

#include <fmt/format.h>

namespace compiler {

const algebras::Algebra &requireAlgebra(const Spec &spec) {
  if (!spec.algebra)
    throw UsageError(fmt::format("{} is a program, whose products name their algebras: give one of these",
                                 spec.source_name));
  return *spec.algebra;
}

const algebras::Layer &requireLayer(const Spec &spec) {
  if (spec.program)
    throw UsageError(fmt::format("{} is a program: this is for one layer alone", spec.source_name));
  if (!spec.layer)
    throw UsageError(
        fmt::format("{} has no layer: give its widths with --in and --out, or a spec file with [layer]",
                    spec.source_name));
  return *spec.layer;
}

void requireCompilable(const Spec &spec) {
  if (spec.programFile()) // whose verifiers have their say when it is read
    return;
  if (!spec.program)
    requireLayer(spec);
  const algebras::Algebra &algebra = requireAlgebra(spec);
  if (!algebra.field().isRationals())
    throw algebras::InputError(
        fmt::format("{} is an algebra over {}: it can be verified, but not compiled, because "
                    "kernels compute with real numbers",
                    algebra.name(), algebra.field().name()))
        .hint("give the algebra over Q to compile it");
  if (spec.allow_nonassociative && !spec.program)
    return;
  algebras::Facts facts = algebras::deriveFacts(algebra);
  if (!facts.associative.value_or(true)) {
    algebras::InputError error(fmt::format(
        "{} is not associative, so that products of its layers cannot be composed", algebra.name()));
    throw error.hint(
        spec.program ? "`algctl verify` shows the witness; programs need an associative algebra"
                     : "`algctl verify` shows the witness; say allow_nonassociative = true in [algebra], or "
                       "--allow-nonassociative, to compile the single product all the same");
  }
}

} // namespace compiler
