#include "compiler/bundle/kernel_source.h"

#include "compiler/process/failure.h"

namespace compiler {

KernelSource projectionSource(const Spec &spec, const std::vector<algrt::Map> &maps) {
  return {.projection = {},
          .title = spec.source_name,
          .layer = requireLayer(spec),
          .fusion = {},
          .maps = maps,
          .results = {algebras::DataType::BF16, algebras::DataType::F32},
          .allow_nonassociative = spec.allow_nonassociative,
          .function = {},
          .operands = {},
          .result_operands = {},
          .origin = {}};
}

Spec withListedRows(const Spec &spec) {
  Spec listed = spec;
  listed.layer->row_types = algebras::RowTypes::explicitTypes(requireLayer(spec).row_types.count());
  return listed;
}

KernelSource withListedRows(const KernelSource &source) {
  if (!source.function.empty())
    throw Failure("kernels of programs that find their rows in a list are not written yet: leave --row-lists "
                  "out, or make the row types of the program explicit");
  KernelSource listed = source;
  listed.layer.row_types = algebras::RowTypes::explicitTypes(source.layer.row_types.count());
  return listed;
}

} // namespace compiler
