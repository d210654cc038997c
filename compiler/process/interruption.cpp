#include "compiler/process/interruption.h"

#include "compiler/process/temporary_folder.h"
#include "runtime/support/unfinished_file.h"

#include <array>
#include <csignal>
#include <sys/wait.h>

namespace compiler {
namespace {

constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ, SIGABRT};

/// More children than threads could wait for; one without a place is killed by the kernel alone, which does
/// so a little later (child_process.cpp).
constexpr size_t most_children = 1024;
std::array<std::atomic<pid_t>, most_children> children;

/// Their files can only be removed when they have gone.
void killChildren() {
  for (std::atomic<pid_t> &place : children)
    if (const pid_t child = place.load(); child > 0) {
      (void)::kill(child, SIGKILL);
      (void)::waitpid(child, nullptr, 0);
    }
}

extern "C" void cleanUpAndEnd(int signal) {
  killChildren();
  removeTemporaryFolder();
  algrt::removeUnfinishedFiles();
  // Delivered again when this returns, now with its own effect.
  (void)::signal(signal, SIG_DFL);
  (void)::raise(signal);
}

} // namespace

void cleanUpOnSignals() {
  struct sigaction action{};
  action.sa_handler = cleanUpAndEnd;
  ::sigfillset(&action.sa_mask);
  for (const int signal : ending_signals) {
    struct sigaction before{};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      (void)::sigaction(signal, &action, nullptr);
  }
}

void forgetCleanUp() noexcept {
  for (const int signal : ending_signals) {
    struct sigaction now{};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == cleanUpAndEnd)
      (void)::signal(signal, SIG_DFL);
  }
}

KilledOnSignal::KilledOnSignal(pid_t child) {
  for (std::atomic<pid_t> &free : children) {
    pid_t none = 0;
    if (free.compare_exchange_strong(none, child)) {
      place_ = &free;
      return;
    }
  }
}

KilledOnSignal::~KilledOnSignal() {
  if (place_ != nullptr)
    place_->store(0);
}

} // namespace compiler
