#include "compiler/bundle/compile_jobs.h"

#include "runtime/support/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <set>

namespace compiler {
namespace {

struct Outcome {
  std::optional<CompiledPart> part;
  std::exception_ptr failure;
};

/// Lowers `value` to `to` unless it is lower already.
void lower(std::atomic<size_t> &value, size_t to) {
  size_t seen = value.load();
  while (to < seen && !value.compare_exchange_weak(seen, to)) {
  }
}

} // namespace

void runCompileJobs(const std::vector<CompileJob> &jobs, int threads, const JobProgress &progress,
                    const std::function<void(const std::string &)> &note, BundleParts &parts) {
  std::vector<Outcome> outcomes(jobs.size());
  // Jobs behind one that failed are left out; those before it are not, one of them may fail too.
  std::atomic<size_t> next = 0, first_failure = jobs.size();
  std::mutex reporting;
  size_t done = 0;
  auto report = [&](const std::string &what, size_t finished) {
    const std::lock_guard lock(reporting);
    done += finished;
    if (progress)
      progress(done, jobs.size(), what);
  };
  auto work = [&](int) {
    // Taken one by one: the first are the longest to wait for.
    for (size_t i = next++; i < jobs.size(); i = next++) {
      if (i > first_failure)
        continue;
      try {
        report(jobs[i].what, 0);
        outcomes[i].part = jobs[i].compile();
        report(jobs[i].what, 1);
      } catch (...) { // thrown again below, by the thread that called
        outcomes[i].failure = std::current_exception();
        lower(first_failure, i);
      }
    }
  };
  const int workers = std::min<int>(algrt::resolveThreads(threads), static_cast<int>(jobs.size()));
  if (workers <= 1)
    work(0);
  else
    algrt::runWorkers(workers, work);

  if (first_failure < jobs.size())
    std::rethrow_exception(outcomes[first_failure].failure);
  std::set<std::string> said;
  for (Outcome &outcome : outcomes) {
    outcome.part->add(parts);
    for (const std::string &text : outcome.part->notes)
      if (note && said.insert(text).second)
        note(text);
  }
}

} // namespace compiler
