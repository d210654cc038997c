#ifndef ALGCTL_TILE_ATTRIBUTES
#define ALGCTL_TILE_ATTRIBUTES

include "dialects/tile/tile_dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Tile_Attr<string name, string attrMnemonic> : AttrDef<Tile_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Tile_AxisKind : I32EnumAttr<"AxisKind", "what a forall or a for goes over", [
    I32EnumAttrCase<"Types", 0, "types">,
    I32EnumAttrCase<"Rows", 1, "rows">,
    I32EnumAttrCase<"Groups", 2, "groups">,
    I32EnumAttrCase<"Columns", 3, "columns">,
    I32EnumAttrCase<"WeightRows", 4, "weight_rows">,
    I32EnumAttrCase<"Features", 5, "features">,
    I32EnumAttrCase<"Batch", 6, "batch">]> {
  let cppNamespace = "::tile";
  let genSpecializedAttr = 0;
}

def Tile_AxisKindAttr : EnumAttr<Tile_Dialect, Tile_AxisKind, "axis_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_WeightAccess : I32EnumAttr<"WeightAccess", "how a kernel reads the weight matrix", [
    I32EnumAttrCase<"Packed", 0, "packed">,
    I32EnumAttrCase<"Copied", 1, "copied">,
    I32EnumAttrCase<"Direct", 2, "direct">]> {
  let cppNamespace = "::tile";
  let genSpecializedAttr = 0;
}

def Tile_Side : I32EnumAttr<"Side", "a side of the machine's matrix instructions", [
    I32EnumAttrCase<"M", 0, "m">,
    I32EnumAttrCase<"N", 1, "n">]> {
  let cppNamespace = "::tile";
  let genSpecializedAttr = 0;
}

def Tile_LiftKind : I32EnumAttr<"LiftKind", "how an algebra becomes a projection", [
    I32EnumAttrCase<"Rows", 0, "rows">,
    I32EnumAttrCase<"Slots", 1, "slots">]> {
  let cppNamespace = "::tile";
  let genSpecializedAttr = 0;
}

def Tile_Per : I32EnumAttr<"Per", "what an element-wise kernel has one number for", [
    I32EnumAttrCase<"Element", 0, "element">,
    I32EnumAttrCase<"Row", 1, "row">,
    I32EnumAttrCase<"Column", 2, "column">,
    I32EnumAttrCase<"Call", 3, "call">]> {
  let cppNamespace = "::tile";
  let genSpecializedAttr = 0;
}

def Tile_PerAttr : EnumAttr<Tile_Dialect, Tile_Per, "per"> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_AxisAttr : Tile_Attr<"Axis", "axis"> {
  let summary = "One axis of a forall or a for, and the step along it";
  let description = [{
    | axis | goes over | index it yields |
    | --- | --- | --- |
    | `types` | row types; inside a forall, the types that it owns | the type |
    | `rows` | rows of one type; inside a forall, the rows that it owns | ordinal among the rows of the type |
    | `groups` | output groups; inside a forall, the slice that it owns | the group |
    | `columns` | columns of the group that the same op or one around it fixed | column within the group |
    | `weight_rows` | row groups of the weight matrix | the row group |
    | `features` | rows of the row group that the forall fixed; inside that forall, the rows that it owns | row within the group |
    | `batch` | rows in the order of the batch, whatever their types | the row |

    On a `tile.forall`, the step of `groups` is 0 where the launch decides how many slices there are.
  }];
  let parameters = (ins EnumParameter<Tile_AxisKind>:$kind, "int64_t":$step);
  let assemblyFormat = "`<` params `>`";
  let genVerifyDecl = 1;
}

// The alg dialect's enum: its own records are generated there.
def Tile_Mode : AttrParameter<"::alg::OutputMode", "the index that the contraction leaves open"> {
  let parser = "::mlir::FieldParser<::alg::OutputMode>::parse($_parser)";
  let printer = "$_printer << ::alg::stringifyOutputMode($_self)";
  let defaultValue = "::alg::OutputMode::Product";
}

def Tile_LayoutAttr : Tile_Attr<"Layout", "layout"> {
  let summary = "The contraction that a kernel computes, and how its operands are divided into slots";
  let description = [{
    The algebra and its lift give the terms of every (type, output group); `in`, `weights` and `out` give the widths
    of the input groups, the heights of the weight matrix's row groups and the widths of the output groups; `row_types` says
    which rows have which type. In the slot lift there is one type, to which all rows belong.

    `mode` is the index of the structure constants that the contraction leaves open, `k` where it is left out. In mode
    `i`, the gradient of the activations, the operands exchange their roles: the input groups are those of dY, the
    output groups are those of dX, the terms are transposed, and `weights` divides the transposed weight matrix. The
    weight matrix in memory is the user's: block (b, j) of the weight matrix in an op is in memory the transpose of the
    block of row group j and column group b; in the slot lift it is the transpose of block b.

    In mode `j`, the gradient of the weight matrix, the groups are those of the forward product: `in` divides X, `out`
    divides dY, and `weights` divides the rows of dW, which has the same blocks as the weight matrix.

    ```mlir
    #forward = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 16>, weights = #alg.groups<4 x 16>, out = #alg.groups<4 x 24>, row_types = #alg.row_types<cyclic 4>>
    #dx = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 24>, weights = #alg.groups<4 x 24>, out = #alg.groups<4 x 16>, row_types = #alg.row_types<cyclic 4>, mode = i>
    #dw = #tile.layout<algebra = #alg.algebra<"Q(4)">, lift = rows, in = #alg.groups<4 x 16>, weights = #alg.groups<4 x 16>, out = #alg.groups<4 x 24>, row_types = #alg.row_types<cyclic 4>, mode = j>
    ```
  }];
  let parameters = (ins "::alg::AlgebraAttr":$algebra, EnumParameter<Tile_LiftKind>:$lift,
                        "::alg::GroupsAttr":$in, "::alg::GroupsAttr":$weights, "::alg::GroupsAttr":$out,
                        "::alg::RowTypesAttr":$row_types, Tile_Mode:$mode);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The lift that the terms come from; the verifier has checked that there is one.
    const ::algebras::Lift &getTerms() const;
    ::algebras::Lift::Kind getKind() const;
    /// Rows and columns of the weight matrix as the user stores it.
    ::std::pair<int64_t, int64_t> getWeightShape() const;
    bool isTransposed() const { return getMode() == ::alg::OutputMode::ActivationGradient; }
    bool isWeightGradient() const { return getMode() == ::alg::OutputMode::WeightGradient; }
    /// Whether not all input groups, all output groups and all row groups of the weight matrix have one width each.
    bool hasUnequalGroups() const {
      return !getIn().isEqual() || !getWeights().isEqual() || !getOut().isEqual();
    }
    /// Columns of blocks that the weight matrix has: one in the slot lift, where every output group reads a block.
    int64_t getWeightColumns() const { return getLift() == LiftKind::Slots ? 1 : getOut().getCount(); }
  }];
}

def Tile_MultiplyUnit : I32EnumAttr<"MultiplyUnit", "what multiplies on a CPU", [
    I32EnumAttrCase<"Vectors", 0, "vectors">,
    I32EnumAttrCase<"Amx", 1, "amx">]> {
  let cppNamespace = "::tile";
  let genSpecializedAttr = 0;
}

def Tile_ScheduleAttr : Tile_Attr<"Schedule", "schedule"> {
  let summary = "The schedule of a kernel whose workers are CPU threads";
  let description = [{
    The schedule from which the kernel's body was built. It is kept for readers, for the bundle's manifest and for the
    cost model: types and rows that one worker owns (in mode j: that it goes through at a time), the register tile
    (`register_rows` x `register_columns` f32 accumulators in vectors of `lanes`), and how the weight matrix is read.
    `packed` reads a weight matrix that was rewritten into panels once, `copied` copies each block's panel when it is
    needed, `direct` reads the user's weight matrix in place.

    With `unit = amx` the matrix unit of Intel's AMX multiplies bf16: a register tile is divided into squares of 16 rows
    and 16 columns, of which there are at most four in the registers for sums, and depths are multiplied 32 at a time.
    The groups of stationary rows and of panels are filled up to whole 32 with zeros; in mode j, whose depths are rows,
    these are. What is multiplied has been copied into panels there, which `copied` says.

    ```mlir
    #tile.schedule<types = 1, rows = 64, register_rows = 8, register_columns = 48, lanes = 16, weights = packed>
    #tile.schedule<types = 1, rows = 64, register_rows = 32, register_columns = 32, lanes = 16, weights = packed, unit = amx>
    ```
  }];
  let parameters = (ins "int64_t":$types, "int64_t":$rows, "int64_t":$register_rows, "int64_t":$register_columns,
                        "int64_t":$lanes, EnumParameter<Tile_WeightAccess>:$weights,
                        DefaultValuedParameter<"::tile::MultiplyUnit", "::tile::MultiplyUnit::Vectors">:$unit);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tile_StagedAttr : Tile_Attr<"Staged", "staged"> {
  let summary = "The schedule of a kernel whose operands are loaded into stages";
  let description = [{
    For machines with asynchronous copies: a worker owns `rows` rows of each of `types` types and `columns` columns of
    an output group. Their product is computed `depth` at a time, from blocks that are loaded into a ring of `stages`
    ahead of their use. 0 stages stand for as many as fit.

    ```mlir
    #tile.staged<types = 1, rows = 128, columns = 192, depth = 64, stages = 4>
    #tile.staged<types = 1, rows = 128, columns = 192, depth = 64, stages = 4, cluster = 2 x 1, outer = groups>
    #tile.staged<types = 1, rows = 64, columns = 128, depth = 32, stages = 4, warps = 2 x 2, vector = 8>
    ```

    Without `warps` the copy engine copies, and the division of the tile among threads follows from its rows. With
    `warps`, the threads of a block copy, `vector` elements at a time, and the tile is divided into `warps` rows x
    columns of equal parts, one for each warp. The vector is 1, 2, 4 or 8 elements: the machine's accesses are aligned,
    so that it divides the widths of all groups.

    The other entries say what workers share, and are left out where they have their defaults:

    | | |
    | --- | --- |
    | `cluster = A x B` | workers with A consecutive blocks of rows and B of columns run together; blocks of the weight matrix are loaded once for the A, rows of X once for the B |
    | `cluster_types = C` | in a kernel of two layers: C workers that follow one another in types run together; blocks of the weight matrices that are an output group's own, of both layers, are loaded once for the C |
    | `evict_first = 1` | in a kernel of two layers: blocks of the weight matrices that belong to one of a worker's own types leave the cache before anything else, where a block's rows are whole lines of it |
    | `overlap = 1` | in a kernel of two layers: hidden columns are made while those before them are multiplied, so that the maps of the ones overlap with the products of the others |
    | `stationary = G` | a worker goes through G consecutive groups while the rows of X of its types' own groups stay in shared memory; in a gradient of X (mode i), while the sums of its type's own group stay in registers; in a kernel of two layers, while the hidden groups of its types' own stay, and of the hidden layer itself, of how many other groups rows of X are there at a time |
    | `outer = groups` | workers that run at one time share columns of the weight matrix (all rows of a group, then the next group); `types`, the default, lets them share rows of X |
    | `rows_on = n` | rows are on side N of the matrix instructions and columns on side M, whose size is fixed: for few rows; `m` is the default |
    | `ping_pong = T` | the warpgroups of a worker that multiply are divided into T parts, each of which computes every T-th tile of the worker alone; in a kernel of two layers every T-th chunk of hidden columns of the same tile, whose sums are added |
    | `split_k = S` | S workers that run together own each tile: each takes a part of the tile's steps, their sums are added, and each stores a part of the result |
    | `longest_first = L` | the groups of each type are ordered by their number of terms, most first; tiles of the first L groups come before all others, and `split_k` divides them alone |
  }];
  let parameters = (ins "int64_t":$types, "int64_t":$rows, "int64_t":$columns, "int64_t":$depth, "int64_t":$stages,
                        "int64_t":$warp_rows, "int64_t":$warp_columns, "int64_t":$vector, "int64_t":$cluster_rows,
                        "int64_t":$cluster_columns, "int64_t":$stationary_groups, EnumParameter<Tile_AxisKind>:$outer,
                        EnumParameter<Tile_Side>:$rows_on, "int64_t":$ping_pong, "int64_t":$split_k,
                        "int64_t":$longest_first, "int64_t":$cluster_types, "int64_t":$evict_first,
                        "int64_t":$overlap);
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins "int64_t":$types, "int64_t":$rows, "int64_t":$columns, "int64_t":$depth,
                                   "int64_t":$stages, CArg<"int64_t", "0">:$warp_rows,
                                   CArg<"int64_t", "0">:$warp_columns, CArg<"int64_t", "0">:$vector,
                                   CArg<"int64_t", "1">:$cluster_rows, CArg<"int64_t", "1">:$cluster_columns,
                                   CArg<"int64_t", "0">:$stationary_groups,
                                   CArg<"AxisKind", "AxisKind::Types">:$outer,
                                   CArg<"Side", "Side::M">:$rows_on, CArg<"int64_t", "1">:$ping_pong,
                                   CArg<"int64_t", "1">:$split_k, CArg<"int64_t", "0">:$longest_first,
                                   CArg<"int64_t", "1">:$cluster_types, CArg<"int64_t", "0">:$evict_first,
                                   CArg<"int64_t", "0">:$overlap), [{
    return $_get($_ctxt, types, rows, columns, depth, stages, warp_rows, warp_columns, vector, cluster_rows,
                 cluster_columns, stationary_groups, outer, rows_on, ping_pong, split_k, longest_first, cluster_types,
                 evict_first, overlap);
  }]>];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether threads copy, so that warps and vector are there.
    bool hasWarps() const { return getWarpRows() != 0; }
    int64_t getWarps() const { return getWarpRows() * getWarpColumns(); }
    /// Workers that run together: of a cluster, or of a tile.
    int64_t getCluster() const { return getClusterRows() * getClusterColumns() * getClusterTypes() * getSplitK(); }
    /// Whether they copy for each other.
    bool sharesCopies() const { return getClusterRows() * getClusterColumns() * getClusterTypes() > 1; }
    /// Whether tiles of some groups come before those of others.
    bool ordersGroups() const { return getLongestFirst() > 0; }
    /// Rows of a tile, of all its types.
    int64_t getTileRows() const { return getTypes() * getRows(); }
  }];
}

def Tile_ReducedAttr : Tile_Attr<"Reduced", "reduced"> {
  let summary = "The schedule of a kernel of vector reductions";
  let description = [{
    For few rows, each perhaps of a type of its own: a worker owns `rows` consecutive rows of the batch and `columns`
    columns of an output group. A slice is `columns / vector` of its threads, each with `vector` columns; the `slices`
    divide the depth of every term. Each thread reads its share of the weight matrix straight into registers, and the
    sums of the slices are added in one fixed order.

    ```mlir
    #tile.reduced<rows = 4, columns = 64, slices = 32, vector = 8>
    ```

    The vector is 1, 2, 4 or 8 elements: accesses are aligned, so that it divides the widths of all groups. All slices
    together are whole warps.

    In a kernel of two layers a worker may be a cluster of several thread blocks: `cluster = 4` in both schedules. Each
    block has a share of the columns of every hidden group, which is also a share of the depth of the kernel's own layer,
    and the blocks add up their sums.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$slices, "int64_t":$vector,
                        DefaultValuedParameter<"int64_t", "1">:$cluster);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Threads of a slice, side by side along the columns, and of all slices.
    int64_t getLanes() const { return getColumns() / getVector(); }
    int64_t getThreads() const { return getLanes() * getSlices(); }
  }];
}

#endif
