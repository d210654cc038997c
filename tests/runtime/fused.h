// A bundle of a program alone, by hand: one fused projection of two products with every kind of operand and
// two results, whose kernels are in fused_kernels.c.
#pragma once

#include "tests/runtime/shapes.h"

namespace algrt::test {

// The program "both" of x, gate, up, scale [N], factor [M], residual [M, N], alpha [1], y [M, N] and g
// [M, N] in f32:
//     y = alpha * factor * (x gate) * (x up) + scale + residual,  g = x up
// The layer is that of the shape "cyclic_f32" or "cyclic_bf16".
nlohmann::ordered_json fusedManifest(const Shape &shape);
// Its list of programs, for a layer of that type and those widths.
nlohmann::ordered_json fusedPrograms(const std::string &type, int64_t k, int64_t n);
// With a section "code" of these bytes.
std::string fusedBundle(const nlohmann::ordered_json &manifest, const std::string &code);

} // namespace algrt::test
