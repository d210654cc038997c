// The arrays of a call of a program: from files, from random numbers, for results.
#pragma once

#include "compiler/tools/program_tools.h"
#include "runtime/algrt.h"
#include "runtime/bundle/bundle.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

// An operand's elements in its type, and the tensor that the runtime is given.
class ProgramArray {
public:
  ProgramArray(algrt::OperandType type, std::vector<int64_t> shape);
  ProgramArray(const ProgramArray &) = delete;
  ProgramArray &operator=(const ProgramArray &) = delete;

  template <typename T> T *as() { return reinterpret_cast<T *>(bytes.data()); }
  template <typename T> const T *as() const { return reinterpret_cast<const T *>(bytes.data()); }
  // Rounded where the type is bf16.
  void set(const std::vector<float> &values);
  // Of floats.
  std::vector<float> values() const;
  // Of any type.
  ReferenceArray reference() const;

  const algrt::OperandType type;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;
  DLTensor tensor;
};

using ProgramArrays = std::map<std::string, std::unique_ptr<ProgramArray>>;

// From a file, by array_file.h.
std::unique_ptr<ProgramArray> readOperand(const algrt::ProgramOperand &operand, const std::string &file);

// An array for so many rows, zeros.
std::unique_ptr<ProgramArray> makeOperand(const algrt::ProgramOperand &operand, int64_t m);

// Random numbers for every operand of the program that a call has to give and that is not among the arrays:
// of mean 0, of deviation 1 and for weights such that sums of products have that, and row types that are
// there.
// `types_of` says how many row types a projection has that steps name. With experts, weights are those of
// all. Inputs may be `scale` times as large.
void addRandomOperands(const algrt::Program &program, int64_t m, uint64_t seed,
                       const std::function<int64_t(size_t projection)> &types_of, ProgramArrays &arrays,
                       int64_t experts = 0, double scale = 1);
// The same for a program of a bundle.
void addRandomOperands(const algrt::Bundle &bundle, const algrt::Program &program, int64_t m, uint64_t seed,
                       ProgramArrays &arrays, int64_t experts = 0);

// The rows of the batch: what an array has in the place of M, or `given`. `files` are those of the arrays.
// Throws UsageError where neither says it; Failure where they contradict each other, and for an array with
// rows of a wrong number of dimensions.
int64_t rowsOf(const algrt::Program &program, const ProgramArrays &arrays,
               const std::map<std::string, std::string> &files, const std::optional<int64_t> &given);

} // namespace compiler
