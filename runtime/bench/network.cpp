#include "runtime/bench/network.h"

#include "runtime/bundle/fusion.h"

#include <algorithm>
#include <filesystem>

namespace algrt {

namespace {

constexpr const char *steps_suffix = "-steps", *apart_suffix = "-apart", *each_suffix = "-each",
                     *activation_suffix = "-activation";

// The layer of the product that multiplies by that weight, and its support, or nothing.
std::optional<std::pair<Layer, const Support *>> layerOf(const Bundle &bundle, const Program &program,
                                                         const std::string &weight) {
  for (const ProgramStep &step : program.steps) {
    if (step.elementwise || step.map != Map::Forward || step.rows)
      continue;
    const Bundle &projection = bundle.projection(step.projection);
    const int64_t weights = fusionOf(projection.layer(), step.map).allWeights();
    for (int64_t i = 0; i < weights; ++i)
      if (const auto read = step.operands.find(numberedName("w", i));
          read != step.operands.end() && read->second == weight)
        return std::pair(layerOfWeight(projection.layer(), i), &projection.support());
  }
  return std::nullopt;
}

} // namespace

NetworkBundles NetworkBundles::beside(const std::string &bundle) {
  const std::filesystem::path path(bundle);
  const auto companion = [&](const char *what) {
    std::filesystem::path file = path;
    file.replace_filename(path.stem().string() + what + path.extension().string());
    std::error_code absent;
    return std::filesystem::exists(file, absent) ? file.string() : std::string();
  };
  return {bundle, companion(steps_suffix), companion(apart_suffix), companion(each_suffix),
          companion(activation_suffix)};
}

bool isNetworkCompanion(const std::string &path) {
  const std::string stem = std::filesystem::path(path).stem().string();
  return stem.ends_with(steps_suffix) || stem.ends_with(apart_suffix) || stem.ends_with(each_suffix) ||
         stem.ends_with(activation_suffix);
}

std::optional<Network> networkOf(const Bundle &bundle, const Program &program, std::string &why_not) {
  Network network;
  network.program = program.name;
  network.steps = program.steps.size();
  const auto not_that = [&](std::string why) {
    why_not = std::move(why);
    return std::nullopt;
  };
  for (const ProgramOperand &operand : program.operands) {
    if (operand.optional)
      continue;
    if (operand.name == "gate")
      network.gate = true;
    else if (operand.name != "x" && operand.name != "up" && operand.name != "down" && operand.name != "y")
      return not_that("takes " + operand.name + ", a network takes x, gate, up, down and y");
    if (operand.types.size() != 1 || operand.types != program.operands.front().types)
      return not_that("has tensors of different types");
  }
  for (const char *name : {"x", "up", "down", "y"})
    if (program.findOperand(name) == nullptr)
      return not_that(std::string("has no ") + name);
  const auto up = layerOf(bundle, program, "up"), down = layerOf(bundle, program, "down");
  if (!up || !down || (network.gate && !layerOf(bundle, program, "gate")))
    return not_that("multiplies by its weights otherwise than a network does");
  std::tie(network.up, network.up_support) = *up;
  std::tie(network.down, network.down_support) = *down;
  if (network.up.lift != Lift::Rows || network.up.row_types == RowTypesKind::ExplicitTypes)
    return not_that("is not of the row lift with types that follow from the position");
  if (network.up.n != network.down.k)
    return not_that("has products whose widths do not fit");
  return network;
}

} // namespace algrt
