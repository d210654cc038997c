#include "compiler/spec/program_spec.h"

#include "compiler/spec/text_file.h"

namespace compiler {

ProgramFile readProgramFile(const std::string &path) {
  constexpr int64_t largest_program = int64_t{1} << 24;
  return {path, readTextFile(path, largest_program)};
}

} // namespace compiler
