// A layer beside the dense projection of the same widths: from how many rows on the algebra saves time.
#pragma once

#include "algebras/layer.h"
#include "compiler/schedule/host_level.h"
#include "runtime/bundle/map.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace compiler {

struct Predicted {
  std::string schedule; ///< the cheapest legal one
  double us;
};

struct ComparedRows {
  int64_t m;
  Predicted layer, dense;
  bool isSlower() const { return layer.us > dense.us; }
};

struct DenseComparison {
  std::string target, machine;    ///< what the microseconds are of
  std::vector<ComparedRows> rows; ///< ascending by m
  /// First and last m of each run of rows that are slower than dense.
  std::vector<std::pair<int64_t, int64_t>> slower() const;
};

/// The dense projection X W + b with the widths, the type and the bias of a layer: Q(1), the field itself.
algebras::Layer denseLayer(const algebras::Layer &layer);

/// Both sides for so many rows, by the same cost model, with kernels of this compiler. Throws like rankMap().
ComparedRows compareRows(const algebras::Layer &layer, algrt::Map map, std::string_view target, int64_t m,
                         algebras::DataType output, const CpuMachine &cpu = compiledForMachine());

/// The same for M = 1, 2, 4, ... up to `m`, and for `m`.
DenseComparison compareWithDense(const algebras::Layer &layer, algrt::Map map, std::string_view target,
                                 int64_t m, algebras::DataType output,
                                 const CpuMachine &cpu = compiledForMachine());

} // namespace compiler
