#include "compiler/tools/simulated_bias_gradient.h"

#include "compiler/auxiliary/bias_gradient.h"
#include "runtime/numpy/npy.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {

nlohmann::ordered_json faultJson(const simulator::Fault &fault, const HostKernel &kernel) {
  auto op = [&](int32_t site) {
    return kernel.site(site).empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(kernel.site(site));
  };
  return {{"kind", simulator::name(fault.kind)}, {"what", fault.message}, {"op", op(fault.site)},
          {"other_op", op(fault.other_site)},    {"block", fault.block},  {"thread", fault.thread}};
}

std::string BiasGradientCheck::check(BiasGradientOperands operands, uint64_t seed) {
  std::vector<float> held;
  if (operands.beta != 0) {
    held.resize(static_cast<size_t>(operands.n));
    operands.held = held;
  }
  BiasGradientSettings settings;
  settings.seed = seed;
  settings.padding = static_cast<int64_t>(seed % 3);
  settings.shift = static_cast<int64_t>(seed % 2);
  made_ = simulateBiasGradient(kernel_, bias_gradient_threads, operands, settings);
  if (!made_.faults.empty())
    return fmt::format("dbias: {}\n  at {}", made_.faults.front().text(),
                       kernel_.site(made_.faults.front().site));
  if (made_.unwritten > 0)
    return fmt::format("{} elements of dbias, or of its partial sums, were never written", made_.unwritten);
  if (output_ && runs_ == 0)
    output_->commit(algrt::encodeNpy(std::vector<int64_t>{operands.n}, made_.dbias));
  ++runs_;
  const ExpectedProduct expected = expectedBiasGradient(operands);
  const Agreement found = agreement(made_.dbias, expected, operands.output);
  largest_error_ = std::max(largest_error_, found.largest_error);
  worst_ = std::max(worst_, found.worst);
  if (found.wrong == 0)
    return "";
  const auto first = static_cast<size_t>(found.first_wrong);
  return fmt::format("{} of the {} elements of dbias are wrong: dbias[{}] is {}, not {:.9g}", found.wrong,
                     made_.dbias.size(), first, made_.dbias[first], expected.value[first]);
}

std::vector<nlohmann::ordered_json> BiasGradientCheck::faults() const {
  std::vector<nlohmann::ordered_json> result;
  for (const simulator::Fault &fault : made_.faults)
    result.push_back(faultJson(fault, kernel_));
  return result;
}

std::string BiasGradientCheck::summary() const {
  return fmt::format("dbias: largest error {:.3e}, {:.0f} % of what rounding allows; no faults\n",
                     largest_error_, 100 * worst_);
}

} // namespace compiler
