#include "compiler/targets/cpu/level.h"

#include "algebras/error.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Host.h"

#include <unistd.h>

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

static std::int64_t cacheSize(int which, std::int64_t otherwise) {
  long size = sysconf(which);
  return size > 0 ? size : otherwise;
}

static CpuLevel nativeLevel() {
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  auto has = [&](const std::vector<std::string> &features) {
    for (const std::string &feature : features)
      if (!host.lookup(feature))
        return false;
    return true;
  };
  if (!has(v3_features))
    throw algebras::InputError(
        "this machine is below x86-64-v3 (AVX2, FMA, BMI2), the lowest level that kernels are "
        "compiled for")
        .hint("compile for another machine with --cpu=x86-64-v3 and run the bundle there");
  CpuLevel level = has(v4_features) ? levelV4() : levelV3();
  if (level.lanes == 16 && host.lookup("avx512bf16")) {
    level.features.push_back("avx512bf16");
    level.bf16_dot = true;
  }
  level.name = "native";
  level.tune = llvm::sys::getHostCPUName().str();
  level.l1 = cacheSize(_SC_LEVEL1_DCACHE_SIZE, level.l1);
  level.l2 = cacheSize(_SC_LEVEL2_CACHE_SIZE, level.l2);
  return level;
}

const std::vector<std::string> &cpuLevelNames() {
  static const std::vector<std::string> names = {"x86-64-v3", "x86-64-v4", "native"};
  return names;
}

CpuLevel cpuLevel(std::string_view name) {
  if (name == "x86-64-v3")
    return levelV3();
  if (name == "x86-64-v4")
    return levelV4();
  if (name == "native")
    return nativeLevel();
  throw algebras::InputError("unknown CPU level '" + std::string(name) + "'")
      .hint("the levels are x86-64-v3, x86-64-v4 and native");
}

} // namespace compiler
