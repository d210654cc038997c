#include "compiler/spec/integer_option.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>

namespace compiler {

CLI::Option *wholeNumber(CLI::Option *option) {
  CLI::Validator check(
      [](const std::string &text) -> std::string {
        int64_t value = 0;
        const char *end = text.data() + text.size();
        auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc::result_out_of_range)
          return fmt::format("{} does not fit in 64 bits", text);
        return error != std::errc() || stop != end ? fmt::format("'{}' is not a whole number", text) : "";
      },
      "");
  return option->check(check);
}

} // namespace compiler
