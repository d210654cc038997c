// Bundles of one small feed-forward network, and of experts that are shaped like it, as
// benchmarks/compile-bundles has the compiler write them: each with what lies beside it to be compared with.
#pragma once

#include "compiler/pipeline/pipeline.h"
#include "compiler/spec/spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace device_test {

/// Of x and y, and of what is between the layers, over Q(4).
inline constexpr int64_t network_width = 128, network_hidden = 256, network_types = 4;

/// y = (silu(x gate) * (x up)) down in bf16.
compiler::Spec networkSpec(bool bias = false);

/// For few rows on sm_90a.
compiler::CompileOptions networkOptions(compiler::Fusing fusing = compiler::Fusing::Layers,
                                        const std::vector<std::string> &schedules = {}, int64_t experts = 0);

/// Writes NAME.alg, whose one step has two kernels, NAME-steps.alg, NAME-apart.alg and NAME-activation.alg
/// into the folder; returns their paths, that of NAME.alg first.
std::vector<std::string> writeNetwork(const std::string &folder, const std::string &name);
/// The same of experts: NAME.alg, NAME-steps.alg, NAME-each.alg and NAME-activation.alg.
std::vector<std::string> writeExperts(const std::string &folder, const std::string &name);

} // namespace device_test
