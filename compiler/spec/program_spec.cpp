#include "compiler/spec/program_spec.h"

#include "compiler/spec/text_file.h"

namespace compiler {

ProgramFile readProgramFile(const std::string &path) {
  constexpr std::int64_t kLargestProgram = std::int64_t{1} << 24;
  return {path, readTextFile(path, kLargestProgram)};
}

} // namespace compiler
