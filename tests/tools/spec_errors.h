// The rendered error of a spec, for tests of messages and places.
#pragma once

#include "algebras/error.h"
#include "compiler/spec/toml_spec.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>

inline std::optional<algebras::InputError> errorOf(const std::string &toml, const std::string &folder = ".") {
  try {
    compiler::TomlSpecOptions options;
    options.file = "a.toml";
    options.base_directory = folder;
    compiler::parseTomlSpec(toml, options);
  } catch (const algebras::InputError &error) {
    return error;
  }
  return std::nullopt;
}

// Expects an error at a place, whose rendering contains `words`.
inline void expectError(const std::string &toml, int line, int column, const std::string &words,
                        const std::string &folder = ".") {
  SCOPED_TRACE(toml);
  auto error = errorOf(toml, folder);
  ASSERT_TRUE(error.has_value()) << "the spec is accepted";
  ASSERT_TRUE(error->where().has_value()) << error->render();
  EXPECT_EQ(error->where()->file, "a.toml");
  EXPECT_EQ(error->where()->line, line) << error->render();
  EXPECT_EQ(error->where()->column, column) << error->render();
  EXPECT_NE(error->render().find(words), std::string::npos) << error->render();
}
