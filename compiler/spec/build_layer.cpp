#include "compiler/spec/build_layer.h"

#include "compiler/spec/closest.h"
#include "compiler/spec/usage_error.h"

#include <array>
#include <fmt/format.h>
#include <numeric>
#include <string_view>

namespace compiler {
namespace {

using algebras::Groups;

void checkKind(const Given<std::string> &kind) {
  constexpr std::array<std::string_view, 3> kinds = {"projection", "ffn", "attention"};
  if (kind.value == kinds[0])
    return;
  if (kind.value == "ffn")
    kind.refuse("kind \"ffn\" is not supported: projection is what exists",
                "a feed-forward network is a program: [program] with kind = \"swiglu\"");
  if (kind.value == "attention")
    kind.refuse(
        fmt::format("kind \"{}\" is not supported: projection is what exists", kind.value),
        fmt::format("describe each projection of the {} in a spec of its own, with kind = \"projection\"",
                    kind.value));
  auto near = closest(kind.value, std::span(kinds).first(1));
  kind.refuse(fmt::format("unknown kind \"{}\"", kind.value),
              near ? fmt::format("did you mean \"{}\"?", *near) : "kind = \"projection\" is what exists");
}

[[noreturn]] void missingWidth(const LayerFields &fields, const char *section, const char *key) {
  if (fields.where)
    throw algebras::InputError(fmt::format("[{}] has no '{}'", section, key), *fields.where)
        .hint(fmt::format(
            "give the width, as in {} = 2048, or the widths of its groups, {}_groups = [640, 512]", key,
            key));
  throw UsageError(fmt::format("the {} has no width: give --{} (or --{}-groups)", section, key, key));
}

// One side of the layer, called `key`.
Groups readGroups(const LayerFields &fields, const char *section, const char *key,
                  const std::optional<Given<int64_t>> &width,
                  const std::optional<Given<std::vector<int64_t>>> &widths, int64_t count) {
  if (!width && !widths)
    missingWidth(fields, section, key);
  if (width && width->value < 1)
    width->refuse(fmt::format("a {} needs a width of at least 1, not {}", section, width->value));
  if (!widths)
    return pointingAt(*width, [&] { return Groups::dividing(width->value, count); });

  Groups groups = pointingAt(*widths, [&] { return Groups::explicitWidths(widths->value); });
  if (groups.count() != count)
    widths->refuse(fmt::format("there are {} groups here, but the algebra has {}", groups.count(), count));
  if (width && groups.total() != width->value)
    widths->refuse(
        fmt::format("the groups cover {} features, but '{}' is {}", groups.total(), width->key, width->value),
        fmt::format("leave '{}' out, or make the groups add up to it", width->key));
  return groups;
}

} // namespace

algebras::Layer buildLayer(const algebras::Algebra &algebra, const LayerFields &fields,
                           const LayerWords &words) {
  if (fields.kind)
    checkKind(*fields.kind);
  algebras::Lift lift =
      fields.lift
          ? pointingAt(*fields.lift, [&] { return algebras::Lift::parse(fields.lift->value, algebra); })
      : algebra.isMatrixLike() ? algebras::Lift::rows(algebra)
                               : algebras::Lift::slots(algebra);

  Groups in = readGroups(fields, words.section, words.in, fields.in, fields.in_groups, lift.inputGroups());
  Groups out =
      readGroups(fields, words.section, words.out, fields.out, fields.out_groups, lift.outputGroups());
  algebras::DataType dtype = algebras::DataType::F32;
  if (fields.dtype)
    dtype = pointingAt(*fields.dtype, [&] { return algebras::parseDataType(fields.dtype->value); });
  algebras::RowTypes row_types = algebras::RowTypes::cyclic(lift.types());
  if (fields.row_types)
    row_types = pointingAt(*fields.row_types, [&] {
      algebras::RowTypes given = algebras::RowTypes::parse(fields.row_types->value, lift.types());
      if (lift.kind() == algebras::Lift::Kind::Slots && given.kind() != algebras::RowTypes::Kind::Cyclic)
        throw algebras::InputError("in the lift by slots all rows are of one type: leave it out");
      return given;
    });

  algebras::Layer layer{std::move(lift), std::move(in), std::move(out),
                        dtype,           row_types,     fields.bias && fields.bias->value};
  // What is left to find concerns both sides at once; it points at [layer] where there is one.
  try {
    layer.validate();
  } catch (const algebras::InputError &error) {
    if (error.where() || !fields.where)
      throw;
    algebras::InputError placed(error.what(), *fields.where);
    placed.hint(error.hint());
    throw placed;
  }
  return layer;
}

} // namespace compiler
