#include "compiler/tools/simulated_bias_gradient.h"

#include "compiler/auxiliary/bias_gradient.h"
#include "runtime/numpy/npy.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace compiler {

nlohmann::ordered_json faultJson(const simulator::Fault &fault, const HostKernel &kernel) {
  auto op = [&](std::int32_t site) {
    return kernel.site(site).empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(kernel.site(site));
  };
  return {{"kind", simulator::name(fault.kind)}, {"what", fault.message}, {"op", op(fault.site)},
          {"other_op", op(fault.otherSite)},     {"block", fault.block},  {"thread", fault.thread}};
}

std::string BiasGradientCheck::check(BiasGradientOperands operands, std::uint64_t seed) {
  std::vector<float> held;
  if (operands.beta != 0) {
    held.resize(static_cast<std::size_t>(operands.n));
    operands.held = held;
  }
  BiasGradientSettings settings;
  settings.seed = seed;
  settings.padding = static_cast<std::int64_t>(seed % 3);
  settings.shift = static_cast<std::int64_t>(seed % 2);
  made = simulateBiasGradient(kernel, bias_gradient_threads, operands, settings);
  if (!made.faults.empty())
    return fmt::format("dbias: {}\n  at {}", made.faults.front().text(),
                       kernel.site(made.faults.front().site));
  if (made.unwritten > 0)
    return fmt::format("{} elements of dbias, or of its partial sums, were never written", made.unwritten);
  if (output && runs == 0)
    output->commit(algrt::encodeNpy(std::vector<std::int64_t>{operands.n}, made.dbias));
  ++runs;
  const ExpectedProduct expected = expectedBiasGradient(operands);
  const Agreement found = agreement(made.dbias, expected, operands.output);
  largest_error = std::max(largest_error, found.largest_error);
  worst = std::max(worst, found.worst);
  if (found.wrong == 0)
    return "";
  const auto first = static_cast<std::size_t>(found.first_wrong);
  return fmt::format("{} of the {} elements of dbias are wrong: dbias[{}] is {}, not {:.9g}", found.wrong,
                     made.dbias.size(), first, made.dbias[first], expected.value[first]);
}

std::vector<nlohmann::ordered_json> BiasGradientCheck::faults() const {
  std::vector<nlohmann::ordered_json> result;
  for (const simulator::Fault &fault : made.faults)
    result.push_back(faultJson(fault, kernel));
  return result;
}

std::string BiasGradientCheck::summary() const {
  return fmt::format("dbias: largest error {:.3e}, {:.0f} % of what rounding allows; no faults\n",
                     largest_error, 100 * worst);
}

} // namespace compiler
