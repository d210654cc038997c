// algctl inspect: what is in a bundle, and whether this machine can run it.
#include "compiler/tools/commands.h"

#include "compiler/spec/usage_error.h"
#include "compiler/tools/output_file.h"
#include "compiler/tools/program_text.h"
#include "runtime/bundle/bundle.h"
#include "runtime/cpu/elementwise.h"
#include "runtime/cpu/features.h"
#include "runtime/cuda/elementwise.h"
#include "runtime/cuda/kernels.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

struct InspectOptions {
  std::string bundle, certificate, definition;
  bool json = false;
};

// Empty when the kernel of that number runs on this machine.
std::string obstacle(const algrt::Bundle &bundle, size_t index) {
  const algrt::Kernel &kernel = bundle.manifest().kernels[index];
  if (!bundle.fault(index).empty())
    return bundle.fault(index);
  if (kernel.gpuCode())
    return algrt::cuda::GpuKernels(bundle).unusable(index);
  if (kernel.target != "cpu")
    return fmt::format("target {} is not one that this version runs", kernel.target);
  if (!kernel.known)
    return fmt::format("map {} is not one that this version runs", kernel.map);
  std::vector<std::string> missing = algrt::missingCpuFeatures(kernel.features);
  return missing.empty() ? "" : fmt::format("this CPU lacks {}", fmt::join(missing, ", "));
}

// The same of a kernel of an element-wise function.
std::string obstacle(const algrt::Bundle &bundle, size_t function, size_t kernel) {
  if (bundle.manifest().elementwise[function].kernels[kernel].gpu)
    return algrt::cuda::GpuElementwise(bundle).unusable(function, kernel);
  return algrt::CpuElementwise(bundle).unusable(function, kernel);
}

std::string signatureText(const algrt::Bundle &bundle, const std::string &path) {
  if (!bundle.signature())
    return algrt::describeSignature(path);
  return fmt::format("verified, by key {}: {}", algrt::toText(bundle.signature()->id),
                     nlohmann::json(bundle.signature()->trusted_comment)
                         .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

nlohmann::ordered_json asJson(const algrt::Bundle &bundle, const std::string &path) {
  // The manifest as it is stored has every key, those that are newer than this program included.
  auto manifest = nlohmann::ordered_json::parse(bundle.manifestText());
  nlohmann::ordered_json json;
  // First and last: none of the manifest's keys takes the place of what was found out about it.
  const auto found = [&] {
    json["bundle"] = path;
    json["sha256"] = bundle.hash();
    json["signature"] = {{"verified", bundle.signature().has_value()},
                         {"detail", signatureText(bundle, path)}};
  };
  found();
  json.update(manifest);
  found();
  const auto add_obstacle = [](nlohmann::ordered_json &kernel, const std::string &reason) {
    kernel["runs_here"] = reason.empty();
    kernel["obstacle"] = reason.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(reason);
  };
  const auto add_obstacles = [&](const algrt::Bundle &projection, nlohmann::ordered_json &kernels) {
    for (size_t index = 0; index < kernels.size(); ++index)
      add_obstacle(kernels[index], obstacle(projection, index));
  };
  if (bundle.hasProjection())
    add_obstacles(bundle, json["kernels"]);
  for (size_t number = 0; number < bundle.further().size(); ++number)
    add_obstacles(bundle.further()[number], json["projections"][number]["kernels"]);
  const std::vector<algrt::Elementwise> &functions = bundle.manifest().elementwise;
  for (size_t number = 0; number < functions.size(); ++number)
    for (size_t kernel = 0; kernel < functions[number].kernels.size(); ++kernel)
      add_obstacle(json["elementwise"][number]["kernels"][kernel], obstacle(bundle, number, kernel));
  return json;
}

// "64 64 64 ..." of equal widths as "32 x 64".
std::string widths(const std::vector<int64_t> &groups) {
  bool equal =
      std::all_of(groups.begin(), groups.end(), [&](int64_t width) { return width == groups.front(); });
  if (equal && !groups.empty())
    return fmt::format("{} x {}", groups.size(), groups.front());
  if (groups.size() <= 16)
    return fmt::format("{}", fmt::join(groups, " + "));
  return fmt::format("{} groups of unequal width", groups.size());
}

std::string rowTypes(const algrt::Layer &layer) {
  if (layer.row_types == algrt::RowTypesKind::Interval)
    return fmt::format("interval({})", layer.row_type_width);
  return algrt::name(layer.row_types);
}

// One fact of the manifest's algebra object: not all have a meaning for every algebra.
std::string fact(const nlohmann::json &algebra, const char *key) {
  auto found = algebra.find(key);
  if (found == algebra.end() || found->is_null())
    return "not known";
  if (found->is_boolean())
    return found->get<bool>() ? "yes" : "no";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

// Exactly, and in a unit that the eye takes in.
std::string byteCount(int64_t bytes) {
  constexpr int64_t kibi = 1024, mebi = kibi * kibi;
  if (bytes < kibi)
    return fmt::format("{} bytes", bytes);
  return bytes < mebi ? fmt::format("{:.1f} KiB ({} bytes)", static_cast<double>(bytes) / kibi, bytes)
                      : fmt::format("{:.1f} MiB ({} bytes)", static_cast<double>(bytes) / mebi, bytes);
}

std::string counted(int64_t count, const char *what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string whatBlocksDivide(const algrt::GpuTile &tile) {
  if (tile.split_k == 1)
    return "";
  return tile.stationary_groups > 0 ? ", which divide the groups of dY"
                                    : ", which divide the steps of each tile";
}

// The same for a GPU.
std::string gpuKernelText(const algrt::GpuKernel &kernel) {
  std::string text;
  auto line = [&](const char *key, const std::string &value) {
    text += fmt::format("    {:<18}{}\n", key, value);
  };
  line("tile",
       fmt::format("{} x {}, {} of depth {}",
                   kernel.tile.types > 1 ? fmt::format("{} of each of {}", counted(kernel.tile.rows, "row"),
                                                       counted(kernel.tile.types, "type"))
                                         : counted(kernel.tile.rows, "row"),
                   counted(kernel.tile.columns, "column"), counted(kernel.tile.stages, "stage"),
                   kernel.tile.depth));
  line("block",
       fmt::format("{}{}, {} of shared memory", counted(kernel.threads, "thread"),
                   kernel.registers > 0 ? fmt::format(" of {}", counted(kernel.registers, "register"))
                                        : std::string(),
                   byteCount(kernel.shared_bytes)));
  if (kernel.cluster > 1)
    line("cluster", counted(kernel.cluster, "block") + whatBlocksDivide(kernel.tile));
  if (!kernel.schedule.empty())
    line("schedule", kernel.schedule);
  if (kernel.takesExperts())
    line("rows", kernel.listed ? "divided among experts, in a list" : "divided among experts");
  if (kernel.best_for_rows.to > 0)
    line("best for",
         kernel.best_for_rows.from == kernel.best_for_rows.to
             ? counted(kernel.best_for_rows.to, "row")
             : fmt::format("{} to {}", kernel.best_for_rows.from, counted(kernel.best_for_rows.to, "row")));
  line("terms", kernel.terms ? "read from a table" : "computed");
  std::vector<std::string> images;
  for (const algrt::GpuImage &image : kernel.images)
    images.push_back(algrt::name(image.kind));
  line("images", fmt::format("{}", fmt::join(images, ", ")));
  return text;
}

// How the kernel cuts its work, and what it takes of the machine.
std::string kernelText(const algrt::Kernel &kernel) {
  if (kernel.gpu)
    return gpuKernelText(*kernel.gpu);
  std::string text;
  auto line = [&](const char *key, const std::string &value) {
    text += fmt::format("    {:<18}{}\n", key, value);
  };
  if (kernel.group_rows) {
    line("block", counted(kernel.group_rows->threads, "thread"));
    line("shared memory", byteCount(kernel.group_rows->shared_bytes));
    return text;
  }
  if (kernel.known) {
    if (kernel.tasks > 0)
      line("task", fmt::format("one of {} of the gradient", counted(kernel.tasks, "tile")));
    else
      line("task", fmt::format("{} of {}", counted(kernel.rows_per_task, "row"),
                               counted(kernel.types_per_task, "row type")));
    if (kernel.register_rows > 0)
      line("register tile", fmt::format("{} x {}", counted(kernel.register_rows, "row"),
                                        counted(kernel.register_columns, "column")));
    line("scratch", byteCount(kernel.scratch_bytes) + " per thread");
    for (size_t number = 0; number < kernel.packing.size(); ++number)
      line(number == 0 ? "packed weights" : "and then",
           fmt::format("{}, packed in {}", byteCount(kernel.packing[number].bytes),
                       counted(kernel.packing[number].tasks, "task")));
    if (kernel.direct_rows > 0)
      line("direct instead", fmt::format("up to {} per row type", counted(kernel.direct_rows, "row")));
  }
  line("needs", kernel.features.empty() ? "no particular features"
                                        : fmt::format("{}", fmt::join(kernel.features, " ")));
  return text;
}

// Names out of the manifest, as many as there are things to name; nothing where it has none.
std::vector<std::string> namesOf(const nlohmann::json &layer, const char *key, size_t count) {
  const auto found = layer.find(key);
  if (found == layer.end() || !found->is_array() || found->size() != count ||
      !std::all_of(found->begin(), found->end(), [](const auto &name) { return name.is_string(); }))
    return {};
  return found->get<std::vector<std::string>>();
}

// Which group of features, and which row type, is which vertex.
std::string namesText(const algrt::Layer &layer, const nlohmann::json &json) {
  std::string text;
  const std::vector<std::string> groups = namesOf(json, "group_names", layer.out_groups.size());
  if (!groups.empty() && layer.in_groups.size() == groups.size()) {
    text += fmt::format("\n  {:>8}  {:>16}  {:>16}  name\n", "group", "inputs", "outputs");
    int64_t in = 0, out = 0;
    auto range = [](int64_t &first, int64_t width) {
      first += width;
      return fmt::format("{}..{}", first - width, first - 1);
    };
    for (size_t group = 0; group < groups.size(); ++group) {
      const std::string inputs = range(in, layer.in_groups[group]),
                        outputs = range(out, layer.out_groups[group]);
      text += fmt::format("  {:>8}  {:>16}  {:>16}  {}\n", group, inputs, outputs, groups[group]);
    }
  }
  const std::vector<std::string> types = namesOf(json, "type_names", static_cast<size_t>(layer.types));
  if (!types.empty()) {
    text += fmt::format("\n  {:>8}  name\n", "row type");
    for (size_t type = 0; type < types.size(); ++type)
      text += fmt::format("  {:>8}  {}\n", type, types[type]);
  }
  return text;
}

std::string kernelsText(const algrt::Bundle &bundle) {
  std::string text;
  for (size_t index = 0; index < bundle.manifest().kernels.size(); ++index) {
    const algrt::Kernel &kernel = bundle.manifest().kernels[index];
    std::string reason = obstacle(bundle, index);
    text += fmt::format("  {:<11}{:<10}{:<14}", kernel.map, kernel.target, kernel.level);
    if (kernel.gpu || kernel.tasks > 0)
      text += fmt::format("to {:<7}", algrt::name(kernel.gpu ? kernel.gpu->output : kernel.output));
    else if (kernel.known)
      text += fmt::format("{:<10}", algrt::name(kernel.weights));
    text += reason.empty()
                ? "runs here\n"
                : fmt::format("{}: {}\n", bundle.fault(index).empty() ? "does not run here" : "is refused",
                              reason);
    text += kernelText(kernel);
  }
  return text;
}

// "2048 -> 6144, bf16, ...", and what its kernels compute at once.
std::string layerText(const algrt::Layer &layer) {
  std::string text =
      fmt::format("  {} -> {}, {}, lift {}, {} row types, {}\n  input groups  {}\n  output groups {}\n",
                  layer.k, layer.n, algrt::name(layer.dtype), algrt::name(layer.lift), layer.types,
                  rowTypes(layer), widths(layer.in_groups), widths(layer.out_groups));
  if (!layer.fusion)
    return text;
  const algrt::Fusion &fusion = *layer.fusion;
  const auto reads = [&](int64_t number) {
    for (const algrt::FusedOperand &operand : fusion.operands)
      if (operand.layer == number)
        text += fmt::format("    {:<18}{} {} for {}\n", "reads", operand.name, algrt::name(operand.type),
                            operand.per == algrt::FusedOperand::Per::Call
                                ? std::string("the call")
                                : fmt::format("each {}", algrt::name(operand.per)));
  };
  text += fmt::format("  fused         {}\n", counted(fusion.weights, "product"));
  reads(0);
  if (fusion.next) {
    text += fmt::format("  then          {} -> {}, {}, groups {}\n", layer.n, fusion.next->n(),
                        counted(fusion.next->weights, "product"), widths(fusion.next->out_groups));
    reads(1);
  }
  for (size_t i = 0; i < fusion.results.size(); ++i)
    text +=
        fmt::format("    {:<18}{} {}\n", "writes", i == 0 ? "the result" : fmt::format("result {}", i + 1),
                    algrt::name(fusion.results[i]));
  return text;
}

// The element-wise functions with their domains, what they read and write, and their kernels.
std::string elementwiseText(const algrt::Bundle &bundle) {
  std::string text;
  const std::vector<algrt::Elementwise> &functions = bundle.manifest().elementwise;
  for (size_t number = 0; number < functions.size(); ++number) {
    const algrt::Elementwise &function = functions[number];
    text += fmt::format("\nElement-wise function {}\n  domain        {} x {}\n", function.name,
                        function.rows.text(), function.columns.text());
    for (const algrt::ElementwiseOperand &operand : function.operands)
      text +=
          fmt::format("    {:<18}{} {} {}\n", operand.role == algrt::OperandRole::Output ? "writes" : "reads",
                      operand.name, algrt::text(operand.shape), algrt::name(operand.type));
    for (size_t kernel = 0; kernel < function.kernels.size(); ++kernel) {
      const std::string reason = obstacle(bundle, number, kernel);
      const bool faulty = !bundle.elementwiseFault(number, kernel).empty();
      text += fmt::format(
          "  {:<10}{:<14}{}\n", function.kernels[kernel].target, function.kernels[kernel].level,
          reason.empty() ? "runs here"
                         : fmt::format("{}: {}", faulty ? "is refused" : "does not run here", reason));
    }
  }
  return text;
}

std::string asText(const algrt::Bundle &bundle, const std::string &path) {
  const algrt::Manifest &manifest = bundle.manifest();
  auto document = nlohmann::json::parse(bundle.manifestText());
  // Programs without a product are over no algebra.
  std::string text = fmt::format("{}: {}from {}\n  sha256 {}\n  signature {}\n", path,
                                 manifest.algebra.empty() ? "" : manifest.algebra + " ", manifest.compiler,
                                 bundle.hash(), signatureText(bundle, path));

  if (auto algebra = document.find("algebra"); algebra != document.end() && algebra->is_object()) {
    text += "\nAlgebra\n";
    for (const char *key : {"field", "dimension", "nonzeros", "associative", "unital", "radical_dimension",
                            "maximal_ideals", "alder_strassen", "rank_lower", "rank_upper", "fraction"})
      text += fmt::format("  {:<20}{}\n", key, fact(*algebra, key));
  }

  if (manifest.layer)
    text += "\nLayer\n" + layerText(*manifest.layer) + namesText(*manifest.layer, document["layer"]);

  text += "\nPrograms\n";
  for (const algrt::Program &program : manifest.programs)
    text += programText(program, bundle);

  if (manifest.layer)
    text += "\nKernels, best first\n" + kernelsText(bundle);
  for (size_t number = 0; number < bundle.further().size(); ++number) {
    const algrt::Projection &projection = manifest.further[number];
    text += fmt::format("\nProjection {}\n{}\nKernels of projection {}, best first\n", projection.name,
                        layerText(projection.layer), projection.name) +
            kernelsText(bundle.further()[number]);
  }
  text += elementwiseText(bundle);

  text += "\nSections\n";
  for (const algrt::SectionEntry &section : manifest.sections)
    text += fmt::format("  {:<29} {:<15} {:>12} bytes at {}\n", section.name, section.kind, section.size,
                        section.offset);
  return text;
}

int inspect(const InspectOptions &options) {
  if (options.json && namesStandardOutput(options.certificate))
    throw UsageError("--json and the certificate cannot both go to standard output");
  if (options.json && namesStandardOutput(options.definition))
    throw UsageError("--json and the programs cannot both go to standard output");
  algrt::Bundle bundle = algrt::Bundle::open(options.bundle);
  if (!options.certificate.empty()) {
    OutputFile(options.certificate).commit(std::string(bundle.certificate()));
    return ExitCode::Done;
  }
  if (!options.definition.empty()) {
    const algrt::SectionEntry *section = bundle.manifest().findSection("program");
    if (section == nullptr)
      throw Failure(fmt::format(
          "{} has no programs in the dialect alg: its programs are the maps of its layer", options.bundle));
    OutputFile(options.definition).commit(std::string(bundle.section(*section)));
    return ExitCode::Done;
  }
  if (options.json)
    printJson(asJson(bundle, options.bundle));
  else
    printText(asText(bundle, options.bundle));
  return ExitCode::Done;
}

} // namespace

void addInspect(CLI::App &app, Session &session) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App *command = app.add_subcommand("inspect", "Say what is in a bundle and what of it runs here");
  command->add_option("BUNDLE", options->bundle, "a file that compile wrote")->required()->type_name("");
  command->add_flag("--json", options->json, "print one JSON object");
  outputFile(command->add_option("--certificate", options->certificate,
                                 "write the proof of the facts about the algebra to a file, for algcheck; - "
                                 "for standard output"));
  outputFile(command->add_option("--definition", options->definition,
                                 "write the programs in the dialect alg, which they were compiled from, to a "
                                 "file; - for standard output"));
  command->footer(R"help(Examples:
  algctl inspect up.alg
  algctl inspect swiglu.alg --definition swiglu.mlir
  algctl inspect up.alg --certificate up.json && algcheck up.json
  algctl inspect up.alg --json | jq .layer)help");
  command->callback([&session, options] { session.run = [options] { return inspect(*options); }; });
}

} // namespace compiler
