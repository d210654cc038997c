#include "runtime/bundle/manifest.h"

#include "runtime/bundle/format.h"
#include "runtime/bundle/fusion.h"
#include "runtime/bundle/json_fields.h"
#include "runtime/support/error.h"
#include "runtime/support/json_scan.h"

#include <algorithm>
#include <set>

namespace algrt {

namespace {

// No manifest comes near; it is printed and copied by recursion.
constexpr size_t deepest_manifest = 64;
// No program comes near; each is a bundle of its own in memory.
constexpr size_t most_projections = 64;

Packing parsePacking(const JsonFields &fields, const Layer &layer) {
  Packing packing;
  packing.symbol = fields.string("pack_symbol");
  if (packing.symbol.empty())
    fields.fail("pack_symbol", "is empty");
  packing.tasks = fields.integer("pack_tasks", 1);
  if (int64_t(layer.weight_rows.size()) % packing.tasks != 0)
    fields.fail("pack_tasks", "is " + std::to_string(packing.tasks) + ", but the weight matrix has " +
                                  std::to_string(layer.weight_rows.size()) +
                                  " row groups, of which each task packs as many");
  packing.bytes = fields.integer("packed_bytes", 1);
  if (packing.bytes % elementBytes(layer.dtype) != 0)
    fields.fail("packed_bytes", "is " + std::to_string(packing.bytes) + ", not a whole number of elements");
  // parseLayer has seen that these fit.
  const int64_t weight_bytes = layer.k * layer.weightColumns() * elementBytes(layer.dtype);
  if (packing.bytes < weight_bytes)
    fields.fail("packed_bytes", "is " + std::to_string(packing.bytes) + ", less than the " +
                                    std::to_string(weight_bytes) + " of the weight matrix");
  return packing;
}

// What kernels of forward and dx say.
void parseProduct(const JsonFields &fields, const Layer &layer, Kernel &kernel) {
  const std::string weights = fields.string("weights");
  if (weights == "packed")
    kernel.weights = WeightsForm::Packed;
  else if (weights == "copied")
    kernel.weights = WeightsForm::Copied;
  else if (weights == "direct")
    kernel.weights = WeightsForm::Direct;
  else
    fields.fail("weights", "is '" + weights + "', not packed, copied or direct");
  if (kernel.map == name(Map::Dx) && kernel.weights != WeightsForm::Copied)
    fields.fail("weights", "is '" + weights + "', but kernels of dx are copied");
  kernel.types_per_task = fields.integer("types_per_task", 1);
  kernel.rows_per_task = fields.integer("rows_per_task", 1);
  if (fields.has("direct_rows"))
    kernel.direct_rows = fields.integer("direct_rows", 0);
  if (kernel.weights != WeightsForm::Packed)
    return;
  kernel.packing.push_back(parsePacking(fields, layer));
  if (layer.fusion && layer.fusion->next)
    kernel.packing.push_back(
        parsePacking(fields.object("next"), layerOfWeight(layer, layer.fusion->weights)));
}

// What kernels of dw say.
void parseWeightGradient(const JsonFields &fields, const Layer &layer, Kernel &kernel) {
  const std::string output = fields.string("output");
  if (output != name(ElementType::F32) && output != name(layer.dtype))
    fields.fail("output", "is '" + output + "', not f32 or the layer's " + name(layer.dtype));
  kernel.output = output == name(ElementType::F32) ? ElementType::F32 : layer.dtype;
  kernel.tasks = fields.integer("tasks", 1);
}

// The matrices that a kernel for the CPU is called with, in the order of its function's arguments, as the
// headers have it for the map: another list is of code that would be called wrongly.
void checkOperands(const JsonFields &fields, Map map, const Layer &layer) {
  const auto joined = [](const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  const std::vector<std::string> given = fields.strings("operands"), wanted = cpuOperands(map, layer);
  if (given != wanted)
    fields.fail("operands", "are " + joined(given) + ", but this runtime calls kernels of " + name(map) +
                                " of such a layer with " + joined(wanted));
}

Kernel parseKernel(const JsonFields &fields, const Layer &layer) {
  Kernel kernel;
  kernel.name = fields.string("name");
  kernel.map = fields.string("map");
  kernel.target = fields.string("target");
  kernel.level = fields.has("level") ? fields.string("level") : "";
  kernel.features = fields.has("features") ? fields.strings("features") : std::vector<std::string>();
  const std::optional<Map> map = mapNamed(kernel.map);
  const bool weight_gradient = map == Map::Dw;
  if (layer.fusion && layer.fusion->next && map && map != Map::Forward)
    fields.fail("map", "is " + kernel.map + ", but layers one after another have kernels of forward alone");
  if (map && isGpuTarget(kernel.target))
    kernel.gpu = parseGpuKernel(fields, kernel.target, *map, layer);
  if (kernel.map == group_rows_map && isGpuTarget(kernel.target))
    kernel.group_rows = parseGroupRows(fields, kernel.target, layer);
  kernel.known = map && kernel.target == "cpu";
  if (!kernel.known)
    return kernel;
  kernel.section = fields.string("section");
  kernel.symbol = fields.string("symbol");
  if (kernel.symbol.empty())
    fields.fail("symbol", "is empty");
  checkOperands(fields, *map, layer);
  if (fields.has("register_tile")) {
    const std::vector<int64_t> tile = fields.integers("register_tile", 1);
    if (tile.size() != 2)
      fields.fail("register_tile", "has " + std::to_string(tile.size()) + " numbers, not 2");
    kernel.register_rows = tile[0];
    kernel.register_columns = tile[1];
  }
  // More scratch than this per thread is no kernel but an attack on memory.
  kernel.scratch_bytes = fields.integer("scratch_bytes", 0, int64_t(1) << 32);
  // Without this field a kernel knows rows of explicit types from lists, and all others from their offset.
  kernel.row_lists =
      fields.has("row_lists") ? fields.boolean("row_lists") : layer.row_types == RowTypesKind::ExplicitTypes;
  if (!kernel.row_lists && layer.row_types == RowTypesKind::ExplicitTypes)
    fields.fail("row_lists", "is false, but the layer's row types are explicit: its rows come in lists");
  if (!weight_gradient)
    parseProduct(fields, layer, kernel);
  else
    parseWeightGradient(fields, layer, kernel);
  return kernel;
}

Sections parseSections(const JsonFields &document, uint64_t sections_begin, uint64_t file_size) {
  std::vector<SectionEntry> sections;
  std::set<std::string> names;
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
    if (!names.insert(entry.name).second)
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
  return Sections(std::move(sections));
}

void requireSection(const JsonFields &fields, const char *key, const Manifest &manifest,
                    const std::string &name, const char *kind) {
  const SectionEntry *section = manifest.findSection(name);
  if (section == nullptr || section->kind != kind)
    fields.fail(key, "'" + name + "' is not a section of kind " + kind);
}

// Kernels of a fused layer compute one thing: what it reads and writes is said of that alone.
void requireOneMap(const JsonFields &fields, const std::vector<Kernel> &kernels) {
  const std::string *map = nullptr;
  for (const Kernel &kernel : kernels) {
    if (!mapNamed(kernel.map))
      continue;
    if (kernel.map == name(Map::Dw))
      fields.fail("kernels", "have '" + kernel.name +
                                 "' of dw, but the layer is fused: its kernels are of "
                                 "forward or dx");
    if (map != nullptr && kernel.map != *map)
      fields.fail("kernels", "are of forward and of dx, but the layer is fused: its kernels are of one map");
    map = &kernel.map;
  }
}

// The layer, the support and the kernels of the document itself, or of an entry of its projections.
Projection parseProjection(const JsonFields &fields, const Manifest &manifest) {
  Projection projection;
  projection.layer = parseLayer(fields.object("layer"));
  const JsonFields support = fields.object("support");
  projection.support = parseSupportDescription(support, projection.layer);
  for (const SupportFactor &factor : projection.support.factors)
    if (factor.kind == SupportKind::Table)
      requireSection(support, "section", manifest, factor.section, "terms");
  for (const JsonFields &entry : fields.objects("kernels")) {
    Kernel kernel = parseKernel(entry, projection.layer);
    if (kernel.known)
      requireSection(entry, "section", manifest, kernel.section, "shared-object");
    if (const GpuCode *code = kernel.gpuCode())
      for (const GpuImage &image : code->images)
        requireSection(entry, "images", manifest, image.section, name(image.kind));
    projection.kernels.push_back(std::move(kernel));
  }
  if (projection.layer.fusion)
    requireOneMap(fields, projection.kernels);
  return projection;
}

// Layer, support and kernels are there together, or none of them.
void parseOwn(const JsonFields &document, Manifest &manifest) {
  if (!document.has("layer") && !document.has("support") && !document.has("kernels"))
    return;
  Projection own = parseProjection(document, manifest);
  if (own.layer.fusion)
    document.object("layer").fail("fused", "is given, but the bundle's own projection is a plain one");
  manifest.layer = std::move(own.layer);
  manifest.support = std::move(own.support);
  manifest.kernels = std::move(own.kernels);
}

void parseFurther(const JsonFields &document, Manifest &manifest) {
  if (!document.has("projections"))
    return;
  const std::vector<JsonFields> entries = document.objects("projections");
  if (entries.size() > most_projections)
    document.fail("projections", "are " + std::to_string(entries.size()) + ", more than the " +
                                     std::to_string(most_projections) + " that this runtime reads");
  for (const JsonFields &fields : entries) {
    const std::string name = fields.string("name");
    if (name.empty() ||
        std::ranges::find(manifest.further, name, &Projection::name) != manifest.further.end())
      fields.fail("name", name.empty() ? "is empty" : "'" + name + "' is used twice");
    manifest.further.push_back(parseProjection(fields, manifest));
    manifest.further.back().name = name;
  }
}

// The functions whose kernels lie in sections that exist.
std::vector<Elementwise> parseFunctions(const JsonFields &document, const Manifest &manifest) {
  std::vector<Elementwise> functions = parseElementwise(document);
  for (const Elementwise &function : functions)
    for (const ElementwiseKernel &kernel : function.kernels) {
      if (kernel.known && !kernel.gpu)
        requireSection(document, "elementwise", manifest, kernel.section, "shared-object");
      if (kernel.gpu)
        for (const GpuImage &image : kernel.gpu->images)
          requireSection(document, "elementwise", manifest, image.section, name(image.kind));
    }
  return functions;
}

} // namespace

const char *name(WeightsForm form) {
  switch (form) {
  case WeightsForm::Packed:
    return "packed";
  case WeightsForm::Copied:
    return "copied";
  case WeightsForm::Direct:
    return "direct";
  }
  return "unknown";
}

const char *name(Map map) {
  switch (map) {
  case Map::Forward:
    return "forward";
  case Map::Dx:
    return "dx";
  case Map::Dw:
    return "dw";
  }
  return "unknown";
}

std::optional<Map> mapNamed(std::string_view wanted) {
  for (const Map map : {Map::Forward, Map::Dx, Map::Dw})
    if (wanted == name(map))
      return map;
  return std::nullopt;
}

std::vector<std::string> cpuOperands(Map map, const Layer &layer) {
  if (map != Map::Dw)
    return productOperands(layer, map);
  const OperandNames names = operandNames(map);
  return {names.x, names.w, names.y};
}

Sections::Sections(std::vector<SectionEntry> entries) {
  Table table{std::move(entries), {}};
  for (size_t i = 0; i < table.entries.size(); ++i)
    table.numbers.emplace(table.entries[i].name, i);
  table_ = std::make_shared<const Table>(std::move(table));
}

const SectionEntry *Sections::find(std::string_view name) const {
  const auto found = table_->numbers.find(name);
  return found == table_->numbers.end() ? nullptr : &table_->entries[found->second];
}

const SectionEntry *Manifest::findSection(std::string_view name) const { return sections.find(name); }

const Program *Manifest::findProgram(std::string_view wanted) const {
  const auto found =
      std::ranges::find(programs, wanted, [](const Program &one) { return std::string_view(one.name); });
  return found == programs.end() ? nullptr : &*found;
}

Manifest parseManifest(std::string_view json, uint64_t sections_begin, uint64_t file_size) {
  if (const std::string fault = JsonScan(deepest_manifest).fault(json); !fault.empty())
    throw Error(ALGRT_BAD_BUNDLE, "manifest: " + fault);
  const auto parsed = nlohmann::json::parse(json);
  const JsonFields document(parsed, "");
  if (int64_t version = document.integer("format", 1); version > format::version)
    throw Error(ALGRT_NEWER_FORMAT, "manifest: format " + std::to_string(version) + " is newer than " +
                                        std::to_string(format::version) +
                                        ", the newest that this runtime reads");
  else if (version < format::version)
    document.fail("format",
                  "is " + std::to_string(version) + ", made by an earlier algctl: compile the spec again");
  Manifest manifest;
  manifest.compiler = document.has("compiler") ? document.string("compiler") : "";
  if (document.has("algebra")) {
    const JsonFields algebra = document.object("algebra");
    manifest.algebra = algebra.has("name") ? algebra.string("name") : "";
  }
  manifest.sections = parseSections(document, sections_begin, file_size);
  parseOwn(document, manifest);
  parseFurther(document, manifest);
  manifest.elementwise = parseFunctions(document, manifest);
  std::vector<NamedLayer> layers;
  if (manifest.layer)
    layers.push_back({"", &*manifest.layer});
  for (const Projection &further : manifest.further)
    layers.push_back({further.name, &further.layer});
  std::vector<NamedFunction> functions;
  for (const Elementwise &function : manifest.elementwise)
    functions.push_back({function.name, operandsOf(function)});
  manifest.programs = parsePrograms(document, {layers, functions});
  if (!manifest.layer && manifest.programs.empty())
    document.fail("layer", "is missing, and there are no programs: the bundle holds nothing");
  return manifest;
}

} // namespace algrt
