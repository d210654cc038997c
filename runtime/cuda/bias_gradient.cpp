#include "runtime/cuda/bias_gradient.h"

#include "runtime/cuda/launch_parameters.h"
#include "runtime/support/error.h"

namespace algrt::cuda {

size_t chooseBiasGradient(const std::vector<Kernel> &kernels, const DeviceProperties &device) {
  const std::optional<size_t> found = chooseAuxiliary(kernels, &Kernel::bias_gradient, device);
  if (!found)
    throw Error(ALGRT_UNSUPPORTED,
                "dbias: the bundle has no kernel that computes it on device " +
                    std::to_string(device.ordinal) +
                    ": compile it for the device, of a layer with a bias, or pass NULL and sum the columns "
                    "of dy there");
  return *found;
}

DevicePointer placeBiasGradientSums(int64_t n, int64_t m, const Workspace &workspace) {
  if (n > algrt_most_gpu_rows)
    throw Error(ALGRT_UNSUPPORTED, "dbias: has " + std::to_string(n) + " elements, kernels count up to " +
                                       std::to_string(int64_t(algrt_most_gpu_rows)));
  const int64_t bytes = biasGradientBytes(n, m);
  return bytes == 0 ? 0 : placeInWorkspace(workspace, bytes, sizeof(double), "sums of dbias need");
}

void sumBiasGradient(const Driver &driver, const ReadyKernel &kernel, const GpuCode &code,
                     const BiasGradientCall &call, Stream stream) {
  for (const ColumnSumsLaunch &launch : planBiasGradient(call)) {
    ParameterBlock block(code.parameters);
    setColumnSums(block, code.parameters, launch);
    const LaunchConfig config{
        launch.grid, 1, 1, uint32_t(code.threads), 1, 1, uint32_t(code.shared_bytes), stream, nullptr, 0};
    driver.check(driver.launchKernelEx(&config, kernel.function, block.pointers().data(), nullptr),
                 "launching the kernel of the bias's gradient");
  }
}

} // namespace algrt::cuda
