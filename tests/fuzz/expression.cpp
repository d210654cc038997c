// Any text either parses, and then prints an expression that parses to the same algebra, or is an InputError.
#include "algebras/expression.h"
#include "algebras/error.h"
#include "algebras/facts.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  algebras::ExpressionOptions options;
  options.base_directory = "/nonexistent";
  try {
    algebras::Algebra algebra = algebras::parseExpression(text, options);
    algebras::Algebra again = algebras::parseExpression(algebra.expression(), options);
    if (again.expression() != algebra.expression() || again.dimension() != algebra.dimension() ||
        again.nonzeros() != algebra.nonzeros() || again.field() != algebra.field())
      std::abort();
    // Lists of facts may be long; the laws are tried where they are short.
    if (algebra.dimension() <= 1000 && algebra.nonzeros() <= 2000)
      algebras::deriveFacts(algebra);
  } catch (const algebras::InputError &error) {
    error.render();
  }
  return 0;
}
