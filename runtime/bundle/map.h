// What a kernel computes.
#pragma once

#include <optional>
#include <string_view>

namespace algrt {

// What a layer computes: y = x w, or the gradients dx = dy w^T and dw = x^T dy.
enum class Map { forward, dx, dw };

const char *name(Map map);
// The map of that name, if there is one.
std::optional<Map> mapNamed(std::string_view name);

} // namespace algrt
