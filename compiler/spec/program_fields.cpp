#include "compiler/spec/program_fields.h"

namespace compiler {

void ProgramFields::overrideWith(const ProgramFields &other) {
  layer.overrideWith(other.layer);
  if (other.hidden || other.hidden_groups) {
    hidden = other.hidden;
    hidden_groups = other.hidden_groups;
  }
  if (other.file)
    file = other.file;
  if (other.activation)
    activation = other.activation;
  if (other.gate)
    gate = other.gate;
}

} // namespace compiler
