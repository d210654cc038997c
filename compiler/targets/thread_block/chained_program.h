// What one thread block does, in order, of a kernel of two layers by the product of a graph.
#pragma once

#include "compiler/targets/thread_block/cluster_place.h"
#include "compiler/targets/thread_block/kernel_program.h"
#include "compiler/targets/thread_block/row_segments.h"

#include <optional>

namespace compiler {

/// Output group j of rows of type i reads the hidden groups i and j alone, and none where i has no edge to j.
/// A block goes through consecutive groups j with one block of rows: hidden group i is made once and stays in
/// shared memory; every other one is made for its own j, `hidden_depth` columns at a time, and multiplied
/// from the registers that hold it.
class ChainedProgram : KernelProgram {
public:
  explicit ChainedProgram(tile::KernelOp source);

  mlir::LogicalResult write();

private:
  /// The ops of the tile program.
  struct Source {
    tile::ForallOp own;
    tile::TermsOp terms;
    tile::LayerOp layer;
    tile::ForOp columns; ///< of a hidden group
    tile::TermsOp hidden_terms;
    tile::StoreHeldOp store_held;
  };
  /// Where the block works: rows of one type, or of several consecutive ones, the parts of its sums.
  struct Place {
    llvm::SmallVector<RowSegments::RowBlock> parts;
    Value rows_of_types; ///< of X, of the types' own groups
  };

  // The program as it is given.
  mlir::LogicalResult find();
  mlir::LogicalResult check();
  mlir::LogicalResult checkPlaces();
  sm::MapsType mapsOfRows(tile::MatrixType matrix) override;
  sm::MapsType mapsOfFurtherWeights(size_t number) override;
  tile::LayoutAttr layoutOf(mlir::BlockArgument operand) override;
  mlir::FailureOr<sm::KernelOp> declare();

  // What the block does.
  mlir::LogicalResult writeTurns();
  mlir::LogicalResult writeOwnHidden(const Place &place);
  mlir::LogicalResult writeGroup(const Place &place, Value group);
  /// The sums of any output group of one type.
  mlir::FailureOr<Value> addTerms(const Place &place, Value group, Value sums);
  /// The sums of an output group other than the type's own, and of that one: all of its terms.
  mlir::FailureOr<Value> addBothTerms(const Place &place, Value group, Value sums);
  Value addOwnTerm(const Place &place, Value sums);
  /// The same where a chunk is multiplied behind the first layer's products of the next one, so that the maps
  /// of the one run while the products of the other are in flight.
  mlir::FailureOr<Value> addBothTermsBehind(const Place &place, Value group, Value rows_of_group, Value sums);
  /// Columns of a hidden group, one chunk of them. Without a group, it is each type's own.
  struct HiddenChunk {
    Value group, rows_of_group, chunk;
  };
  /// The first column of a chunk in its hidden group.
  Value columnOf(const HiddenChunk &hidden) {
    return math_.multiply(hidden.chunk, hidden_schedule_.getColumns());
  }
  /// Two products of the same rows, gate and up, are one product beside each other: each instruction reads
  /// the rows once for both.
  bool areBeside() { return tile_.hidden_terms.getInits().size() == 2; }
  /// The products of a chunk, the sums of gate and up beside each other; and what its maps leave of them.
  llvm::SmallVector<Value> multiplyHidden(const Place &place, const HiddenChunk &hidden);
  mlir::FailureOr<Value> mapHidden(const Place &place, const HiddenChunk &hidden, mlir::ValueRange sums);
  /// Mapped sums as operand A in registers.
  Value roundHidden(Value hidden);
  /// Adds the products of a chunk of both groups by their blocks of the second layer. `is_short` as isShort.
  Value multiplyChunk(const Place &place, Value group, Value chunk, Value is_short, Value rows, Value sum);
  /// The rows of X of a group, or without one of each type's own.
  Value hold(const Place &place, Value group, int64_t stages);
  /// The group of the rows' own type.
  Value ownGroup(const Place &place);
  /// The map and the four coordinates of what has rows of the place, in a tile of one type.
  llvm::SmallVector<Value> placeOfRows(const Place &place, Value column, Value group);
  /// Blocks that are the output group's own are the same for all types of a cluster, whose blocks load them
  /// for each other.
  enum class Reader { OwnType, AllTypes };
  /// Lines of the cache that several blocks share are read again.
  Value fetch(Value weights, mlir::ValueRange coordinates, Reader reader, bool of_whole_lines);
  Value fetchHiddenWeights(Value weights, Value column, Value group, Value depth, Value weight_row,
                           Reader reader);
  Value fetchLastWeights(Value group, Value chunk, Value weight_row, Reader reader);
  /// i1: that the chunk is the last one of a hidden group, and has fewer columns; null where it has all.
  Value isShort(Value chunk);
  mlir::LogicalResult writeEpilogue(const Place &place, Value group, Value sums);
  void writeStore(const Place &place, Value group, Value target, Value sums);

  int64_t hiddenWidth() const { return hidden_layout_.getOut().getWidth(0); }
  int64_t chunks() const { return llvm::divideCeil(hiddenWidth(), schedule_.getDepth()); }
  /// Columns of the last chunk.
  int64_t lastColumns() const { return hiddenWidth() - (chunks() - 1) * schedule_.getDepth(); }
  sm::AccumulatorType sumsOf(tile::StagedAttr schedule);
  /// Whether a group may be the own one of some types and another one to the rest: of a tile or of a cluster.
  bool mixesTypes() const { return schedule_.getTypes() * schedule_.getClusterTypes() > 1; }

  Source tile_;
  tile::StagedAttr schedule_, hidden_schedule_;
  tile::LayoutAttr hidden_layout_;
  std::optional<RowSegments> segments_;
  Value kept_; ///< the hidden group of the type's own
  std::optional<ClusterPlace> place_in_cluster_;
};

} // namespace compiler
