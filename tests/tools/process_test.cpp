// Programs on the side, temporary files, and what is left of both when the program ends.
#include "compiler/process/child_process.h"
#include "compiler/process/failure.h"
#include "compiler/process/interruption.h"
#include "compiler/process/remove_folder.h"
#include "compiler/process/temporary_file.h"
#include "compiler/process/temporary_folder.h"
#include "runtime/support/file.h"
#include "runtime/support/unfinished_file.h"
#include "tests/tools/temporary_folder.h"

#include <csignal>
#include <cstdlib>
#include <functional>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace compiler;
using testing::HasSubstr;

/// What the message of a Failure is.
std::string failureOf(const std::function<void()> &work) {
  try {
    work();
  } catch (const Failure &failure) {
    return failure.what();
  }
  return "no failure";
}

class RunProgram : public testing::Test {
protected:
  int shell(const std::string &script, std::chrono::seconds most = std::chrono::minutes(1)) {
    return runProgram("/bin/sh", {"-c", script}, to, most);
  }
  TemporaryFolder folder;
  Redirection to{folder.write("output", ""), folder.write("messages", "")};
};

TEST_F(RunProgram, SaysHowItEndedAndKeepsWhatItPrints) {
  EXPECT_EQ(shell("echo out; echo err >&2; read line || echo nothing to read; exit 7"), 7);
  EXPECT_EQ(folder.read("output"), "out\nnothing to read\n");
  EXPECT_EQ(folder.read("messages"), "err\n");
  to.messages = to.output;
  EXPECT_EQ(shell("echo first; echo second >&2"), 0);
  EXPECT_THAT(folder.read("output"), HasSubstr("first\nsecond\n"));
}

TEST_F(RunProgram, SaysWhyThereIsNoStatus) {
  EXPECT_EQ(failureOf([&] { runProgram(folder.path("absent"), {}, to); }),
            folder.path("absent") + " cannot be started: No such file or directory");
  EXPECT_EQ(failureOf([&] { shell("kill -SEGV $$"); }),
            "/bin/sh was ended by signal 11 (Segmentation fault)");
  EXPECT_EQ(failureOf([&] { shell("exec sleep 1000", std::chrono::seconds(0)); }),
            "/bin/sh was not done after 0 seconds");
  to.output = folder.path("absent/output");
  EXPECT_THAT(failureOf([&] { shell("true"); }), HasSubstr("cannot be started"));
}

TEST(RemoveFolder, RemovesWhatIsInItAndFollowsNoLink) {
  TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("doomed/a/b"));
  std::filesystem::create_directory(folder.path("kept"));
  folder.write("kept/file", "text");
  for (int i = 0; i < 300; ++i) // more than one reading of the folder shows
    folder.write("doomed/a/a-name-that-is-not-short-" + std::to_string(i), "");
  std::filesystem::create_directory_symlink(folder.path("kept"), folder.path("doomed/a/link"));
  ASSERT_EQ(::mkfifo(folder.path("doomed/pipe").c_str(), 0600), 0);
  EXPECT_TRUE(removeFolder(folder.path("doomed").c_str()));
  EXPECT_EQ(folder.fileCount(), 1u);
  EXPECT_EQ(folder.read("kept/file"), "text");
}

/// Work in a process of its own whose temporary files go into a folder of the test's.
class ProcessEnds : public testing::Test {
protected:
  pid_t start(const std::function<void()> &work) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("TMPDIR", folder.path("").c_str(), 1);
      work();
      std::exit(0);
    }
    return child;
  }
  static int statusOf(pid_t child) {
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
  }
  /// Files of every kind, and a program that runs until it is killed; its number is in the file "number".
  void beBusy() const {
    const TemporaryFile temporary("ptx");
    temporary.write("bytes");
    std::ofstream(temporaryFolder() + "/of-the-program") << "bytes";
    algrt::UnfinishedFile unfinished(folder.path("result"));
    (void)unfinished.write("bytes");
    runProgram("/bin/sh",
               {"-c", "echo $$ > " + folder.path("number.new") + "; mv " + folder.path("number.new") + " " +
                          folder.path("number") + "; exec sleep 1000"},
               {"/dev/null", "/dev/null"});
  }
  pid_t awaitProgram() const {
    while (!std::filesystem::exists(folder.path("number")))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const pid_t number = std::stoi(folder.read("number"));
    std::filesystem::remove(folder.path("number"));
    return number;
  }
  /// Gone, or dead and nobody has asked how it ended.
  static bool runs(pid_t process) {
    std::ifstream stream("/proc/" + std::to_string(process) + "/stat");
    std::string number, name, state;
    return bool(stream >> number >> name >> state) && state != "Z" && state != "X";
  }
  TemporaryFolder folder;
};

TEST_F(ProcessEnds, ByItselfAndNothingIsLeft) {
  const pid_t child = start([&] {
    struct stat status;
    const std::string mine = temporaryFolder(), bytes("bytes\n\0more", 11);
    const TemporaryFile one("ptx"), other("ptx");
    one.write(bytes);
    const bool right = ::stat(mine.c_str(), &status) == 0 && (status.st_mode & 0777) == 0700 &&
                       mine.starts_with(folder.path("algctl-")) && one.name() != other.name() &&
                       one.name().starts_with(mine + "/") && one.read() == bytes && other.read().empty() &&
                       folder.fileCount() == 1;
    std::exit(right ? 5 : 6);
  });
  EXPECT_EQ(WEXITSTATUS(statusOf(child)), 5);
  EXPECT_EQ(folder.fileCount(), 0u);
}

TEST_F(ProcessEnds, BySignalAndNothingIsLeft) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGABRT}) {
    const pid_t child = start([&] {
      cleanUpOnSignals();
      beBusy();
    });
    const pid_t program = awaitProgram();
    EXPECT_TRUE(runs(program));
    EXPECT_EQ(folder.fileCount(), 2u); // the folder, and the result
    ::kill(child, signal);
    const int status = statusOf(child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal << ": " << status;
    EXPECT_EQ(folder.fileCount(), 0u) << signal;
    EXPECT_FALSE(runs(program)) << signal;
  }
}

// As with nohup.
TEST_F(ProcessEnds, NotByASignalThatIsIgnored) {
  const pid_t child = start([&] {
    std::signal(SIGHUP, SIG_IGN);
    cleanUpOnSignals();
    std::raise(SIGHUP);
    std::exit(std::filesystem::exists(temporaryFolder()) ? 5 : 6);
  });
  EXPECT_EQ(WEXITSTATUS(statusOf(child)), 5);
}

TEST_F(ProcessEnds, KilledAndWhatIsLeftIsSwept) {
  const pid_t killed = start([&] {
    cleanUpOnSignals();
    beBusy();
  });
  const pid_t orphan = awaitProgram();
  const pid_t alive = start([&] { beBusy(); });
  const pid_t program = awaitProgram();
  ::kill(killed, SIGKILL);
  statusOf(killed);
  while (runs(orphan)) // the kernel kills it
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  // None of its own, by their names, their kind and their mode.
  std::filesystem::create_directory(folder.path("algctl-bench-own"));
  std::filesystem::create_directory(folder.path("algctl-public"));
  std::filesystem::permissions(folder.path("algctl-public"), std::filesystem::perms(0755));
  folder.write("algctl-abcdef", "a file");
  std::filesystem::create_directory(folder.path("kept"));
  ::chmod(folder.path("kept").c_str(), 0700);
  std::filesystem::create_directory_symlink(folder.path("kept"), folder.path("algctl-abcdeg"));
  const auto sweep = [&] {
    return WEXITSTATUS(statusOf(start([] { std::exit(int(removeAbandonedTemporaryFolders())); })));
  };
  const size_t before = folder.fileCount();
  EXPECT_EQ(sweep(), 1);
  EXPECT_EQ(folder.fileCount(), before - 1);
  EXPECT_EQ(sweep(), 0);
  EXPECT_TRUE(runs(program)) << "its process is alive";
  ::kill(alive, SIGKILL);
  statusOf(alive);
  EXPECT_EQ(sweep(), 1);
}

TEST(TemporaryFolderOfAProcess, SaysWhereThereIsNone) {
  ::setenv("TMPDIR", "/nowhere/at/all", 1);
  EXPECT_THAT(failureOf([] { TemporaryFile file("ptx"); }), HasSubstr("TMPDIR"));
  ::unsetenv("TMPDIR");
}

TEST(UnfinishedFile, IsRemovedUnlessItIsRenamed) {
  TemporaryFolder folder;
  {
    algrt::UnfinishedFile dropped(folder.path("dropped")), kept(folder.path("kept"), 0640);
    EXPECT_GE(dropped.descriptor(), 0);
    EXPECT_TRUE(dropped.name().starts_with(folder.path("dropped.")));
    EXPECT_TRUE(kept.write("bytes") && kept.rename(folder.path("kept")));
    struct stat status;
    ASSERT_EQ(::stat(folder.path("kept").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0640u);
  }
  EXPECT_EQ(folder.fileCount(), 1u);
  EXPECT_EQ(folder.read("kept"), "bytes");
  algrt::UnfinishedFile nowhere(folder.path("absent/file"));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_LT(nowhere.descriptor(), 0);
}

TEST(UnfinishedFile, AllThreadsAreRemovedAtOnce) {
  TemporaryFolder folder;
  std::vector<std::unique_ptr<algrt::UnfinishedFile>> files(64);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < 50; ++round) // places are used again
        for (size_t i = static_cast<size_t>(t); i < files.size(); i += 4)
          files[i] = std::make_unique<algrt::UnfinishedFile>(folder.path(std::to_string(i)));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(folder.fileCount(), files.size());
  // In a process that ends with it, as after a signal: what it takes is never freed.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    algrt::removeUnfinishedFiles();
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.fileCount(), 0u);
}

} // namespace
