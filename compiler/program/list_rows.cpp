// alg-list-rows: rows whose types are given one by one.
#include "compiler/program/passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

namespace compiler {
#define GEN_PASS_DEF_ALGLISTROWS
#include "compiler/program/passes.h.inc"
} // namespace compiler

using namespace mlir;

namespace {

struct AlgListRows : compiler::impl::AlgListRowsBase<AlgListRows> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<alg::SlotsOp> cuts;
    function.walk([&](alg::SlotsOp cut) {
      const alg::RowTypesAttr types = cast<alg::SlotsType>(cut.getView().getType()).getRowTypes();
      if (types && types.getKind() != alg::RowTypeKind::Explicit)
        cuts.push_back(cut);
    });
    if (cuts.empty())
      return;
    FailureOr<BlockArgument> position = positionOf(function, cuts);
    if (failed(position))
      return signalPassFailure();
    listRows(function, *position, cuts);
  }

private:
  /// The argument that says where the rows of all cuts begin.
  static FailureOr<BlockArgument> positionOf(func::FuncOp function, ArrayRef<alg::SlotsOp> cuts);
  void listRows(func::FuncOp function, BlockArgument position, ArrayRef<alg::SlotsOp> cuts);
};

} // namespace

FailureOr<BlockArgument> AlgListRows::positionOf(func::FuncOp function, ArrayRef<alg::SlotsOp> cuts) {
  BlockArgument position;
  for (alg::SlotsOp cut : cuts) {
    auto offset = dyn_cast_or_null<BlockArgument>(cut.getOffset());
    if (!offset || offset.getOwner() != &function.getBody().front())
      return cut.emitOpError("has rows from a position on that is no argument of the function");
    if (position && offset != position)
      return cut.emitOpError("has rows from another position on than ") << position.getLoc();
    position = offset;
  }
  for (Operation *user : position.getUsers())
    if (!llvm::is_contained(cuts, user))
      return user->emitError(
          "reads the position of the rows, of which there is none once their types are listed");
  return position;
}

void AlgListRows::listRows(func::FuncOp function, BlockArgument position, ArrayRef<alg::SlotsOp> cuts) {
  MLIRContext *context = &getContext();
  alg::SlotsOp first = cuts.front();
  auto types = RankedTensorType::get(first.getTensor().getType().getShape().take_front(),
                                     IntegerType::get(context, 32));
  position.setType(types);
  for (alg::SlotsOp cut : cuts) {
    cut.getTypesMutable().assign(position);
    cut.getOffsetMutable().clear();
  }
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](alg::RowTypesAttr schedule) -> Attribute {
    return alg::RowTypesAttr::get(context, algebras::RowTypes::explicitTypes(schedule.getCount()));
  });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  function.setFunctionType(FunctionType::get(context, function.getBody().front().getArgumentTypes(),
                                             function.getFunctionType().getResults()));
}
