// Synchronous programs: blocks are values.
#ifndef ALGCTL_SM_BLOCK_OPS
#define ALGCTL_SM_BLOCK_OPS

include "dialects/sm/sm_op.td"

def Sm_FetchOp : Sm_Op<"fetch", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Fetch a block of an operand";
  let description = [{
    What lies outside the map is zero.

    ```mlir
    %a = sm.fetch %x[%map][%column, %group, %segment, %row] : !sm.maps<...> -> !sm.block<128 x 64 x bf16>
    ```

    Thread blocks of a cluster that need the same block of an operand fetch it together: each fetches a part of its rows
    for all of them. The coordinates are those of the whole block, the maps' boxes have the rows of one part. Bit r of
    the mask stands for thread block r of the cluster; all thread blocks of the mask must execute the op equally often.

    ```mlir
    %b = sm.fetch %w[%map][%column, %group, %depth, %row] part %p of 2 multicast %mask
        : !sm.maps<1 x 32 x 192 x bf16, row_dimension 2> -> !sm.block<64 x 192 x bf16>
    ```

    A block that a thread block fetches for itself may also be as high as several boxes of the maps: they are copied one
    below the other.

    ```mlir
    %own = sm.fetch %w[%map][%column, %group, %depth, %row] : !sm.maps<1 x 32 x 192 x bf16, row_dimension 2> -> !sm.block<64 x 192 x bf16>
    ```

    With `evict_first` what is fetched leaves the second-level cache before anything else: nobody reads it again.

    Where `narrow` is true, only the first columns of the block are needed, as many as follow `to`, and those beyond
    them may be anything: panels that have none of them are not fetched. All thread blocks of a mask agree on it.

    ```mlir
    %b = sm.fetch %w[%map][%column, %group, %depth, %row] narrow %last to 32 : !sm.maps<...> -> !sm.block<64 x 256 x bf16>
    ```
  }];
  let arguments = (ins Sm_MapsType:$source, Index:$map, Variadic<Index>:$coordinates, Optional<Index>:$part,
                       OptionalAttr<I64Attr>:$parts, Optional<Index>:$mask, Optional<I1>:$narrow,
                       OptionalAttr<I64Attr>:$narrow_columns, UnitAttr:$evict_first);
  let results = (outs Sm_BlockType:$block);
  let assemblyFormat = [{
    $source `[` $map `]` `[` $coordinates `]` (`part` $part^ `of` $parts)? (`multicast` $mask^)?
    (`narrow` $narrow^ `to` $narrow_columns)? (`evict_first` $evict_first^)? attr-dict `:` type($source) `->` type($block)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$block, "::mlir::Value":$source, "::mlir::Value":$map,
                                 "::mlir::ValueRange":$coordinates, CArg<"::mlir::Value", "{}">:$part,
                                 CArg<"::mlir::IntegerAttr", "{}">:$parts, CArg<"::mlir::Value", "{}">:$mask), [{
    build($_builder, $_state, block, source, map, coordinates, part, parts, mask, ::mlir::Value(), ::mlir::IntegerAttr(),
          /*evict_first=*/false);
  }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Boxes that the thread block copies, one below the other.
    int64_t getBoxes() { return getPart() ? 1 : getBlock().getType().getRows() / getSource().getType().getRows(); }
  }];
}

def Sm_HoldOp : Sm_Op<"hold", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Fetch stationary rows for several products";
  let description = [{
    Fetches all parts, as `sm.fetch_parts` does, with as many boxes side by side as the block is wide: the block is
    divided into *pieces* of the width of a box. There may be a single part. The pipe that they pass through has one stage,
    or as many as `stages` says, so that the next rows come while these are multiplied.

    ```mlir
    %held = sm.hold %x[%map0, %map1] [%column, %group0, %segment0, %row0, %column, %group1, %segment1, %row1]
        : !sm.maps<2 x 64 x 64 x bf16, row_dimension 3> -> !sm.block<128 x 192 x bf16>
    ```
  }];
  let arguments = (ins Sm_MapsType:$source, Variadic<Index>:$maps, Variadic<Index>:$coordinates,
                       OptionalAttr<I64Attr>:$stages);
  let results = (outs Sm_BlockType:$block);
  let assemblyFormat = [{
    $source `[` $maps `]` `[` $coordinates `]` (`stages` $stages^)? attr-dict `:` type($source) `->` type($block)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$block, "::mlir::Value":$source, "::mlir::ValueRange":$maps,
                                 "::mlir::ValueRange":$coordinates), [{
    build($_builder, $_state, block, source, maps, coordinates, ::mlir::IntegerAttr());
  }]>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getParts() { return static_cast<int64_t>(getMaps().size()); }
    /// The four coordinates of a part.
    ::mlir::OperandRange getCoordinatesOf(int64_t part) {
      return getCoordinates().slice(static_cast<size_t>(4 * part), 4);
    }
  }];
}

def Sm_FetchPartsOp : Sm_Op<"fetch_parts", [AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Fetch a block of rows of several types";
  let description = [{
    The parts lie one below the other, each as high as the boxes of the maps; every part has a map and four coordinates
    of its own. Elements outside the map are zero. Where `part` equals the number of parts, all parts are fetched; where
    it is larger, none; otherwise that part alone, and the other rows of the block must not be multiplied.

    ```mlir
    %a = sm.fetch_parts %x[%map0, %map1] [%column, %group, %segment0, %row0, %column, %group, %segment1, %row1] part %p
        : !sm.maps<2 x 64 x 64 x bf16, row_dimension 3> -> !sm.block<128 x 64 x bf16>
    ```
  }];
  let arguments = (ins Sm_MapsType:$source, Variadic<Index>:$maps, Variadic<Index>:$coordinates, Index:$part);
  let results = (outs Sm_BlockType:$block);
  let assemblyFormat = [{
    $source `[` $maps `]` `[` $coordinates `]` `part` $part attr-dict `:` type($source) `->` type($block)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getParts() { return static_cast<int64_t>(getMaps().size()); }
    /// The four coordinates of a part.
    ::mlir::OperandRange getCoordinatesOf(int64_t part) {
      return getCoordinates().slice(static_cast<size_t>(4 * part), 4);
    }
  }];
}

def Sm_MultiplyOp : Sm_Op<"multiply", [Pure, AttrSizedOperandSegments,
                                   AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Add the product of two blocks to the sums";
  let description = [{
    Where `negate` is true, the product is subtracted: the coefficient is -1. Other coefficients scale a sum of products
    with `sm.add_scaled`. Where `shallow` is true, the blocks are zero beyond the depth that follows `to`, and only the
    elements up to that depth are multiplied: this is the last block of a group whose width is no multiple of the depth.

    The sums may consist of parts with equal numbers of rows, one below the other, as `sm.fetch_parts` fetches them.
    With `part 0 of 2`, the product is added to the first half of the rows alone; a part equal to the number of parts
    stands for all parts. With `held`, a single part is multiplied from a piece of the stationary rows of `sm.hold`, and
    all parts together are multiplied from A.

    ```mlir
    %next = sm.multiply %a, %b, %sum negate %minus shallow %last to 32
        : !sm.block<128 x 64 x bf16>, !sm.block<64 x 192 x bf16>, !sm.accumulator<128 x 192>
    %own = sm.multiply %a, %b, %sum part %p of 2 : !sm.block<...>, !sm.block<...>, !sm.accumulator<128 x 192>
    %stays = sm.multiply %a, %b, %sum part %p of 2 held %rows[%piece] : !sm.block<128 x 192 x bf16> : ...
    ```

    After shared memory has been allocated, the stationary rows are a buffer with a stage for each piece.

    Where B is `transposed` it has the shape columns x depth: it is a block of the weight matrix in a product with the
    transposed weight matrix.

    ```mlir
    %back = sm.multiply %a, %b transposed, %sum : !sm.block<128 x 64 x bf16>, !sm.block<192 x 64 x bf16>, !sm.accumulator<128 x 192>
    ```

    Where A is `transposed` it has the shape depth x rows: it is a block of rows of X in a product over rows.

    ```mlir
    %outer = sm.multiply %x transposed, %dy, %sum : !sm.block<64 x 128 x bf16>, !sm.block<64 x 192 x bf16>, !sm.accumulator<128 x 192>
    ```
  }];
  let arguments = (ins Sm_BlockType:$a, Sm_BlockType:$b, Sm_AccumulatorType:$accumulator, Optional<I1>:$negate,
                       Optional<I1>:$shallow, OptionalAttr<I64Attr>:$shallow_depth,
                       Optional<Index>:$part, OptionalAttr<I64Attr>:$parts, Optional<Sm_BlockOrBuffer>:$held,
                       Optional<Index>:$piece, UnitAttr:$a_transposed, UnitAttr:$b_transposed);
  let results = (outs Sm_AccumulatorType:$result);
  let assemblyFormat = [{
    $a (`transposed` $a_transposed^)? `,` $b (`transposed` $b_transposed^)? `,` $accumulator (`negate` $negate^)? (`shallow` $shallow^ `to` $shallow_depth)?
    (`part` $part^ `of` $parts)? (`held` $held^ `[` $piece `]` `:` type($held))? attr-dict
    `:` type($a) `,` type($b) `,` type($accumulator)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$a, "::mlir::Value":$b,
                                 "::mlir::Value":$accumulator, "::mlir::Value":$negate), [{
    build($_builder, $_state, result, a, b, accumulator, negate, ::mlir::Value(), ::mlir::IntegerAttr(),
          ::mlir::Value(), ::mlir::IntegerAttr(), ::mlir::Value(), ::mlir::Value(), /*a_transposed=*/false, /*b_transposed=*/false);
  }]>];
  let hasVerifier = 1;
}

def Sm_RoundOp : Sm_Op<"round", [Pure]> {
  let summary = "Finished sums of warpgroups as a block, rounded to its type";
  let description = [{
    A partition that multiplies passes such a block to another partition, which stores the block or multiplies it again.

    ```mlir
    %block = sm.round %sum : !sm.accumulator<128 x 192> to !sm.block<128 x 192 x bf16, swizzle 128>
    ```

    In shared memory the part of each warpgroup is a piece of its own.
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator);
  let results = (outs Sm_BlockType:$block);
  let assemblyFormat = "$accumulator attr-dict `:` type($accumulator) `to` type($block)";
  let hasVerifier = 1;
}

def Sm_StoreBlockOp : Sm_Op<"store_block", [Sm_RunsInOneThread, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Store a block to the result";
  let description = [{
    Elements outside the map are not written. The block may consist of several boxes of the maps, side by side or one
    below the other. The coordinates are those of the whole block.

    ```mlir
    sm.store_block %block to %y[%map][%column, %group, %segment, %row] : !sm.block<128 x 192 x bf16, swizzle 128> to !sm.maps<...>
    ```
  }];
  let arguments = (ins Sm_BlockType:$block, Sm_MapsType:$target, Index:$map, Variadic<Index>:$coordinates);
  let assemblyFormat = [{
    $block `to` $target `[` $map `]` `[` $coordinates `]` attr-dict `:` type($block) `to` type($target)
  }];
  let hasVerifier = 1;
}

def Sm_StoreSumsOp : Sm_Op<"store_sums", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Store the finished sums of a tile to the result, rounded to its type";
  let description = [{
    Elements outside the map are not written. Through plain maps sums are stored straight from registers to memory: sums
    of single warps, and sums of warpgroups that hold rows. A thread has two neighbouring columns of every tile of
    eight. Where the maps' vector is wider, the four lanes that share a row, or two of them, exchange sums of as many
    tiles, so that each lane writes as many columns of one tile at a time, up to 16 bytes. The remaining tiles of a warp
    are written in narrower pieces. Through tensor maps, sums of warpgroups are stored by way of shared memory. The
    maps' boxes may cover only a part of the sums of warpgroups, because other tiles are stored in parts: the copy
    engine then makes several copies.

    With `beta`, beta times the old value of the result is added before the rounding. Only threads that write through
    plain maps can read the result. A result that has not been written yet may hold anything, so that the old values are
    not read where beta is 0.

    With `added`, the old value itself is added, of an f32 result through tensor maps: the copy engine adds where it
    stores. Each element still has one owner, so that there is one order of additions.

    With `by_one_part`, one part alone of a partition with `turns` stores: shared memory has room for its sums then.

    With `rows_before`, sums of single threads whose row, counted as the coordinates are, is that one or a later one are
    not stored: the rows behind it are those of another expert.

    ```mlir
    sm.store_sums %sum to %y[%map][%column, %group, %segment, %row] rows_before %end : !sm.accumulator<4 x 64, threads 256> to !sm.maps<...>
    sm.store_sums %sum to %dw[%map][%column, %group, %feature, %weight_row] plus %beta : !sm.accumulator<64 x 128, warps 2 x 2> to !sm.maps<...>
    sm.store_sums %sum added to %dw[%map][%column, %group, %feature, %weight_row] : !sm.accumulator<64 x 128> to !sm.maps<1 x 64 x 128 x f32, row_dimension 2>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, Sm_MapsType:$target, Index:$map, Variadic<Index>:$coordinates,
                       Optional<F32>:$beta, UnitAttr:$added, Optional<Index>:$rows_before,
                       UnitAttr:$by_one_part);
  let assemblyFormat = [{
    $accumulator (`added` $added^)? `to` $target `[` $map `]` `[` $coordinates `]` (`plus` $beta^)?
    (`rows_before` $rows_before^)? (`by_one_part` $by_one_part^)? attr-dict `:` type($accumulator) `to` type($target)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$accumulator, "::mlir::Value":$target, "::mlir::Value":$map,
                                 "::mlir::ValueRange":$coordinates, CArg<"::mlir::Value", "{}">:$beta), [{
    build($_builder, $_state, accumulator, target, map, coordinates, beta, /*added=*/false, ::mlir::Value(),
          /*by_one_part=*/false);
  }]>];
  let hasVerifier = 1;
}

def Sm_StoreSumsInPartsOp : Sm_Op<"store_sums_in_parts", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "Store the finished sums of a tile of several types to the result, rounded to its type";
  let description = [{
    Part p of the sums, as high as the boxes of the maps, is stored to map p at coordinates 4p to 4p + 3. Elements
    outside the map are not written.

    ```mlir
    sm.store_sums_in_parts %sum to %y[%map0, %map1] [%column, %group, %segment0, %row0, %column, %group, %segment1, %row1]
        : !sm.accumulator<128 x 192> to !sm.maps<2 x 64 x 192 x bf16, row_dimension 3>
    ```
  }];
  let arguments = (ins Sm_AccumulatorType:$accumulator, Sm_MapsType:$target, Variadic<Index>:$maps,
                       Variadic<Index>:$coordinates);
  let assemblyFormat = [{
    $accumulator `to` $target `[` $maps `]` `[` $coordinates `]` attr-dict
    `:` type($accumulator) `to` type($target)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getParts() { return static_cast<int64_t>(getMaps().size()); }
  }];
}

#endif
