// How the rows of a block are cut in shared memory.
#pragma once

#include <cstdint>

namespace compiler {

/// The width in bytes of the panels in which a row of `columns` elements is stored: the widest swizzle that
/// divides it, 128, 64 or 32; 0 where none does.
int64_t panelBytes(int64_t columns, int64_t element_bytes);

} // namespace compiler
