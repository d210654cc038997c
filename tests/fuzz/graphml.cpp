// Any text either is a graph, and then its expression is one too, or is an InputError.
#include "algebras/error.h"
#include "algebras/expression.h"
#include "algebras/graph/graph.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  try {
    algebras::Graph graph =
        algebras::parseGraphml({reinterpret_cast<const char *>(data), size}, "fuzz.graphml");
    if (algebras::parseExpression(graph.expression()).graph()->edges() != graph.edges())
      std::abort();
  } catch (const algebras::InputError &error) {
    error.render();
  }
  return 0;
}
