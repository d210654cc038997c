// The one type of the alg dialect: a slot view.
#ifndef ALG_TYPES_TD
#define ALG_TYPES_TD

include "dialects/alg/alg_dialect.td"
include "mlir/IR/AttrTypeBase.td"

def Alg_SlotsType : TypeDef<Alg_Dialect, "Slots"> {
  let mnemonic = "slots";
  let summary = "a tensor seen as the slots of an algebra";
  let description = [{
    The type names the tensor and its division into slots. There are four kinds.

    | text | view | slot |
    | --- | --- | --- |
    | `!alg.slots<?x2048xbf16, rows(cyclic 32), cols(32 x 64)>` | activations, row lift | `(i, k)`: the rows of type `i`, the columns of group `k` |
    | `!alg.slots<2048x6144xbf16, rows(32 x 64), cols(32 x 192)>` | weight matrix, row lift | `(k, j)`: the rows of group `k`, the columns of group `j` |
    | `!alg.slots<?x512xf32, plain(4)>` | activations, slot lift | `i`: all rows, the columns of the `i`-th quarter |
    | `!alg.slots<4x128x256xf32, plain(4)>` | weight matrix, slot lift | `j`: the matrix `[j, :, :]` |

    Only the number of rows of activations may be dynamic. A slot view covers its whole tensor. Blocks for which a
    product has no slot (a pair `(i, j)` without an edge in a graph that is not complete) are neither read nor counted,
    and they are zero in a result.
  }];
  let parameters = (ins
    "::mlir::RankedTensorType":$tensor,
    OptionalParameter<"::mlir::Attribute", "RowTypesAttr (activations) or GroupsAttr (weight matrix); null in the slot lift">:$rows,
    OptionalParameter<"::alg::GroupsAttr", "null in the slot lift">:$cols,
    DefaultValuedParameter<"int64_t", "0", "number of slots in the slot lift, 0 in the row lift">:$plain);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$tensor, "::alg::RowTypesAttr":$rows,
      "::alg::GroupsAttr":$cols), [{ return $_get(tensor.getContext(), tensor, rows, cols, int64_t(0)); }]>,
    TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$tensor, "::alg::GroupsAttr":$rows,
      "::alg::GroupsAttr":$cols), [{ return $_get(tensor.getContext(), tensor, rows, cols, int64_t(0)); }]>,
    TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$tensor, "int64_t":$plain),
      [{ return $_get(tensor.getContext(), tensor, ::mlir::Attribute(), GroupsAttr(), plain); }]>,
  ];
  let extraClassDeclaration = [{
    ::mlir::Type getElementType() const { return getTensor().getElementType(); }
    ::llvm::ArrayRef<int64_t> getShape() const { return getTensor().getShape(); }
    ::algebras::Lift::Kind getLiftKind() const {
      return getPlain() ? ::algebras::Lift::Kind::Slots : ::algebras::Lift::Kind::Rows;
    }
    /// Null unless these are activations in the row lift.
    RowTypesAttr getRowTypes() const;
    /// Null unless this is a weight matrix in the row lift.
    GroupsAttr getRowGroups() const;
    bool isWeights() const { return getPlain() ? getTensor().getRank() == 3 : bool(getRowGroups()); }
    bool isActivations() const { return !isWeights(); }
    /// Groups of input features of a weight matrix.
    GroupsAttr getWeightInputs() const;
    /// Groups of the features: of activations their columns, of a weight matrix its output features, in either lift.
    GroupsAttr getFeatures() const;
    /// The same cut of a tensor with other elements.
    SlotsType withElementType(::mlir::Type element) const;
    /// Whether both views have the same shape and are cut alike, whatever their elements are.
    bool isCutLike(SlotsType other) const { return withElementType(other.getElementType()) == other; }
    /// The tensor that has one element for each column, for each row, or one alone: the operands of `alg.map` and the
    /// results of `alg.reduce`. Null for rows and columns of the plain view of a weight matrix.
    ::mlir::RankedTensorType getColumnsType(::mlir::Type element) const;
    ::mlir::RankedTensorType getRowsType(::mlir::Type element) const;
    ::mlir::RankedTensorType getNumberType(::mlir::Type element) const;
  }];
}

#endif
