#include "compiler/schedule/panels.h"

#include <initializer_list>

namespace compiler {

int64_t panelBytes(int64_t columns, int64_t element_bytes) {
  for (const int64_t swizzle : {128, 64, 32})
    if (columns * element_bytes % swizzle == 0)
      return swizzle;
  return 0;
}

} // namespace compiler
