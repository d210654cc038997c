#include "compiler/tools/session.h"

#include "algebras/error.h"
#include "compiler/spec/usage_error.h"
#include "runtime/support/error.h"
#include "runtime/support/json_format.h"
#include "runtime/support/json_text.h"
#include "runtime/support/printable_text.h"
#include "runtime/support/standard_streams.h"

#include <exception>
#include <fmt/format.h>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>

namespace compiler {

void printError(const std::string &message) { algrt::writeDiagnostic("algctl: error: " + message + "\n"); }

void printWarning(const std::string &message) {
  algrt::writeDiagnostic("algctl: warning: " + message + "\n");
}

void printNote(const std::string &message) { algrt::writeDiagnostic("note: " + message + "\n"); }

void printText(std::string_view text) { algrt::writeStandardOutput(algrt::printable(text)); }

void printJson(const nlohmann::ordered_json &json) {
  nlohmann::ordered_json whole = {{"format", algrt::json_format}};
  whole.update(json);
  algrt::writeStandardOutput(algrt::jsonText(whole));
}

namespace {

int reportBug(const char *what) {
  // TBB throws a runtime_error where the system gives it no thread.
  if (std::string_view(what).find("pthread_create") != std::string_view::npos) {
    printError(fmt::format("no more threads or memory: {}", what));
    return ExitCode::Failed;
  }
  printError(fmt::format(
      "internal error: {}\nThis is a bug in algctl. Please report it with the command line and the "
      "files it names.",
      what));
  return ExitCode::Bug;
}

} // namespace

int runGuarded(const std::function<int()> &run) {
  try {
    int code = run();
    // A full disk behind stdout shows itself here at the latest.
    algrt::flushStandardOutput();
    return code;
  } catch (const algebras::InputError &error) {
    std::string text = error.render();
    // With a place the message starts with it, as a compiler's does, so that editors find it.
    if (error.where())
      algrt::writeDiagnostic(text + "\n");
    else
      printError(text.starts_with("error: ") ? text.substr(7) : text);
    return ExitCode::Failed;
  } catch (const UsageError &error) {
    printError(error.what());
    return ExitCode::WrongUsage;
  } catch (const AbsentError &error) {
    printError(error.what());
    return ExitCode::Absent;
  } catch (const Failure &error) {
    printError(error.what());
    return ExitCode::Failed;
  } catch (const algrt::Error &error) {
    if (error.status() == ALGRT_INTERNAL)
      return reportBug(error.what());
    printError(error.what());
    return algrt::isAbsence(error.status()) ? ExitCode::Absent : ExitCode::Failed;
  } catch (const std::bad_alloc &) {
    printError("out of memory: the input is too large for what this process may take");
    return ExitCode::Failed;
  } catch (const std::system_error &error) {
    if (error.code() != std::errc::resource_unavailable_try_again &&
        error.code() != std::errc::not_enough_memory)
      return reportBug(error.what());
    printError(fmt::format("no more threads or memory: {}", error.what()));
    return ExitCode::Failed;
  } catch (const std::exception &error) {
    return reportBug(error.what());
  }
}

} // namespace compiler
