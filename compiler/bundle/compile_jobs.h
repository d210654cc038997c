// The parts of a bundle, compiled side by side and put together in order.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace compiler {

class BundleParts;

/// What a job leaves behind.
struct CompiledPart {
  std::function<void(BundleParts &)> add; ///< puts the kernels into the bundle
  std::vector<std::string> notes;         ///< what the user should know although nothing failed
};

/// Kernels that depend on no others of the bundle.
struct CompileJob {
  std::string what; ///< "kernels for sm_90a, results in bf16", for those who wait
  /// Shares nothing that it changes with another job: each has its own MLIRContext.
  std::function<CompiledPart()> compile;
};

/// How far the jobs are: `done` of `total` are finished, `what` is one that was begun or finished last.
/// Never called by two threads at once.
using JobProgress = std::function<void(size_t done, size_t total, const std::string &what)>;

/// Runs the jobs on so many threads (0: all that there are) and adds what they made in the order of the jobs,
/// so that the bundle's bytes do not depend on which was ready first. Where jobs fail, the failure of the
/// first of them in order is thrown, as if they had run one after another, and nothing is added. Notes are
/// given to `note` in order, each text once. `progress` and `note` may be empty.
void runCompileJobs(const std::vector<CompileJob> &jobs, int threads, const JobProgress &progress,
                    const std::function<void(const std::string &)> &note, BundleParts &parts);

} // namespace compiler
