#include "runtime/api/arguments.h"

namespace algrt {

void refuse(const std::string &what) { throw Error(ALGRT_INVALID_ARGUMENT, what); }

void checkCount(const char *name, int64_t value) {
  if (value < 0)
    refuse(std::string(name) + " is " + std::to_string(value) + ", needs 0 or more");
}

void checkRowTypes(const Layer &layer, const DLTensor *types, int64_t p0) {
  const bool explicit_types = layer.row_types == RowTypesKind::explicit_types;
  if (explicit_types && types == nullptr)
    refuse("types is null: the layer's row types are explicit, pass an int32 tensor with one type per row");
  if (!explicit_types && types != nullptr)
    refuse(std::string("types is given, but the layer's row types are ") + name(layer.row_types) +
           " and follow from p0");
  if (explicit_types && p0 != 0)
    refuse("p0 is " + std::to_string(p0) + ", needs 0: explicit types do not depend on the position");
}

} // namespace algrt
