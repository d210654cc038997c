// What is tidied up when a signal ends the program.
#pragma once

#include <atomic>
#include <sys/types.h>

namespace compiler {

/// From now on the signals that end a program (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGXFSZ,
/// SIGABRT) end it after its child processes are killed, its temporary folder is removed and so is every
/// algrt::UnfinishedFile. The program then ends by the same signal, so that its status says so. Signals that
/// are ignored stay ignored. For main(), before there are threads.
void cleanUpOnSignals();

/// In a child process, before it becomes another program: these signals do again what they do by themselves.
/// Calls nothing that may not be called there.
void forgetCleanUp() noexcept;

/// A child process that is killed with this one as long as the object lives. It has to be dropped before the
/// child is reaped: afterwards its number may be another's.
class KilledOnSignal {
public:
  explicit KilledOnSignal(pid_t child);
  ~KilledOnSignal();
  KilledOnSignal(const KilledOnSignal &) = delete;
  KilledOnSignal &operator=(const KilledOnSignal &) = delete;

private:
  std::atomic<pid_t> *place_ = nullptr;
};

} // namespace compiler
