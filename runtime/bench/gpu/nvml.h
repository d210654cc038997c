// Who else uses the GPU, and how fast its clocks run: NVIDIA's management library, opened at run time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace algrt {

struct GpuClocks {
  unsigned multiprocessor_mhz, memory_mhz;
};

class Nvml {
public:
  // The library that the environment variable ALGRT_NVML names, otherwise libnvidia-ml.so.1, asked about the
  // device at that PCI address ("0000:3B:00.0"). Null where that cannot be; `problem` then says why.
  static std::unique_ptr<Nvml> open(const std::string &pci_bus_id, std::string &problem);
  ~Nvml();
  Nvml(const Nvml &) = delete;
  Nvml &operator=(const Nvml &) = delete;

  // Process numbers with a compute context on the device, in ascending order, this process's own among them.
  // Absent where the driver does not tell. Inside a container the numbers may be those outside.
  std::optional<std::vector<int64_t>> computeProcesses() const;
  std::optional<GpuClocks> clocks() const;
  std::string driverVersion() const; // "580.65.06"; empty where the library does not tell

private:
  struct Functions;
  Nvml(std::unique_ptr<Functions> functions, void *device);

  std::unique_ptr<Functions> f_;
  void *device_;
};

// The processes of `after` that are not this one, whose number is `own`. Inside a container it may appear
// under its number outside: where `own` is not in `after`, one that was not there `before` is taken for it.
std::vector<int64_t> otherProcesses(const std::vector<int64_t> &before, const std::vector<int64_t> &after,
                                    int64_t own);

} // namespace algrt
