// algctl cost: what a layer costs, before anything is compiled.
#include "compiler/tools/commands.h"

#include "algebras/cost/report.h"
#include "compiler/spec/integer_option.h"
#include "compiler/spec/spec_options.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/cost_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

struct CostCommand {
  SpecOptions spec;
  std::int64_t m = 0;
  std::int64_t p0 = 0;
  std::vector<std::int64_t> tile, leaf;
  bool json = false;
};

void readTriple(const std::vector<std::int64_t> &given, const char *option, std::int64_t &first,
                std::int64_t &second, std::int64_t &third) {
  if (given.empty())
    return;
  if (given.size() != 3)
    throw UsageError(fmt::format("{} takes three numbers, not {}", option, given.size()));
  for (std::int64_t value : given)
    if (value < 1)
      throw UsageError(fmt::format("{} takes numbers from 1 on, not {}", option, value));
  first = given[0];
  second = given[1];
  third = given[2];
}

int cost(const CostCommand &options) {
  algebras::cost::CostOptions cost_options;
  readTriple(options.tile, "--tile", cost_options.tile.rows, cost_options.tile.columns,
             cost_options.tile.depth);
  readTriple(options.leaf, "--leaf", cost_options.leaf.m, cost_options.leaf.k, cost_options.leaf.n);
  Spec spec = loadSpec(options.spec);
  algebras::cost::CostReport report =
      algebras::cost::costReport(requireLayer(spec), options.m, options.p0, cost_options);
  fmt::print("{}", options.json ? algebras::cost::toJson(report).dump(2) + "\n" : costText(report));
  return kDone;
}

} // namespace

void addCost(CLI::App &app, Session &session) {
  auto options = std::make_shared<CostCommand>();
  CLI::App *command = app.add_subcommand("cost", "Count the products, bytes and parameters of a layer");
  addSpecOptions(*command, options->spec);
  wholeNumber(command->add_option("--m,-m", options->m, "rows of the batch"))->required()->type_name("M");
  wholeNumber(command->add_option("--p0,--offset", options->p0, "absolute position of the first row"))
      ->type_name("P");
  wholeNumber(
      command->add_option("--tile", options->tile, "tile that padding is counted for, default 128,128,1"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("ROWS,COLUMNS,DEPTH");
  wholeNumber(
      command->add_option("--leaf", options->leaf, "least efficient block product, default 128,128,128"))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("M,K,N");
  command->add_flag("--json", options->json, "print one JSON object");
  command->footer(R"help(Examples:
  algctl cost examples/qwen3-1.7b-up.toml --m 2048
  algctl cost "Q(2)^2" --in 768 --out 1536 --row-types "interval(192)" --m 768 --json
  algctl cost "Q(3)" --in-groups 640,512,896 --out-groups 2048,2048,2048 --m 100 --p0 7)help");
  command->callback([&session, options] { session.run = [options] { return cost(*options); }; });
}

} // namespace compiler
