#include "compiler/simulator/conversion/conversion_list.h"

namespace compiler {

const ConversionList &conversionList() {
  static const ConversionList list = [] {
    ConversionList all;
    addSpecialRegisters(all);
    addBarriers(all);
    addCopies(all);
    addProducts(all);
    addWarpOperations(all);
    return all;
  }();
  return list;
}

} // namespace compiler
