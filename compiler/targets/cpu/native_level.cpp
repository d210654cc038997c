// The level of the machine at hand, as LLVM sees it.
#include "compiler/schedule/cpu_level.h"

#include "algebras/error.h"
#include "runtime/cpu/features.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace compiler {

static int64_t cacheSize(int which, int64_t otherwise) {
  long size = sysconf(which);
  return size > 0 ? size : otherwise;
}

static CpuLevel nativeLevel() {
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  auto has = [&](const CpuLevel &level) {
    for (const std::string &feature : level.features)
      if (!host.lookup(feature))
        return false;
    return true;
  };
  const CpuLevel v3 = portableCpuLevel("x86-64-v3"), v4 = portableCpuLevel("x86-64-v4");
  if (!has(v3))
    throw algebras::InputError(
        "this machine is below x86-64-v3 (AVX2, FMA, BMI2), the lowest level that kernels are "
        "compiled for")
        .hint("compile for another machine with --cpu=x86-64-v3 and run the bundle there");
  CpuLevel level = has(v4) ? v4 : v3;
  if (level.lanes == 16 && host.lookup("avx512bf16")) {
    level.features.push_back("avx512bf16");
    level.bf16_dot = true;
    // The operating system gives a process the registers of AMX when it asks for them, as the runtime does
    // here.
    const std::vector<std::string> amx = {"amx-tile", "amx-bf16"};
    if (algrt::missingCpuFeatures(amx).empty()) {
      level.features.insert(level.features.end(), amx.begin(), amx.end());
      level.amx = true;
    }
  }
  level.name = "native";
  level.tune = llvm::sys::getHostCPUName().str();
  level.l1 = cacheSize(_SC_LEVEL1_DCACHE_SIZE, level.l1);
  level.l2 = cacheSize(_SC_LEVEL2_CACHE_SIZE, level.l2);
  return level;
}

CpuLevel cpuLevel(std::string_view name) {
  if (name == "native")
    return nativeLevel();
  const std::vector<std::string> &names = portableCpuLevelNames();
  if (std::find(names.begin(), names.end(), name) != names.end())
    return portableCpuLevel(name);
  throw algebras::InputError("unknown CPU level '" + std::string(name) + "'")
      .hint(fmt::format("the levels are {} and native", fmt::join(names, ", ")));
}

} // namespace compiler
