// Registration of the dialect and the names under which its attributes and types are printed.
#include "dialects/alg/alg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include "dialects/alg/alg_dialect.cpp.inc"
#include "dialects/alg/alg_enums.cpp.inc"

using namespace mlir;
using namespace alg;

namespace {

/// Algebras and views are long: the printer names each once, at the head of the module.
struct Aliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (!isa<AlgebraAttr>(attribute))
      return AliasResult::NoAlias;
    os << "algebra";
    return AliasResult::FinalAlias;
  }

  AliasResult getAlias(Type type, raw_ostream &os) const override {
    auto slots = dyn_cast<SlotsType>(type);
    if (!slots)
      return AliasResult::NoAlias;
    os << (slots.isWeights() ? "weights" : "activations");
    return AliasResult::FinalAlias;
  }
};

} // namespace

void AlgDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOperations();
  registerAliases();
}

void AlgDialect::registerAliases() { addInterfaces<Aliases>(); }
