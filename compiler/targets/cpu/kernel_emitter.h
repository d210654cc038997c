// What the lowering of one tile.kernel to CPU code knows while it walks the kernel: where operands lie, what
// the loops around have fixed, and which vectors stand for which fragment.
#pragma once

#include "compiler/lower/integer_arithmetic.h"
#include "dialects/tile/tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace compiler {

class KernelEmitter : IntegerArithmetic {
public:
  /// The kernel is one of the module's; constant tables that it needs become globals of the module.
  KernelEmitter(mlir::ModuleOp module, tile::KernelOp kernel);

  /// Writes the function that replaces the kernel. Failure has been reported at the op that cannot be
  /// lowered.
  mlir::FailureOr<mlir::func::FuncOp> emit();

private:
  /// The rows that one type has in this call: their number, and the place of its first row: in the list, or
  /// among the rows of this type if they were counted from absolute position 0.
  struct TypeRows {
    Value first, count;
  };

  /// A matrix in memory, or a buffer in scratch. Buffers are flat.
  struct Memory {
    Value memref;
    mlir::Type element;
    int64_t panel = 0;
    bool buffer = false;
  };

  struct Mask {
    Value rows, columns; ///< how many are left from the fragment's first one
  };

  // kernel_emitter.cpp: the function around the kernel
  void declareFunction();
  mlir::MemRefType matrixOf(mlir::Type element);
  /// Operand `number` out of the array of descriptors that a kernel is called with.
  Value operandOf(Value descriptors, unsigned number, mlir::MemRefType type);
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  Value scratchBuffer(int64_t elements, mlir::Type element);
  bool usesAmx() const { return schedule_.getUnit() == tile::MultiplyUnit::Amx; }
  /// What elements are in memory: bf16 travels as 16-bit integers, which every machine can load, mask and
  /// store; as bf16, LLVM would call functions of a support library where the machine has no bf16
  /// instructions.
  mlir::Type storageOf(mlir::Type element);
  /// Values loaded from memory whose elements are `from`, as values of type `to`. bf16 widens to f32 exactly.
  Value convert(Value loaded, mlir::Type from, mlir::Type to);

  // emit_terms.cpp: terms, as a nest of loops where one table would be too large (algebras/term_levels.h)
  struct TermLevel;
  mlir::LogicalResult emitTerms(tile::TermsOp terms);
  void boundTerms(TermLevel &level);
  std::pair<Value, Value> groupsOfTerm(const TermLevel &level, Value term);
  /// The sums of terms before these that somebody reads after them: where they are in scratch meanwhile.
  llvm::SmallVector<std::pair<Value, Value>> parkSums(tile::TermsOp terms);
  /// Of two products side by side, each of one vector of columns: whether a group has at most half of these
  /// left, so that one vector has room for both. Null where no group has.
  Value fitsHalves(tile::TermsOp terms);
  /// The sums that `loops` makes of these: where `fits`, of vectors that both products share, the first one
  /// in their lower halves.
  llvm::FailureOr<llvm::SmallVector<Value>>
  joinHalves(Value fits, llvm::ArrayRef<Value> sums,
             llvm::function_ref<llvm::FailureOr<llvm::SmallVector<Value>>(mlir::ValueRange)> loops);
  void fetchSums(llvm::ArrayRef<std::pair<Value, Value>> parked);
  /// Keeps LLVM from reading a value that was stored before out of a register after.
  void forgetMemory();

  // emit_structure.cpp: own, walk, what belongs to another layer
  mlir::LogicalResult emitForall(tile::ForallOp own);
  mlir::LogicalResult emitFor(tile::ForOp walk, unsigned axis = 0);
  mlir::LogicalResult emitLayer(tile::LayerOp layer);
  mlir::LogicalResult emitOnce(tile::OnceOp once);
  /// Forgets, at the beginning of a task, what the one before has made.
  void clearMarks(tile::ForallOp own);
  /// Runs `body` in a loop; its result says whether lowering went well.
  mlir::LogicalResult loop(Value from, Value to, int64_t step,
                           llvm::function_ref<mlir::LogicalResult(Value)> body);

  // emit_data.cpp: buffer, hold, copy
  mlir::LogicalResult emitBuffer(tile::BufferOp buffer);
  /// Fills up the groups of rows that another layer leaves: what it stores does not reach so far.
  void zeroBehindGroups(const Memory &held, int64_t rows);
  /// Zeros behind a group of a row that begins at `start`. They may reach into the group itself.
  void zeroBehindGroup(const Memory &held, Value start, Value group);
  mlir::LogicalResult emitHold(tile::HoldOp hold);
  mlir::LogicalResult emitCopy(tile::CopyOp copy);
  /// The same for a weight matrix whose blocks are wanted transposed (emit_transposed.cpp).
  mlir::LogicalResult emitTransposedCopy(tile::CopyOp copy);
  /// The transpose of a square whose rows are vectors of as many elements, of which there is a power of two.
  llvm::SmallVector<Value> transposed(llvm::SmallVector<Value> rows);
  void copyRow(const Memory &from, Value row, Value from_start, const Memory &to, Value to_start,
               Value count);

  // emit_weight_tile.cpp: forall and terms of mode j
  struct WeightTermLevel;
  mlir::LogicalResult emitWeightTile(tile::ForallOp own);
  mlir::LogicalResult emitWeightTerms(tile::WeightTermsOp terms);
  void boundWeightTerms(WeightTermLevel &level);

  // emit_bring.cpp: bring
  mlir::LogicalResult emitBring(tile::BringOp bring);
  /// One row of memory that comes into a panel, or two that lie side by side there.
  struct RowsToBring {
    llvm::SmallVector<Value, 2> rows;
    Value partner; ///< whether the second one exists; null where one comes alone
  };
  RowsToBring rowsToBring(tile::BringOp bring, Value count, Value r);
  /// What is stored of them, loaded in the same way from each.
  Value broughtOf(const RowsToBring &rows, mlir::Type element, Value scale, Value negative,
                  llvm::function_ref<Value(Value)> load);
  /// Stores at a place what `load` reads of each row.
  using BringElements = llvm::function_ref<void(Value to, llvm::function_ref<Value(Value)> load)>;
  struct PanelPlace {
    Value start;  ///< where the group begins in a row of memory
    Value at;     ///< the panel's first column in the group
    Value left;   ///< columns of the group
    Value target; ///< where the panel's row begins
  };
  /// Of a panel that goes beyond its group what the group has. `step` rows lie side by side.
  mlir::LogicalResult bringPartOfPanel(const Memory &source, const Memory &target, PanelPlace place,
                                       int64_t step, BringElements bring_elements);
  /// The same where a matrix unit multiplies by the transpose of what comes.
  mlir::LogicalResult emitTransposedBring(tile::BringOp bring);
  /// Pairs of bf16 with their signs changed where `negative` says so; as they are where it is null.
  Value withSign(Value pairs, Value negative);
  /// Whether the scale of a bring is -1; null where it has none, or elements have been widened.
  Value isNegative(tile::BringOp bring);
  /// Where a matrix unit goes on past the rows that there are: zeros up to whole blocks of them, in a panel
  /// after the other of `width` columns.
  mlir::LogicalResult zeroBehindRows(tile::BringOp bring, Value count, Value width);

  // emit_weight_gradient.cpp: load, outer, keep, store_weights
  mlir::LogicalResult emitLoad(tile::LoadOp load);
  mlir::LogicalResult emitOuter(tile::OuterOp outer);
  mlir::LogicalResult emitKeep(tile::KeepOp keep);
  mlir::LogicalResult emitStoreWeights(tile::StoreWeightOp store);
  /// Rows of a type that one bring brings, from this ordinal on.
  Value rowsInHand(Value type, Value row);
  Value sumsStart(tile::BufferType sums, Value feature, Value column);

  // emit_registers.cpp: zero, mma, store
  mlir::LogicalResult emitZero(tile::ZeroOp zero);
  /// Products of the same rows with one weight matrix or several, in one loop over their depth.
  mlir::LogicalResult emitMma(llvm::ArrayRef<tile::MmaOp> products);
  mlir::LogicalResult emitStore(tile::StoreOp store);
  /// A store, and where the columns of its tile begin in memory.
  struct RowStore {
    tile::StoreOp op;
    Value first_column;
  };
  RowStore beginStore(tile::StoreOp store);
  /// Row `row` of a tile, where the batch has it.
  void storeRow(const RowStore &store, int64_t row);
  /// The same where it has it for certain.
  void storeExistingRow(const RowStore &store, int64_t row_of_tile, Value row);
  /// The same into rows that another layer of the kernel multiplies.
  mlir::LogicalResult emitStoreHeld(tile::StoreHeldOp store);
  /// A row of these, in vectors.
  void storeHeldRow(tile::StoreHeldOp store, Value start, int64_t row, bool masked);
  /// Two neighbouring bf16 of a buffer, in every pair of lanes of a vector.
  Value spreadPair(const Memory &held, Value at);
  /// sum + a b, where a and b have two bf16 for each f32 of the sum.
  Value addPairs(Value sum, Value a, Value b);
  /// Whether whole cache lines of `target` can be written past the cache in this call, decided once at the
  /// kernel's entry; null where the layout excludes it.
  Value streamsPastCache(const Memory &target);

  // emit_amx.cpp: products by the matrix unit, and what follows them
  /// What the registers of the unit are for, at a kernel's entry, and that they are not needed at its end.
  void configureAmx();
  void releaseAmx();
  /// The sums that terms carry stay in the unit's registers until the last term: sets them to zero, and
  /// leaves them in scratch afterwards.
  mlir::LogicalResult zeroSquares(tile::TermsOp terms);
  void storeSquares(tile::TermsOp terms);
  mlir::LogicalResult emitSquareProducts(llvm::ArrayRef<tile::MmaOp> products);
  /// The same of mode j, whose sums are loaded, multiplied and kept as one register tile after another.
  mlir::LogicalResult loadSquares(tile::LoadOp load);
  mlir::LogicalResult emitSquareOuter(tile::OuterOp outer);
  mlir::LogicalResult keepSquares(tile::KeepOp keep);
  /// With the register, the address and the bytes between rows of each square of a register tile.
  void eachSquareOfSums(Value sums, Value feature, Value column,
                        llvm::function_ref<void(Value, Value, Value)> body);
  /// Maps of tiles of one shape and stores of what they leave, row by row in one loop.
  mlir::LogicalResult emitRowLoop(llvm::ArrayRef<tile::MapOp> maps, llvm::ArrayRef<mlir::Operation *> stores);
  /// Gathers such maps and stores from `op` on, and moves it behind them.
  mlir::FailureOr<bool> emitRowsFrom(mlir::Block::iterator &op, mlir::Block::iterator end);
  /// Calls an instruction of the unit. The first operand of most is the number of a register.
  void callAmx(llvm::StringRef name, mlir::ValueRange operands);
  Value amxRegister(int64_t number);
  /// Where an element of a matrix in one piece lies, as a pointer.
  Value addressOf(const Memory &memory, Value element);

  // emit_map.cpp: map, on vectors and what it reads of operands in memory
  /// Maps of tiles of one shape, row by row of these: what one of them leaves of a row, or computes as
  /// another does, is in registers for the next one. A row is stored before the next one begins, so that only
  /// sums wait in registers.
  mlir::LogicalResult emitMaps(llvm::ArrayRef<tile::MapOp> maps, llvm::ArrayRef<tile::StoreOp> stores);
  /// Asks for the elements of matrices that the maps of a tile will read, before its first sums are added up.
  /// The rows of one type lie far from each other, where no machine looks ahead.
  void prefetchOperands(tile::TermsOp terms);
  /// Asks for the elements that maps read of the rows of memory that `rows` names, of the tile whose type,
  /// first ordinal and number of rows it is given.
  void prefetchElements(llvm::ArrayRef<tile::MapOp> maps,
                        llvm::function_ref<llvm::SmallVector<Value>(Value, Value, int64_t)> rows);
  /// The vectors of a row of a fragment.
  llvm::SmallVector<Value> rowOfFragment(Value fragment, int64_t row);
  /// What an input hands to the body for a row of the tile, vector by vector.
  llvm::SmallVector<Value> vectorsOf(tile::MapOp map, unsigned input, int64_t row);
  Value emitBody(tile::MapOp map, mlir::ValueRange inputs);
  /// The vectors of columns that a row of memory has from `column` of a group on; of columns that the group
  /// does not have, zeros.
  llvm::SmallVector<Value> loadColumns(const Memory &operand, Value row, Value group, Value column,
                                       int64_t vectors);
  /// Of the rows of a tile, the row of memory. Past the last row of the type that one stands in. Maps of a
  /// tile share these values, so that what several of them load and compute alike is done once.
  llvm::ArrayRef<Value> rowsOfTile(Value type, Value ordinal, int64_t rows);
  /// The same of one row of a tile, or of the row that a loop stands at.
  Value rowOfTile(Value type, Value ordinal, int64_t rows, int64_t row);
  /// A vector operation on operands that are vectors or, the same for all lanes, scalars.
  Value spread(Value value);

  // layout_indices.cpp: what the layout's indices mean in memory
  /// A constant table of the module, made on first use.
  Value table(llvm::StringRef wanted, mlir::DenseElementsAttr values);
  Value tableEntry(llvm::StringRef name, llvm::ArrayRef<int64_t> entries, Value i);
  /// The same of f32 or f64.
  Value tableEntry(llvm::StringRef name, llvm::ArrayRef<double> entries, mlir::FloatType element, Value i);
  Value groupStart(alg::GroupsAttr groups, llvm::StringRef name, Value group, int64_t round_to = 1);
  Value groupWidth(alg::GroupsAttr groups, llvm::StringRef name, Value group, int64_t round_to = 1);
  int64_t paddedTotal(alg::GroupsAttr groups, int64_t round_to) const;
  TypeRows rowsOfType(Value type);
  /// The same of rows that come in lists, and of rows at positions one after another.
  TypeRows listedRows(Value type);
  TypeRows regularRows(Value type);
  /// The row of X and Y that is row `ordinal` of a type.
  Value rowOf(Value type, Value ordinal);
  /// One of two sets of indices, by how the rows of this call come.
  llvm::SmallVector<Value> byListing(llvm::function_ref<llvm::SmallVector<Value>()> of_lists,
                                     llvm::function_ref<llvm::SmallVector<Value>()> of_positions);
  /// Where output group j begins in the columns of the weight matrix, and how many panels lie before it.
  Value weightColumn(Value group);
  Value panelsBefore(Value group);
  int64_t panelCount() const;
  /// Elements before panel (b, j, n) of a packed weight matrix, or before row group b of a staged column
  /// panel.
  Value panelStart(const Memory &memory, Value weight_row, Value group, Value column);
  /// Elements before row `ordinal`, group k, of a type's stationary rows, which are cut into such groups: the
  /// layout's input groups (`in`), or those of the layer that reads what is stored (`out` of this one).
  Value heldStart(alg::GroupsAttr groups, llvm::StringRef name, Value type, Value group, Value ordinal);
  bool columnsAlwaysFill() const;
  Value columnMask(Value columns_left, int64_t vector, int64_t lanes);

  mlir::ModuleOp module_;
  tile::KernelOp kernel_;
  tile::LayoutAttr layout_; ///< of the layer around the op that is being lowered
  tile::ScheduleAttr schedule_;
  mlir::OpBuilder builder_;
  mlir::Location &location_ = location; ///< of the op that is being lowered
  mlir::func::FuncOp function_;

  bool joins_halves_ = false; ///< in joinHalves: two products share vectors
  int64_t pairing_ = 1; ///< depths that one multiplication takes: 2 where the weight matrix is in bf16 pairs
  int64_t depth_ = 1;   ///< to a multiple of which groups of stationary rows and panels are filled up
  int64_t scratch_bytes_ = 0;
  Value scratch_, row_list_, row_starts_, offset_, row_blocks_, slices_, begin_, end_, batch_rows_;
  Value listed_; ///< i1: the rows of this call come in lists; null where they always do, or never
  Value beta_;   ///< mode j: what dW was counts so often

  // What the own op fixed.
  Value owned_type_, owned_row_, group_begin_, group_end_;
  Value feature_begin_, feature_end_, column_begin_, column_end_; ///< mode j

  mlir::IRMapping scalars_; ///< indices and coefficients of the kernel, and captured scalars of maps
  llvm::DenseMap<Value, Memory> memory_;
  llvm::DenseMap<Value, llvm::SmallVector<Value>> fragments_; ///< row-major: register_rows x vectors
  llvm::DenseMap<Value, Mask> masks_;
  /// Sums that the matrix unit left in scratch, row-major f32.
  llvm::DenseMap<Value, Value> sums_in_scratch_;
  Value sums_of_unit_; ///< mode j: what the matrix unit's registers hold
  Value row_of_loop_;  ///< of a tile, while its rows are lowered in a loop; else they are unrolled
  /// By result, i1: it is written past the cache; results that never are have none.
  llvm::MapVector<Value, Value> streams_;
  llvm::DenseMap<Value, TypeRows> type_rows_; ///< by lowered type index
  /// The rows of the tile that maps have read last, and the block in which these numbers stand.
  struct TileRows {
    mlir::Block *block = nullptr;
    Value type, ordinal;
    llvm::SmallVector<Value> numbers;
  } tile_rows_;
  /// Of each tile.once, i8 for each owned type and input group: whether this task has run its body.
  llvm::DenseMap<mlir::Operation *, Value> marks_;
};

} // namespace compiler
