#include "compiler/tools/program_options.h"

#include "compiler/spec/integer_option.h"
#include "compiler/spec/usage_error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace compiler {

void addProgramMaps(CLI::App &app, std::optional<std::string> &maps) {
  app.add_option(
         "--program-maps", maps,
         "of programs, separated by commas: forward, they themselves, for training backward, the gradients "
         "of their results to those of their tensors, and keeping: gradients then take the sums of products "
         "from a further program that returns them, and do not compute them again; or keeping-if-faster: "
         "they "
         "do so where a step of training is predicted to take less with it")
      ->type_name("MAPS")
      ->default_str("forward")
      ->group("Target");
}

void addProgramOptions(CLI::App &app, ProgramOptions &options) {
  addProgramMaps(app, options.maps);
  app.add_option(
         "--fuse", options.fuse,
         "of programs, what shares a kernel: nothing, products of the same rows with the maps of their "
         "sums, or layers, products of what these leave, too, where one kernel is predicted to be faster")
      ->type_name("WHAT")
      ->default_str("layers")
      ->group("Target");
  wholeNumber(app.add_option("--experts", options.experts,
                             "of programs: the rows are divided among so many networks, each with weights of "
                             "its own, in one launch for all; kernels of a GPU are for such calls then"))
      ->type_name("N")
      ->group("Target");
}

static Fusing fusingOf(const std::optional<std::string> &fuse) {
  if (!fuse)
    return Fusing::Layers;
  static const std::vector<std::string> names = {"nothing", "products", "layers"}; // as the enum has them
  const auto found = std::find(names.begin(), names.end(), *fuse);
  if (found == names.end())
    throw UsageError(fmt::format("--fuse is {}, not '{}'", fmt::join(names, ", "), *fuse));
  return static_cast<Fusing>(found - names.begin());
}

ProgramMaps programMapsOf(const std::optional<std::string> &maps) {
  if (!maps)
    return {};
  ProgramMaps wanted{.forward = false};
  const auto keep = [&](Keeping when) {
    if (wanted.keeping != Keeping::Never && wanted.keeping != when)
      throw UsageError("--program-maps names both keeping and keeping-if-faster: name one of them");
    wanted.keeping = when;
  };
  for (std::string &name : CLI::detail::split(*maps, ',')) {
    CLI::detail::trim(name);
    if (name == "forward")
      wanted.forward = true;
    else if (name == "backward")
      wanted.backward = true;
    else if (name == "keeping")
      keep(Keeping::Always);
    else if (name == "keeping-if-faster")
      keep(Keeping::WhereFaster);
    else
      throw UsageError(fmt::format(
          "--program-maps names '{}'; there are forward, backward, keeping and keeping-if-faster", name));
  }
  if (wanted.keeping != Keeping::Never && !wanted.backward)
    throw UsageError("--program-maps names keeping without backward, for which something is kept");
  return wanted;
}

void apply(const ProgramOptions &options, CompileOptions &compile) {
  compile.program_maps = programMapsOf(options.maps);
  compile.fusing = fusingOf(options.fuse);
  requireExpertCount(options.experts);
  if (options.experts && compile.program_maps.backward)
    throw UsageError("--experts does not go with --program-maps backward: gradients are of one network");
  compile.experts = options.experts.value_or(0);
}

void requireExpertCount(const std::optional<int64_t> &experts) {
  if (experts && *experts < 1)
    throw UsageError(fmt::format("--experts must be at least 1, got {}", *experts));
}

void requireNone(const ProgramOptions &options, std::string_view name) {
  const char *given = options.maps      ? "--program-maps"
                      : options.fuse    ? "--fuse"
                      : options.experts ? "--experts"
                                        : nullptr;
  if (given)
    throw UsageError(fmt::format("{} is for programs, and {} is none", given, name));
}

} // namespace compiler
