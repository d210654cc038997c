// Runs a command line of algctl inside the test and keeps what it printed.
#pragma once

#include "compiler/tools/command_line.h"
#include "compiler/tools/commands.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

struct Outcome {
  int code = 0;
  std::string out, err;
};

inline Outcome algctl(std::vector<std::string> words, const compiler::ToolchainInspector &toolchain = {}) {
  words.insert(words.begin(), "algctl");
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.code = compiler::runCommandLine(static_cast<int>(words.size()), arguments.data(),
                                          [&toolchain](CLI::App &app, compiler::Session &session) {
                                            compiler::addVerify(app, session);
                                            compiler::addShow(app, session);
                                            compiler::addCompare(app, session);
                                            compiler::addCost(app, session);
                                            compiler::addInspect(app, session);
                                            compiler::addRun(app, session);
                                            compiler::addBench(app, session, {});
                                            compiler::addCache(app, session);
                                            compiler::addDoctor(app, session, toolchain);
                                            compiler::addCompletion(app, session);
                                          });
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

// Nothing on stdout, and these words on stderr.
inline void expectFailure(const Outcome &outcome, int code, const std::string &words) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}
