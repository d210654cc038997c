#include "compiler/tools/program_options.h"

#include "compiler/spec/usage_error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace compiler {

void addProgramMaps(CLI::App &app, std::string &maps) {
  app.add_option("--program-maps", maps,
                 "of programs, separated by commas: forward, they themselves, and for training backward, the "
                 "gradients of their results to those of their tensors")
      ->type_name("MAPS")
      ->default_str("forward")
      ->group("Target");
}

void addFusing(CLI::App &app, std::string &fuse) {
  app.add_option(
         "--fuse", fuse,
         "of programs, what shares a kernel: nothing, products of the same rows with the maps of their "
         "sums, or layers, products of what these leave, too, where one kernel is predicted to be faster")
      ->type_name("WHAT")
      ->default_str("layers")
      ->group("Target");
}

Fusing fusingOf(const std::string &fuse) {
  if (fuse.empty())
    return Fusing::Layers;
  static const std::vector<std::string> names = {"nothing", "products", "layers"}; // as the enum has them
  const auto found = std::find(names.begin(), names.end(), fuse);
  if (found == names.end())
    throw UsageError(fmt::format("--fuse is {}, not '{}'", fmt::join(names, ", "), fuse));
  return static_cast<Fusing>(found - names.begin());
}

ProgramMaps programMapsOf(const std::string &maps) {
  if (maps.empty())
    return {};
  ProgramMaps wanted{false, false};
  for (std::string &name : CLI::detail::split(maps, ',')) {
    CLI::detail::trim(name);
    if (name != "forward" && name != "backward")
      throw UsageError(fmt::format("--program-maps names '{}'; there are forward and backward", name));
    (name == "forward" ? wanted.forward : wanted.backward) = true;
  }
  return wanted;
}

} // namespace compiler
