// What a kernel computes.
#pragma once

namespace algrt {

// What a layer computes: y = x w, or the gradients dx = dy w^T and dw = x^T dy.
enum class Map { forward, dx, dw };

const char *name(Map map);

} // namespace algrt
