// The names and numbers are those of nvml.h (NVML API reference).
#include "runtime/bench/gpu/nvml.h"

#include "runtime/bench/dynamic_library.h"

#include <algorithm>
#include <cstdlib>

namespace algrt {

namespace {

constexpr int success = 0, insufficient_size = 7;
constexpr int clock_multiprocessor = 1, clock_memory = 2;

// nvmlProcessInfo_t
struct ProcessInfo {
  unsigned process;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);

} // namespace

struct Nvml::Functions {
  int (*init)();
  int (*shutdown)();
  int (*device_by_pci)(const char *bus, void **device);
  // Since driver 510; without it processes cannot be told. `infos` is plain for the reason in cublaslt.cpp.
  int (*compute_processes)(void *device, unsigned *count, void *infos);
  int (*clock)(void *device, int type, unsigned *mhz);
  int (*driver_version)(char *text, unsigned length);
};

std::unique_ptr<Nvml> Nvml::open(const std::string &pci_bus_id, std::string &problem) {
  const char *chosen = std::getenv("ALGRT_NVML");
  const std::string file = chosen != nullptr && *chosen != '\0' ? chosen : "libnvidia-ml.so.1";
  const DynamicLibrary library(file.c_str());
  if (!library) {
    problem = "NVML is absent: " + library.error();
    return nullptr;
  }
  auto functions = std::make_unique<Functions>();
  library.find("nvmlDeviceGetComputeRunningProcesses_v3", functions->compute_processes);
  library.find("nvmlDeviceGetClockInfo", functions->clock);
  library.find("nvmlSystemGetDriverVersion", functions->driver_version);
  if (!library.find("nvmlInit_v2", functions->init) || !library.find("nvmlShutdown", functions->shutdown) ||
      !library.find("nvmlDeviceGetHandleByPciBusId_v2", functions->device_by_pci)) {
    problem =
        file +
        " is not NVML or an old one: it lacks nvmlInit_v2, nvmlShutdown or nvmlDeviceGetHandleByPciBusId_v2";
    return nullptr;
  }
  if (int status = functions->init(); status != success) {
    problem = "nvmlInit_v2 failed with status " + std::to_string(status);
    return nullptr;
  }
  void *device = nullptr;
  if (int status = functions->device_by_pci(pci_bus_id.c_str(), &device); status != success) {
    functions->shutdown();
    problem =
        "nvmlDeviceGetHandleByPciBusId_v2 of " + pci_bus_id + " failed with status " + std::to_string(status);
    return nullptr;
  }
  return std::unique_ptr<Nvml>(new Nvml(std::move(functions), device));
}

Nvml::Nvml(std::unique_ptr<Functions> functions, void *device) : f_(std::move(functions)), device_(device) {}

Nvml::~Nvml() { f_->shutdown(); }

std::optional<std::vector<int64_t>> Nvml::computeProcesses() const {
  if (f_->compute_processes == nullptr)
    return std::nullopt;
  // Processes may come while they are being counted.
  std::vector<ProcessInfo> infos(64);
  unsigned count = 0;
  int status = insufficient_size;
  for (int attempt = 0; attempt < 4 && status == insufficient_size; ++attempt) {
    if (attempt != 0)
      infos.resize(std::max<size_t>(2 * infos.size(), count));
    count = unsigned(infos.size());
    status = f_->compute_processes(device_, &count, infos.data());
  }
  if (status != success)
    return std::nullopt;
  std::vector<int64_t> processes;
  for (unsigned i = 0; i < count; ++i)
    processes.push_back(int64_t(infos[i].process));
  std::sort(processes.begin(), processes.end());
  return processes;
}

std::optional<GpuClocks> Nvml::clocks() const {
  GpuClocks clocks{};
  if (f_->clock == nullptr ||
      f_->clock(device_, clock_multiprocessor, &clocks.multiprocessor_mhz) != success ||
      f_->clock(device_, clock_memory, &clocks.memory_mhz) != success)
    return std::nullopt;
  return clocks;
}

std::string Nvml::driverVersion() const {
  char text[96] = {};
  if (f_->driver_version == nullptr || f_->driver_version(text, sizeof(text)) != success)
    return "";
  return text;
}

std::vector<int64_t> otherProcesses(const std::vector<int64_t> &before, const std::vector<int64_t> &after,
                                    int64_t own) {
  std::vector<int64_t> others = after;
  auto ours = std::find(others.begin(), others.end(), own);
  if (ours == others.end())
    ours = std::find_if(others.begin(), others.end(), [&](int64_t process) {
      return std::find(before.begin(), before.end(), process) == before.end();
    });
  if (ours != others.end())
    others.erase(ours);
  return others;
}

} // namespace algrt
