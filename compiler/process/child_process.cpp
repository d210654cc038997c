#include "compiler/process/child_process.h"

#include "compiler/process/failure.h"
#include "compiler/process/interruption.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace compiler {
namespace {

/// Signals do not come between fork and exec, where the child is still this program.
class SignalsHeld {
public:
  SignalsHeld() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld &) = delete;
  SignalsHeld &operator=(const SignalsHeld &) = delete;
  const sigset_t &maskBefore() const { return before_; }

private:
  sigset_t before_;
};

struct Start {
  const char *path;
  char *const *arguments;
  const char *output, *messages;
  pid_t parent;
  const sigset_t *mask;
  int report; ///< closed by exec; otherwise errno goes there
};

bool redirect(const char *file, int flags, int as) {
  const int opened = ::open(file, flags);
  return opened >= 0 && ::dup2(opened, as) == as && (opened == as || ::close(opened) == 0);
}

/// In the child, which has one thread and perhaps other threads' locks: system calls only.
[[noreturn]] void become(const Start &start) {
  // The kernel kills it with the thread that waits for it, also where nothing can be done about that end. Who
  // has ended in the meantime is no parent any more.
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != start.parent)
    ::_exit(127);
  // Appended: both may go into the same file.
  constexpr int writing = O_WRONLY | O_APPEND;
  if (redirect("/dev/null", O_RDONLY, STDIN_FILENO) && redirect(start.output, writing, STDOUT_FILENO) &&
      redirect(start.messages, writing, STDERR_FILENO)) {
    forgetCleanUp();
    (void)::sigprocmask(SIG_SETMASK, start.mask, nullptr);
    (void)::execv(start.path, start.arguments);
  }
  const int error = errno;
  (void)!::write(start.report, &error, sizeof error);
  ::_exit(127);
}

/// Waits until the child has ended and leaves it to be reaped. False where the time is over.
bool awaitEnd(pid_t child, std::chrono::seconds most) {
  // Kernels before 5.3 have no descriptors of processes: there the time is not limited.
  if (const int process = static_cast<int>(::syscall(SYS_pidfd_open, child, 0)); process >= 0) {
    const auto end = std::chrono::steady_clock::now() + most;
    int ready = 0;
    do {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      pollfd ended{process, POLLIN, 0};
      ready = ::poll(&ended, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    } while (ready < 0 && errno == EINTR);
    ::close(process);
    if (ready == 0)
      return false;
  }
  siginfo_t end;
  while (::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  return true;
}

int reap(pid_t child) {
  int status = 0;
  pid_t reaped = 0;
  do
    reaped = ::waitpid(child, &status, 0);
  while (reaped < 0 && errno == EINTR);
  // Whose parent has children ignored cannot ask how they ended.
  return reaped == child ? status : -1;
}

} // namespace

int runProgram(const std::string &path, const std::vector<std::string> &arguments, const Redirection &to,
               std::chrono::seconds most) {
  std::vector<std::string> words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0)
    throw Failure(fmt::format("{} cannot be started: {}", path, std::strerror(errno)));
  pid_t child = 0;
  int fork_error = 0;
  std::optional<KilledOnSignal> killed;
  {
    const SignalsHeld held;
    const Start start{path.c_str(), pointers.data(),    to.output.c_str(), to.messages.c_str(),
                      ::getpid(),   &held.maskBefore(), report[1]};
    child = ::fork();
    fork_error = errno;
    if (child == 0)
      become(start);
    if (child > 0)
      killed.emplace(child);
  }
  ::close(report[1]);
  if (child < 0) {
    ::close(report[0]);
    throw Failure(fmt::format("{} cannot be started: {}", path, std::strerror(fork_error)));
  }
  int start_error = 0;
  ssize_t told = 0;
  do
    told = ::read(report[0], &start_error, sizeof start_error);
  while (told < 0 && errno == EINTR);
  if (told != sizeof start_error)
    start_error = 0;
  ::close(report[0]);
  const bool in_time = awaitEnd(child, most);
  if (!in_time)
    (void)::kill(child, SIGKILL);
  killed.reset();
  const int status = reap(child);
  if (start_error != 0)
    throw Failure(fmt::format("{} cannot be started: {}", path, std::strerror(start_error)));
  if (!in_time)
    throw Failure(fmt::format("{} was not done after {} seconds", path, most.count()));
  if (status == -1)
    throw Failure(fmt::format("how {} ended cannot be found out: the signal SIGCHLD is ignored", path));
  if (WIFSIGNALED(status))
    throw Failure(
        fmt::format("{} was ended by signal {} ({})", path, WTERMSIG(status), ::strsignal(WTERMSIG(status))));
  return WEXITSTATUS(status);
}

} // namespace compiler
