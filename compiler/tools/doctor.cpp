// algctl doctor: what this machine has, and what will work on it.
#include "compiler/tools/commands.h"

#include "compiler/tools/machine.h"
#include "runtime/bundle/trust.h"
#include "runtime/support/error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

nlohmann::ordered_json asJson(const Finding &finding) {
  return {{"found", finding.found}, {"detail", finding.detail}};
}

// Which bundles this process would load.
struct Trust {
  bool required = false;
  std::string detail;
};

Trust trust() {
  if (std::getenv(algrt::public_key_variable) == nullptr)
    return {false, algrt::knowsSignatures() ? "not required: ALGRT_PUBLIC_KEY is not set"
                                            : "not verified: built without libsodium"};
  try {
    return {true, "required, by key " + algrt::toText(algrt::requiredKey()->id)};
  } catch (const algrt::Error &error) {
    return {true, error.what()};
  }
}

nlohmann::ordered_json asJson(const Machine &machine) {
  nlohmann::ordered_json json;
  json["cpu"] = {{"model", machine.cpu_model},
                 {"level", machine.cpu_level},
                 {"features", machine.cpu_features},
                 {"threads", machine.threads},
                 {"last_level_cache_bytes", machine.cache_bytes},
                 {"memory_bytes", machine.memory_bytes}};
  json["targets"] = nlohmann::ordered_json::array();
  for (const Ability &ability : machine.abilities)
    json["targets"].push_back({{"name", ability.name}, {"works", ability.works}, {"reason", ability.reason}});
  if (machine.toolchain) {
    json["linker"] = asJson(machine.toolchain->linker);
    json["assembler"] = asJson(machine.toolchain->assembler);
    json["disassembler"] = asJson(machine.toolchain->disassembler);
  }
  json["dense_libraries"] = nlohmann::ordered_json::object();
  for (const auto &[name, finding] : machine.dense_libraries)
    json["dense_libraries"][name] = asJson(finding);
  json["signatures"] = {{"required", trust().required}, {"detail", trust().detail}};
  json["gpu_driver"] = asJson(machine.gpu_driver);
  json["gpus"] = nlohmann::ordered_json::array();
  for (const Gpu &gpu : machine.gpus)
    json["gpus"].push_back({{"name", gpu.name},
                            {"compute_capability", gpu.capability},
                            {"multiprocessors", gpu.multiprocessors},
                            {"memory_bytes", gpu.memory_bytes}});
  return json;
}

std::string line(const std::string &label, const std::string &value) {
  return fmt::format("  {:<22}{}\n", label, value);
}

std::string line(const std::string &label, const Finding &finding) {
  return line(label, (finding.found ? "found: " : "absent: ") + finding.detail);
}

std::string asText(const Machine &machine) {
  std::string text = "Processor\n";
  text += line("model", machine.cpu_model);
  text += line("level", machine.cpu_level);
  text += line("threads", fmt::format("{}", machine.threads));
  text += line("last-level cache",
               fmt::format("{:.1f} MiB", static_cast<double>(machine.cache_bytes) / (1 << 20)));
  text += line("memory", fmt::format("{:.1f} GiB", static_cast<double>(machine.memory_bytes) / (1 << 30)));
  text += line("features", fmt::format("{}", fmt::join(machine.cpu_features, " ")));
  text += "\nGraphics processors\n";
  text += line("driver", machine.gpu_driver);
  for (const Gpu &gpu : machine.gpus)
    text +=
        line("device", fmt::format("{}, compute capability {}.{}, {} multiprocessors, {:.1f} GiB", gpu.name,
                                   gpu.capability / 10, gpu.capability % 10, gpu.multiprocessors,
                                   static_cast<double>(gpu.memory_bytes) / (1 << 30)));
  text += "\nTools and libraries\n";
  if (machine.toolchain) {
    text += line("linker", machine.toolchain->linker);
    text += line("assembler", machine.toolchain->assembler);
    text += line("disassembler", machine.toolchain->disassembler);
  }
  for (const auto &[name, finding] : machine.dense_libraries)
    text += line(name, finding);
  text += line("signatures of bundles", trust().detail);
  text += "\nWhat will work\n";
  for (const Ability &ability : machine.abilities)
    text += line(ability.name, ability.works ? "yes" : fmt::format("no: {}", ability.reason));
  return text;
}

int doctor(bool json, const ToolchainInspector &toolchain) {
  const Machine machine = inspectMachine(toolchain);
  if (json)
    printJson(asJson(machine));
  else
    printText(asText(machine));
  return ExitCode::Done;
}

} // namespace

void addDoctor(CLI::App &app, Session &session, const ToolchainInspector &toolchain) {
  auto json = std::make_shared<bool>(false);
  CLI::App *command = app.add_subcommand("doctor", "Say what this machine has and what will work on it");
  command->add_flag("--json", *json, "print one JSON object");
  command->footer(R"help(Examples:
  algctl doctor
  algctl doctor --json | jq .targets)help");
  command->callback(
      [&session, json, toolchain] { session.run = [json, toolchain] { return doctor(*json, toolchain); }; });
}

} // namespace compiler
