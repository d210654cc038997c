#ifndef ALGCTL_SM_TYPES
#define ALGCTL_SM_TYPES

include "dialects/sm/sm_dialect.td"
include "mlir/IR/AttrTypeBase.td"

class Sm_Type<string name, string typeMnemonic> : TypeDef<Sm_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Sm_MapsType : Sm_Type<"Maps", "maps"> {
  let summary = "The maps of one operand";
  let description = [{
    `!sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>`: two maps, whose box is one panel of a 128 x 64 block:
    128 rows along dimension 3 of the map and swizzle / element size columns along dimension 0.
    `runtime/gpu_kernel_abi.h` defines the four coordinates for rows of X and Y (row dimension 3) and for the weight
    matrix (row dimension 2), and says which of several maps a row segment belongs to. Swizzle 0 stands for a layout
    that no pass has assigned yet.

    These maps are tensor maps, which the copy engine reads.
    `!sm.maps<2 x 64 x 32 x bf16, row_dimension 3, swizzle 64, vector 8>` are *plain* maps: threads read or write the
    operand, at most `vector` elements at a time; the vector divides the operand's widths, strides and address. Rows,
    columns and swizzle are then those of the block in shared memory. Vector 0, not printed, stands for tensor maps.

    Plain maps may look up positions in lists.
    `!sm.maps<1 x 64 x 32 x bf16, row_dimension 3, vector 8, unequal, listed>`: where groups are `unequal` the map has a
    list of the columns with which they begin, and for the weight matrix one of rows; where rows are `listed` the map
    has a row list, and coordinates 2 and 3 are a row type and the number of a row among those of the type. The type
    number `types` stands for all rows of the list.

    `!sm.maps<4 x 64 x 64 x bf16, row_dimension 3, swizzle 128, run 8>`: the rows of a segment come in runs of 8, a power of
    two, which are joined: coordinates 2 and 3 are a segment and the number of a row in it, of which the lowest bits
    are the place in a run, the others the run. Whoever reads or writes through the maps splits the number so; a box has
    whole runs, or a part of one. The last of five such maps has all rows as they lie, without runs.
  }];
  let parameters = (ins "int64_t":$count, "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                        "int64_t":$rowDimension, DefaultValuedParameter<"int64_t", "0">:$swizzle,
                        DefaultValuedParameter<"int64_t", "0">:$vector,
                        DefaultValuedParameter<"bool", "false">:$unequal,
                        DefaultValuedParameter<"bool", "false">:$listed,
                        DefaultValuedParameter<"int64_t", "0">:$run);
  let assemblyFormat = [{
    `<` $count `x` $rows `x` $columns `x` $elementType `,` `row_dimension` $rowDimension
    `` custom<MapEntries>($swizzle, $vector, $unequal, $listed, $run) `>`
  }];
  let skipDefaultBuilders = 1;
  let builders = [TypeBuilder<(ins "int64_t":$count, "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                                   "int64_t":$rowDimension, CArg<"int64_t", "0">:$swizzle,
                                   CArg<"int64_t", "0">:$vector, CArg<"bool", "false">:$unequal,
                                   CArg<"bool", "false">:$listed, CArg<"int64_t", "0">:$run), [{
    return $_get($_ctxt, count, rows, columns, elementType, rowDimension, swizzle, vector, unequal, listed, run);
  }]>];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether threads read and write through them.
    bool isPlain() const { return getVector() != 0; }
    /// The same maps with blocks that lie in another way.
    MapsType withSwizzle(int64_t swizzle) const;
    /// Whether the last of these maps, of joined runs, has all rows as they lie.
    bool hasAllRows() const;
  }];
}

def Sm_BlockType : Sm_Type<"Block", "block"> {
  let summary = "A block of an operand, as a value";
  let description = [{
    A synchronous program fetches and multiplies blocks: `!sm.block<128 x 64 x bf16>`. Once assigned, the swizzle says
    how the block will lie in shared memory.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                        DefaultValuedParameter<"int64_t", "0">:$swizzle);
  let assemblyFormat = "`<` $rows `x` $columns `x` $elementType (`,` `swizzle` $swizzle^)? `>`";
  let genVerifyDecl = 1;
}

def Sm_BufferType : Sm_Type<"Buffer", "buffer"> {
  let summary = "Blocks in shared memory, one in each stage";
  let description = [{
    `!sm.buffer<5 x 128 x 64 x bf16, swizzle 128>`: five stages of a 128 x 64 block.
  }];
  let parameters = (ins "int64_t":$stages, "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                        DefaultValuedParameter<"int64_t", "0">:$swizzle);
  let assemblyFormat = [{ `<` $stages `x` $rows `x` $columns `x` $elementType (`,` `swizzle` $swizzle^)? `>` }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Columns of one panel: swizzle / element size. The swizzle must have been assigned.
    int64_t getPanelColumns() const;
    int64_t getPanels() const;
    /// Bytes of one panel, of one stage, of all stages.
    int64_t getPanelBytes() const;
    int64_t getStageBytes() const;
    int64_t getBytes() const;
  }];
}

def Sm_BarriersType : Sm_Type<"Barriers", "barriers"> {
  let summary = "Mbarriers in shared memory, one for each stage of a pipe";
  let parameters = (ins "int64_t":$stages);
  let assemblyFormat = "`<` $stages `>`";
  let genVerifyDecl = 1;
}

def Sm_ReductionBufferType : Sm_Type<"ReductionBuffer", "reduction_buffer"> {
  let summary = "Shared memory through which the blocks of a cluster, or two parts of a partition, exchange sums";
  let description = [{
    `!sm.reduction_buffer<2 x 4 x 24>`: for two warpgroups of a block in a cluster of four, 24 sums of each thread. The
    buffer has a place for every warpgroup and every other block, in the order of the blocks, in which vectors of four
    sums lie thread after thread: 4 x 128 bytes x sums. `sm.send` of a block writes into the reduction buffer of every
    other block, at the sending block's place.

    `!sm.reduction_buffer<1 x 2 x 40>` with its one place is also that through which two parts of a partition exchange
    sums (`sm.write_partial`).
  }];
  let parameters = (ins "int64_t":$warpgroups, "int64_t":$blocks, "int64_t":$sums);
  let assemblyFormat = "`<` $warpgroups `x` $blocks `x` $sums `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getPlaceBytes() const { return 128 * 4 * getSums(); }
    int64_t getBytes() const { return getWarpgroups() * (getBlocks() - 1) * getPlaceBytes(); }
    /// The place of block `sender` among those of a warpgroup of block `receiver`.
    static int64_t getPlaceOf(int64_t sender, int64_t receiver) { return sender < receiver ? sender : sender - 1; }
  }];
}

def Sm_AccumulatorType : Sm_Type<"Accumulator", "accumulator"> {
  let summary = "f32 sums in registers";
  let description = [{
    `!sm.accumulator<128 x 192>` in a partition of two warpgroups: each holds 64 rows, warpgroup g rows 64g ..
    64g+63, in the layout of wgmma's accumulators (lane l of warp v holds of row 16v + l/4 (+ 8) the columns 8i
    + 2(l mod 4) (+ 1)): columns / 2 registers per thread.

    `!sm.accumulator<24 x 128, transposed>` in a partition of two warpgroups: each holds 64 columns, warpgroup g columns
    64g .. 64g+63, and all rows, in the layout above with rows and columns exchanged: rows / 2 registers per thread.

    `!sm.accumulator<64 x 128, warps 2 x 2>` in a kernel without partitions: the sums are cut into parts of 32 x 64,
    and warp w of the block holds part (w / 2, w mod 2). A part consists of tiles of 16 x 8, rows of tiles
    outermost, each in the layout of mma.sync's accumulators: lane l holds of rows l/4 and l/4 + 8 the columns 2(l
    mod 4) and 2(l mod 4) + 1, in the order (l/4, even), (l/4, odd), (l/4 + 8, even), (l/4 + 8, odd): rows x
    columns / (32 x warps) registers per thread.

    `!sm.accumulator<2 x 64, threads 96>` in a kernel without partitions: thread t of the block holds the elements t, t + 96, ...,
    counted along the columns and then along the rows. `!sm.accumulator<2 x 64, threads 3 x 96>`: the same among the threads of all
    three blocks of a cluster, those of the first block first.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, DefaultValuedParameter<"int64_t", "0">:$warpRows,
                        DefaultValuedParameter<"int64_t", "0">:$warpColumns,
                        DefaultValuedParameter<"bool", "false">:$transposed,
                        DefaultValuedParameter<"int64_t", "0">:$threads,
                        DefaultValuedParameter<"int64_t", "1">:$blocks);
  let assemblyFormat = [{
    `<` $rows `x` $columns `` custom<HoldersOfSums>($warpRows, $warpColumns, $transposed, $threads, $blocks) `>`
  }];
  let skipDefaultBuilders = 1;
  let builders = [TypeBuilder<(ins "int64_t":$rows, "int64_t":$columns, CArg<"int64_t", "0">:$warpRows,
                                   CArg<"int64_t", "0">:$warpColumns, CArg<"bool", "false">:$transposed,
                                   CArg<"int64_t", "0">:$threads, CArg<"int64_t", "1">:$blocks), [{
    return $_get($_ctxt, rows, columns, warpRows, warpColumns, transposed, threads, blocks);
  }]>];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether single warps hold the sums, as mma.sync leaves them.
    bool hasWarps() const { return getWarpRows() != 0; }
    int64_t getWarps() const { return getWarpRows() * getWarpColumns(); }
    /// Whether single threads hold the sums element by element, how many there are, of all blocks, and how many
    /// elements each of them has.
    bool hasThreads() const { return getThreads() != 0; }
    int64_t getAllThreads() const { return getThreads() * getBlocks(); }
    int64_t getElementsOfThread() const {
      return (getRows() * getColumns() + getAllThreads() - 1) / getAllThreads();
    }
    /// Whether warpgroups hold the sums, as wgmma leaves them.
    bool hasWarpgroups() const { return !hasWarps() && !hasThreads(); }
    /// Warpgroups that hold the sums, the part of one of them, and what is along the side N of its instructions.
    /// Only of those.
    int64_t getWarpgroups() const { return (getTransposed() ? getColumns() : getRows()) / 64; }
    int64_t getRowsOfWarpgroup() const { return getTransposed() ? getRows() : 64; }
    int64_t getColumnsOfWarpgroup() const { return getTransposed() ? 64 : getColumns(); }
    int64_t getInstructionWidth() const { return getTransposed() ? getRows() : getColumns(); }
    /// The part of one warp: of those of warpgroups that hold rows a fourth of them, 16.
    int64_t getRowsOfWarp() const { return hasWarps() ? getRows() / getWarpRows() : 16; }
    int64_t getColumnsOfWarp() const { return hasWarps() ? getColumns() / getWarpColumns() : getColumns(); }
  }];
}

def Sm_FragmentType : Sm_Type<"Fragment", "fragment"> {
  let summary = "bf16 rows in registers, operand A of products of warpgroups";
  let description = [{
    `!sm.fragment<64 x 32>`: each warpgroup holds 64 rows. For every 16 columns a thread has four words of two bf16, the
    first of which is in the lower half: lane l of warp v has of rows 16v + l/4 and 16v + l/4 + 8 the columns 2(l mod 4)
    and the one behind it, and then of both rows those 8 further on. So wgmma's accumulators lie, too.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns);
  let assemblyFormat = "`<` $rows `x` $columns `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getWords() const { return getColumns() / 4; }
  }];
}

def Sm_RowSumsType : Sm_Type<"RowSums", "row_sums"> {
  let summary = "f32 sums of one row in registers, divided among slices of the block's threads";
  let description = [{
    `!sm.row_sums<64, slices 16, vector 4>`: 64 columns, four in each of 16 threads side by side. As many such threads as there are
    slices stand one behind the other; each slice has sums of its own, of the products that it has multiplied.
  }];
  let parameters = (ins "int64_t":$columns, "int64_t":$slices, "int64_t":$vector);
  let assemblyFormat = "`<` $columns `,` `slices` $slices `,` `vector` $vector `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Threads of a slice, side by side, and of all slices.
    int64_t getLanes() const { return getColumns() / getVector(); }
    int64_t getThreads() const { return getLanes() * getSlices(); }
  }];
}

def Sm_PieceType : Sm_Type<"Piece", "piece"> {
  let summary = "A piece of an operand in registers of a thread, read vector by vector";
  let description = [{ `!sm.piece<8 x 4 x bf16, vector 4>`: eight rows of one vector each. }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType, "int64_t":$vector);
  let assemblyFormat = "`<` $rows `x` $columns `x` $elementType `,` `vector` $vector `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getVectors() const { return getRows() * getColumns() / getVector(); }
  }];
}

def Sm_ViewType : Sm_Type<"View", "view"> {
  let summary = "Where a block of an operand lies in memory: its first element, and the way from row to row";
  let parameters = (ins "::sm::MapsType":$maps);
  let assemblyFormat = "`<` $maps `>`";
}

def Sm_SumsBufferType : Sm_Type<"SumsBuffer", "sums_buffer"> {
  let summary = "Shared memory where the warps of a block leave their sums";
  let description = [{ `!sm.sums_buffer<8 x 2 x 64>`: of each of eight warps two rows of 64 sums. }];
  let parameters = (ins "int64_t":$warps, "int64_t":$rows, "int64_t":$columns);
  let assemblyFormat = "`<` $warps `x` $rows `x` $columns `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getBytes() const { return getWarps() * getRows() * getColumns() * 4; }
  }];
}

def Sm_HiddenBufferType : Sm_Type<"HiddenBuffer", "hidden_buffer"> {
  let summary = "Shared memory for what one layer of a kernel leaves of few rows";
  let description = [{
    `!sm.hidden_buffer<2 x 4 x 64>`: for each of two terms that the next layer adds of a row, four rows of 64 bf16, a
    block's share of the hidden group that the term reads.
  }];
  let parameters = (ins "int64_t":$terms, "int64_t":$rows, "int64_t":$columns);
  let assemblyFormat = "`<` $terms `x` $rows `x` $columns `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRowBytes() const { return getColumns() * 2; }
    int64_t getBytes() const { return getTerms() * getRows() * getRowBytes(); }
  }];
}

def Sm_PositionsType : Sm_Type<"Positions", "positions"> {
  let summary = "The positions of all rows of the batch in device memory, where a launch gives them";
}

def Sm_ExpertStartsType : Sm_Type<"ExpertStarts", "expert_starts"> {
  let summary = "The first row of each expert, and behind them where the last one's rows end, in device memory";
}

def Sm_ExpertRowsType : Sm_Type<"ExpertRows", "expert_rows"> {
  let summary = "The rows of the batch that experts have, one expert after another, in device memory, where a launch lists them";
}

def Sm_TermsTableType : Sm_Type<"TermsTable", "terms_table"> {
  let summary = "The terms of every (type, output group), in device memory";
  let description = [{ int32 words as `runtime/gpu_kernel_abi.h` describes them. }];
}

def Sm_ColumnsType : Sm_Type<"Columns", "columns"> {
  let summary = "An operand of maps in device memory, one number for each column of the result";
  let description = [{
    `!sm.columns<32 x 192 x bf16>` has 192 numbers for each of 32 output groups, one group after another, as in a bias.
    Where a layout's groups have unequal widths it is one group, `!sm.columns<1 x 640 x bf16>`.
  }];
  let parameters = (ins "int64_t":$groups, "int64_t":$width, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $groups `x` $width `x` $elementType `>`";
  let genVerifyDecl = 1;
}

def Sm_PipeType : Sm_Type<"Pipe", "pipe"> {
  let summary = "What one partition passes to others, as values";
  let description = [{
    `!sm.pipe<!sm.block<128 x 64 x bf16>, !sm.block<64 x 192 x bf16>>` passes blocks of rows, each together with a block
    of the weight matrix, in the order in which they were produced.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$blocks);
  let assemblyFormat = "`<` $blocks `>`";
  let genVerifyDecl = 1;
}

def Sm_StagedPipeType : Sm_Type<"StagedPipe", "staged_pipe"> {
  let summary = "The stages through which one partition passes blocks to others";
  let parameters = (ins "int64_t":$stages);
  let assemblyFormat = "`<` $stages `>`";
  let genVerifyDecl = 1;
}

#endif
