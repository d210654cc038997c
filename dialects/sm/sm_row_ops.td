// Few rows, each with terms of its own: operands go straight into registers, and the sums of a row are divided among slices
// of the block's threads.
#ifndef ALGCTL_SM_ROW_OPS
#define ALGCTL_SM_ROW_OPS

include "dialects/sm/sm_op.td"

def Sm_HasPositionsOp : Sm_Op<"has_positions", [Pure]> {
  let summary = "Whether the launch says where every row is";
  let arguments = (ins Sm_PositionsType:$positions);
  let results = (outs I1:$given);
  let assemblyFormat = "$positions attr-dict";
}

def Sm_ReadPositionOp : Sm_Op<"read_position", [MemoryEffects<[MemRead]>]> {
  let summary = "The position of a row, as wide as positions are";
  let description = [{
    ```mlir
    %position = sm.read_position %positions[%row] : i64
    ```
  }];
  let arguments = (ins Sm_PositionsType:$positions, Index:$row);
  let results = (outs AnyTypeOf<[I32, I64]>:$position);
  let assemblyFormat = "$positions `[` $row `]` attr-dict `:` type($position)";
}

def Sm_ReadExpertStartOp : Sm_Op<"read_expert_start", [MemoryEffects<[MemRead]>]> {
  let summary = "The first row of an expert, or where the rows of the one before it end";
  let description = [{
    ```mlir
    %first = sm.read_expert_start %starts[%expert]
    ```
  }];
  let arguments = (ins Sm_ExpertStartsType:$starts, Index:$expert);
  let results = (outs I32:$row);
  let assemblyFormat = "$starts `[` $expert `]` attr-dict";
}

def Sm_HasExpertRowsOp : Sm_Op<"has_expert_rows", [Pure]> {
  let summary = "Whether the launch lists the rows of experts";
  let arguments = (ins Sm_ExpertRowsType:$rows);
  let results = (outs I1:$given);
  let assemblyFormat = "$rows attr-dict";
}

def Sm_ReadExpertRowOp : Sm_Op<"read_expert_row", [MemoryEffects<[MemRead]>]> {
  let summary = "Which row of the batch an entry of the list is, as the launch has it";
  let description = [{
    ```mlir
    %row = sm.read_expert_row %list[%entry]
    ```
  }];
  let arguments = (ins Sm_ExpertRowsType:$rows, Index:$entry);
  let results = (outs I32:$row);
  let assemblyFormat = "$rows `[` $entry `]` attr-dict";
}

def Sm_LocateOp : Sm_Op<"locate", [Pure, TypesMatchWith<"the view is of the maps", "source", "view",
    "::sm::ViewType::get($_self.getContext(), ::llvm::cast<::sm::MapsType>($_self))">]> {
  let summary = "Where a block of an operand lies in memory";
  let description = [{
    The maps are plain, and their rows are at one distance.

    ```mlir
    %block = sm.locate %w[%map][%column, %group, %depth, %weight_row] : !sm.maps<1 x 8 x 64 x bf16, row_dimension 2, vector 8>
    ```
  }];
  let arguments = (ins Sm_MapsType:$source, Index:$map, Variadic<Index>:$coordinates);
  let results = (outs Sm_ViewType:$view);
  let assemblyFormat = "$source `[` $map `]` `[` $coordinates `]` attr-dict `:` type($source)";
  let hasVerifier = 1;
}

def Sm_PrefetchOp : Sm_Op<"prefetch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Ask the second-level cache for the line in which a row of a block begins";
  let arguments = (ins Sm_ViewType:$view, Index:$row);
  let assemblyFormat = "$view `[` $row `]` attr-dict `:` type($view)";
}

def Sm_ReadOp : Sm_Op<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "A piece of a block, straight into this thread's registers";
  let description = [{
    Of the weight matrix rows d, d + 1, ... of the block, one vector of each; of X as many elements of one row from column d on,
    vector by vector. The block has so many rows, or columns, as follow `of`, and a piece begins at a multiple of its depth: what
    of it lies behind the block's end is zero. Nobody writes the weight matrix while the kernel runs, so that reading it
    may move.

    ```mlir
    %weights = sm.read %block[%d] of 60 : !sm.view<!sm.maps<...>> to !sm.piece<8 x 4 x bf16, vector 4>
    %numbers = sm.read %row[%d] of 60 : !sm.view<!sm.maps<...>> to !sm.piece<1 x 8 x bf16, vector 4>
    ```
  }];
  let arguments = (ins Sm_ViewType:$view, Index:$depth, I64Attr:$whole);
  let results = (outs Sm_PieceType:$piece);
  let assemblyFormat = "$view `[` $depth `]` `of` $whole attr-dict `:` type($view) `to` type($piece)";
  let hasVerifier = 1;
}

def Sm_ZeroRowOp : Sm_Op<"zero_row", [Pure]> {
  let summary = "Sums of a row of nothing";
  let results = (outs Sm_RowSumsType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Sm_AddProductsOp : Sm_Op<"add_products", [Pure, AllTypesMatch<["sums", "result"]>]> {
  let summary = "Add the products of a row's numbers with a piece of the weight matrix to this thread's sums";
  let description = [{
    In f32, one step of the depth after the other; `scaled` by a coefficient the row's numbers are multiplied by it before.

    ```mlir
    %next = sm.add_products %numbers, %weights, %sums scaled %c
        : !sm.piece<1 x 8 x bf16, vector 4>, !sm.piece<8 x 4 x bf16, vector 4>, !sm.row_sums<64, slices 16, vector 4>
    ```
  }];
  let arguments = (ins Sm_PieceType:$numbers, Sm_PieceType:$weights, Sm_RowSumsType:$sums, Optional<F32>:$coefficient);
  let results = (outs Sm_RowSumsType:$result);
  let assemblyFormat = [{
    $numbers `,` $weights `,` $sums (`scaled` $coefficient^)? attr-dict `:` type($numbers) `,` type($weights) `,` type($sums)
  }];
  let hasVerifier = 1;
}

def Sm_AllocateSumsBufferOp : Sm_Op<"allocate_sums_buffer", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "Shared memory where the warps of a block leave their sums";
  let results = (outs Sm_SumsBufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def Sm_ShareSumsOp : Sm_Op<"share_sums", [Sm_RunsInAllThreads, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Leave the sums of some rows in shared memory, warp by warp";
  let description = [{
    Slices of one warp are added by its lanes before, in one order. The other threads see the sums once all have met
    (`sm.block_sync`).

    ```mlir
    sm.share_sums %first, %second in %buffer
        : !sm.row_sums<64, slices 16, vector 4>, !sm.row_sums<64, slices 16, vector 4> in !sm.sums_buffer<8 x 2 x 64>
    ```
  }];
  let arguments = (ins Variadic<Sm_RowSumsType>:$sums, Sm_SumsBufferType:$buffer);
  let assemblyFormat = "$sums `in` $buffer attr-dict `:` type($sums) `in` type($buffer)";
  let hasVerifier = 1;
}

def Sm_CollectSumsOp : Sm_Op<"collect_sums", [MemoryEffects<[MemRead]>]> {
  let summary = "The sums of all warps, the first warp first; each thread gets its elements";
  let description = [{
    Where there are fewer elements than threads, only those threads come to it that have one: the first. Of sums that
    the threads of a cluster have, the sums of all its blocks are added, the first block first: a thread reads them in the
    shared memory of every block, once all blocks have met (`sm.cluster_sync`). `row` takes the sums of one row alone.

    ```mlir
    %sums = sm.collect_sums %buffer : !sm.sums_buffer<8 x 2 x 64> to !sm.accumulator<2 x 64, threads 256>
    %all = sm.collect_sums %buffer : !sm.sums_buffer<8 x 2 x 64> to !sm.accumulator<2 x 64, threads 4 x 256>
    %second = sm.collect_sums %buffer row 1 : !sm.sums_buffer<8 x 2 x 64> to !sm.accumulator<1 x 64, threads 256>
    ```
  }];
  let arguments = (ins Sm_SumsBufferType:$buffer, OptionalAttr<I64Attr>:$row);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = "$buffer (`row` $row^)? attr-dict `:` type($buffer) `to` type($result)";
  let hasVerifier = 1;
}

//===--------------------------------------------------------------------------------------------===//
// Two layers: what the first leaves of few rows
//===--------------------------------------------------------------------------------------------===//

def Sm_AllocateHiddenBufferOp : Sm_Op<"allocate_hidden_buffer", [HasParent<"KernelOp">, MemoryEffects<[MemAlloc]>]> {
  let summary = "Shared memory for what one layer of a kernel leaves of few rows";
  let results = (outs Sm_HiddenBufferType:$buffer);
  let assemblyFormat = "attr-dict `:` type($buffer)";
}

def Sm_StoreHiddenOp : Sm_Op<"store_hidden", [MemoryEffects<[MemWrite]>]> {
  let summary = "Round finished sums to bf16 and leave them in a hidden buffer, each thread its elements";
  let description = [{
    At term t, from column n on. Only the first `of` columns of the sums belong to the group: beyond it stand zeros, which
    products by whatever the next weight matrix is read as there leave zero. The other threads see the numbers once all
    have met (`sm.block_sync`). Sums of one row go to `row` of the buffer.

    ```mlir
    sm.store_hidden %h to %buffer[%t, %n] of %present : !sm.accumulator<4 x 32, threads 128> to !sm.hidden_buffer<2 x 4 x 64>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, Sm_HiddenBufferType:$buffer, Index:$term, Index:$column, Index:$present,
                       OptionalAttr<I64Attr>:$row);
  let assemblyFormat = [{
    $accumulator `to` $buffer `[` $term `,` $column `]` `of` $present (`row` $row^)? attr-dict `:` type($accumulator) `to` type($buffer)
  }];
  let hasVerifier = 1;
}

def Sm_ReadHiddenOp : Sm_Op<"read_hidden", [MemoryEffects<[MemRead]>]> {
  let summary = "A piece of a row of a hidden buffer, into this thread's registers";
  let description = [{
    Of row `row`, as it was left for term t, the numbers from column d on, which is a multiple of the piece's.

    ```mlir
    %numbers = sm.read_hidden %buffer[%t, %d] row 3 : !sm.hidden_buffer<2 x 4 x 64> to !sm.piece<1 x 8 x bf16, vector 8>
    ```
  }];
  let arguments = (ins Sm_HiddenBufferType:$buffer, Index:$term, Index:$column, I64Attr:$row);
  let results = (outs Sm_PieceType:$piece);
  let assemblyFormat = [{
    $buffer `[` $term `,` $column `]` `row` $row attr-dict `:` type($buffer) `to` type($piece)
  }];
  let hasVerifier = 1;
}

#endif
