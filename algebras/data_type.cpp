#include "algebras/data_type.h"

#include "algebras/error.h"

#include <fmt/format.h>

namespace algebras {

DataType parseDataType(std::string_view text) {
  if (text == "f32")
    return DataType::F32;
  if (text == "bf16")
    return DataType::BF16;
  throw InputError(fmt::format("'{}' is not an element type", text.substr(0, 80)))
      .hint("write \"bf16\" or \"f32\"");
}

std::string toString(DataType type) { return type == DataType::F32 ? "f32" : "bf16"; }

int64_t byteWidth(DataType type) { return type == DataType::F32 ? 4 : 2; }

} // namespace algebras
