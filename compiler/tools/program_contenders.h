// One program of a bundle beside what it is compared with, all ready to run.
#pragma once

#include "compiler/tools/bench_program.h"
#include "compiler/tools/dense_network.h"
#include "compiler/tools/measured_call.h"
#include "runtime/bench/race.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

class ProgramContenders {
public:
  /// Runs the program once, and says in `made` what it is. Both are kept by reference.
  ProgramContenders(const ProgramBenchSource &source, ProgramBenchCase &made, int threads);

  /// The bundles with a step for each layer, and with one for each operation, where they have other steps
  /// than the program; and a call for each expert. Throws Failure where they leave other results.
  void addOtherSteps();
  void addEachExpert();
  /// A dense network of the same shape for each network, checked against its definition; where there is none
  /// the case says why. The gradients of a dense network are not among what is compared.
  void addDense(algrt::DenseLibraries &libraries);
  int64_t denseMacs() const;

  /// Times them all, one beside the other.
  void race(int trials, algrt::CacheFlush &flush, const std::function<void(double fraction)> &progress);

private:
  /// A program of other steps.
  struct Other {
    std::optional<MeasuredCall> call;
    size_t steps = 0, contender = 0;
  };
  void add(const std::string &bundle, Other &other);
  size_t add(std::function<void()> run);
  std::string whyNoDense() const;

  const ProgramBenchSource &source_;
  ProgramBenchCase &made_;
  const int threads_;
  MeasuredCall fused_;
  Other in_layers_, apart_;
  std::deque<MeasuredCall> each_;
  std::deque<DenseNetwork> dense_;
  size_t of_each_ = 0, of_dense_ = 0; ///< their numbers among the contenders
  std::vector<algrt::Contender> contenders_;
};

} // namespace compiler
