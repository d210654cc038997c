// The manifest's "layer.fused": read, written, hashed for the records of code, and what follows of it.
#pragma once

#include "runtime/bundle/layer.h"
#include "runtime/bundle/map.h"

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace algrt {

// Of weights, of operands and of results of a fused layer each. Kernels have far fewer.
inline constexpr int64_t most_fused = 64;

// Whether maps of a fused layer may not call an operand that: matrices of products, "x", "w", "w2", "y",
// "dy", "dx", ..., and what says the rows' types.
bool isReservedName(std::string_view name);

// Reads and checks the object. Throws Error(ALGRT_BAD_BUNDLE) naming the key for counts out of range, names
// that are empty, reserved or there twice, unknown types, and numbers for the call that are not f32.
Fusion parseFusion(const JsonFields &fields);

// As the manifest has it.
nlohmann::ordered_json fusionJson(const Fusion &fusion);

// For the record in the code (runtime/kernel_record.h): of the number of weights, of the operands their
// number, names, kinds and types, and of the types of the results; with a next layer also of the operands'
// layers, of its number of weights and of its groups.
uint64_t hashOfFusion(const Fusion &fusion);

// The fusion of a layer; of one that has none, what forward or dx is in such words: one weight, perhaps the
// operand "bias" for each column, one result of the layer's type.
Fusion fusionOf(const Layer &layer, Map map);

// What a kernel of forward or dx is called with, in its order: "x", "w", "w2", ..., operands, "y", "y2", ...
std::vector<std::string> productOperands(const Layer &layer, Map map);

} // namespace algrt
