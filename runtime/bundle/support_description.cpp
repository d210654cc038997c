#include "runtime/bundle/support_description.h"

#include "runtime/bundle/json_fields.h"
#include "runtime/bundle/layer.h"

#include <algorithm>
#include <array>

namespace algrt {

namespace {

constexpr std::array all_kinds = {SupportKind::Complete, SupportKind::Triangular, SupportKind::Diagonal,
                                  SupportKind::Full, SupportKind::Table};
constexpr size_t most_factors = 1024;

// `groups` is that of the layer where the factor is all of the support, and 0 where it has to say its own.
SupportFactor parseFactor(const JsonFields &fields, const Layer &layer, int64_t groups) {
  SupportFactor factor;
  const std::string kind = fields.string("kind");
  const auto *const found = std::find_if(all_kinds.begin(), all_kinds.end(),
                                         [&](SupportKind known) { return kind == name(known); });
  if (found == all_kinds.end())
    fields.fail("kind", "is '" + kind + "', not complete, triangular, diagonal, full or table" +
                            (groups > 0 ? ", nor product" : ""));
  factor.kind = *found;
  if (factor.kind == SupportKind::Table) {
    factor.section = fields.string("section");
    return factor;
  }
  if (layer.lift != Lift::Rows)
    fields.fail("kind", "is " + kind + ", which the slot lift has no use for");
  factor.groups = groups > 0 ? groups : fields.integer("groups", 1, int64_t(layer.out_groups.size()));
  return factor;
}

} // namespace

const char *name(SupportKind kind) {
  switch (kind) {
  case SupportKind::Complete:
    return "complete";
  case SupportKind::Triangular:
    return "triangular";
  case SupportKind::Diagonal:
    return "diagonal";
  case SupportKind::Full:
    return "full";
  case SupportKind::Table:
    return "table";
  }
  return "unknown";
}

SupportDescription parseSupportDescription(const JsonFields &fields, const Layer &layer) {
  SupportDescription support;
  support.is_product = fields.string("kind") == "product";
  if (!support.is_product) {
    support.factors.push_back(parseFactor(fields, layer, int64_t(layer.out_groups.size())));
    return support;
  }
  const std::vector<JsonFields> factors = fields.objects("factors");
  if (factors.empty() || factors.size() > most_factors)
    fields.fail("factors",
                "are " + std::to_string(factors.size()) + ", not 1 to " + std::to_string(most_factors));
  for (const JsonFields &factor : factors)
    support.factors.push_back(parseFactor(factor, layer, 0));
  return support;
}

} // namespace algrt
