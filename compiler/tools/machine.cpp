#include "compiler/tools/machine.h"

#include "runtime/cpu/features.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <sched.h>
#include <sstream>
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

std::int64_t usableThreads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

std::int64_t lastLevelCache() {
  for (int name : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL2_CACHE_SIZE})
    if (long bytes = sysconf(name); bytes > 0)
      return bytes;
  return 0;
}

// The first of `names` that is an executable in PATH or in LLVM's own folder.
Finding findProgram(const std::vector<std::string> &names) {
  std::vector<std::string> folders;
  if (const char *path = std::getenv("PATH")) {
    std::stringstream stream(path);
    for (std::string folder; std::getline(stream, folder, ':');)
      folders.push_back(folder);
  }
  folders.push_back("/usr/lib/llvm-22/bin");
  for (const std::string &name : names)
    for (const std::string &folder : folders)
      if (std::string file = (std::filesystem::path(folder) / name).string(); access(file.c_str(), X_OK) == 0)
        return {true, file};
  return {false, fmt::format("none of {} is in PATH: install the package lld-22", fmt::join(names, ", "))};
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

// Through the driver library alone, as the runtime would reach it.
void inspectGpus(Machine &machine) {
  Library driver(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL));
  if (!driver) {
    machine.gpu_driver = {false, "libcuda.so.1 cannot be opened"};
    return;
  }
  auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver.get(), "cuInit"));
  auto version = reinterpret_cast<int (*)(int *)>(dlsym(driver.get(), "cuDriverGetVersion"));
  auto count = reinterpret_cast<int (*)(int *)>(dlsym(driver.get(), "cuDeviceGetCount"));
  auto name = reinterpret_cast<int (*)(char *, int, int)>(dlsym(driver.get(), "cuDeviceGetName"));
  auto attribute = reinterpret_cast<int (*)(int *, int, int)>(dlsym(driver.get(), "cuDeviceGetAttribute"));
  if (!init || !version || !count || !name || !attribute) {
    machine.gpu_driver = {false, "libcuda.so.1 is not a CUDA driver"};
    return;
  }
  if (int status = init(0); status != 0) {
    machine.gpu_driver = {false, fmt::format("cuInit fails with error {}", status)};
    return;
  }
  int number = 0, devices = 0;
  version(&number);
  machine.gpu_driver = {true, fmt::format("CUDA {}.{}", number / 1000, number % 1000 / 10)};
  if (count(&devices) != 0)
    return;
  constexpr int kMajor = 75, kMinor = 76; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
  for (int device = 0; device < devices; ++device) {
    char text[256] = {};
    int major = 0, minor = 0;
    if (name(text, sizeof text, device) == 0 && attribute(&major, kMajor, device) == 0 &&
        attribute(&minor, kMinor, device) == 0)
      machine.gpus.push_back(fmt::format("{}, sm_{}{}", text, major, minor));
  }
}

void judge(Machine &machine) {
  bool v3 = machine.cpu_level == "x86-64-v3" || machine.cpu_level == "x86-64-v4";
  bool v4 = machine.cpu_level == "x86-64-v4";
  std::string level = fmt::format("this CPU offers {}", machine.cpu_level);
  auto add = [&](const char *name, bool works, const std::string &reason) {
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
  add("run on a GPU", false, "this version compiles for the CPU only");
}

} // namespace

Machine inspectMachine() {
  Machine machine;
  machine.cpu_model = cpuModel();
  machine.cpu_level = algrt::cpuLevel();
  machine.cpu_features = algrt::cpuFeatures();
  machine.threads = usableThreads();
  machine.cache_bytes = lastLevelCache();
  machine.memory_bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  machine.linker = findProgram({"ld.lld-22", "ld.lld"});
  machine.dense_libraries.emplace_back("OpenBLAS",
                                       findDense("libopenblas.so.0", "libopenblas0", openBlasVersion));
  machine.dense_libraries.emplace_back("oneDNN", findDense("libdnnl.so.2", "libdnnl2", oneDnnVersion));
  inspectGpus(machine);
  judge(machine);
  return machine;
}

} // namespace compiler
