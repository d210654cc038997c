// A program of a bundle with all that a call takes, as algctl bench measures it on a CPU.
#pragma once

#include "compiler/tools/expert_division.h"
#include "compiler/tools/opened_bundle.h"
#include "compiler/tools/program_arrays.h"
#include "compiler/tools/program_tools.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace compiler {

class MeasuredCall {
public:
  // m rows of random numbers, with packed weights where steps take them. With experts the rows are divided
  // evenly among so many networks.
  MeasuredCall(const std::string &bundle, const std::string &program, int64_t m, int threads,
               int64_t experts = 0);
  // One expert of that call by itself, with its rows and its weights. `all` stays where it is.
  MeasuredCall(const std::string &bundle, const MeasuredCall &all, int64_t expert);
  MeasuredCall(const MeasuredCall &) = delete;

  const algrt::Program &description() const { return *bundle_.manifest().findProgram(program_); }
  const std::string &algebra() const { return bundle_.manifest().algebra; }
  const ExpertDivision &division() const { return division_; }

  void run();
  // Runs, and gives the worst error beside the program's definition. Throws Failure where results are wrong.
  double compare(const ProgramTools &tools);
  // Compares its results with those that another call has computed for the same operands. Throws Failure.
  void compare(const MeasuredCall &other) const;
  // Compares the results of one expert with that expert's among the outputs of the call of all. Throws
  // Failure.
  void compareExpert(const ReferenceArrays &outputs, const ExpertDivision &division, int64_t expert) const;
  ReferenceArrays outputs() const;

  // Multiplications of all products for the rows of this call, and what they read or write: of weights the
  // blocks that some row reads, of the other operands all.
  struct Work {
    int64_t macs = 0, bytes = 0;
  };
  Work work() const;

private:
  // Some elements of an array, whose tensor refers to the shape.
  struct Part {
    std::vector<int64_t> shape;
    DLTensor tensor;
  };

  // Adds an operand of the call, packed where a step takes it so.
  void give(const algrt::ProgramOperand &operand, const DLTensor &tensor);
  void makeWorkspace();

  const algrt::Bundle bundle_;
  const std::string program_;
  const int64_t rows_, first_row_ = 0; // of the batch's rows, which have the positions
  const int threads_;
  const ExpertDivision division_; // of no experts where one network has all rows
  OpenedBundle opened_;
  std::vector<PackedWeights> packed_;
  ProgramArrays arrays_;
  std::deque<Part> parts_;
  std::unique_ptr<ProgramArray> starts_;
  std::vector<algrt_named_tensor> tensors_;
  std::vector<std::byte> workspace_;
};

} // namespace compiler
