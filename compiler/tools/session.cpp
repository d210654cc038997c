#include "compiler/tools/session.h"

#include "algebras/error.h"
#include "compiler/spec/usage_error.h"
#include "runtime/support/error.h"

#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <new>

namespace compiler {

void printError(const std::string &message) { fmt::print(stderr, "algctl: error: {}\n", message); }

void printWarning(const std::string &message) { fmt::print(stderr, "algctl: warning: {}\n", message); }

namespace {

int reportBug(const char *what) {
  printError(fmt::format(
      "internal error: {}\nThis is a bug in algctl. Please report it with the command line and the "
      "files it names.",
      what));
  return kBug;
}

} // namespace

int runGuarded(const std::function<int()> &run) {
  try {
    int code = run();
    // A full disk behind stdout shows itself here at the latest.
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
      printError("cannot write to standard output");
      return kFailed;
    }
    return code;
  } catch (const algebras::InputError &error) {
    std::string text = error.render();
    // With a place the message starts with it, as a compiler's does, so that editors find it.
    if (error.where())
      fmt::print(stderr, "{}\n", text);
    else
      printError(text.starts_with("error: ") ? text.substr(7) : text);
    return kFailed;
  } catch (const UsageError &error) {
    printError(error.what());
    return kWrongUsage;
  } catch (const AbsentError &error) {
    printError(error.what());
    return kAbsent;
  } catch (const Failure &error) {
    printError(error.what());
    return kFailed;
  } catch (const algrt::Error &error) {
    if (error.status() == ALGRT_INTERNAL)
      return reportBug(error.what());
    printError(error.what());
    return algrt::isAbsence(error.status()) ? kAbsent : kFailed;
  } catch (const std::bad_alloc &) {
    printError("out of memory: the input is too large for this machine");
    return kFailed;
  } catch (const std::exception &error) {
    return reportBug(error.what());
  }
}

} // namespace compiler
