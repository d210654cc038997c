#ifndef ALGCTL_TILE_TYPES
#define ALGCTL_TILE_TYPES

include "dialects/tile/tile_attributes.td"

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_MatrixType : Tile_Type<"Matrix", "matrix"> {
  let summary = "A kernel's operand in main memory";
  let description = [{
    `!tile.matrix<?x2048xf32>` is row-major, with a leading dimension that is set at the launch.
    `!tile.matrix<2048x6144xbf16, panels 48 x 2>` is a weight matrix rewritten into panels of 48 columns, in which every
    2 consecutive depths of a column lie side by side (2 for machines that multiply pairs of bf16, 1 otherwise). The
    last panel of a group and an odd depth are padded with zeros.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType, "int64_t":$panel,
                        "int64_t":$interleave);
  let assemblyFormat = "`<` custom<PanelShape>($rows, $columns, $elementType, $panel, $interleave) `>`";
  let builders = [TypeBuilder<(ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType), [{
    return $_get($_ctxt, rows, columns, elementType, 0, 1);
  }]>];
  let extraClassDeclaration = [{ bool isPanels() const { return getPanel() != 0; } }];
  let genVerifyDecl = 1;
}

def Tile_BufferType : Tile_Type<"Buffer", "buffer"> {
  let summary = "A buffer near the processor: in a core's cache, or in shared memory";
  let description = [{
    `!tile.buffer<64x2048xf32>` holds 64 rows of all input groups, group after group. `!tile.buffer<2048x48xf32,
    panels 48 x 1>` stages one column panel of every row group of the weight matrix. In `!tile.buffer<64x192xbf16,
    panels 32 x 32>` every 32 consecutive depths of a column lie side by side, 64 bytes of them: these are rows of a left
    operand as a matrix unit loads it.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType, "int64_t":$panel,
                        "int64_t":$interleave);
  let assemblyFormat = "`<` custom<PanelShape>($rows, $columns, $elementType, $panel, $interleave) `>`";
  let extraClassDeclaration = [{ bool isPanels() const { return getPanel() != 0; } }];
  let genVerifyDecl = 1;
}

def Tile_FragmentType : Tile_Type<"Fragment", "fragment"> {
  let summary = "A tile of values in registers";
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` custom<FragmentShape>($rows, $columns, $elementType) `>`";
  let genVerifyDecl = 1;
}

def Tile_MaskType : Tile_Type<"Mask", "mask"> {
  let summary = "Which rows and columns of a fragment exist";
  let description = [{
    A fragment at the end of a type's rows or of a group's columns reaches past them. Its mask says which elements are
    inside; only these are stored.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns);
  let assemblyFormat = "`<` custom<MaskShape>($rows, $columns) `>`";
}

#endif
