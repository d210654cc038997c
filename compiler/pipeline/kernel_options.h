// What of the options holds for the kernels of one source.
#pragma once

#include "compiler/bundle/kernel_source.h"
#include "compiler/pipeline/pipeline.h"

namespace compiler {

/// The same options, but for a source that has the same rows in every call: those alone, one after another,
/// are what its kernels are for.
inline CompileOptions optionsFor(const KernelSource &source, CompileOptions options) {
  if (source.rows) {
    options.rows = *source.rows;
    options.further_rows.clear();
    options.row_lists = false;
    options.positions = false;
    options.experts = 0;
  }
  return options;
}

} // namespace compiler
