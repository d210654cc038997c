#include "compiler/bundle/kernel_source.h"

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
          .origin = {},
          .where = {},
          .described = spec.where};
}

Spec withListedRows(const Spec &spec) {
  Spec listed = spec;
  listed.layer->row_types = algebras::RowTypes::explicitTypes(requireLayer(spec).row_types.count());
  return listed;
}

} // namespace compiler
