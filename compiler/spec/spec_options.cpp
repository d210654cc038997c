#include "compiler/spec/spec_options.h"
#include "compiler/spec/integer_option.h"

#include "compiler/spec/algebra_file.h"
#include "compiler/spec/build_layer.h"
#include "compiler/spec/build_program.h"
#include "compiler/spec/text_file.h"
#include "compiler/spec/toml_spec.h"
#include "compiler/spec/usage_error.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>

namespace compiler {
namespace {

constexpr int64_t largest_spec = int64_t{1} << 20;

LayerFields layerOnCommandLine(const SpecOptions &options) {
  LayerFields layer;
  auto take = [](auto &field, const auto &value, const char *key) {
    if (!value.empty())
      field = {value, key, std::nullopt};
  };
  if (options.in)
    layer.in = {*options.in, "--in", std::nullopt};
  if (options.out)
    layer.out = {*options.out, "--out", std::nullopt};
  take(layer.in_groups, options.in_groups, "--in-groups");
  take(layer.out_groups, options.out_groups, "--out-groups");
  take(layer.dtype, options.dtype, "--dtype");
  take(layer.row_types, options.row_types, "--row-types");
  take(layer.lift, options.lift, "--lift");
  if (options.bias)
    layer.bias = {*options.bias, *options.bias ? "--bias" : "--no-bias", std::nullopt};
  return layer;
}

// What is said of the width between the products beside what there is of layers.
ProgramFields programOnCommandLine(const SpecOptions &options) {
  ProgramFields program;
  program.layer = layerOnCommandLine(options);
  if (options.hidden)
    program.hidden = {*options.hidden, "--hidden", std::nullopt};
  if (!options.hidden_groups.empty())
    program.hidden_groups = {options.hidden_groups, "--hidden-groups", std::nullopt};
  return program;
}

void refuseHidden(const SpecOptions &options) {
  if (options.hidden || !options.hidden_groups.empty())
    throw UsageError(fmt::format("{} is for programs, of which {} has none",
                                 options.hidden ? "--hidden" : "--hidden-groups", options.spec));
}

// A program in a file says everything itself.
Spec programSpec(const std::string &path, const SpecOptions &options) {
  refuseLayerOptions(options, path);
  Spec spec;
  spec.source_name = options.spec;
  spec.program = readProgramFile(path);
  return spec;
}

TomlSpec readTomlSpec(const std::string &path, const SpecOptions &options) {
  TomlSpecOptions toml;
  toml.file = path;
  toml.base_directory = std::filesystem::path(path).parent_path().string();
  if (!options.field.empty())
    toml.field = options.field;
  return parseTomlSpec(readTextFile(path, largest_spec), toml);
}

algebras::Algebra readPlainAlgebra(const SpecOptions &options) {
  std::optional<algebras::Field> field;
  if (!options.field.empty()) {
    Given<std::string> given{options.field, "--field", std::nullopt};
    field = pointingAt(given, [&] { return algebras::Field::parse(given.value); });
  }
  switch (specFileKind(options.spec)) {
  case SpecFileKind::Graph:
    return readGraphAlgebra(options.spec, field);
  case SpecFileKind::Table:
    return readTableAlgebra(options.spec, field);
  case SpecFileKind::Toml:
  case SpecFileKind::Program:
  case SpecFileKind::None:
    break;
  }
  try {
    return parseProduct({options.spec, "SPEC", std::nullopt}, ".", field);
  } catch (const algebras::InputError &) {
    // A file with an unexpected name was probably not meant as an expression.
    std::error_code status;
    if (std::filesystem::exists(options.spec, status))
      throw algebras::InputError(fmt::format("{} is not a kind of file that can be read here", options.spec))
          .hint("a spec is a .toml, .dot, .gv, .graphml or .json file, or an expression like \"Q(32)\"; a "
                "program is a .mlir file");
    throw;
  }
}

} // namespace

void addSpecOptions(CLI::App &app, SpecOptions &options) {
  app.add_option("SPEC", options.spec,
                 "a spec (.toml), a graph (.dot, .gv, .graphml), a table (.json), a program (.mlir), or an "
                 "expression "
                 "like \"Q(2)^2\"")
      ->required()
      ->type_name("");
  addLayerOptions(app, options);
}

void addLayerOptions(CLI::App &app, SpecOptions &options) {
  app.add_option("--field", options.field, "ground field: Q, or a prime field like GF(7)")
      ->type_name("FIELD")
      ->group("Algebra");
  app.add_flag("--allow-nonassociative", options.allow_nonassociative,
               "accept a table that is not associative; products can then not be composed or fused")
      ->group("Algebra");

  const char *layer = "Layer (each takes the place of what a spec file says)";
  wholeNumber(app.add_option("--in", options.in, "width K of the input"))->type_name("K")->group(layer);
  wholeNumber(app.add_option("--out", options.out, "width N of the output"))->type_name("N")->group(layer);
  wholeNumber(app.add_option("--hidden", options.hidden, "width between the products of the program swiglu"))
      ->type_name("H")
      ->group(layer);
  wholeNumber(app.add_option("--in-groups", options.in_groups,
                             "widths of the input groups, where they are not equal"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("A,B,...")
      ->group(layer);
  wholeNumber(app.add_option("--out-groups", options.out_groups, "widths of the output groups"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("A,B,...")
      ->group(layer);
  wholeNumber(app.add_option("--hidden-groups", options.hidden_groups, "widths of the groups between them"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("A,B,...")
      ->group(layer);
  app.add_option("--dtype", options.dtype, "element type: f32 (default) or bf16; sums are f32 in both")
      ->check(CLI::IsMember({"f32", "bf16"}))
      ->type_name("TYPE")
      ->group(layer);
  app.add_option("--row-types", options.row_types,
                 "schedule of types: cyclic (default), interval(WIDTH) or explicit")
      ->type_name("SCHEDULE")
      ->group(layer);
  app.add_option("--lift", options.lift, "rows (default where the algebra is matrix-like) or slots")
      ->check(CLI::IsMember({"rows", "slots"}))
      ->type_name("LIFT")
      ->group(layer);
  // Not the optional itself, which would be set where neither is given.
  app.add_flag_function(
         "--bias,!--no-bias", [&options](int64_t count) { options.bias = count > 0; },
         "add a bias, one number for each output feature; its gradient comes with that of the weight matrix")
      ->group(layer);
}

void refuseLayerOptions(const SpecOptions &options, const std::string &file) {
  const ProgramFields given = programOnCommandLine(options);
  if (given.layer.any() || given.hidden || given.hidden_groups || !options.field.empty() ||
      options.allow_nonassociative)
    throw UsageError(fmt::format("the options of algebras and layers are for those that a spec or an "
                                 "expression describes; {} says everything itself",
                                 file));
}

Spec loadSpec(const SpecOptions &options) {
  if (specFileKind(options.spec) == SpecFileKind::Program)
    return programSpec(options.spec, options);
  LayerFields layer;
  bool allow_nonassociative = options.allow_nonassociative;
  auto finish = [&](algebras::Algebra algebra) {
    layer.overrideWith(layerOnCommandLine(options));
    Spec spec{std::move(algebra), std::nullopt, allow_nonassociative, options.spec};
    refuseHidden(options);
    if (layer.any() || layer.where)
      spec.layer = buildLayer(*spec.algebra, layer);
    spec.where = layer.where;
    return spec;
  };
  if (specFileKind(options.spec) != SpecFileKind::Toml)
    return finish(readPlainAlgebra(options));
  TomlSpec toml = readTomlSpec(options.spec, options);
  if (toml.program && toml.program->file)
    return programSpec(toml.program->file->value, options);
  layer = toml.layer;
  allow_nonassociative = allow_nonassociative || toml.allow_nonassociative;
  if (!toml.program)
    return finish(std::move(*toml.algebra));
  toml.program->overrideWith(programOnCommandLine(options));
  Swiglu program = buildSwigluProgram(*toml.algebra, *toml.program);
  return {std::move(toml.algebra),  std::nullopt, allow_nonassociative, options.spec, std::move(program),
          toml.program->layer.where};
}

bool saysDtype(const SpecOptions &options) {
  if (!options.dtype.empty())
    return true;
  if (specFileKind(options.spec) != SpecFileKind::Toml)
    return false;
  const TomlSpec toml = readTomlSpec(options.spec, options);
  return toml.layer.dtype || (toml.program && toml.program->layer.dtype);
}

} // namespace compiler
