// The numbers are those of nvml.h (NVML API reference).
#include "tests/runtime/nvml_stand_in/control.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace algrt::nvml_stand_in {
namespace {

constexpr int success = 0, uninitialized = 1, invalid_argument = 2, insufficient_size = 7;

struct ProcessInfo {
  unsigned process;
  unsigned long long memory_bytes;
  unsigned gpu_instance, compute_instance;
};

struct State {
  std::vector<std::vector<unsigned>> looks;
  size_t look = 0;
  int initialised = 0;
  bool asked_outside = false;
};
State &state() {
  static State instance;
  return instance;
}

int guarded() {
  if (state().initialised > 0)
    return success;
  state().asked_outside = true;
  return uninitialized;
}

} // namespace

void reset(std::vector<std::vector<unsigned>> looks) {
  state() = State{};
  state().looks = std::move(looks);
}
bool balanced() { return state().initialised == 0 && !state().asked_outside; }

} // namespace algrt::nvml_stand_in

using namespace algrt::nvml_stand_in;

#define STAND_IN extern "C" __attribute__((visibility("default")))

STAND_IN int nvmlInit_v2() { return ++state().initialised, success; }
STAND_IN int nvmlShutdown() {
  return guarded() == success ? (--state().initialised, success) : uninitialized;
}

STAND_IN int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device) {
  unsigned domain, number, slot, function;
  if (std::sscanf(bus, "%x:%x:%x.%x", &domain, &number, &slot, &function) != 4)
    return invalid_argument;
  *device = &state();
  return guarded();
}

STAND_IN int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, void *infos) {
  if (device != &state())
    return invalid_argument;
  const std::vector<unsigned> processes =
      state().looks.empty() ? std::vector<unsigned>()
                            : state().looks[std::min(state().look, state().looks.size() - 1)];
  const unsigned room = *count;
  *count = unsigned(processes.size());
  if (room < processes.size())
    return insufficient_size;
  ++state().look;
  for (size_t i = 0; i < processes.size(); ++i)
    static_cast<ProcessInfo *>(infos)[i] = {processes[i], 1 << 20, 0xffffffffu, 0xffffffffu};
  return guarded();
}

STAND_IN int nvmlDeviceGetClockInfo(void *device, int type, unsigned *mhz) {
  if (device != &state() || (type != 1 && type != 2))
    return invalid_argument;
  *mhz = type == 1 ? 1755 : 3201;
  return guarded();
}

STAND_IN int nvmlSystemGetDriverVersion(char *text, unsigned length) {
  std::snprintf(text, length, "580.1");
  return guarded();
}
