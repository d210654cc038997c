// Products of stages, and what becomes of their sums.
#ifndef ALGCTL_SM_PRODUCT_OPS
#define ALGCTL_SM_PRODUCT_OPS

include "dialects/sm/sm_op.td"

def Sm_ZeroOp : Sm_Op<"zero", [Pure]> {
  let summary = "Sums that are zero";
  let description = [{
    Where `narrow` is true, the tile has as many columns as follow `to`, and what becomes of the other sums is
    undefined: this is the last block of columns of a group whose width is no multiple of the tile's.

    ```mlir
    %sums = sm.zero narrow %last to 32 : <64 x 256>
    ```
  }];
  let arguments = (ins Optional<I1>:$narrow, OptionalAttr<I64Attr>:$narrow_columns);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = "(`narrow` $narrow^ `to` $narrow_columns)? attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Type":$result), [{
    build($_builder, $_state, result, ::mlir::Value(), ::mlir::IntegerAttr());
  }]>];
  let hasVerifier = 1;
}

def Sm_MmaFenceOp : Sm_Op<"mma_fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Order register accesses before the products that follow (wgmma.fence)";
  let assemblyFormat = "attr-dict";
}

def Sm_MmaOp : Sm_Op<"mma", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Add a stage of rows times a stage of the weight matrix to the sums";
  let description = [{
    The product of the stage of A (rows x depth) and the stage of B (depth x columns) is added, or subtracted with
    `negate`.

    For sums of warpgroups each warpgroup issues one tensor-core instruction for every 16 of the depth, on its 64 rows
    of A and all of B, or, where the sums are transposed, on its 64 columns of B and all of A. The instruction is
    asynchronous: the sums must not be accessed before `sm.mma_wait` and `sm.settle`; more products of the same shape
    may be added.

    With `overwrite` the sums before count as zeros, whatever their registers hold: so that nothing writes to registers
    between the instructions of several products.

    With `depth` only the first `depth` elements of the stages' depth are multiplied. Where the sums have fewer columns
    than the stage of B, they are those of the first ones: the instruction is narrower.

    With a buffer `beside` B, which is alike, the sums have the columns of both, first those of B: one instruction reads
    the rows of A once for two weight matrices. Each of the two is one panel wide, since the instruction goes from one to
    the other as it goes from panel to panel.

    A stage of a `transposed` B holds columns x depth, a stage of a `transposed` A depth x rows. Both orders cost the
    same: the order is a bit of the instruction, or of the instruction that loads fragments.

    For sums of single warps (`warps`) each warp loads the rows of A and the columns of B that its part needs into
    registers, and multiplies tile by tile. When the op is done, the sums are complete and this warp has read the
    stages. Here the sign may be a value: where the operand of `negate_if` is true, the product is subtracted.

    ```mlir
    %next = sm.mma %a[%stage], %b[%stage], %sum negate : !sm.buffer<...>, !sm.buffer<...>, !sm.accumulator<128 x 192>
    %both = sm.mma %a[%stage], %gate[%stage] beside %up, %sums : !sm.buffer<...>, !sm.buffer<...>, !sm.accumulator<64 x 128>, !sm.buffer<...>
    %other = sm.mma %a[%stage], %b[%stage], %sum negate_if %minus : !sm.buffer<...>, !sm.buffer<...>, !sm.accumulator<64 x 128, warps 2 x 2>
    ```
  }];
  let arguments = (ins Sm_BufferType:$a, Index:$a_stage, Sm_BufferType:$b, Index:$b_stage, Sm_AccumulatorType:$accumulator,
                       UnitAttr:$negate, Optional<I1>:$negate_if, OptionalAttr<I64Attr>:$depth,
                       UnitAttr:$a_transposed, UnitAttr:$b_transposed, UnitAttr:$overwrite,
                       Optional<Sm_BufferType>:$beside);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = [{
    $a `[` $a_stage `]` (`transposed` $a_transposed^)? `,` $b `[` $b_stage `]` (`transposed` $b_transposed^)?
    (`beside` $beside^)? `,` $accumulator (`overwrite` $overwrite^)? (`negate` $negate^)? (`negate_if` $negate_if^)?
    (`depth` $depth^)? attr-dict
    `:` type($a) `,` type($b) `,` type($accumulator) (`,` type($beside)^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$a, "::mlir::Value":$a_stage,
                                 "::mlir::Value":$b, "::mlir::Value":$b_stage, "::mlir::Value":$accumulator,
                                 "bool":$negate), [{
    build($_builder, $_state, result, a, a_stage, b, b_stage, accumulator, negate, ::mlir::Value(),
          ::mlir::IntegerAttr(), /*a_transposed=*/false, /*b_transposed=*/false, /*overwrite=*/false,
          /*beside=*/::mlir::Value());
  }]>];
  let extraClassDeclaration = [{
    /// The stages' depth, and what is multiplied of it.
    int64_t getStageDepth() { return getATransposed() ? getA().getType().getRows() : getA().getType().getColumns(); }
    int64_t getMultipliedDepth() { return getDepth() ? static_cast<int64_t>(*getDepth()) : getStageDepth(); }
  }];
  let hasVerifier = 1;
}

def Sm_AddScaledOp : Sm_Op<"add_scaled", [Pure, AllTypesMatch<["partial", "total", "result"]>]> {
  let summary = "total + coefficient * partial, element by element in f32";
  let description = [{
    For terms with coefficients other than 1 and -1: the products of terms with one coefficient are added, and their sum
    is scaled once.

    ```mlir
    %next = sm.add_scaled %partial, %coefficient, %total : !sm.accumulator<64 x 128, warps 2 x 2>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$partial, F32:$coefficient, Sm_AccumulatorType:$total);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = "$partial `,` $coefficient `,` $total attr-dict `:` type($total)";
  let hasVerifier = 1;
}

def Sm_MmaCommitOp : Sm_Op<"mma_commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Close the group of products issued so far";
  let assemblyFormat = "attr-dict";
}

def Sm_MmaWaitOp : Sm_Op<"mma_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until at most `pending` groups of products are unfinished";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
  let hasVerifier = 1;
}

def Sm_SettleOp : Sm_Op<"settle", [AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "The sums, which are complete after the preceding wait";
  let description = [{
    A wait has no data operands, so that a compiler could read the registers before it. This op ties the registers to
    its place in the program. It remains after the lowering to `nvvm`, then on a struct of f32: the translation to LLVM
    makes it an empty asm with tied registers, the simulator a call that returns the real values.
  }];
  let arguments = (ins AnyType:$accumulator);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$accumulator attr-dict `:` type($accumulator)";
}

def Sm_MapInput : AnyTypeOf<[Sm_AccumulatorType, Sm_ColumnsType, Sm_MapsType, F32],
                            "sums, numbers of columns, maps of an operand or a number">;

def Sm_MapOp : Sm_Op<"map", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>,
                         SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Element by element on finished sums";
  let description = [{
    The body is scalar code of `arith` and `math`, with one argument for each input; every thread runs it for each of
    its sums. Further sums give the sum at the same place; all sums have one type. `sm.columns` gives the number of the
    sum's column. Plain maps of an operand give the element at the sum's row and column, or, where they are one column
    wide, the number of its row. A number is passed unchanged. The body yields an f32.

    `column` is the first column of the sums, counted within output group `group`, as in `sm.store_sums`. Groups of
    unequal widths are one group in `sm.columns`; there `column` is counted from the first column of the result. The
    results for sums whose columns are past the group's end are undefined.

    For operands that have rows, `rows` says where in their maps the sums begin: the map, and its four coordinates
    column, group, segment and row, as in `sm.store_sums`. Each thread reads its own elements. Elements outside the maps
    are not read, and the results for such sums are undefined.

    A bias:

    ```mlir
    %biased = sm.map (%v = %sum : !sm.accumulator<128 x 192>, %b = %bias : !sm.columns<32 x 192 x bf16>)
        at [%column, %group] -> !sm.accumulator<128 x 192> {
      %wide = arith.extf %b : bf16 to f32
      %s = arith.addf %v, %wide : f32
      sm.yield %s : f32
    }
    ```

    A residual, and a scale for each row:

    ```mlir
    %scaled = sm.map (%v = %sum : !sm.accumulator<128 x 192>, %r = %x : !sm.maps<2 x 128 x 192 x bf16, row_dimension 3, vector 2>,
                      %s = %scale : !sm.maps<2 x 128 x 1 x f32, row_dimension 3, vector 1>)
        at [%column, %group] rows [%map, %column, %group, %segment, %row] -> !sm.accumulator<128 x 192> { ... }
    ```
  }];
  let arguments = (ins Variadic<Sm_MapInput>:$inputs, Index:$column, Index:$group, Variadic<Index>:$rows);
  let results = (outs Sm_AccumulatorType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Sm_YieldOp : Sm_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"MapOp">]> {
  let summary = "The element that the body of a map computes";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), "">];
}

def Sm_WriteOp : Sm_Op<"write", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write each warpgroup's part of the sums into a stage, rounded to the buffer's type";
  let description = [{
    Warpgroup g writes stage `stage` with its own rows, or columns; the stage is chosen per warpgroup (`sm.warpgroup`).
    bf16 goes through stmatrix, which transposes where the sums are, f32 through vector stores, both in the
    buffer's swizzled layout. Sums with fewer columns than the stage are written to the first ones. A stage that is one panel
    wide may have the rows of all warpgroups: each writes its own.
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, Sm_BufferType:$target, Index:$stage);
  let assemblyFormat = "$accumulator `to` $target `[` $stage `]` attr-dict `:` type($accumulator) `to` type($target)";
  let hasVerifier = 1;
}

#endif
