// What the machine offers to compiled layers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace compiler {

struct Finding {
  bool found = false;
  std::string detail; // a path or version, or why not
};

// Something that a user may want to do here.
struct Ability {
  std::string name;
  bool works = false;
  std::string reason; // why not
};

// Programs of others that the compiler runs.
struct Toolchain {
  Finding linker, assembler, disassembler;
};
// toolchain.cpp; defined only where there is a compiler.
Toolchain inspectToolchain();
using ToolchainInspector = std::function<Toolchain()>;

struct Gpu {
  std::string name;
  int32_t capability = 0; // ten times the compute capability: 90
  int32_t multiprocessors = 0;
  int64_t memory_bytes = 0;
};

struct Machine {
  std::string cpu_model, cpu_level;
  std::vector<std::string> cpu_features;
  int64_t threads = 0; // that this process may use
  int64_t cache_bytes = 0, memory_bytes = 0;
  std::optional<Toolchain> toolchain; // nothing in a build without the compiler
  Finding gpu_driver;
  std::vector<std::pair<std::string, Finding>> dense_libraries; // baselines for bench
  std::vector<Gpu> gpus;
  std::vector<Ability> abilities;
};

// Opens libraries and asks them; computes nothing. Never fails: what cannot be found out is said to be
// absent. `toolchain` may be empty.
Machine inspectMachine(const ToolchainInspector &toolchain);

} // namespace compiler
