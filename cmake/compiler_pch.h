// What nearly every file of compiler/ that handles programs includes, parsed once: the operations of the
// dialects cost more time than the code of a pass.
#include "cmake/pch.h"

#include "dialects/alg/alg.h"
#include "dialects/sm/sm.h"
#include "dialects/tile/tile.h"

#include <fmt/format.h>
