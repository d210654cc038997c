#include "runtime/bundle/layer.h"

#include "runtime/bundle/fusion.h"
#include "runtime/bundle/json_fields.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <numeric>

namespace algrt {

namespace {

// Far above every real layer; keeps products of counts within 64 bits and allocations sane.
constexpr int64_t most_groups = int64_t(1) << 24;

void requireSum(const JsonFields &fields, const char *key, const std::vector<int64_t> &widths,
                int64_t total) {
  if (widths.empty())
    fields.fail(key, "is empty");
  if (int64_t(widths.size()) > most_groups)
    fields.fail(key, "has more than " + std::to_string(most_groups) + " groups");
  int64_t sum = 0;
  for (int64_t width : widths)
    sum = checkedAdd(sum, width, key);
  if (sum != total)
    fields.fail(key, "add up to " + std::to_string(sum) + ", not to " + std::to_string(total));
}

void parseRowTypes(const JsonFields &fields, Layer &layer) {
  const JsonFields row_types = fields.object("row_types");
  const std::string kind = row_types.string("kind");
  if (kind == "cyclic") {
    layer.row_types = RowTypesKind::Cyclic;
    layer.row_type_width = row_types.integer("width", 1, 1);
  } else if (kind == "interval") {
    layer.row_types = RowTypesKind::Interval;
    layer.row_type_width = row_types.integer("width", 1);
    checkedMultiply(layer.types, layer.row_type_width, "manifest: the period of layer.row_types");
  } else if (kind == "explicit") {
    layer.row_types = RowTypesKind::ExplicitTypes;
    layer.row_type_width = 0;
  } else {
    row_types.fail("kind", "is '" + kind + "', not cyclic, interval or explicit");
  }
}

} // namespace

int64_t elementBytes(ElementType type) { return type == ElementType::F32 ? 4 : 2; }

const char *name(Lift lift) { return lift == Lift::Rows ? "rows" : "slots"; }

const char *name(ElementType type) { return type == ElementType::F32 ? "f32" : "bf16"; }

const char *name(FusedOperand::Per per) {
  constexpr const char *names[] = {"column", "row", "element", "call"};
  return names[size_t(per)];
}

std::string numberedName(const char *first, int64_t number) {
  return number == 0 ? first : first + std::to_string(number + 1);
}

const char *name(RowTypesKind kind) {
  switch (kind) {
  case RowTypesKind::Cyclic:
    return "cyclic";
  case RowTypesKind::Interval:
    return "interval";
  case RowTypesKind::ExplicitTypes:
    return "explicit";
  }
  return "unknown";
}

int64_t Layer::weightColumns() const { return lift == Lift::Rows ? n : n / int64_t(out_groups.size()); }

int64_t NextLayer::n() const { return std::accumulate(out_groups.begin(), out_groups.end(), int64_t(0)); }

Layer layerOfWeight(const Layer &layer, int64_t weight) {
  Layer own = layer;
  own.fusion = {};
  if (!layer.fusion || layer.fusion->layerOf(weight) == 0)
    return own;
  own.k = layer.n;
  own.n = layer.fusion->next->n();
  own.in_groups = own.weight_rows = layer.out_groups;
  own.out_groups = layer.fusion->next->out_groups;
  return own;
}

Layer joinGroups(const Layer &layer, int64_t groups) {
  Layer joined = layer;
  for (std::vector<int64_t> *widths : {&joined.in_groups, &joined.out_groups, &joined.weight_rows}) {
    const size_t factor = widths->size() / size_t(groups);
    for (size_t group = 0; group < size_t(groups); ++group) {
      const auto first = widths->begin() + ptrdiff_t(group * factor);
      (*widths)[group] = std::accumulate(first, first + ptrdiff_t(factor), int64_t(0));
    }
    widths->resize(size_t(groups));
  }
  return joined;
}

Layer parseLayer(const JsonFields &fields) {
  Layer layer;
  if (std::string kind = fields.string("kind"); kind != "projection")
    fields.fail("kind", "is '" + kind + "'; this runtime knows projection");
  const std::string lift = fields.string("lift");
  if (lift != "rows" && lift != "slots")
    fields.fail("lift", "is '" + lift + "', not rows or slots");
  layer.lift = lift == "rows" ? Lift::Rows : Lift::Slots;
  const std::string dtype = fields.string("dtype");
  if (dtype != "f32" && dtype != "bf16")
    fields.fail("dtype", "is '" + dtype + "', not f32 or bf16");
  layer.dtype = dtype == "f32" ? ElementType::F32 : ElementType::Bf16;
  layer.k = fields.integer("k", 1);
  layer.n = fields.integer("n", 1);
  layer.types = fields.integer("types", 1, most_groups);
  parseRowTypes(fields, layer);
  layer.in_groups = fields.integers("in_groups", 1);
  layer.out_groups = fields.integers("out_groups", 1);
  layer.weight_rows = fields.integers("bank_rows", 1);
  layer.bias = fields.has("bias") && fields.boolean("bias");
  if (fields.has("fused"))
    layer.fusion = parseFusion(fields.object("fused"));
  if (layer.fusion && layer.bias)
    fields.fail("bias", "is true, but the layer is fused: a bias is one of its operands");
  requireSum(fields, "in_groups", layer.in_groups, layer.k);
  requireSum(fields, "out_groups", layer.out_groups, layer.n);
  requireSum(fields, "bank_rows", layer.weight_rows, layer.k);
  if (layer.lift == Lift::Slots) {
    if (layer.types != 1)
      fields.fail("types",
                  "is " + std::to_string(layer.types) + ": in the slot lift all rows are of one type");
    for (const char *key : {"in_groups", "out_groups", "bank_rows"}) {
      const std::vector<int64_t> widths = fields.integers(key, 1);
      if (widths.size() != layer.out_groups.size())
        fields.fail(key, "do not have one entry per slot");
      if (std::any_of(widths.begin(), widths.end(), [&](int64_t width) { return width != widths[0]; }))
        fields.fail(key, "are not all equal: slots are blocks of one shape");
    }
  }
  if (layer.fusion && layer.fusion->next) {
    const NextLayer &next = *layer.fusion->next;
    if (layer.lift != Lift::Rows)
      fields.fail("fused", "has a next layer, but the lift is by slots");
    if (next.out_groups.size() != layer.out_groups.size())
      fields.fail("fused", "has a next layer of " + std::to_string(next.out_groups.size()) +
                               " groups, but the algebra's products have " +
                               std::to_string(layer.out_groups.size()));
    checkedMultiply(checkedMultiply(layer.n, next.n(), "manifest: the weight matrix of the next layer"),
                    elementBytes(layer.dtype), "manifest: the weight matrix of the next layer in bytes");
  }
  int64_t elements = checkedMultiply(layer.k, layer.n, "manifest: the weight matrix, layer.k times layer.n");
  checkedMultiply(elements, elementBytes(layer.dtype), "manifest: the weight matrix in bytes");
  checkedMultiply(layer.types, int64_t(layer.out_groups.size()), "manifest: types times output groups");
  return layer;
}

} // namespace algrt
