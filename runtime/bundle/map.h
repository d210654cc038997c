// What a kernel computes.
#pragma once

namespace algrt {

// What a layer computes: y = x w, or the gradient dx = dy w^T.
enum class Map { forward, dx };

const char *name(Map map);

} // namespace algrt
