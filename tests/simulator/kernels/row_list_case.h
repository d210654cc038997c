// One batch for the kernel that groups rows, and the list that it has to make.
#pragma once

#include "compiler/simulator/host/host_kernel.h"
#include "compiler/simulator/model/machine.h"
#include "compiler/targets/nvidia/group_rows.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace simulator_test {

// What says the rows' types.
enum class RowForm { Types, Positions, Sequences, SequencesFromZero, EqualSequences };

// Of rows that are divided among experts, for the kernel that knows these.
struct RowExperts {
  std::vector<int32_t> starts; // empty: there is one network
  std::vector<int32_t> list;   // of rows of a batch of `batch_rows`, one for each row; may be empty
  int32_t batch_rows = 0;
  bool list_of_x = false; // a second list has the rows of the batch

  int32_t count() const { return std::max<int32_t>(static_cast<int32_t>(starts.size()) - 1, 1); }
};

struct RowListCase {
  RowForm form = RowForm::Types;
  bool wide = false; // positions and starts of 8 bytes each
  int32_t rows = 0, types = 1;
  int64_t width = 1;
  std::vector<int64_t> numbers; // types, positions, or first rows of sequences and the number of rows
  std::vector<int64_t> firsts;  // positions of sequences
  int32_t sequence_rows = 1, offset = 0; // of equal sequences, or of counted rows of experts
  RowExperts experts = {};

  // The type of every row, -1 of those that have none: by the definition, row by row. Of experts the types of
  // each are others.
  std::vector<int32_t> typeOfRows() const;
  // The table as runtime/gpu_kernel_abi.h says, and that of X; what stays unwritten is -7.
  struct Tables {
    std::vector<int32_t> list, of_x;
  };
  Tables expected() const;
  // Runs the kernel: the list that it makes, or the fault that it commits.
  struct Made : Tables {
    std::string fault; // empty where there is none
  };
  Made make(const compiler::HostKernel &kernel, int32_t threads, int64_t blocks, uint64_t seed) const;
  // What is wrong with the list that it makes, or nothing.
  std::string run(const compiler::HostKernel &kernel, int32_t threads, int64_t blocks, uint64_t seed) const;
};

// Of any form and size; some types without rows, some rows without a type.
RowListCase randomRowList(std::mt19937_64 &random, RowForm form, int32_t rows);
// The same of experts, at positions that are given or counted; some experts without rows, some rows of none.
RowListCase randomExpertList(std::mt19937_64 &random, int32_t rows);

} // namespace simulator_test
