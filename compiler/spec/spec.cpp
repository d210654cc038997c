#include "compiler/spec/spec.h"

#include "algebras/error.h"
#include "algebras/facts.h"
#include "compiler/spec/usage_error.h"

#include <fmt/format.h>

namespace compiler {

const algebras::Layer &requireLayer(const Spec &spec) {
  if (!spec.layer)
    throw UsageError(
        fmt::format("{} has no layer: give its widths with --in and --out, or a spec file with [layer]",
                    spec.source_name));
  return *spec.layer;
}

void requireCompilable(const Spec &spec) {
  requireLayer(spec);
  if (!spec.algebra.field().isRationals())
    throw algebras::InputError(
        fmt::format("{} is an algebra over {}: it can be verified, but not compiled, because "
                    "kernels compute with real numbers",
                    spec.algebra.name(), spec.algebra.field().name()))
        .hint("give the algebra over Q to compile it");
  if (spec.allow_nonassociative)
    return;
  algebras::Facts facts = algebras::deriveFacts(spec.algebra);
  if (!facts.associative.value_or(true)) {
    algebras::InputError error(fmt::format(
        "{} is not associative, so that products of its layers cannot be composed", spec.algebra.name()));
    throw error.hint("`algctl verify` shows the witness; say allow_nonassociative = true in [algebra], or "
                     "--allow-nonassociative, to compile the single product all the same");
  }
}

} // namespace compiler
