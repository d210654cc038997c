// A whole input file in memory.
#pragma once

#include <string>

namespace algebras {

// InputError for what is not a readable regular file (a device could be endless) or is larger than 1 GiB.
std::string readInputFile(const std::string &path);

} // namespace algebras
