// The expression language:
//
//   sum     = product { "+" product }         direct product
//   product = power { "*" power }             tensor product
//   power   = atom [ "^" integer ]            tensor power
//   atom    = "(" sum ")" | NAME "(" integer ")"        with NAME one of Q path D M T
//           | "graph" "(" file | count ";" [ edge { "," edge } ] ")"    edge = integer "->" integer
//           | "table" "(" file | "{" json "}" ")"
//
// A file name runs to the closing parenthesis, or stands in double quotes.
#pragma once

#include "algebras/algebra.h"
#include "algebras/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace algebras {

struct ExpressionOptions {
  std::string base_directory = "."; // relative file names start here
  // Left out: the field of the tables in the expression, which must agree, or else Q.
  std::optional<Field> field;
  // Where the expression itself stands, for error messages: `line` and `column` of its first character.
  std::string file = "<expression>";
  std::int64_t line = 1, column = 1;
};

// InputError with a caret for everything that is wrong, sizes that overflow and nesting deeper than 100
// included.
Algebra parseExpression(std::string_view text, const ExpressionOptions &options = {});

} // namespace algebras
