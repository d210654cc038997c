// What one thread block does, in order, written from a tile program.
#pragma once

#include "compiler/targets/thread_block/cluster_place.h"
#include "compiler/targets/thread_block/kernel_program.h"
#include "compiler/targets/thread_block/row_segments.h"
#include "compiler/targets/thread_block/step_share.h"
#include "compiler/targets/thread_block/step_terms.h"
#include "compiler/targets/thread_block/weight_steps.h"

#include <optional>
#include <utility>

namespace compiler {

/// Writes one kernel whose operands come in stages.
class ThreadBlockProgram : KernelProgram {
public:
  explicit ThreadBlockProgram(tile::KernelOp source);

  mlir::LogicalResult write();

private:
  /// Where the tile that the block works on lies.
  struct Tile {
    RowSegments::Segment segment; ///< of a tile of one type
    Value row, group, column;
    Value weight_row; ///< of a tile of dW, whose `row` is the first of its features
    llvm::SmallVector<RowSegments::RowBlock> parts; ///< of a tile of several types
    Value present;                                  ///< parts up to the last that has rows
    Value is_long; ///< i1: of a group that comes first, where groups have an order
    Value held;    ///< rows of the types' own groups, where they stay
    Value narrow;  ///< i1: that only `narrowColumns()` are left of the group; null where that cannot be
  };

  // tile_to_sm.cpp: the kernel, and the ops of a tile one by one.
  mlir::LogicalResult check(tile::ForallOp own);
  mlir::LogicalResult checkSplitK();
  mlir::LogicalResult checkStationarySums();
  mlir::FailureOr<sm::KernelOp> declare();
  mlir::LogicalResult writeTile(tile::ForallOp own, Tile tile);
  /// The ops behind the last products.
  static llvm::SmallVector<mlir::Operation *> epilogueOf(tile::ForallOp own);
  mlir::LogicalResult writeOp(mlir::Operation *op, tile::ForallOp own, const Tile &tile);
  mlir::LogicalResult writeStore(tile::StoreOp store, tile::ForallOp own, const Tile &tile);
  /// Where the sums are: in single warps or in warpgroups.
  sm::AccumulatorType sumsOf(tile::FragmentType fragment,
                             llvm::function_ref<mlir::InFlightDiagnostic()> error);

  mlir::LogicalResult checkSeveral();
  sm::MapsType mapsOfRows(tile::MatrixType matrix) override;
  /// What becomes of finished sums, on those that this block stores.
  mlir::LogicalResult writeEpilogue(llvm::ArrayRef<mlir::Operation *> ops, tile::ForallOp own,
                                    const Tile &tile);

  // weight_gradient.cpp: what a tile of dW has in these ops' place.
  mlir::LogicalResult writeWeightTerms(tile::WeightTermsOp terms, tile::ForallOp own, const Tile &tile);
  mlir::LogicalResult checkWeightTerms(tile::WeightTermsOp terms, tile::ForallOp own);
  mlir::LogicalResult writeStoreWeights(tile::StoreWeightOp store, tile::ForallOp own, const Tile &tile);
  mlir::LogicalResult checkWeightGradient();

  // stationary_sums.cpp: a walk over groups while the sums of one stay.
  mlir::LogicalResult writeStationarySums(tile::ForallOp own, const Tile &tile);
  std::pair<Value, Value> addBothProducts(const Tile &of_group, const Tile &of_type, Value single,
                                          Value own_sums);

  // tile_walk.cpp: which tiles the block takes.
  mlir::LogicalResult writeFor(tile::ForallOp own);
  mlir::LogicalResult writeTurn(tile::ForallOp own, Tile &tile);
  void writeHold(Tile &tile);
  /// Whether the tile has rows at all.
  Value locate(Value number, Tile &tile);
  /// Whether the tile's group, and its row group of the weight matrix, reach as far; i1.
  Value isWithinGroups(const Tile &tile);
  /// Blocks of rows of the longest segment, and of columns of a group, in whole clusters.
  Value rowClusters() const;
  int64_t columnClusters() const;
  /// What is cut into blocks of rows: segments, or row groups of the weight matrix; and what into blocks of
  /// columns.
  Value segmentCount() const;
  int64_t groupCount() const;
  /// Columns that instructions multiply for the last block of a group, which may have fewer than the others.
  int64_t narrowColumns() const;
  /// Whether the tile is one of those; null where instructions are as wide for all.
  Value isNarrow(const Tile &tile) const;
  /// Lets a block of B be fetched as far as it is needed.
  void markNarrow(Value block, const Tile &tile) const;
  /// The number of the block in the grid, and of blocks; or of its cluster, and of clusters.
  std::pair<Value, Value> workers();
  /// Moves the tile of a cluster's first block to this block's place.
  void shiftInCluster(Tile &tile);

  // ordered_walk.cpp: the same where tiles of some groups come first.
  mlir::LogicalResult checkOrder();
  mlir::LogicalResult writeOrderedWalk(tile::ForallOp own);
  Value groupOfRank(Value order_start, Value type, Value rank);
  Value startOfOrder();
  Value weightOfLongTurn() const;

  // tile_terms.cpp: the steps of a tile.
  mlir::LogicalResult checkTerms(tile::TermsOp terms, tile::ForallOp own);
  mlir::LogicalResult writeTerms(tile::TermsOp terms, tile::ForallOp own, const Tile &tile);
  mlir::LogicalResult checkCoefficients(mlir::Operation *product, bool scales);
  /// Of so many steps of a tile those that this block takes.
  StepShare shareOfBlock(Value steps, const Tile &tile);
  void writeSharedTerms(tile::TermsOp terms, const Tile &tile);
  Value fetch(Value maps, Value map, mlir::ValueRange coordinates, int64_t parts, Value ClusterPlace::*part,
              Value ClusterPlace::*mask);
  Value fetchWeights(Value weights, const Tile &tile, Value k, Value weight_row);
  sm::MultiplyOp multiply(Value a, Value b, Value sums, Value negate);
  void markShallow(mlir::ValueRange products, Value depth_block);
  void writeScaling(Value ends_term, llvm::function_ref<StepTerms::Coefficient()> coefficient_here,
                    mlir::ValueRange partials, mlir::ValueRange totals);

  /// Rows of a block of the weight matrix as it lies in memory and in a stage, and its columns: depth x
  /// columns, or of a transposed weight columns x depth.
  int64_t weightBlockRows() const {
    return layout_.isTransposed() ? schedule_.getColumns() : schedule_.getDepth();
  }
  int64_t weightBlockColumns() const {
    return layout_.isTransposed() ? schedule_.getDepth() : schedule_.getColumns();
  }
  /// What the boxes of some maps make up, one below the other.
  static sm::BlockType blockOf(Value maps, int64_t boxes = 1);
  /// Whether it computes several products of the same rows, or writes several results.
  bool hasSeveralWeights() const { return source_weights_.size() > 1; }
  bool hasSeveralResults() const { return source_results_.size() > 1; }
  /// Whether a tile's terms are told apart: the one of its own group, and those of its types' groups.
  bool hasParts() const { return schedule_.getTypes() > 1 || holds(); }
  bool holds() const { return schedule_.getStationaryGroups() > 0 && !layout_.isTransposed(); }
  /// Whether the sums of a type's own group stay while the block goes through groups.
  bool hasStationarySums() const { return schedule_.getStationaryGroups() > 0 && layout_.isTransposed(); }
  /// Whether blocks of a cluster divide the steps of a tile, or of the tiles that come first.
  bool splits() const { return schedule_.getSplitK() > 1; }
  bool splitsSome() const { return splits() && schedule_.ordersGroups(); }
  /// Whether maps of several results go through the sums some columns at a time, and store these: of results
  /// as wide as a tile there would be more than a thread has registers for.
  bool storesInPieces() const;
  /// The part of a tile's sums that one block stores at a time; all of them where tiles are not divided.
  int64_t storedRows() const;
  int64_t storedColumns() const;

  tile::StagedAttr schedule_;
  Value beta_;                          ///< in mode j what dW is multiplied with
  Value plain_result_;                  ///< in mode j the plain map of dW, for threads that add to it
  Value experts_;                       ///< how many there are; null where there is one network
  std::optional<RowSegments> segments_; ///< of X and Y
  std::optional<ClusterPlace> place_;   ///< of the block, where those of its cluster copy for each other
  Value rank_;                          ///< of the block, where those of its cluster divide tiles
};

} // namespace compiler
