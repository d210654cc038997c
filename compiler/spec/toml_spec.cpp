#include "compiler/spec/toml_spec.h"

#include "algebras/constructions.h"
#include "algebras/expression.h"
#include "algebras/graph/graph.h"
#include "compiler/spec/algebra_file.h"
#include "compiler/spec/toml_document.h"

#include <filesystem>
#include <fmt/format.h>
#include <set>

namespace compiler {
namespace {

using algebras::Algebra;
using algebras::Field;
using algebras::InputError;

constexpr std::string_view kAlgebra = "algebra";
constexpr std::string_view kLayer = "layer";
const std::vector<std::string_view> kAlgebraKeys = {
    "product", "graph", "vertices", "edges", "table", "field", "allow_nonassociative"};
const std::vector<std::string_view> kLayerKeys = {"kind",  "in",        "in_groups", "out", "out_groups",
                                                  "dtype", "row_types", "lift",      "bias"};

std::vector<std::pair<std::string_view, std::string_view>> keysOf(const std::vector<std::string_view> &keys,
                                                                  std::string_view section) {
  std::vector<std::pair<std::string_view, std::string_view>> pairs;
  for (std::string_view key : keys)
    pairs.emplace_back(key, section);
  return pairs;
}

std::string resolve(const Given<std::string> &file, const TomlSpecOptions &options) {
  if (file.value.empty())
    file.refuse(fmt::format("'{}' names no file", file.key));
  std::string path = (std::filesystem::path(options.base_directory) / file.value).lexically_normal().string();
  std::error_code status;
  if (!std::filesystem::exists(path, status))
    file.refuse(fmt::format("there is no file {}", path),
                "file names are relative to the folder of the spec");
  return path;
}

Algebra inlineGraph(const TomlSection &section, const Field &field) {
  auto vertices = section.integer("vertices");
  auto edges = section.integerPairs("edges");
  if (!vertices)
    throw InputError("'edges' without 'vertices'", section.whereKey("edges"))
        .hint("say how many vertices there are, for example vertices = 3");
  if (vertices->value < 1)
    vertices->refuse(fmt::format("a graph needs at least one vertex, not {}", vertices->value));

  std::vector<std::pair<std::int64_t, std::int64_t>> list;
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  if (edges) {
    for (const auto &edge : edges->value) {
      auto [from, to] = edge.value;
      for (std::int64_t end : {from, to})
        if (end < 0 || end >= vertices->value)
          edge.refuse(fmt::format("vertex {} does not exist: {} vertices count from 0 to {}", end,
                                  vertices->value, vertices->value - 1));
      if (from == to)
        edge.refuse(fmt::format("edge {} -> {} is a loop", from, to),
                    "leave it out: every vertex has its idempotent already");
      if (!seen.insert(edge.value).second)
        edge.refuse(fmt::format("edge {} -> {} is there twice", from, to), "an edge may be named once");
      list.push_back(edge.value);
    }
  }
  return pointingAt(
      *vertices, [&] { return algebras::graphAlgebra(algebras::makeGraph(vertices->value, list), field); });
}

Algebra readAlgebra(const TomlSection &section, const TomlSpecOptions &options) {
  auto product = section.string("product");
  auto graph = section.string("graph");
  auto table = section.string("table");
  bool inline_graph = section.has("vertices") || section.has("edges");

  int sources = (product ? 1 : 0) + (graph ? 1 : 0) + (table ? 1 : 0) + (inline_graph ? 1 : 0);
  if (sources != 1)
    throw InputError(sources == 0 ? "[algebra] does not say which algebra"
                                  : "[algebra] names more than one algebra",
                     section.where())
        .hint("give one of: product = \"Q(32)\", graph = \"file.dot\", vertices and edges, table = "
              "\"file.json\"");

  std::optional<Given<std::string>> field_name = section.string("field");
  if (options.field)
    field_name = Given<std::string>{*options.field, "--field", std::nullopt};
  std::optional<Field> field;
  if (field_name)
    field = pointingAt(*field_name, [&] { return Field::parse(field_name->value); });

  if (product)
    return parseProduct(*product, options.base_directory, field);
  if (graph)
    return pointingAt(*graph, [&] { return readGraphAlgebra(resolve(*graph, options), field); });
  if (table)
    return pointingAt(*table, [&] { return readTableAlgebra(resolve(*table, options), field); });
  return inlineGraph(section, field.value_or(Field()));
}

LayerFields readLayer(const TomlSection &section) {
  LayerFields layer;
  layer.where = section.where();
  layer.kind = section.string("kind");
  layer.in = section.integer("in");
  layer.out = section.integer("out");
  layer.in_groups = section.integers("in_groups");
  layer.out_groups = section.integers("out_groups");
  layer.dtype = section.string("dtype");
  layer.row_types = section.string("row_types");
  layer.lift = section.string("lift");
  layer.bias = section.boolean("bias");
  return layer;
}

} // namespace

TomlSpec parseTomlSpec(std::string_view content, const TomlSpecOptions &options) {
  TomlText text{content, options.file};
  toml::table document = parseToml(text);
  TomlSection root(text, document, "");
  std::vector<std::pair<std::string_view, std::string_view>> elsewhere = keysOf(kAlgebraKeys, kAlgebra);
  for (auto &pair : keysOf(kLayerKeys, kLayer))
    elsewhere.push_back(pair);
  root.refuseUnknownKeys({kAlgebra, kLayer}, elsewhere);

  std::optional<TomlSection> algebra_section = root.section(kAlgebra);
  std::optional<TomlSection> layer_section = root.section(kLayer);
  if (layer_section)
    layer_section->refuseUnknownKeys(kLayerKeys, keysOf(kAlgebraKeys, kAlgebra));
  if (!algebra_section)
    throw InputError("there is no [algebra]", algebras::locate(content, 0, options.file))
        .hint("begin with [algebra] and a line like product = \"Q(32)\"");
  algebra_section->refuseUnknownKeys(kAlgebraKeys, keysOf(kLayerKeys, kLayer));

  auto allow = algebra_section->boolean("allow_nonassociative");
  return TomlSpec{readAlgebra(*algebra_section, options), allow && allow->value,
                  layer_section ? readLayer(*layer_section) : LayerFields()};
}

} // namespace compiler
