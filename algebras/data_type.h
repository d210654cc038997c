// Element types of a layer's tensors; accumulation is f32 in both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace algebras {

enum class DataType { F32, BF16 };

DataType parseDataType(std::string_view text); // "f32" or "bf16"; InputError otherwise
std::string toString(DataType type);
int64_t byteWidth(DataType type);

} // namespace algebras
