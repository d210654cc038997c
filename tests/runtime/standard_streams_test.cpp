#include "runtime/support/standard_streams.h"

#include "runtime/support/error.h"
#include "runtime/support/printable_text.h"

#include <cstdio>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using algrt::printable;

TEST(Printable, LeavesTextAlone) {
  const std::string text = "Q(3) \t\xc3\xa9\xe2\x86\x92\xf0\x9f\x8c\x8d\n";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(algrt::firstInvalidUtf8(text), std::string::npos);
}

TEST(Printable, ShowsControlCharacters) {
  EXPECT_EQ(printable("\x1b[31mred\x7f\r"), "\\x1b[31mred\\x7f\\x0d");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b"); // CSI in one character
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0");
}

TEST(Printable, ShowsWhatIsNotUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");                   // cut off
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");          // longer than needed
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(algrt::firstInvalidUtf8("ab\xe2\x86z"), 2u);
}

// Runs `body` in a process of its own, and gives back how it ended.
int codeOf(const std::function<void()> &body) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(StandardStreams, NoFileGetsTheNumberOfAClosedOne) {
  EXPECT_EQ(codeOf([] {
              for (int stream : {0, 1, 2})
                ::close(stream);
              algrt::openStandardStreams();
              const int next = ::open("/dev/null", O_WRONLY);
              char byte = 0;
              const bool refused = ::write(1, "x", 1) < 0 && ::read(0, &byte, 1) < 0;
              ::_exit(next > 2 && refused && ::write(2, "x", 1) == 1 ? 0 : 1);
            }),
            0);
}

TEST(StandardStreams, MessagesThatNobodyReadsAreNoFailures) {
  EXPECT_EQ(codeOf([] {
              ::close(2);
              algrt::writeDiagnostic("lost");
              ::open("/dev/full", O_WRONLY);
              algrt::writeDiagnostic("lost");
            }),
            0);
}

TEST(StandardStreams, OutputThatIsLostIsOne) {
  EXPECT_EQ(codeOf([] {
              const int full = ::open("/dev/full", O_WRONLY);
              ::dup2(full, 1);
              try {
                algrt::writeStandardOutput("lost");
                algrt::flushStandardOutput();
              } catch (const algrt::Error &error) {
                const std::string expected = "cannot write to standard output: No space left on device";
                ::_exit(error.status() == ALGRT_IO_ERROR && error.what() == expected ? 7 : 8);
              }
            }),
            7);
}

TEST(TerminateHandler, EndsWithACodeAndNotWithASignal) {
  const auto with = [](auto exception) {
    return codeOf([exception] {
      algrt::installTerminateHandler("test", 11, 12, nullptr);
      std::thread([exception] { throw exception; }).join();
    });
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(with(std::bad_alloc()), 11);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "test: error: out of memory: the input is too large for what this process may take\n");
  EXPECT_EQ(with(std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again))), 11);
  EXPECT_EQ(with(std::logic_error("wrong")), 12);
}

TEST(TerminateHandler, CleansUpFirst) {
  EXPECT_EQ(codeOf([] {
              algrt::installTerminateHandler("test", 11, 12, []() noexcept { ::_exit(13); });
              algrt::endOutOfMemory();
            }),
            13);
}

} // namespace
