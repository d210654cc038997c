#include "compiler/tools/machine_file.h"

#include "algebras/error.h"
#include "compiler/spec/text_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

constexpr int64_t largest_description = int64_t{1} << 20;

[[noreturn]] void refuse(const std::string &path, const std::string &what) {
  throw algebras::InputError(fmt::format("{}: {}", path, what))
      .hint("write it with algctl doctor --json on the machine in question");
}

} // namespace

CpuMachine readMachine(const std::string &path) {
  const auto json = nlohmann::json::parse(readTextFile(path, largest_description), nullptr, false);
  if (!json.is_object() || !json.contains("cpu") || !json["cpu"].is_object())
    refuse(path, "is no description of a machine: it has no object \"cpu\"");
  const nlohmann::json &cpu = json["cpu"];
  const auto has = [&](const char *key, auto test) { return cpu.contains(key) && test(cpu[key]); };
  const auto is_text = [](const nlohmann::json &value) { return value.is_string(); };
  if (!has("level", is_text))
    refuse(path, "\"cpu\" has no string \"level\"");
  if (!has("threads", [](const nlohmann::json &value) { return value.is_number_unsigned(); }))
    refuse(path, "\"cpu\" has no number \"threads\"");
  if (!has("features", [&](const nlohmann::json &value) {
        return value.is_array() && std::all_of(value.begin(), value.end(), is_text);
      }))
    refuse(path, "\"cpu\" has no list \"features\" of strings");
  const auto level = cpu["level"].get<std::string>();
  const std::vector<std::string> &levels = portableCpuLevelNames();
  if (std::find(levels.begin(), levels.end(), level) == levels.end())
    refuse(path, fmt::format("its CPU is of level {}, kernels are compiled for {}", level,
                             fmt::join(levels, " and ")));
  constexpr uint64_t most_cores = 1 << 16;
  const auto threads = cpu["threads"].get<uint64_t>();
  if (threads < 1 || threads > most_cores)
    refuse(path, fmt::format("its CPU has {} threads, not 1 to {}", threads, most_cores));
  CpuMachine machine{portableCpuLevel(level), static_cast<int64_t>(threads), path};
  const auto features = cpu["features"].get<std::vector<std::string>>();
  const auto lists = [&](const char *feature) {
    return std::find(features.begin(), features.end(), feature) != features.end();
  };
  machine.level.bf16_dot = machine.level.bf16_dot || lists("avx512bf16");
  machine.level.amx = machine.level.amx || (machine.level.bf16_dot && lists("amx-tile") && lists("amx-bf16"));
  return machine;
}

} // namespace compiler
