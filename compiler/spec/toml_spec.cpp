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

constexpr std::string_view algebra_heading = "algebra";
constexpr std::string_view layer_heading = "layer";
constexpr std::string_view program_heading = "program";
const std::vector<std::string_view> algebra_keys = {
    "product", "graph", "vertices", "edges", "table", "field", "allow_nonassociative"};
const std::vector<std::string_view> layer_keys = {"kind",  "in",        "in_groups", "out", "out_groups",
                                                  "dtype", "row_types", "lift",      "bias"};
const std::vector<std::string_view> program_keys = {
    "kind",       "file",       "in",   "in_groups", "hidden", "hidden_groups", "out",
    "out_groups", "activation", "gate", "bias",      "dtype",  "row_types",     "lift"};

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

  std::vector<std::pair<int64_t, int64_t>> list;
  std::set<std::pair<int64_t, int64_t>> seen;
  if (edges) {
    for (const auto &edge : edges->value) {
      auto [from, to] = edge.value;
      for (int64_t end : {from, to})
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

ProgramFields readProgram(const TomlSection &section, const TomlSpecOptions &options) {
  ProgramFields program;
  program.layer = readLayer(section);
  program.file = section.string("file");
  program.activation = section.string("activation");
  program.hidden = section.integer("hidden");
  program.hidden_groups = section.integers("hidden_groups");
  program.gate = section.boolean("gate");
  if (!program.file)
    return program;
  for (std::string_view key : program_keys)
    if (key != "file" && section.has(key))
      throw InputError(fmt::format("'{}' beside 'file'", key), section.whereKey(key))
          .hint("a program in a file says everything itself: leave one of the two out");
  program.file->value = resolve(*program.file, options);
  return program;
}

// [algebra] of a document: what all but the program of a file need.
void requireAlgebraSection(std::string_view content, const TomlSpecOptions &options,
                           const std::optional<TomlSection> &algebra,
                           const std::optional<ProgramFields> &program) {
  const bool needed = !program || !program->file;
  if (needed && !algebra)
    throw InputError("there is no [algebra]", algebras::locate(content, 0, options.file))
        .hint("begin with [algebra] and a line like product = \"Q(32)\"");
  if (!needed && algebra)
    throw InputError("[algebra] beside a program in a file", algebra->where())
        .hint("the products of the file name their algebras: leave [algebra] out");
}

} // namespace

TomlSpec parseTomlSpec(std::string_view content, const TomlSpecOptions &options) {
  TomlText text{content, options.file};
  toml::table document = parseToml(text);
  TomlSection root(text, document, "");
  // Keys of [layer] are hinted at as such, although [program] has most of them, too.
  std::vector<std::pair<std::string_view, std::string_view>> elsewhere =
      keysOf(algebra_keys, algebra_heading);
  for (auto &pair : keysOf(layer_keys, layer_heading))
    elsewhere.push_back(pair);
  for (auto &pair : keysOf(program_keys, program_heading))
    elsewhere.push_back(pair);
  root.refuseUnknownKeys({algebra_heading, layer_heading, program_heading}, elsewhere);

  std::optional<TomlSection> algebra_section = root.section(algebra_heading);
  std::optional<TomlSection> layer_section = root.section(layer_heading);
  std::optional<TomlSection> program_section = root.section(program_heading);
  auto others = keysOf(algebra_keys, algebra_heading);
  for (auto &pair : keysOf(program_keys, program_heading))
    others.push_back(pair);
  if (layer_section)
    layer_section->refuseUnknownKeys(layer_keys, others);
  if (program_section)
    program_section->refuseUnknownKeys(program_keys, keysOf(algebra_keys, algebra_heading));
  if (layer_section && program_section)
    throw InputError("[program] beside [layer]", program_section->where())
        .hint("a spec is of one of the two; the program swiglu has its products itself");
  TomlSpec spec;
  if (program_section)
    spec.program = readProgram(*program_section, options);
  requireAlgebraSection(content, options, algebra_section, spec.program);
  if (algebra_section) {
    auto elsewhere_of_algebra = keysOf(layer_keys, layer_heading);
    for (auto &pair : keysOf(program_keys, program_heading))
      elsewhere_of_algebra.push_back(pair);
    algebra_section->refuseUnknownKeys(algebra_keys, elsewhere_of_algebra);
    spec.algebra = readAlgebra(*algebra_section, options);
    auto allow = algebra_section->boolean("allow_nonassociative");
    spec.allow_nonassociative = allow && allow->value;
  }
  if (layer_section)
    spec.layer = readLayer(*layer_section);
  return spec;
}

} // namespace compiler
