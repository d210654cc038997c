// algctl run: one product of a bundle, on given or random data, checked on request.
#include "compiler/tools/commands.h"

#include "compiler/spec/integer_option.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/array_outputs.h"
#include "compiler/tools/program_options.h"
#include "compiler/tools/run_arrays.h"
#include "compiler/tools/run_check.h"
#include "compiler/tools/run_product.h"
#include "compiler/tools/run_program.h"
#include "runtime/bundle/bundle.h"
#include "runtime/numpy/npy.h"
#include "runtime/reference/compare.h"
#include "runtime/support/checked.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace compiler {
namespace {

struct RunOptions {
  std::string bundle, map = "forward", output, dbias_output, result_type;
  ArraySources sources;
  std::optional<int64_t> m;
  std::optional<uint64_t> seed;
  ProductOptions product;
  std::string program;
  std::vector<std::string> sets, gets; // NAME=FILE
  std::optional<int64_t> experts;
  std::string expert_starts, expert_rows;
  bool check = false, packed = false, no_packed = false, json = false;
};

algrt::Map mapOf(const algrt::Bundle &bundle, const std::string &wanted) {
  std::set<std::string> maps;
  for (const algrt::Kernel &kernel : bundle.manifest().kernels)
    maps.insert(kernel.map);
  if (!maps.contains(wanted))
    throw Failure(
        fmt::format("the bundle has no kernel for map {}: it has {}", wanted, fmt::join(maps, ", ")));
  if (const std::optional<algrt::Map> map = algrt::mapNamed(wanted))
    return *map;
  throw AbsentError(
      fmt::format("map {} is not one that this version runs: it runs forward, dx and dw", wanted));
}

// All that a run takes besides its arrays.
int64_t furtherBytes(const RunOptions &options, const algrt::Layer &layer, int64_t m) {
  using algrt::checkedAdd, algrt::checkedMultiply;
  const auto [rows, width] = resultShape(layer, m, options.product.map);
  int64_t bytes = productBytes(options.bundle, layer, m, options.product);
  auto count = [&](int64_t row_count, int64_t element) {
    const int64_t row = checkedMultiply(width, element, "a row of the result");
    bytes = checkedAdd(bytes, checkedMultiply(row_count, row, "the result"), "the bytes of all matrices");
  };
  if (!options.output.empty())
    count(rows, 4);
  if (options.check) // in double, and beside it the rows that are compared
    count(std::min(rows, mostCheckedRows(layer, m, options.product.map)), 12);
  return bytes;
}

nlohmann::ordered_json asJson(const algrt::Bundle &bundle, const RunOptions &options, const RunArrays &arrays,
                              const ProductResult &result, const std::optional<RunCheck> &check) {
  const algrt::Layer &layer = bundle.layer();
  nlohmann::ordered_json json{
      {"bundle", options.bundle},
      {"algebra", bundle.manifest().algebra},
      {"map", options.map},
      {"m", arrays.m},
      {"k", layer.k},
      {"n", layer.n},
      {"dtype", algrt::name(layer.dtype)},
      {"offset",
       arrays.positions.any() ? nlohmann::ordered_json() : nlohmann::ordered_json(options.product.p0)},
      {"sequence_rows", arrays.positions.sequence_rows > 0
                            ? nlohmann::ordered_json(arrays.positions.sequence_rows)
                            : nlohmann::ordered_json()},
      {"packed", result.packed},
      {"pack_us",
       result.packed ? nlohmann::ordered_json(result.pack_seconds * 1e6) : nlohmann::ordered_json()},
      {"algebra_us", result.seconds * 1e6},
      {"output", options.output.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(options.output)}};
  json["check"] = nullptr;
  if (check)
    json["check"] = {{"passed", check->passed()},
                     {"relative_l2", check->comparison.relative_l2},
                     {"limit", check->limit},
                     {"max_rel_error", check->comparison.max_relative},
                     {"kind_mismatches", check->comparison.kind_mismatches},
                     {"rows", check->rows}};
  return json;
}

// Where the rows of the batch are.
std::string placeText(const RunArrays &arrays, const ProductOptions &options) {
  if (const auto &starts = arrays.positions.sequence_starts)
    return fmt::format("in {} sequence{}", starts->size() - 1, starts->size() == 2 ? "" : "s");
  if (arrays.positions.positions)
    return "at positions of their own";
  return (arrays.positions.sequence_rows > 0
              ? fmt::format("in sequences of {}, each ", arrays.positions.sequence_rows)
              : std::string()) +
         fmt::format("from position {}", options.p0);
}

std::string asText(const algrt::Bundle &bundle, const RunOptions &options, const RunArrays &arrays,
                   const ProductResult &result, const std::optional<RunCheck> &check) {
  const algrt::Layer &layer = bundle.layer();
  std::string text =
      fmt::format("{} {} -> {} {}{}, M = {} {}: {:.3f} ms", bundle.manifest().algebra, layer.k, layer.n,
                  algrt::name(layer.dtype), options.map == "forward" ? "" : ", " + options.map, arrays.m,
                  placeText(arrays, options.product), result.seconds * 1e3);
  text += result.packed
              ? fmt::format(" with packed weights (packing took {:.3f} ms)\n", result.pack_seconds * 1e3)
          : options.product.map == algrt::Map::Dw ? "\n"
                                                  : " with weights as they are\n";
  if (check)
    text += fmt::format("relative L2 error {:.3e} over {} rows, limit {:.0e}: {}\n",
                        check->comparison.relative_l2, check->rows, check->limit,
                        check->passed() ? "good" : "WRONG");
  return text;
}

/// Whether a program is asked for, or there is nothing else in the bundle.
bool asksForProgram(const RunOptions &options) {
  if (!options.program.empty() || !options.sets.empty() || !options.gets.empty())
    return true;
  if (!holdsProgramsAlone(options.bundle))
    return false;
  const ArraySources &sources = options.sources;
  const bool of_projection = !sources.x.empty() || !sources.dy.empty() || !sources.dw.empty() ||
                             !sources.w.empty() || !sources.bias.empty() || !sources.types.empty() ||
                             sources.positions.any() || !options.output.empty() ||
                             !options.dbias_output.empty() || !options.result_type.empty() ||
                             options.map != "forward" || options.packed || options.no_packed;
  if (of_projection)
    throw UsageError(fmt::format("{} holds programs, whose operands have names: --program NAME --set x=x.npy "
                                 "--get y=y.npy; algctl inspect lists them",
                                 options.bundle));
  return true;
}

int run(RunOptions options, const ProgramTools &tools) {
  if (options.packed || options.no_packed)
    options.product.packed = options.packed;
  if (options.m) {
    if (*options.m < 1)
      throw UsageError(fmt::format("--m must be at least 1, got {}", *options.m));
    options.sources.m = *options.m;
  }
  if (options.product.p0 < 0)
    throw UsageError(fmt::format("--offset is {}: positions count from 0", options.product.p0));
  ArrayOutputs outputs(options.output, options.dbias_output, options.json);
  requireExpertCount(options.experts);
  if (!options.expert_rows.empty() && !options.experts && options.expert_starts.empty())
    throw UsageError("--expert-rows is what --experts or --expert-starts divides: add one of them");
  if (asksForProgram(options))
    return runProgram({options.bundle, options.program.empty() ? "forward" : options.program, options.sets,
                       options.gets, options.m, options.product.p0, options.sources.positions.sequence_rows,
                       options.product.threads, options.product.beta, options.seed,
                       options.experts.value_or(0), options.expert_starts, options.expert_rows, options.check,
                       options.json},
                      tools);
  if (options.experts || !options.expert_starts.empty())
    throw UsageError(fmt::format("{} is for programs: name one with --program",
                                 options.experts ? "--experts" : "--expert-starts"));
  if (options.seed)
    options.sources.seed = *options.seed;

  algrt::Bundle bundle = algrt::Bundle::open(options.bundle);
  options.product.map = mapOf(bundle, options.map);
  const bool forward = options.product.map == algrt::Map::Forward;
  if (!forward && options.packed)
    throw UsageError("--packed is for the map forward: a gradient reads the weights as they are");
  const bool weight_gradient = options.product.map == algrt::Map::Dw;
  if (!weight_gradient && (options.product.beta != 0 || !options.result_type.empty()))
    throw UsageError(
        fmt::format("{} is for the map dw", options.product.beta != 0 ? "--beta" : "--result-dtype"));
  if (!weight_gradient && !options.dbias_output.empty())
    throw UsageError("--dbias is for the map dw");
  options.product.dbias = !options.dbias_output.empty();
  if (options.product.dbias && !bundle.layer().bias)
    throw Failure("the layer has no bias: leave --dbias out, or give it one with --bias");
  if (!options.result_type.empty())
    options.product.result_type =
        options.result_type == "f32" ? algrt::ElementType::F32 : algrt::ElementType::Bf16;
  if (!std::isfinite(options.product.beta))
    throw UsageError("--beta is not finite");
  if (!options.sources.dw.empty() && options.product.beta == 0)
    throw UsageError("--dw is what is added to, but --beta is 0: the file would not be read");
  options.sources.offset = options.product.p0;
  options.sources.further = [&](int64_t m) { return furtherBytes(options, bundle.layer(), m); };
  RunArrays arrays = makeArrays(bundle.layer(), options.sources, options.product.map);
  ProductResult result = runProduct(options.bundle, bundle.layer(), arrays, options.product);
  std::optional<RunCheck> check;
  if (options.check)
    check = compareWithReference(bundle, arrays, result.y, options.product);
  if (options.check && options.product.dbias)
    requireRightDbias(arrays, result.dbias, options.product, bundle.layer().dtype);

  if (outputs.result) {
    outputs.result->commit(
        algrt::encodeNpy(resultArrayShape(bundle.layer(), arrays.m, options.product.map), result.y));
  }
  if (outputs.dbias)
    outputs.dbias->commit(algrt::encodeNpy(std::vector<int64_t>{bundle.layer().n}, result.dbias));
  if (options.json)
    printJson(asJson(bundle, options, arrays, result, check));
  else
    outputs.report(asText(bundle, options, arrays, result, check));
  if (check && !check->passed())
    throw Failure(check->comparison.kind_mismatches > 0
                      ? algrt::mismatchText(check->comparison)
                      : fmt::format("the result is {:.3e} away from the reference; {:.0e} is allowed",
                                    check->comparison.relative_l2, check->limit));
  return ExitCode::Done;
}

} // namespace

/// The options of a layer's maps, of which a program has operands with names, and what to write of a program.
static void refuseLayerOptionsOfPrograms(const CLI::App &command) {
  for (const char *named : {"--program", "--set", "--get"}) {
    if (command.count(named) == 0)
      continue;
    for (const char *name : {"--x", "--dy", "--dw", "--w", "--types", "--positions", "--sequence-starts",
                             "--sequence-positions", "--bias-file"})
      if (command.count(name) > 0) {
        std::string operand = std::string(name) == "--bias-file" ? "bias" : name + 2;
        std::ranges::replace(operand, '-', '_');
        throw CLI::ExcludesError(fmt::format("{0} excludes {1}: of a program write --set {2}={3}", named,
                                             name, operand, command.get_option(name)->results().front()),
                                 CLI::ExitCodes::ExcludesError);
      }
    for (const auto &[name, instead] : {std::pair("--map", "of a program write --program NAME"),
                                        {"--output", "of a program write --get y=FILE"},
                                        {"--dbias", "of a program write --get dbias=FILE"},
                                        {"--result-dtype", "results of programs have one type"},
                                        {"--packed", "programs read the weights as they are"},
                                        {"--no-packed", "programs read the weights as they are"}})
      if (command.count(name) > 0)
        throw CLI::ExcludesError(fmt::format("{} excludes {}: {}", named, name, instead),
                                 CLI::ExitCodes::ExcludesError);
  }
}

void addRun(CLI::App &app, Session &session, const ProgramTools &tools) {
  auto options = std::make_shared<RunOptions>();
  CLI::App *command = app.add_subcommand("run", "Compute with a bundle");
  command->add_option("BUNDLE", options->bundle, "a file that compile wrote")->required()->type_name("");
  command
      ->add_option("--map", options->map,
                   "which product: forward (default), or the gradients dx of X and dw of W")
      ->type_name("MAP");
  command
      ->add_option("--program", options->program,
                   "any program of the bundle, by name: forward where only --set or --get is given")
      ->type_name("NAME");
  command
      ->add_option("--set", options->sets, "an operand of the program from a file, again for each: x=x.npy")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--get", options->gets,
                   "an output of the program into a float32 .npy, again for each: y=y.npy")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  wholeNumber(command->add_option("--m,-m", options->m, "rows of the batch, where no file says it"))
      ->type_name("M");
  command->add_option("--x", options->sources.x, "input of shape (M, K), from a .npy or safetensors file")
      ->type_name("FILE");
  command->add_option("--dy", options->sources.dy, "gradient of Y of shape (M, N), for the maps dx and dw")
      ->type_name("FILE");
  command
      ->add_option("--dw", options->sources.dw,
                   "what the map dw adds to, shaped like the weight matrix; zeros where it is left out")
      ->type_name("FILE");
  command
      ->add_option("--beta", options->product.beta,
                   "map dw: how often what was there counts, 0 (default) for not at all")
      ->type_name("B");
  command
      ->add_option("--result-dtype", options->result_type,
                   "map dw: f32 or bf16; the bundle's where it is left out")
      ->check(CLI::IsMember({"f32", "bf16"}).description(""))
      ->type_name("TYPE");
  command
      ->add_option("--w", options->sources.w,
                   "weight matrix of shape (K, N), or (m, K/m, N/m) in the slot lift")
      ->type_name("FILE");
  command
      ->add_option("--bias-file", options->sources.bias,
                   "bias of shape (N,), for the map forward where the layer has one")
      ->type_name("FILE");
  command
      ->add_option("--types", options->sources.types,
                   "row types, int32 of shape (M,), where they are explicit; of a program --set types=FILE")
      ->type_name("FILE");
  command
      ->add_option("--positions", options->sources.positions.positions,
                   "position of every row, int64 or int32 of shape (M,), in place of --offset; of a program "
                   "--set positions=FILE")
      ->type_name("FILE");
  command
      ->add_option("--sequence-starts", options->sources.positions.sequence_starts,
                   "first row of every sequence of a ragged batch, and the number of rows: int64 or int32 of "
                   "shape (S + 1,); of a program --set sequence_starts=FILE")
      ->type_name("FILE");
  command
      ->add_option("--sequence-positions", options->sources.positions.sequence_positions,
                   "position of every sequence's first row, of shape (S,); all 0 where it is left out; of a "
                   "program --set sequence_positions=FILE")
      ->type_name("FILE");
  wholeNumber(command->add_option("--sequence-rows", options->sources.positions.sequence_rows,
                                  "the batch is sequences of so many rows, each from --offset on"))
      ->check(CLI::Range(int64_t{1}, std::numeric_limits<int64_t>::max()).description(""))
      ->type_name("T");
  CLI::Option *experts = wholeNumber(command->add_option(
      "--experts", options->experts,
      "programs: the rows are divided among so many networks by chance, each with weights of its own"));
  experts->type_name("E");
  command
      ->add_option(
          "--expert-starts", options->expert_starts,
          "the same with the rows that this file says: the first row of every expert, and where those "
          "of the last one end, of shape (E + 1,)")
      ->type_name("FILE")
      ->excludes(experts);
  command
      ->add_option(
          "--expert-rows", options->expert_rows,
          "with one of these: a list of rows that is divided in place of the rows, one for each row of "
          "the results, of shape (R,)")
      ->type_name("FILE");
  outputFile(command->add_option("-o,--output", options->output,
                                 "write Y, dX or dW as float32 .npy; - for standard output, where the report "
                                 "goes to standard error"));
  outputFile(command->add_option(
      "--dbias", options->dbias_output,
      "map dw: write the gradient of the bias, the sums of dY's columns, as float32 .npy"));
  wholeNumber(command->add_option("--offset", options->product.p0, "absolute position of the first row"))
      ->type_name("P");
  wholeNumber(
      command->add_option("--threads", options->product.threads, "threads to use, 0 (default) for all"))
      ->check(CLI::Range(0, 1 << 16))
      ->type_name("N");
  wholeNumber(command->add_option("--seed", options->seed, "of the random numbers that stand in for files"))
      ->check(CLI::Range(int64_t{0}, std::numeric_limits<int64_t>::max()).description(""))
      ->type_name("S");
  command->add_flag("--check", options->check,
                    "compare with a double-precision evaluation; exit 1 when it differs");
  auto *packed =
      command->add_flag("--packed", options->packed, "pack the weights first (default where possible)");
  command->add_flag("--no-packed", options->no_packed, "use the weights as they are")->excludes(packed);
  command->add_flag("--json", options->json, "print one JSON object");
  command->footer(
      R"help(Arrays are rounded to the bundle's element type on the way in. Without files, seeded random numbers are used;
of programs, where no --get asks for a result, or --seed is given.

A FILE is a .npy (float32, for --types int32, for positions and sequences int64 or int32), or a tensor out of a
safetensors file (F32, BF16 or F16; I32; I64 or I32) written FILE.safetensors:TENSOR; the name may be left out where
the file has only one.

Examples:
  algctl run up.alg --m 2048 --check
  algctl run up.alg --x x.npy --w w.npy -o y.npy
  algctl run biased.alg --x x.npy --w w.npy --bias-file b.npy -o y.npy
  algctl run up.alg --m 2048 --w model.safetensors:layers.0.up_proj.w --check
  algctl run up.alg --m 1 --offset 511 --no-packed --json
  algctl run up.alg --x x.npy --sequence-starts starts.npy --check
  algctl run up.alg --m 4096 --sequence-rows 512 --check
  algctl run ffn.alg --m 128 --experts 8 --check
  algctl run up.alg --program forward --set x=x.npy --set w=w.npy --get y=y.npy
  algctl run swiglu.alg --program backward --m 300 --check
  algctl run up.alg --map dx --dy dy.npy --w w.npy -o dx.npy
  algctl run up.alg --map dw --x x.npy --dy dy.npy --result-dtype f32 -o dw.npy)help");
  command->callback([&session, command, options, tools] {
    refuseLayerOptionsOfPrograms(*command);
    session.run = [options, tools] { return run(*options, tools); };
  });
}

} // namespace compiler
