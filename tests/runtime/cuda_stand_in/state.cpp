#include "tests/runtime/cuda_stand_in/state.h"

#include <utility>

namespace algrt::cuda_stand_in {

State &state() {
  static State state;
  return state;
}

std::recursive_mutex &stateMutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

std::vector<Context> &contextStack() {
  thread_local std::vector<Context> stack;
  return stack;
}

CaptureMode &threadCaptureMode() {
  thread_local CaptureMode mode = CaptureMode::Global;
  return mode;
}

Context currentContext() {
  return contextStack().empty() || !state().isLive(contextStack().back()) ? nullptr : contextStack().back();
}

bool State::isLive(Context context) const {
  for (const auto &[device, live] : contexts)
    if (live.get() == context)
      return true;
  return false;
}

FunctionObject *State::find(Function function) const {
  for (const auto &[handle, module] : modules)
    for (const auto &[symbol, object] : module->functions)
      if (object.get() == function)
        return object.get();
  return nullptr;
}

void State::finishCopies() {
  for (const std::function<void()> &copy : std::exchange(underway, {}))
    copy();
}

size_t State::allocated(int device) const {
  size_t bytes = 0;
  for (const auto &[address, allocation] : allocations)
    if (allocation.context->device == device)
      bytes += allocation.bytes;
  return bytes;
}

int State::deviceOf(DevicePointer address, size_t bytes) const {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return -1;
  const auto &[begin, allocation] = *std::prev(after);
  const bool inside = address - begin <= allocation.bytes && bytes <= allocation.bytes - (address - begin);
  return inside ? allocation.context->device : -1;
}

Result violation(const char *symbol, Result result, const std::string &what) {
  state().violations.push_back(std::string(symbol) + ": " + what);
  return result;
}

void reset(std::vector<DeviceSpec> devices) {
  const std::lock_guard lock(stateMutex());
  state() = State();
  state().devices = std::move(devices);
  contextStack().clear();
  threadCaptureMode() = CaptureMode::Global;
}

void setVersion(int version) {
  const std::lock_guard lock(stateMutex());
  state().version = version;
}

void failCall(const std::string &symbol, int nth, Result result) {
  const std::lock_guard lock(stateMutex());
  state().faults.push_back({symbol, nth, result});
}

int callCount(const std::string &symbol) {
  const std::lock_guard lock(stateMutex());
  const auto found = state().counts.find(symbol);
  return found == state().counts.end() ? 0 : found->second;
}

int callCount() {
  const std::lock_guard lock(stateMutex());
  return int(state().calls.size());
}

std::vector<std::string> calls() {
  const std::lock_guard lock(stateMutex());
  return state().calls;
}

std::vector<std::string> violations() {
  const std::lock_guard lock(stateMutex());
  return state().violations;
}

std::vector<std::string> leaks() {
  const std::lock_guard lock(stateMutex());
  const State &s = state();
  std::vector<std::string> leaks = s.lost;
  for (const auto &[device, context] : s.contexts)
    leaks.push_back("the context of device " + std::to_string(device) + ", retained " +
                    std::to_string(context->retained) + " times");
  const auto count = [&](size_t live, const char *what) {
    if (live != 0)
      leaks.push_back(std::to_string(live) + " " + what);
  };
  count(s.modules.size(), "modules");
  count(s.allocations.size(), "allocations");
  count(s.streams.size(), "streams");
  count(s.events.size(), "events");
  count(s.graphs.size(), "graphs");
  count(s.execs.size(), "executable graphs");
  return leaks;
}

void onLaunch(std::function<void(const Launch &)> callback) {
  const std::lock_guard lock(stateMutex());
  state().callback = std::move(callback);
}

} // namespace algrt::cuda_stand_in
