// The product of a bundle's projection and its gradients, as operators.
//
// x is [..., features]. Its rows are at consecutive positions: a tensor of two dimensions is one sequence
// from position p0 on, one of more is sequences of as many rows as its last dimension but one, each from p0
// on. With `positions`, int32 or int64 with a number for each row, rows are where they say, and p0 is 0.
// `types`, int32, are given if and only if the bundle's row types are explicit.
//
// x, and what is computed, is of the bundle's type; weights and bias may also be float32 where that is
// bfloat16, and are rounded for the product.
#pragma once

#include "python/operators/bundles.h"

namespace algctl_torch {

using OptionalTensor = std::optional<Tensor>;

Tensor projectionForward(Tensor x, Tensor weight, OptionalTensor bias, OptionalTensor positions,
                         OptionalTensor types, int64_t p0, std::string bundle);
// The gradient of x from that of y.
Tensor projectionDx(Tensor dy, Tensor weight, OptionalTensor positions, OptionalTensor types, int64_t p0,
                    std::string bundle);
// The gradients of the weight matrix and of the bias, which is empty where the layer has none, in `type`.
std::tuple<Tensor, Tensor> projectionDw(Tensor x, Tensor dy, OptionalTensor positions, OptionalTensor types,
                                        int64_t p0, std::string bundle, ScalarType type);

// ---- weights that are packed for the CPU ----

// Packs a weight matrix and returns its number in this process.
int64_t packWeights(Tensor weight, std::string bundle);
void freeWeights(int64_t packed);
int64_t packedBytes(int64_t packed);
// projectionForward with packed weights.
Tensor projectionForwardPacked(Tensor x, int64_t packed, OptionalTensor bias, OptionalTensor positions,
                               OptionalTensor types, int64_t p0, std::string bundle);

} // namespace algctl_torch
