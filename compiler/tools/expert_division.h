// Rows of a program's call divided among experts: which rows, which weights, and the definition of each.
#pragma once

#include "compiler/tools/program_tools.h"
#include "runtime/bundle/program.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

struct ExpertDivision {
  // Of each expert, and behind them the number of rows, or of entries of the list; empty: one network has
  // all.
  std::vector<int32_t> starts;
  // The rows of the batch, which has so many, that experts have, one expert after another; nothing where
  // these are all rows in their order.
  std::optional<std::vector<int32_t>> list = {};
  int64_t batch_rows = 0;

  int64_t experts() const { return starts.empty() ? 0 : static_cast<int64_t>(starts.size()) - 1; }
  int64_t first(int64_t expert) const { return starts[static_cast<size_t>(expert)]; }
  int64_t rows(int64_t expert) const { return first(expert + 1) - first(expert); }
  // Rows of results.
  int64_t resultRows(int64_t m) const { return list ? static_cast<int64_t>(list->size()) : m; }
};

// " divided among 4 experts", ", 50 listed by 4 experts"; empty where there are none.
std::string dividedText(int64_t experts, std::optional<int64_t> listed = std::nullopt);

// Why the rows of a call cannot be divided among experts on a CPU, as the end of a sentence; empty where they
// can.
std::string whyNotDivided(const algrt::Program &program);

// As many rows for each expert, or one more. Throws Failure where there are more rows or experts than 32 bits
// count.
ExpertDivision evenDivision(int64_t m, int64_t experts);
// Every row has an expert by chance. Throws Failure where there are more rows or experts than 32 bits count.
ExpertDivision randomDivision(int64_t m, int64_t experts, uint64_t seed);
// Experts have lists of rows by chance: some rows are in several or in one more than once, others in none.
ExpertDivision randomLists(int64_t m, int64_t experts, uint64_t seed);

// What one expert has of a tensor of the program, whose elements are given for all: its rows, its weights, or
// what all networks read. Of inputs of a call with lists these are the rows that its list names.
std::vector<double> partOfExpert(const algrt::Program &program, std::string_view tensor,
                                 const std::vector<double> &values, const ExpertDivision &division,
                                 int64_t expert);

// The results of some rows of one network, in some order, for what that has of the tensors.
using EvaluateExpert = std::function<std::vector<ReferenceArray>(int64_t expert, int64_t rows,
                                                                 const ReferencePositions &positions)>;
// The same of all experts, whose results follow each other, of a batch from position p0 on.
std::vector<ReferenceArray> evaluateExperts(const ExpertDivision &division, int64_t p0,
                                            const EvaluateExpert &evaluate);

// The outputs of a program by its definition for operands of all experts, by ProgramTools::evaluate.
ReferenceArrays evaluateExperts(
    const algrt::Program &program, const ExpertDivision &division, const ReferenceArrays &operands,
    int64_t p0,
    const std::function<ReferenceArrays(const ReferenceArrays &, const ReferencePositions &positions)>
        &evaluate);

} // namespace compiler
