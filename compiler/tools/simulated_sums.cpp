#include "compiler/tools/simulated_sums.h"

#include "compiler/pipeline/elementwise_pipeline.h"
#include "compiler/pipeline/program_plan.h"
#include "compiler/process/failure.h"
#include "compiler/simulator/device_matrix.h"
#include "runtime/numpy/npy.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {

static SimulatedElementwiseKernel kernelOf(const KernelSource &source, Target target,
                                           algrt::ElementType type) {
  CompileOptions options;
  options.targets = {target};
  for (const ElementwiseSource &function : projectionFunctions(source, options))
    if (function.description.name == algrt::dbiasFunction(type)) {
      GpuElementwiseProgram program = gpuElementwiseProgram(*function.compiled_from, target, options);
      return {function.description, std::move(program.kernel), program.nvvm};
    }
  throw Failure("the layer has no bias: leave --dbias out, or give it one with --bias");
}

SimulatedSums::SimulatedSums(const KernelSource &source, Target target, algrt::ElementType type,
                             OutputFile *output)
    : type_(type), kernel_(kernelOf(source, target, type)), output_(output) {}

int64_t SimulatedSums::bytes(int64_t n, int64_t m) {
  using simulator::Access;
  return algrt::checkedAdd(DeviceMatrix::bytes(m, n, algrt::ElementType::Bf16, Access::Read),
                           DeviceMatrix::bytes(1, n, algrt::ElementType::F32, Access::ReadWrite),
                           "the bytes of dbias");
}

std::string SimulatedSums::check(const std::vector<float> &dy, int64_t m, int64_t n, float beta,
                                 uint64_t seed) {
  const std::vector<float> held(static_cast<size_t>(n));
  ElementwiseSettings settings;
  settings.seed = seed;
  settings.padding = static_cast<int64_t>(seed % 3);
  settings.shift = static_cast<int64_t>(seed % 2);
  made_ = kernel_.run({dy, {beta}}, m, settings, {held});
  if (!faults().empty())
    return "dbias: " + kernel_.explain(faults().front());
  if (made_.unwritten > 0)
    return fmt::format("{} elements of dbias were never written", made_.unwritten);
  const std::vector<float> &dbias = made_.outputs.front();
  if (output_ && runs_ == 0)
    output_->commit(algrt::encodeNpy(std::vector<int64_t>{static_cast<int64_t>(dbias.size())}, dbias));
  ++runs_;
  const ExpectedProduct expected = expectedSums(dy, held, beta);
  const Agreement found = agreement(dbias, expected, type_);
  largest_error_ = std::max(largest_error_, found.largest_error);
  worst_ = std::max(worst_, found.worst);
  if (found.wrong == 0)
    return "";
  const auto first = static_cast<size_t>(found.first_wrong);
  return fmt::format("{} of the {} elements of dbias are wrong: dbias[{}] is {}, not {:.9g}", found.wrong,
                     dbias.size(), first, dbias[first], expected.value[first]);
}

std::string SimulatedSums::summary() const {
  return fmt::format("dbias: largest error {:.3e}, {:.0f} % of what rounding allows; no faults\n",
                     largest_error_, 100 * worst_);
}

} // namespace compiler
