#ifndef ALGCTL_TILE_ELEMENTWISE_OPS
#define ALGCTL_TILE_ELEMENTWISE_OPS

// Kernels without a product: element by element, with sums and maxima at most. Included by tile_ops.td.

def Tile_ElementwiseOp : Tile_Op<"elementwise", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator,
                                     DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A kernel of an element-wise function";
  let description = [{
    Runs its body for each element of a *domain*, the shape in brackets. A domain of two dimensions has rows and
    columns, and its number of rows may be `?`, which is set at the launch. A domain of one dimension is a single row,
    whose number of columns may be `?`. In a domain of three dimensions the first two together are the rows. `[]` is one
    element.

    The body's arguments are numbers of the operands: for `per <element>` the number of the element, for `per <row>`
    that of the row, for `per <column>` that of the column, for `per <call>` the only number. The body is scalar code of
    `arith` and `math` as in `tile.map`: it computes in f32, and widens and rounds bf16 explicitly. `tile.put`,
    `tile.sum` and `tile.maximum` write the results, each op the next result. At the launch, operands are called x, x2,
    x3, ..., results y, y2, ...

    ```mlir
    tile.elementwise @scale over [?, 2048] (%x: bf16 per <element>, %weight: bf16 per <column>, %squares: f32 per <row>) {
      %epsilon = arith.constant 1.0e-6 : f32
      %sum = arith.addf %squares, %epsilon : f32
      %factor = math.rsqrt %sum : f32
      ...
      tile.put %rounded : bf16
    }
    ```

    Every number of a result has one owner, which adds in an order that follows from the shape alone: no result depends
    on the number of threads. All sums and maxima of a kernel have the same extent, which one worker owns: with results
    per row it owns whole rows, per column whole columns, and per call the whole domain.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, DenseI64ArrayAttr:$shape,
                       TypedArrayAttrBase<Tile_PerAttr, "what operands have one number for">:$reads);
  let regions = (region SizedRegion<1>:$body);
  let builders = [
    /// With a body that has an argument for each operand; the rest of it is for the caller to fill in.
    OpBuilder<(ins "::llvm::StringRef":$name, "::llvm::ArrayRef<int64_t>":$shape,
                   "::llvm::ArrayRef<::tile::ElementwiseInput>":$inputs)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Rows and columns of the domain; ShapedType::kDynamic where the launch knows them.
    int64_t getRows();
    int64_t getColumns();
    /// What operand `number` has one number for.
    Per getPer(unsigned number);
    /// The extent of all of its sums and maxima; Per::Element where it has none.
    Per getReducedExtent();
    /// The ops that write results, in their order.
    ::llvm::SmallVector<::mlir::Operation *> getResultOps();
  }];
}

def Tile_PutOp : Tile_Op<"put", [HasParent<"ElementwiseOp">, MemoryEffects<[MemWrite]>]> {
  let summary = "Writes an element of a result with the domain's shape";
  let arguments = (ins AnyFloat:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

class Tile_AddOp<string mnemonic> : Tile_Op<mnemonic, [HasParent<"ElementwiseOp">, MemoryEffects<[MemRead, MemWrite]>]> {
  let hasVerifier = 1;
}

def Tile_SumOp : Tile_AddOp<"sum"> {
  let summary = "Adds the element to a result";
  let description = [{
    `per <row>` sums over the columns of each row, `per <column>` over the rows of each column, `per <call>` over the
    domain. Sums are f64 and rounded in the end, to f32 and from there to bf16: their error is at most half a unit in
    the last place of the result plus n 2^-53 of the sum of the absolute values of the n elements. The sum of no
    elements is 0.

    `held by` names a number of the call, one of the body's arguments: the old value of the result times this number is
    the last addition in f64, and is rounded with the sum. The old value is not read where the number is 0. Only results
    per column can have it.

    ```mlir
    tile.sum %square per <row> into f32
    tile.sum %gradient per <column> into bf16 held by %beta
    ```
  }];
  let arguments = (ins F32:$value, Tile_PerAttr:$per, TypeAttrOf<AnyFloat>:$element, Optional<F32>:$factor);
  let assemblyFormat = "$value `per` $per `into` $element (`held` `by` $factor^)? attr-dict";
}

def Tile_MaximumOp : Tile_AddOp<"maximum"> {
  let summary = "The largest element";
  let description = [{
    As `tile.sum`, but without the old value of the result. A maximum is exact. It is NaN where an element is NaN, and
    the maximum of no elements is minus infinity.
  }];
  let arguments = (ins F32:$value, Tile_PerAttr:$per, TypeAttrOf<AnyFloat>:$element);
  let assemblyFormat = "$value `per` $per `into` $element attr-dict";
}

#endif
