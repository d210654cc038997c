// Host time of a call on a CUDA device, from algrt_forward to its return: with every launch prepared anew,
// and with the launches that the bundle remembers. No device takes part. The driver is the tests' stand-in,
// which checks and notes every call, or one that does nothing, so that what is left is the runtime's own
// work: a driver of NVIDIA's adds its own time for the launch, and for each tensor map where launches are
// prepared.
#include "tests/runtime/cuda/gpu_product.h"
#include "tests/runtime/cuda/idle_driver.h"
#include "tests/runtime/cuda_stand_in/control.h"

#include "runtime/api/handles.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <vector>

using namespace algrt;
using namespace algrt::test;

// Up-projection of Q(32) for 2048 rows; the counter says how many maps a call had encoded.
static void call(benchmark::State &state, GpuShape shape, bool idle, bool remembers) {
  shape.groups = 32;
  shape.in = shape.out = 64;
  useStandIn();
  cuda_stand_in::reset({{}});
  const TestContext context(0);
  GpuProduct product(context, shape, 2048);
  cuda::DeviceModules &modules = product.bundle->gpu_kernels.device(0);
  modules.launches().setCapacity(remembers ? cuda::LaunchCache::usual_capacity : 0);
  if (product.run() != ALGRT_OK)
    return state.SkipWithError(algrt_last_error());
  const int before = cuda_stand_in::callCount("cuTensorMapEncodeTiled");
  if (idle)
    makeIdle(modules.context().driver());
  for (auto _ : state)
    benchmark::DoNotOptimize(product.run());
  if (!idle)
    state.counters["maps"] =
        double(cuda_stand_in::callCount("cuTensorMapEncodeTiled") - before) / double(state.iterations());
}

// The stand-in notes every call until it is reset: so many fit into memory. The least of several times is the
// one that other programs of the machine disturb least.
static void apply(benchmark::internal::Benchmark *benchmark) {
  benchmark->Iterations(20000)->Repetitions(15)->ReportAggregatesOnly()->Unit(benchmark::kNanosecond);
  benchmark->ComputeStatistics(
      "min", [](const std::vector<double> &times) { return *std::ranges::min_element(times); });
}
BENCHMARK_CAPTURE(call, cyclic_anew_stand_in, GpuShape(), false, false)->Apply(apply);
BENCHMARK_CAPTURE(call, cyclic_remembered_stand_in, GpuShape(), false, true)->Apply(apply);
BENCHMARK_CAPTURE(call, cyclic_anew_idle, GpuShape(), true, false)->Apply(apply);
BENCHMARK_CAPTURE(call, cyclic_remembered_idle, GpuShape(), true, true)->Apply(apply);
static const GpuShape runs{.row_types = RowTypesKind::Interval, .run = 64};
BENCHMARK_CAPTURE(call, interval_anew_stand_in, runs, false, false)->Apply(apply);
BENCHMARK_CAPTURE(call, interval_remembered_stand_in, runs, false, true)->Apply(apply);
BENCHMARK_CAPTURE(call, interval_anew_idle, runs, true, false)->Apply(apply);
BENCHMARK_CAPTURE(call, interval_remembered_idle, runs, true, true)->Apply(apply);
