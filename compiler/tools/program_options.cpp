#include "compiler/tools/program_options.h"

#include "compiler/spec/usage_error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace compiler {

void addProgramMaps(CLI::App &app, std::string &maps) {
  app.add_option("--program-maps", maps,
                 "of programs, separated by commas: forward, they themselves, and for training backward, the "
                 "gradients of their results to those of their tensors")
      ->type_name("MAPS")
      ->default_str("forward")
      ->group("Target");
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
