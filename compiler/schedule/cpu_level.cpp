#include "compiler/schedule/cpu_level.h"

#include <stdexcept>

namespace compiler {

// The features that the psABI's levels add up to, as far as generated code uses them.
static const std::vector<std::string> v3_features = {"avx", "avx2",  "bmi",   "bmi2",  "f16c",
                                                     "fma", "lzcnt", "movbe", "popcnt"};
static const std::vector<std::string> v4_features = {"avx512f", "avx512bw", "avx512cd", "avx512dq",
                                                     "avx512vl"};

static CpuLevel levelV3() {
  CpuLevel level;
  level.name = level.base = "x86-64-v3";
  level.features = v3_features;
  return level;
}

static CpuLevel levelV4() {
  CpuLevel level = levelV3();
  level.name = level.base = "x86-64-v4";
  level.features.insert(level.features.end(), v4_features.begin(), v4_features.end());
  level.lanes = 16;
  level.registers = 32;
  return level;
}

// The first processors with AMX, by the name that compilers have for them. What kernels use of them that is
// not in v4 is bf16 alone.
static CpuLevel levelSapphireRapids() {
  CpuLevel level = levelV4();
  level.name = level.tune = "sapphirerapids";
  level.features.insert(level.features.end(), {"avx512bf16", "amx-tile", "amx-bf16"});
  level.bf16_dot = level.amx = true;
  level.l1 = 48 << 10;
  level.l2 = 2 << 20;
  return level;
}

const std::vector<std::string> &portableCpuLevelNames() {
  static const std::vector<std::string> names = {"x86-64-v3", "x86-64-v4", "sapphirerapids"};
  return names;
}

const std::vector<std::string> &cpuLevelNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = portableCpuLevelNames();
    all.push_back("native");
    return all;
  }();
  return names;
}

CpuLevel portableCpuLevel(std::string_view name) {
  if (name == "x86-64-v3")
    return levelV3();
  if (name == "x86-64-v4")
    return levelV4();
  if (name == "sapphirerapids")
    return levelSapphireRapids();
  throw std::out_of_range("no CPU level is called " + std::string(name));
}

} // namespace compiler
