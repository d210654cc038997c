#include "runtime/support/standard_streams.h"

#include "runtime/support/error.h"
#include "runtime/support/printable_text.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <new>
#include <system_error>
#include <unistd.h>

namespace algrt {

namespace {

const char *program_name = "the program";
int failed_code = 1, bug_code = 70;
void (*clean_up_first)() noexcept = nullptr;

void writeRaw(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return; // nobody can be told
    text.remove_prefix(size_t(written));
  }
}

[[noreturn]] void end(int code, std::string_view before, std::string_view what) noexcept {
  if (clean_up_first != nullptr)
    clean_up_first();
  writeRaw(program_name);
  writeRaw(before);
  writeRaw(what);
  writeRaw("\n");
  ::_exit(code);
}

[[noreturn]] void endInWords() noexcept {
  try {
    if (const std::exception_ptr thrown = std::current_exception())
      std::rethrow_exception(thrown);
  } catch (const std::bad_alloc &) {
    endOutOfMemory();
  } catch (const std::system_error &error) {
    if (error.code() == std::errc::resource_unavailable_try_again ||
        error.code() == std::errc::not_enough_memory)
      endOutOfThreads(error.what());
    endAsBug(error.what());
  } catch (const std::exception &error) {
    endAsBug(error.what());
  } catch (...) {
    end(bug_code, ": error: internal error", "");
  }
  end(bug_code, ": error: internal error: ended without a reason", "");
}

[[noreturn]] void refuseOutput() {
  throw Error(ALGRT_IO_ERROR, std::string("cannot write to standard output: ") + std::strerror(errno));
}

} // namespace

void openStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF)
      continue;
    // The wrong way round for the first two. The lowest free number is taken, and that is this one.
    if (::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY) != stream)
      ::_exit(failed_code);
  }
}

void writeDiagnostic(std::string_view text) noexcept {
  try {
    const std::string shown = printable(text);
    std::fflush(stderr); // a bar of progress
    writeRaw(shown);
  } catch (const std::bad_alloc &) {
    writeRaw(text);
  }
}

void writeStandardOutput(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size())
    refuseOutput();
}

void flushStandardOutput() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    refuseOutput();
}

void installTerminateHandler(const char *program, int failed, int bug, void (*clean_up)() noexcept) {
  program_name = program;
  failed_code = failed;
  bug_code = bug;
  clean_up_first = clean_up;
  std::set_terminate(endInWords);
}

void endOutOfThreads(const char *reason) noexcept {
  end(failed_code, ": error: no more threads or memory: ", reason);
}

void endAsBug(const char *reason) noexcept { end(bug_code, ": error: internal error: ", reason); }

void endOutOfMemory() noexcept {
  end(failed_code, ": error: ", "out of memory: the input is too large for what this process may take");
}

} // namespace algrt
