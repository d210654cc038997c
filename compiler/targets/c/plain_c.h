// A projection as a single file of plain C: for machines that no other target reaches, and for reading.
#pragma once

#include "algebras/layer.h"

#include <string>

namespace compiler {

/// C99 source with one function, `forward`, that computes Y = X (times) W term by term and depends on nothing
/// but <stdint.h> and <string.h>. Accumulates in f32. Made to be obviously right rather than fast.
std::string plainC(const algebras::Layer &layer, const std::string &source_name);

} // namespace compiler
