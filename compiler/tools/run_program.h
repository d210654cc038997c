// Any program of a bundle on named arrays, through the runtime's C interface.
#pragma once

#include "compiler/tools/program_tools.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

struct ProgramRun {
  std::string bundle, program;
  std::vector<std::string> sets,
      gets;                 // "x=x.npy": what is read, by array_file.h, and what is written, as float32 .npy
  std::optional<int64_t> m; // where no array says it
  int64_t p0 = 0;
  int64_t sequence_rows = 0; // of each sequence of the batch; 0: one sequence
  int32_t threads = 0;       // 0 = all
  float beta = 0;            // what an output that is given with a set holds counts so often
  // Of random numbers for the operands that are not set, where nothing is written; without it only there.
  std::optional<uint64_t> seed;
  int64_t experts = 0;       // among which every row has one by chance; 0: there is one network
  std::string expert_starts; // the file that says which rows are whose, in place of these
  std::string expert_rows;   // the file of a list of rows, which experts have in place of the rows
  bool check = false;        // against the definition of the program, which the bundle has
  bool json = false;
};

// Reads, runs, writes, checks and reports. Throws UsageError for a set or get that is none, or of an operand
// that the program does not have; Failure or AbsentError with the runtime's sentence for arrays that do not
// fit.
int runProgram(const ProgramRun &options, const ProgramTools &tools);

// Whether a bundle holds programs, and no projection of its own.
bool holdsProgramsAlone(const std::string &bundle);

} // namespace compiler
