// How the rows of a block are cut in shared memory.
#ifndef ALGCTL_COMPILER_SCHEDULE_PANELS_H
#define ALGCTL_COMPILER_SCHEDULE_PANELS_H

#include <cstdint>

namespace compiler {

/// The width in bytes of the panels in which a row of `columns` elements is stored: the widest swizzle that
/// divides it, 128, 64 or 32; 0 where none does.
std::int64_t panelBytes(std::int64_t columns, std::int64_t element_bytes);

} // namespace compiler

#endif
