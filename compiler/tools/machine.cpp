#include "compiler/tools/machine.h"

#include "compiler/schedule/targets.h"
#include "runtime/cpu/features.h"
#include "runtime/cuda/device.h"
#include "runtime/support/error.h"

#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <sched.h>
#include <unistd.h>

namespace compiler {
namespace {

struct CloseLibrary {
  void operator()(void *library) const { dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

std::string cpuModel() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name"))
      return line.substr(line.find(':') + 2);
  return "not known";
}

int64_t usableThreads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

int64_t lastLevelCache() {
  for (int name : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    if (long bytes = sysconf(name); bytes > 0)
      return bytes;
  return 0;
}

std::string openBlasVersion(void *library) {
  using Config = char *(*)();
  auto config = reinterpret_cast<Config>(dlsym(library, "openblas_get_config"));
  return config ? config() : "libopenblas.so.0";
}

std::string oneDnnVersion(void *library) {
  struct Version {
    int major, minor, patch;
  };
  using VersionFunction = const Version *(*)();
  auto version = reinterpret_cast<VersionFunction>(dlsym(library, "dnnl_version"));
  if (!version || !version())
    return "libdnnl.so.2";
  return fmt::format("oneDNN {}.{}.{}", version()->major, version()->minor, version()->patch);
}

Finding findDense(const char *file, const char *package, std::string (*version)(void *)) {
  Library library(dlopen(file, RTLD_NOW | RTLD_LOCAL));
  if (!library)
    return {false, fmt::format("{} cannot be opened: install the package {}", file, package)};
  return {true, version(library.get())};
}

// Through the driver library alone, as the runtime reaches it.
void inspectGpus(Machine &machine) {
  try {
    const std::shared_ptr<const algrt::cuda::Driver> driver = algrt::cuda::Driver::open();
    int version = 0;
    driver->check(driver->driverGetVersion(&version), "asking the driver for its version");
    machine.gpu_driver = {true,
                          fmt::format("CUDA {}.{}, {}", version / 1000, version % 1000 / 10, driver->file())};
    for (const algrt::cuda::DeviceProperties &device : algrt::cuda::readDevices(*driver)) {
      char name[256] = {};
      size_t bytes = 0;
      driver->check(driver->deviceGetName(name, sizeof name - 1, device.handle),
                    "asking a device for its name");
      driver->check(driver->deviceTotalMem(&bytes, device.handle), "asking a device for its memory");
      machine.gpus.push_back({name, device.capability, device.multiprocessors, static_cast<int64_t>(bytes)});
    }
  } catch (const algrt::Error &error) {
    machine.gpu_driver = {false, error.what()};
  }
}

void judgeGpus(Machine &machine,
               const std::function<void(const std::string &, bool, const std::string &)> &add) {
  if (machine.toolchain) {
    for (const std::string &target : gpuTargetNames()) {
      add(fmt::format("compile for {}", target), true, "");
      add(fmt::format("cubin for {}", target), machine.toolchain->assembler.found,
          machine.toolchain->assembler.detail);
    }
    add("show sass", machine.toolchain->assembler.found && machine.toolchain->disassembler.found,
        machine.toolchain->assembler.found ? machine.toolchain->disassembler.detail
                                           : machine.toolchain->assembler.detail);
  }
  const auto any = [&](auto test) { return std::any_of(machine.gpus.begin(), machine.gpus.end(), test); };
  for (const TargetEntry &target : targetEntries()) {
    if (!target.isGpu())
      continue;
    add(fmt::format("run {}", target.name), any([&](const Gpu &gpu) {
          return target.exact_architecture ? gpu.capability == target.architecture
                                           : gpu.capability >= target.architecture;
        }),
        machine.gpus.empty()
            ? machine.gpu_driver.detail
            : fmt::format("no device has compute capability {}.{}{}", target.architecture / 10,
                          target.architecture % 10, target.exact_architecture ? "" : " or above"));
  }
}

void judge(Machine &machine) {
  bool v3 = machine.cpu_level == "x86-64-v3" || machine.cpu_level == "x86-64-v4";
  bool v4 = machine.cpu_level == "x86-64-v4";
  std::string level = fmt::format("this CPU offers {}", machine.cpu_level);
  const auto add = [&](const std::string &name, bool works, const std::string &reason) {
    machine.abilities.push_back({name, works, works ? "" : reason});
  };
  add("run x86-64-v3", v3, level);
  add("run x86-64-v4", v4, level);
  add("bf16 dot products", algrt::cpuHasFeature("avx512bf16"),
      "this CPU lacks avx512bf16; bf16 layers are computed in f32 arithmetic");
  bool dense = false;
  for (const auto &[name, finding] : machine.dense_libraries)
    dense = dense || finding.found;
  add("bench against dense", dense, "no dense library was found");
  judgeGpus(machine, add);
}

} // namespace

Machine inspectMachine(const ToolchainInspector &toolchain) {
  Machine machine;
  machine.cpu_model = cpuModel();
  machine.cpu_level = algrt::cpuLevel();
  machine.cpu_features = algrt::cpuFeatures();
  machine.threads = usableThreads();
  machine.cache_bytes = lastLevelCache();
  machine.memory_bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  if (toolchain)
    machine.toolchain = toolchain();
  machine.dense_libraries.emplace_back("OpenBLAS",
                                       findDense("libopenblas.so.0", "libopenblas0", openBlasVersion));
  machine.dense_libraries.emplace_back("oneDNN", findDense("libdnnl.so.2", "libdnnl2", oneDnnVersion));
  inspectGpus(machine);
  judge(machine);
  return machine;
}

} // namespace compiler
