#include "compiler/schedule/panels.h"

#include <initializer_list>

namespace compiler {

std::int64_t panelBytes(std::int64_t columns, std::int64_t element_bytes) {
  for (const std::int64_t swizzle : {128, 64, 32})
    if (columns * element_bytes % swizzle == 0)
      return swizzle;
  return 0;
}

} // namespace compiler
