// Everything that the stand-in knows, and the frame around every entry point.
#pragma once

#include "tests/runtime/cuda_stand_in/control.h"

#include "runtime/cuda/driver_entries.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

// Every entry point is defined with the type that the runtime calls it by, or this does not compile.
#define ALGRT_STAND_IN_DECLARE(NAME, SYMBOL, PARAMETERS)                                                     \
  extern "C" __attribute__((visibility("default"))) algrt::cuda::Result SYMBOL PARAMETERS;
namespace algrt::cuda {
ALGRT_CUDA_DRIVER_ENTRIES(ALGRT_STAND_IN_DECLARE)
}
#undef ALGRT_STAND_IN_DECLARE

namespace algrt::cuda {

struct ContextObject {
  int device;
  int retained;
};

struct GraphObject {
  std::vector<std::function<void()>> nodes;
};

struct GraphExecObject {
  std::vector<std::function<void()>> nodes;
};

struct StreamObject {
  ContextObject *context;
  bool blocking; // waits for the legacy default stream, and it for this one
  std::unique_ptr<GraphObject> capture;
  CaptureMode mode = CaptureMode::Global;
  bool invalidated = false;
  std::thread::id thread; // that began the capture
};

struct EventObject {
  ContextObject *context;
  bool timed;
  std::optional<double> milliseconds; // when it was recorded
};

struct ModuleObject;

struct FunctionObject {
  ModuleObject *module;
  std::string symbol;
  std::vector<size_t> parameters; // their sizes
  unsigned int most_threads;
  int dynamic_shared = 48 * 1024; // most that a launch may ask for
};

struct ModuleObject {
  ContextObject *context;
  std::shared_ptr<const std::string> image;
  std::map<std::string, std::unique_ptr<FunctionObject>> functions;
};

} // namespace algrt::cuda

namespace algrt::cuda_stand_in {

using namespace algrt::cuda;

struct Allocation {
  ContextObject *context;
  size_t bytes;
  std::unique_ptr<std::byte, void (*)(void *)> memory;
};

struct Fault {
  std::string symbol; // empty: any
  int countdown;
  Result result;
};

struct State {
  std::vector<DeviceSpec> devices;
  int version = 13000;
  bool initialised = false;
  std::vector<Fault> faults;
  std::map<std::string, int> counts;
  std::vector<std::string> calls;
  std::vector<std::string> violations;
  std::vector<std::string> lost; // what contexts took with them
  std::function<void(const Launch &)> callback;
  double milliseconds = 0; // the devices' clock: advances with the work
  // Copies from host memory that have returned to their callers and not yet reached the device: the legacy
  // default stream carries them out.
  std::vector<std::function<void()>> underway;

  std::map<int, std::unique_ptr<ContextObject>> contexts; // by device, while retained
  std::map<Stream, std::unique_ptr<StreamObject>> streams;
  std::map<Event, std::unique_ptr<EventObject>> events;
  std::map<Module, std::unique_ptr<ModuleObject>> modules;
  std::map<Graph, std::unique_ptr<GraphObject>> graphs;
  std::map<GraphExec, std::unique_ptr<GraphExecObject>> execs;
  std::map<DevicePointer, Allocation> allocations;

  bool isLive(Context context) const;
  // The function, or nullptr where its module has been unloaded.
  FunctionObject *find(Function function) const;
  size_t allocated(int device) const;
  void finishCopies();
  // Whether [address, address + bytes) lies in one allocation; -1 or its device.
  int deviceOf(DevicePointer address, size_t bytes) const;
};

State &state();
std::recursive_mutex &stateMutex();

// The calling thread's stack of contexts and its capture mode.
std::vector<Context> &contextStack();
CaptureMode &threadCaptureMode();
// Its current context, or nullptr.
Context currentContext();

// Notes that the documentation forbids what was called.
Result violation(const char *symbol, Result result, const std::string &what);

enum class Entry { Always, Initialised, NeedsContext, Releases };

// An entry point: counts, injects faults, checks that the driver was initialised and, where needed, that a
// context is current, then runs body(state).
template <typename Body> Result entry(const char *symbol, Entry kind, Body &&body) {
  const std::lock_guard lock(stateMutex());
  State &s = state();
  ++s.counts[symbol];
  s.calls.push_back(symbol);
  std::optional<Result> injected;
  for (Fault &fault : s.faults)
    if ((fault.symbol.empty() || fault.symbol == symbol) && --fault.countdown == 0)
      injected = fault.result;
  if (injected && kind != Entry::Releases)
    return *injected;
  if (kind != Entry::Always && !s.initialised)
    return violation(symbol, Result::NotInitialized, "cuInit has not been called");
  if (kind == Entry::NeedsContext && currentContext() == nullptr)
    return violation(symbol, Result::InvalidContext, "no context is current");
  const Result result = body(s);
  return injected ? *injected : result;
}

} // namespace algrt::cuda_stand_in
