// Kernels of two layers: what one product leaves is multiplied by another one, and never reaches device memory.
#ifndef ALGCTL_SM_LAYER_OPS
#define ALGCTL_SM_LAYER_OPS

include "dialects/sm/sm_op.td"

//===--------------------------------------------------------------------------------------------===//
// Synchronous programs
//===--------------------------------------------------------------------------------------------===//

def Sm_KeptRowsOp : Sm_Op<"kept_rows", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "Rows in shared memory that the block itself computes and multiplies";
  let description = [{
    They lie side by side in as many *pieces* as the op says, each as wide as the sums that `sm.keep` writes. A warpgroup
    writes, and multiplies, its own 64 rows alone, so that no partition waits for another one because of them.

    ```mlir
    %hidden = sm.kept_rows pieces 3 : !sm.block<64 x 192 x bf16>
    ```
  }];
  let arguments = (ins I64Attr:$pieces);
  let results = (outs Sm_BlockType:$rows);
  let assemblyFormat = "`pieces` $pieces attr-dict `:` type($rows)";
  let hasVerifier = 1;
}

def Sm_KeepOp : Sm_Op<"keep", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write finished sums, rounded, into a piece of kept rows";
  let description = [{
    Products that follow in the same warpgroup read what has been written.

    ```mlir
    sm.keep %h to %hidden[%piece] : !sm.accumulator<64 x 64> to !sm.block<64 x 192 x bf16>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, Sm_BlockType:$rows, Index:$piece);
  let assemblyFormat = "$accumulator `to` $rows `[` $piece `]` attr-dict `:` type($accumulator) `to` type($rows)";
  let hasVerifier = 1;
}

def Sm_ClipColumnsOp : Sm_Op<"clip_columns", [Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Sums that are zero beyond the columns of their group";
  let description = [{
    Where `narrow` is true, columns from the one that follows `to` on become zero; elsewhere the sums stay as they are. What
    maps leave beyond a group's end may be anything, and a product of it by the zeros that the next layer's weight matrix
    has there need not be zero.

    ```mlir
    %clipped = sm.clip_columns %h narrow %last to 24 : !sm.accumulator<64 x 32>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, I1:$narrow, I64Attr:$narrow_columns);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = "$accumulator `narrow` $narrow `to` $narrow_columns attr-dict `:` type($accumulator)";
  let hasVerifier = 1;
}

def Sm_FragmentOp : Sm_Op<"fragment", [Pure]> {
  let summary = "Finished sums, rounded, as rows of a product's operand A in registers";
  let description = [{
    Each thread rounds the sums that it has: the tensor cores take them from the registers in which they left them.

    ```mlir
    %rows = sm.fragment %h : !sm.accumulator<64 x 64> to !sm.fragment<64 x 64>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator);
  let results = (outs Sm_FragmentType:$fragment);
  let assemblyFormat = "$accumulator attr-dict `:` type($accumulator) `to` type($fragment)";
  let hasVerifier = 1;
}

def Sm_MultiplyHeldOp : Sm_Op<"multiply_held", [MemoryEffects<[MemRead]>, AttrSizedOperandSegments,
                                               AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Add the products of a piece of rows in shared memory and a block to the sums";
  let description = [{
    The rows are stationary ones of `sm.hold`, or kept ones, which are a buffer once shared memory has been allocated. Where
    `shallow` is true, only the elements up to the depth that follows `to` are multiplied.

    ```mlir
    %next = sm.multiply_held %rows[%piece], [%w], %sum shallow %last to 32
        : !sm.block<64 x 192 x bf16>, !sm.block<64 x 128 x bf16>, !sm.accumulator<64 x 128>
    ```

    The sums may consist of parts with equal numbers of rows, one below the other, of warpgroups of their own. Then there may
    be a block for each part.

    ```mlir
    %own = sm.multiply_held %rows[%piece], [%w0, %w1], %sum
        : !sm.block<128 x 192 x bf16>, !sm.block<64 x 128 x bf16>, !sm.accumulator<128 x 128>
    ```

    Where the sums have twice as many columns as a block, they are those of the products by two blocks *beside* each other,
    of two weight matrices that the same rows multiply. Of parts that have blocks of their own, each has two, one behind the
    other.

    ```mlir
    %both = sm.multiply_held %rows[%piece], [%gate, %up], %sum
        : !sm.block<64 x 192 x bf16>, !sm.block<64 x 64 x bf16>, !sm.accumulator<64 x 128>
    ```
  }];
  let arguments = (ins Sm_BlockOrBuffer:$rows, Index:$piece, Variadic<Sm_BlockType>:$blocks,
                       Sm_AccumulatorType:$accumulator, Optional<I1>:$shallow, OptionalAttr<I64Attr>:$shallow_depth);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = [{
    $rows `[` $piece `]` `,` `[` $blocks `]` `,` $accumulator (`shallow` $shallow^ `to` $shallow_depth)? attr-dict
    `:` type($rows) `,` custom<SameTypes>(type($blocks), ref($blocks)) `,` type($accumulator)
  }];
  let extraClassDeclaration = [{
    /// Blocks beside each other, 1 or 2: the sums have the columns of all.
    int64_t getBeside();
    /// Parts of the sums that have blocks of their own; 1 where they have the same.
    int64_t getParts() { return static_cast<int64_t>(getBlocks().size()) / getBeside(); }
  }];
  let hasVerifier = 1;
}

def Sm_TakeColumnsOp : Sm_Op<"take_columns", [Pure]> {
  let summary = "Some columns of finished sums";
  let description = [{
    As many columns as the result has, from the column `from` on: the sums of one of several products beside each other. They
    are in the registers in which the product has left them.

    ```mlir
    %up = sm.take_columns %sums from 64 : !sm.accumulator<64 x 128> to !sm.accumulator<64 x 64>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, I64Attr:$from);
  let results = (outs Sm_AccumulatorType:$columns);
  let assemblyFormat = "$accumulator `from` $from attr-dict `:` type($accumulator) `to` type($columns)";
  let hasVerifier = 1;
}

def Sm_MultiplyFragmentOp : Sm_Op<"multiply_fragment", [Pure, AttrSizedOperandSegments,
                                                       AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Add the product of rows in registers and a block to the sums";
  let description = [{
    ```mlir
    %next = sm.multiply_fragment %rows, %w, %sum : !sm.fragment<64 x 64>, !sm.block<64 x 128 x bf16>, !sm.accumulator<64 x 128>
    ```

    With conditions, one for each of as many parts of the sums, only parts whose condition is true are multiplied.

    ```mlir
    %next = sm.multiply_fragment %rows, %w, %sum where [%first, %second] : !sm.fragment<128 x 64>, !sm.block<64 x 128 x bf16>, !sm.accumulator<128 x 128>
    ```
  }];
  let arguments = (ins Sm_FragmentType:$rows, Sm_BlockType:$b, Sm_AccumulatorType:$accumulator, Optional<I1>:$shallow,
                       OptionalAttr<I64Attr>:$shallow_depth, Variadic<I1>:$conditions);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = [{
    $rows `,` $b `,` $accumulator (`shallow` $shallow^ `to` $shallow_depth)? (`where` `[` $conditions^ `]`)? attr-dict
    `:` type($rows) `,` type($b) `,` type($accumulator)
  }];
  let hasVerifier = 1;
}

//===--------------------------------------------------------------------------------------------===//
// Instructions
//===--------------------------------------------------------------------------------------------===//

def Sm_MmaFragmentOp : Sm_Op<"mma_fragment", [MemoryEffects<[MemRead]>, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Add rows in registers times a stage of the weight matrix to the sums";
  let description = [{
    As `sm.mma` of warpgroups, with operand A in registers: each warpgroup issues an instruction for every 16 of the depth.
    The registers of the fragment must not be written before the products are complete, as those of the sums.

    ```mlir
    %next = sm.mma_fragment %rows, %w[%stage], %sum depth 32 : !sm.fragment<64 x 64>, !sm.buffer<4 x 64 x 128 x bf16, swizzle 128>, !sm.accumulator<64 x 128>
    ```
  }];
  let arguments = (ins Sm_FragmentType:$rows, Sm_BufferType:$b, Index:$b_stage, Sm_AccumulatorType:$accumulator,
                       OptionalAttr<I64Attr>:$depth);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = [{
    $rows `,` $b `[` $b_stage `]` `,` $accumulator (`depth` $depth^)? attr-dict
    `:` type($rows) `,` type($b) `,` type($accumulator)
  }];
  let extraClassDeclaration = [{
    int64_t getMultipliedDepth() { return getDepth() ? static_cast<int64_t>(*getDepth()) : getRows().getType().getColumns(); }
  }];
  let hasVerifier = 1;
}

def Sm_WgmmaFromRegistersOp : Sm_Op<"wgmma_from_registers", [AllTypesMatch<["sums", "result"]>]> {
  let summary = "One instruction m64nNk16 with operand A in registers";
  let description = [{
    Remains after the lowering to `nvvm`, which has the instruction for operands in shared memory alone: the translation to
    LLVM makes it an asm, the simulator a call. The sums are a struct of N / 2 f32, A is four words of two bf16, B the
    descriptor of an operand that is stored by rows of its depth.
  }];
  let arguments = (ins AnyType:$sums, I32:$a0, I32:$a1, I32:$a2, I32:$a3, I64:$b);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$sums `,` $a0 `,` $a1 `,` $a2 `,` $a3 `,` $b attr-dict `:` type($sums)";
}

#endif
