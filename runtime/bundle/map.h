// What a kernel computes.
#pragma once

#include <optional>
#include <string_view>

namespace algrt {

// What a layer computes: y = x w, or the gradients dx = dy w^T and dw = x^T dy.
enum class Map { Forward, Dx, Dw };

const char *name(Map map);
// What a map's operands are called, in the places of x, w and y of the forward product.
struct OperandNames {
  const char *x, *w, *y;
};
constexpr OperandNames operandNames(Map map) {
  return map == Map::Forward ? OperandNames{"x", "w", "y"}
         : map == Map::Dx    ? OperandNames{"dy", "w", "dx"}
                             : OperandNames{"x", "dy", "dw"};
}
// The map of that name, if there is one.
std::optional<Map> mapNamed(std::string_view name);

} // namespace algrt
