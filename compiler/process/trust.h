// Whether what a file holds may be run as this user: only who could run it anyway may have written it.
#pragma once

#include <string>

struct stat;

namespace compiler {

/// "belongs to user 1001", "can be written by its group", "can be written by everybody"; empty where a file
/// or folder belongs to this user or to root and nobody else can write it. Ask of an opened descriptor: a
/// name may stand for something else a moment later.
std::string reasonToDistrust(const struct stat &status);

} // namespace compiler
