#include "compiler/spec/build_program.h"

#include "compiler/spec/build_layer.h"
#include "compiler/spec/closest.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace compiler {
namespace {

void checkKind(const ProgramFields &fields) {
  constexpr std::array<std::string_view, 1> kinds = {"swiglu"};
  if (!fields.layer.kind)
    throw algebras::InputError("[program] says neither which kind it is nor which file it is in",
                               *fields.layer.where)
        .hint("give kind = \"swiglu\", or file = \"program.mlir\"");
  const Given<std::string> &kind = *fields.layer.kind;
  if (kind.value == kinds.front())
    return;
  const auto near = closest(kind.value, kinds);
  kind.refuse(fmt::format("unknown kind \"{}\" of program", kind.value),
              near ? fmt::format("did you mean \"{}\"?", *near)
                   : "there is swiglu; any other program is a file = \"program.mlir\" of functions");
}

Activation activationOf(const ProgramFields &fields) {
  if (!fields.activation)
    return Activation::Silu;
  const std::string &name = fields.activation->value;
  const std::vector<std::string> &known = algrt::activationNames();
  if (std::find(known.begin(), known.end(), name) != known.end())
    return algrt::activationNamed(name);
  const std::vector<std::string_view> views(known.begin(), known.end());
  const auto near = closest(name, views);
  fields.activation->refuse(fmt::format("unknown activation \"{}\"", name),
                            near ? fmt::format("did you mean \"{}\"?", *near)
                                 : fmt::format("there are {}", fmt::join(known, ", ")));
}

} // namespace

Swiglu buildSwigluProgram(const algebras::Algebra &algebra, const ProgramFields &fields) {
  checkKind(fields);
  const Activation activation = activationOf(fields);
  // The first product and the last one are layers; what is between is as wide in both.
  LayerFields first = fields.layer, last = fields.layer;
  first.kind.reset();
  last.kind.reset();
  if (!last.out && !last.out_groups) {
    last.out = fields.layer.in;
    last.out_groups = fields.layer.in_groups;
  }
  first.out = last.in = fields.hidden;
  first.out_groups = last.in_groups = fields.hidden_groups;
  const algebras::Layer into = buildLayer(algebra, first, {"program", "in", "hidden"}),
                        from = buildLayer(algebra, last, {"program", "hidden", "out"});
  return {into.lift,  into.in,        into.out,   from.out,
          into.dtype, into.row_types, activation, !fields.gate || fields.gate->value,
          into.bias};
}

} // namespace compiler
