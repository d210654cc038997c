// The arrays of `algctl run`: read from files or made up, checked against the bundle, rounded to its element
// type.
#pragma once

#include "compiler/tools/run_positions.h"
#include "runtime/bundle/manifest.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace compiler {

struct ArraySources {
  std::string x, dy, w, types; // as array_file.h reads them; empty: seeded random numbers
  std::string dw;              // of the map dw: what dw holds before; empty: zeros
  std::string bias;            // as x, of the map forward where the layer has one
  PositionSources positions;
  int64_t offset = 0; // position of row 0 where the files above do not say it
  int64_t m = 0;      // 0: not given, taken from a file
  uint64_t seed = 1;
  // Bytes that the caller takes besides the arrays, of a batch of m rows: both are asked for together, before
  // anything that is not read from a file is allocated. Empty: none.
  std::function<int64_t(int64_t m)> further;
};

struct RunArrays {
  int64_t m = 0;
  std::vector<float> x;       // m x k, rounded; not of the map dx
  std::vector<float> dy;      // m x n, rounded; of the maps dx and dw
  std::vector<float> w;       // k x weightColumns, rounded; of dw what it holds before, as it is
  std::vector<float> bias;    // n, rounded; of the map forward where the layer has one
  std::vector<int32_t> types; // explicit types only
  RowPositions positions;     // where they are given
};

// Those that the map has. Random x, dy and bias have variance 1 and random w variance 1/k, so that results
// are of order one. Throws Failure naming the file, its shape and what is needed; UsageError where the number
// of rows is not given; and algrt::Error(ALGRT_OUT_OF_MEMORY) before allocating more than there is memory.
RunArrays makeArrays(const algrt::Layer &layer, const ArraySources &sources,
                     algrt::Map map = algrt::Map::Forward);

} // namespace compiler
