// What a spec says in [program]: one that it describes, or a module of functions.
#pragma once

#include "compiler/spec/swiglu.h"

#include <string>
#include <variant>

namespace compiler {

// Functions of the alg dialect as MLIR writes them.
struct ProgramFile {
  std::string path;
  std::string text;
};

using ProgramSpec = std::variant<Swiglu, ProgramFile>;

// Reads the file. Throws algebras::InputError where there is none, or where it is no text or too long.
ProgramFile readProgramFile(const std::string &path);

} // namespace compiler
