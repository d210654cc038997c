#include "compiler/tools/command_line.h"

#include "compiler/spec/closest.h"
#include "runtime/algrt.h"
#include "runtime/bench/report.h"
#include "runtime/support/standard_streams.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <iostream>
#include <string_view>
#include <vector>

namespace compiler {
namespace {

// The command that the user named, or the program itself.
const CLI::App &chosen(const CLI::App &app) {
  std::vector<CLI::App *> parsed = app.get_subcommands();
  return parsed.empty() ? app : *parsed.front();
}

// A word near to one that would have been understood in this place.
std::string suggestion(const CLI::App &app, const std::string &word) {
  const CLI::App &command = chosen(app);
  std::vector<std::string> known;
  if (&command == &app)
    for (const CLI::App *other : app.get_subcommands([](const CLI::App *) { return true; }))
      known.push_back(other->get_name());
  for (const CLI::Option *option : command.get_options())
    for (const std::string &name : option->get_lnames())
      known.push_back("--" + name);
  std::vector<std::string_view> views(known.begin(), known.end());
  auto near = closest(word.substr(0, word.find('=')), views);
  return near ? fmt::format("did you mean {}?", *near) : "";
}

int reportUsage(const CLI::App &app, const CLI::ParseError &error) {
  std::string message = error.what();
  std::vector<std::string> left = app.remaining(true);
  std::string help =
      &chosen(app) == &app ? "algctl --help" : fmt::format("algctl {} --help", chosen(app).get_name());
  bool option = !left.empty() && left.front().starts_with("-");
  bool extras = !left.empty() && dynamic_cast<const CLI::ExtrasError *>(&error);
  // A misspelt option is what the user has to hear about, not the option that is missing because of it.
  if (extras || (option && dynamic_cast<const CLI::RequiredError *>(&error))) {
    message = fmt::format("{} '{}'",
                          option                 ? "unknown option"
                          : &chosen(app) == &app ? "unknown command"
                                                 : "unexpected argument",
                          left.front());
    if (std::string hint = suggestion(app, left.front()); !hint.empty())
      message += ": " + hint;
  }
  printError(fmt::format("{}\nSee {}", message, help));
  return ExitCode::WrongUsage;
}

} // namespace

/// An empty name of a file, as `--x "$X"` has where X is not set, means nothing, and not that there is no
/// file.
static void refuseEmptyNames(CLI::App &app) {
  for (CLI::Option *option : app.get_options())
    if (const std::string kind = option->get_type_name(); kind == "FILE" || kind == "BUNDLE")
      option->check([](const std::string &name) {
        return name.empty() ? std::string("the name of the file is empty") : "";
      });
  for (CLI::App *command : app.get_subcommands([](CLI::App *) { return true; }))
    refuseEmptyNames(*command);
}

int runCommandLine(int argc, char **argv, const std::function<void(CLI::App &, Session &)> &add_commands) {
  CLI::App app("algctl: a compiler for products in associative algebras", "algctl");
  Session session;
  session.command = algrt::shellCommand("algctl", argc, argv);
  app.set_version_flag("--version", fmt::format("algctl {}", algrt_version()), "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.footer(
      R"help(Exit codes: 0 done, 1 diagnosed failure, 2 wrong usage, 3 verification failed, 4 device or target absent,
70 a bug in algctl.

Examples:
  algctl verify "Q(32)"                                    prove what can be proved
  algctl cost examples/qwen3-1.7b-up.toml --m 2048         count before compiling
  algctl show "Q(2)^2" --format=html -o algebra.html       look at it
Each command has its own --help with examples.)help");
  add_commands(app, session);
  refuseEmptyNames(app);

  if (argc < 2) {
    algrt::writeDiagnostic(app.help());
    return ExitCode::WrongUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    // --help and --version arrive here as well, with exit code 0.
    if (error.get_exit_code() == 0) {
      const int code = app.exit(error);
      if (!std::cout.flush()) {
        printError("cannot write to standard output");
        return ExitCode::Failed;
      }
      return code == 0 ? ExitCode::Done : ExitCode::Bug;
    }
    return reportUsage(app, error);
  }
  if (!session.run) {
    printError("which command? See algctl --help");
    return ExitCode::WrongUsage;
  }
  return runGuarded(session.run);
}

} // namespace compiler
