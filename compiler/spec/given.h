// A value together with the place that gave it, so that an error can point there.
#pragma once

#include "algebras/error.h"

#include <optional>
#include <string>

namespace compiler {

template <class T> struct Given {
  T value;
  // As the user knows it: "in" in a file, "--in" on the command line.
  std::string key;
  std::optional<algebras::SourceLocation> where; // absent on the command line

  [[noreturn]] void refuse(const std::string &message, const std::string &hint = {}) const {
    algebras::InputError error =
        where ? algebras::InputError(message, *where) : algebras::InputError(key + ": " + message);
    if (!hint.empty())
      error.hint(hint);
    throw error;
  }
};

// Calls `function`; an InputError of it that knows no place gets the place of `given`.
template <class Value, class Function> auto pointingAt(const Given<Value> &given, Function function) {
  try {
    return function();
  } catch (const algebras::InputError &error) {
    if (error.where())
      throw;
    given.refuse(error.what(), error.hint());
  }
}

} // namespace compiler
