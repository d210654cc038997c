#ifndef ALGCTL_SM_TYPES
#define ALGCTL_SM_TYPES

include "dialects/sm/sm_enums.td"
include "mlir/IR/AttrTypeBase.td"

class Sm_Type<string name, string typeMnemonic> : TypeDef<Sm_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Sm_MapsType : Sm_Type<"Maps", "maps"> {
  let summary = "The tensor maps of one operand";
  let description = [{
    `!sm.maps<2 x 128 x 64 x bf16, row_dimension 3, swizzle 128>`: two maps, whose box is one panel of a 128 x
    64 block: 128 rows along dimension 3 of the map and swizzle / element size columns along dimension 0.
    `runtime/gpu_kernel_abi.h` says what the four coordinates mean for rows of X and Y (row dimension 3) and for
    the bank (row dimension 2), and which of several maps a line belongs to. Swizzle 0 stands for a layout that
    no pass has assigned yet.
  }];
  let parameters = (ins "int64_t":$count, "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                        "int64_t":$rowDimension, DefaultValuedParameter<"int64_t", "0">:$swizzle);
  let assemblyFormat = [{
    `<` $count `x` $rows `x` $columns `x` $elementType `,` `row_dimension` $rowDimension (`,` `swizzle` $swizzle^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Sm_BlockType : Sm_Type<"Block", "block"> {
  let summary = "A block of an operand, as a value";
  let description = [{
    What a synchronous program fetches and multiplies: `!sm.block<128 x 64 x bf16>`. Once assigned, the swizzle
    says how it will lie in shared memory.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                        DefaultValuedParameter<"int64_t", "0">:$swizzle);
  let assemblyFormat = "`<` $rows `x` $columns `x` $elementType (`,` `swizzle` $swizzle^)? `>`";
  let genVerifyDecl = 1;
}

def Sm_BufferType : Sm_Type<"Buffer", "buffer"> {
  let summary = "A ring of blocks in shared memory";
  let description = [{
    `!sm.buffer<5 x 128 x 64 x bf16, swizzle 128>`: five slots of a 128 x 64 block.
  }];
  let parameters = (ins "int64_t":$slots, "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                        DefaultValuedParameter<"int64_t", "0">:$swizzle);
  let assemblyFormat = [{ `<` $slots `x` $rows `x` $columns `x` $elementType (`,` `swizzle` $swizzle^)? `>` }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Columns of one panel: swizzle / element size. The swizzle must have been assigned.
    int64_t getPanelColumns() const;
    int64_t getPanels() const;
    /// Bytes of one panel, of one slot, of all slots.
    int64_t getPanelBytes() const;
    int64_t getSlotBytes() const;
    int64_t getBytes() const;
  }];
}

def Sm_BarriersType : Sm_Type<"Barriers", "barriers"> {
  let summary = "A ring of mbarriers in shared memory, one for each slot of a buffer";
  let parameters = (ins "int64_t":$slots);
  let assemblyFormat = "`<` $slots `>`";
  let genVerifyDecl = 1;
}

def Sm_AccumulatorType : Sm_Type<"Accumulator", "accumulator"> {
  let summary = "f32 sums in the registers of a role's warpgroups";
  let description = [{
    `!sm.accumulator<128 x 192>` in a role of two warpgroups: each holds 64 rows, warpgroup g rows 64g ..
    64g+63, in the layout of wgmma's accumulators (lane l of warp v holds of row 16v + l/4 (+ 8) the columns 8i
    + 2(l mod 4) (+ 1)): columns / 2 registers per thread.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns);
  let assemblyFormat = "`<` $rows `x` $columns `>`";
  let genVerifyDecl = 1;
}

def Sm_TermsTableType : Sm_Type<"TermsTable", "terms_table"> {
  let summary = "The terms of every (type, output group), in device memory";
  let description = [{ int32 words as `runtime/gpu_kernel_abi.h` describes them. }];
}

def Sm_ChannelType : Sm_Type<"Channel", "channel"> {
  let summary = "What one role passes to another, as values";
  let description = [{
    `!sm.channel<!sm.block<128 x 64 x bf16>, !sm.block<64 x 192 x bf16>>` passes a block of rows together with a
    block of the bank, in the order in which they were put in.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$blocks);
  let assemblyFormat = "`<` $blocks `>`";
  let genVerifyDecl = 1;
}

def Sm_RingType : Sm_Type<"Ring", "ring"> {
  let summary = "The slots through which one role hands blocks to another";
  let parameters = (ins "int64_t":$slots);
  let assemblyFormat = "`<` $slots `>`";
  let genVerifyDecl = 1;
}

#endif
