// A whole input file in memory: text.
#pragma once

#include <string>

namespace algebras {

// InputError for what is not a readable regular file (a device could be endless), is larger than 1 GiB, or is
// not UTF-8.
std::string readInputFile(const std::string &path);

} // namespace algebras
