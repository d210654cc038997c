#include "runtime/bundle/manifest.h"

#include "runtime/bundle/format.h"
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
    layer.row_types = RowTypesKind::cyclic;
    layer.row_type_width = row_types.integer("width", 1, 1);
  } else if (kind == "interval") {
    layer.row_types = RowTypesKind::interval;
    layer.row_type_width = row_types.integer("width", 1);
    checkedMultiply(layer.types, layer.row_type_width, "manifest: the period of layer.row_types");
  } else if (kind == "explicit") {
    layer.row_types = RowTypesKind::explicit_types;
    layer.row_type_width = 0;
  } else {
    row_types.fail("kind", "is '" + kind + "', not cyclic, interval or explicit");
  }
}

Layer parseLayer(const JsonFields &fields) {
  Layer layer;
  if (std::string kind = fields.string("kind"); kind != "projection")
    fields.fail("kind", "is '" + kind + "'; this runtime knows projection");
  const std::string lift = fields.string("lift");
  if (lift != "rows" && lift != "slots")
    fields.fail("lift", "is '" + lift + "', not rows or slots");
  layer.lift = lift == "rows" ? Lift::rows : Lift::slots;
  const std::string dtype = fields.string("dtype");
  if (dtype != "f32" && dtype != "bf16")
    fields.fail("dtype", "is '" + dtype + "', not f32 or bf16");
  layer.dtype = dtype == "f32" ? ElementType::f32 : ElementType::bf16;
  layer.k = fields.integer("k", 1);
  layer.n = fields.integer("n", 1);
  layer.types = fields.integer("types", 1, most_groups);
  parseRowTypes(fields, layer);
  layer.in_groups = fields.integers("in_groups", 1);
  layer.out_groups = fields.integers("out_groups", 1);
  layer.bank_rows = fields.integers("bank_rows", 1);
  requireSum(fields, "in_groups", layer.in_groups, layer.k);
  requireSum(fields, "out_groups", layer.out_groups, layer.n);
  requireSum(fields, "bank_rows", layer.bank_rows, layer.k);
  if (layer.lift == Lift::slots) {
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
  int64_t elements = checkedMultiply(layer.k, layer.n, "manifest: the bank, layer.k times layer.n");
  checkedMultiply(elements, elementBytes(layer.dtype), "manifest: the bank in bytes");
  checkedMultiply(layer.types, int64_t(layer.out_groups.size()), "manifest: types times output groups");
  return layer;
}

Kernel parseKernel(const JsonFields &fields, const Layer &layer) {
  Kernel kernel;
  kernel.name = fields.string("name");
  kernel.map = fields.string("map");
  kernel.target = fields.string("target");
  kernel.level = fields.has("level") ? fields.string("level") : "";
  kernel.features = fields.has("features") ? fields.strings("features") : std::vector<std::string>();
  kernel.known = kernel.map == "forward" && kernel.target == "cpu";
  if (!kernel.known)
    return kernel;
  const std::string weights = fields.string("weights");
  if (weights == "packed")
    kernel.weights = WeightsForm::packed;
  else if (weights == "copied")
    kernel.weights = WeightsForm::copied;
  else if (weights == "direct")
    kernel.weights = WeightsForm::direct;
  else
    fields.fail("weights", "is '" + weights + "', not packed, copied or direct");
  kernel.section = fields.string("section");
  kernel.symbol = fields.string("symbol");
  if (kernel.symbol.empty())
    fields.fail("symbol", "is empty");
  kernel.types_per_task = fields.integer("types_per_task", 1);
  kernel.rows_per_task = fields.integer("rows_per_task", 1);
  if (fields.has("register_tile")) {
    const std::vector<int64_t> tile = fields.integers("register_tile", 1);
    if (tile.size() != 2)
      fields.fail("register_tile", "has " + std::to_string(tile.size()) + " numbers, not 2");
    kernel.register_rows = tile[0];
    kernel.register_columns = tile[1];
  }
  // More scratch than this per thread is no kernel but an attack on memory.
  kernel.scratch_bytes = fields.integer("scratch_bytes", 0, int64_t(1) << 32);
  if (fields.has("direct_rows"))
    kernel.direct_rows = fields.integer("direct_rows", 0);
  if (kernel.weights == WeightsForm::packed) {
    kernel.pack_symbol = fields.string("pack_symbol");
    if (kernel.pack_symbol.empty())
      fields.fail("pack_symbol", "is empty");
    kernel.pack_tasks = fields.integer("pack_tasks", 1);
    kernel.packed_bytes = fields.integer("packed_bytes", 1);
    if (kernel.packed_bytes % elementBytes(layer.dtype) != 0)
      fields.fail("packed_bytes",
                  "is " + std::to_string(kernel.packed_bytes) + ", not a whole number of elements");
  }
  return kernel;
}

std::vector<SectionEntry> parseSections(const JsonFields &document, uint64_t sections_begin,
                                        uint64_t file_size) {
  std::vector<SectionEntry> sections;
  for (const JsonFields &fields : document.objects("sections")) {
    SectionEntry entry;
    entry.name = fields.string("name");
    entry.kind = fields.string("kind");
    entry.offset = uint64_t(fields.integer("offset", 0));
    entry.size = uint64_t(fields.integer("size", 0));
    if (entry.offset % format::alignment != 0)
      fields.fail("offset", "is " + std::to_string(entry.offset) + ", not a multiple of 64");
    if (entry.offset < sections_begin)
      fields.fail("offset", "lies inside header or manifest");
    // Both are at most 2^63, so that the sum cannot wrap.
    if (entry.offset + entry.size > file_size)
      fields.fail("size", "reaches beyond the end of the file");
    for (const SectionEntry &other : sections)
      if (other.name == entry.name)
        fields.fail("name", "'" + entry.name + "' is used twice");
    sections.push_back(entry);
  }
  std::vector<SectionEntry> sorted = sections;
  std::sort(sorted.begin(), sorted.end(), [](const SectionEntry &a, const SectionEntry &b) {
    return a.offset != b.offset ? a.offset < b.offset : a.size < b.size;
  });
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i - 1].offset + sorted[i - 1].size > sorted[i].offset)
      document.fail("sections", "'" + sorted[i - 1].name + "' and '" + sorted[i].name + "' overlap");
  return sections;
}

void parseSupport(const JsonFields &document, Manifest &manifest) {
  const JsonFields support = document.object("support");
  const std::string kind = support.string("kind");
  if (kind == "complete") {
    manifest.support = SupportKind::complete;
    const Layer &layer = manifest.layer;
    const size_t types = size_t(layer.types);
    if (layer.lift != Lift::rows)
      support.fail("kind", "is complete, which the slot lift has no use for");
    if (layer.in_groups.size() != types || layer.out_groups.size() != types ||
        layer.bank_rows != layer.in_groups)
      support.fail("kind", "is complete, but types, input groups, output groups and bank rows do not agree");
  } else if (kind == "table") {
    manifest.support = SupportKind::table;
    manifest.support_section = support.string("section");
    const SectionEntry *section = manifest.findSection(manifest.support_section);
    if (section == nullptr || section->kind != "terms")
      support.fail("section", "'" + manifest.support_section + "' is not a section of kind terms");
  } else {
    support.fail("kind", "is '" + kind + "', not complete or table");
  }
}

} // namespace

int64_t elementBytes(ElementType type) { return type == ElementType::f32 ? 4 : 2; }

const char *name(Lift lift) { return lift == Lift::rows ? "rows" : "slots"; }

const char *name(ElementType type) { return type == ElementType::f32 ? "f32" : "bf16"; }

const char *name(RowTypesKind kind) {
  switch (kind) {
  case RowTypesKind::cyclic:
    return "cyclic";
  case RowTypesKind::interval:
    return "interval";
  case RowTypesKind::explicit_types:
    return "explicit";
  }
  return "unknown";
}

const char *name(WeightsForm form) {
  switch (form) {
  case WeightsForm::packed:
    return "packed";
  case WeightsForm::copied:
    return "copied";
  case WeightsForm::direct:
    return "direct";
  }
  return "unknown";
}

int64_t Layer::bankColumns() const { return lift == Lift::rows ? n : n / int64_t(out_groups.size()); }

const SectionEntry *Manifest::findSection(std::string_view name) const {
  for (const SectionEntry &section : sections)
    if (section.name == name)
      return &section;
  return nullptr;
}

Manifest parseManifest(std::string_view json, uint64_t sections_begin, uint64_t file_size) {
  nlohmann::json parsed;
  try {
    parsed = nlohmann::json::parse(json);
  } catch (const nlohmann::json::exception &error) { // bad syntax, or a number beyond a double
    throw Error(ALGRT_BAD_BUNDLE, std::string("manifest: is not JSON: ") + error.what());
  }
  const JsonFields document(parsed, "");
  if (int64_t version = document.integer("format", 1); version > format::version)
    throw Error(ALGRT_NEWER_FORMAT, "manifest: format " + std::to_string(version) + " is newer than " +
                                        std::to_string(format::version) +
                                        ", the newest that this runtime reads");
  Manifest manifest;
  manifest.compiler = document.has("compiler") ? document.string("compiler") : "";
  if (document.has("algebra")) {
    const JsonFields algebra = document.object("algebra");
    manifest.algebra = algebra.has("name") ? algebra.string("name") : "";
  }
  manifest.layer = parseLayer(document.object("layer"));
  manifest.sections = parseSections(document, sections_begin, file_size);
  parseSupport(document, manifest);
  for (const JsonFields &fields : document.objects("kernels")) {
    Kernel kernel = parseKernel(fields, manifest.layer);
    if (kernel.known) {
      const SectionEntry *section = manifest.findSection(kernel.section);
      if (section == nullptr || section->kind != "shared-object")
        fields.fail("section", "'" + kernel.section + "' is not a section of kind shared-object");
    }
    manifest.kernels.push_back(std::move(kernel));
  }
  return manifest;
}

} // namespace algrt
