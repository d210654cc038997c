// What the machine offers to compiled layers.
#pragma once

#include <cstdint>
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

struct Machine {
  std::string cpu_model, cpu_level;
  std::vector<std::string> cpu_features;
  std::int64_t threads = 0; // that this process may use
  std::int64_t cache_bytes = 0, memory_bytes = 0;
  Finding linker, gpu_driver;
  std::vector<std::pair<std::string, Finding>> dense_libraries; // baselines for bench
  std::vector<std::string> gpus;
  std::vector<Ability> abilities;
};

// Opens libraries and asks them; computes nothing. Never fails: what cannot be found out is said to be
// absent.
Machine inspectMachine();

} // namespace compiler
