#include "compiler/targets/nvidia/kernel_attribute.h"

#include "compiler/lower/gpu_schedule.h"
#include "compiler/process/failure.h"
#include "compiler/schedule/coefficients.h"
#include "compiler/schedule/reduction_schedule.h"
#include "compiler/targets/nvidia/kernel_structure.h"
#include "compiler/targets/nvidia/parameters.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace compiler {

bool usesPlainMaps(sm::KernelOp kernel) {
  return cast<sm::MapsType>(kernel.getBody().getArgument(0).getType()).isPlain();
}

int64_t threadsOf(sm::KernelOp kernel) {
  if (auto schedule = dyn_cast<tile::StagedAttr>(kernel.getSchedule()); schedule && schedule.hasWarps())
    return schedule.getWarps() * sm::warp_threads;
  if (auto schedule = dyn_cast<tile::ReducedAttr>(kernel.getSchedule()))
    return schedule.getThreads();
  int64_t warpgroups = 0;
  for (sm::PartitionOp partition : kernel.getBody().getOps<sm::PartitionOp>())
    warpgroups += partition.getWarpgroups();
  return warpgroups * sm::warpgroup_threads;
}

int64_t clusterOf(sm::KernelOp kernel) {
  if (auto schedule = dyn_cast<tile::ReducedAttr>(kernel.getSchedule()))
    return schedule.getCluster();
  auto schedule = dyn_cast<tile::StagedAttr>(kernel.getSchedule());
  return schedule ? schedule.getCluster() : 1;
}

/// Stages of a layer, into which blocks of its weight matrix are loaded: as many as its schedule says, since
/// both layers may share a ring, or those of all buffers.
static int64_t stagesOf(sm::KernelOp kernel, tile::StagedAttr schedule, Value maps) {
  if (schedule.getStages() > 0)
    return schedule.getStages();
  llvm::SmallSetVector<Value, 2> buffers;
  kernel.walk([&](sm::LoadOp load) {
    if (load.getSource() == maps)
      buffers.insert(load.getTarget());
  });
  int64_t stages = 0;
  for (Value buffer : buffers)
    stages += cast<sm::BufferType>(buffer.getType()).getStages();
  return stages;
}

/// The weight matrix of the second layer.
static Value lastWeights(sm::KernelOp kernel) {
  return *llvm::find_if(llvm::reverse(kernel.getBody().getArguments()), [](BlockArgument argument) {
    auto maps = dyn_cast<sm::MapsType>(argument.getType());
    return maps && maps.getRowDimension() == 2;
  });
}

namespace {
/// Writes the entries of the attribute.
class Description {
public:
  explicit Description(MLIRContext *context) : builder_(context) {}

  void add(StringRef name, Attribute value) { entries_.push_back(builder_.getNamedAttr(name, value)); }
  void number(StringRef name, int64_t value) { add(name, builder_.getI64IntegerAttr(value)); }
  void boolean(StringRef name, bool value) { add(name, builder_.getBoolAttr(value)); }
  void box(StringRef name, Value maps) {
    auto type = cast<sm::MapsType>(maps.getType());
    const int64_t element_bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
    // What threads write has no place in shared memory, and no swizzle.
    Description fields(builder_.getContext());
    fields.number("columns", type.getSwizzle() ? type.getSwizzle() / element_bytes : type.getColumns());
    fields.number("rows", type.getRows());
    fields.number("swizzle", type.getSwizzle());
    add(name, fields.all());
  }
  DictionaryAttr all() { return builder_.getDictionaryAttr(entries_); }

private:
  Builder builder_;
  SmallVector<NamedAttribute> entries_;
};

/// The partition, or the warps, have to be those that the products are for.
LogicalResult checkProduct(sm::MmaOp product, sm::KernelOp kernel) {
  const sm::AccumulatorType sums = product.getAccumulator().getType();
  if (!sums.hasWarps()) {
    if (product->getParentOfType<sm::PartitionOp>())
      return success();
    return product.emitOpError(
        "adds to sums of warpgroups, which only a partition has: give the accumulator warps");
  }
  if (!usesPlainMaps(kernel))
    return product.emitOpError("adds to sums of single warps, which kernels with plain maps have");
  auto schedule = dyn_cast<tile::StagedAttr>(kernel.getSchedule());
  if (!schedule || schedule.getWarpRows() != sums.getWarpRows() ||
      schedule.getWarpColumns() != sums.getWarpColumns())
    return product.emitOpError("is for ")
           << sums.getWarpRows() << " x " << sums.getWarpColumns()
           << " warps, but the schedule of its kernel is " << kernel.getSchedule();
  return success();
}
/// Of a kernel of vector reductions, with slices in the place of warps.
DictionaryAttr describeReduction(sm::KernelOp kernel, tile::ReducedAttr schedule, tile::LayoutAttr layout,
                                 int64_t shared_bytes, bool dependent) {
  MLIRContext *context = kernel.getContext();
  const int64_t rows = schedule.getRows(), columns = schedule.getColumns(), threads = schedule.getThreads(),
                depth = reduction_depth * schedule.getSlices();
  Description tile(context), boxes(context), description(context);
  // Of two layers a part of the result has all columns of its group.
  const auto hidden =
      kernel.getHiddenSchedule() ? cast<tile::ReducedAttr>(*kernel.getHiddenSchedule()) : tile::ReducedAttr();
  const int64_t width = layout.getOut().getWidth(0);
  tile.number("rows", rows);
  tile.number("columns", hidden ? llvm::divideCeil(width, columns) * columns : columns);
  tile.number("depth", depth);
  tile.number("stages", 1);
  tile.number("consumers", llvm::divideCeil(threads, sm::warpgroup_threads));
  // What the block's threads read, or write, at a time.
  auto box = [&](StringRef name, int64_t rows, int64_t columns) {
    Description fields(context);
    fields.number("columns", columns);
    fields.number("rows", rows);
    fields.number("swizzle", 0);
    boxes.add(name, fields.all());
  };
  if (hidden) {
    const int64_t hidden_depth = reduction_depth * hidden.getSlices();
    box("x", rows, hidden_depth);
    box("w", hidden_depth, hidden.getColumns());
    box("next_w", depth, columns);
  } else {
    box("x", rows, depth);
    box("w", depth, columns);
  }
  box("y", rows, columns);
  const int64_t cluster = schedule.getCluster();
  if (cluster > 1) {
    tile.number("cluster_rows", 1);
    tile.number("cluster_columns", 1);
    tile.number("split", cluster);
  }

  Type output = cast<sm::MapsType>(kernel.getBody().getArgument(2).getType()).getElementType();
  const bool terms = !layout.getTerms().completeGraph().has_value();
  description.number("threads", threads);
  description.number("cluster", cluster);
  description.number("shared_bytes", shared_bytes);
  description.add("output", TypeAttr::get(output));
  description.boolean("dependent_launch", dependent);
  description.boolean("terms", terms);
  description.number("groups", layout.getOut().getCount());
  description.number("vector", schedule.getVector());
  description.boolean("scaled", coefficientsOf(layout.getTerms()) == Coefficients::General);
  description.boolean("listed", false);
  description.number("slices", schedule.getSlices());
  description.add("schedule",
                  StringAttr::get(context, hidden ? scheduleText(ReducedChainedSchedules{hidden, schedule})
                                                  : scheduleText(schedule)));
  description.add("tile", tile.all());
  description.add("boxes", boxes.all());
  return description.all();
}

/// Of a kernel with tiles: what its loop multiplies, and by which schedule.
struct TileProduct {
  sm::MmaOp product;
  tile::StagedAttr schedule; ///< null where there is none
  tile::StagedAttr hidden;   ///< of two layers: the first one's
  int64_t stages;            ///< of the ring of the first layer's blocks
};

DictionaryAttr describeTile(sm::KernelOp kernel, const TileProduct &of) {
  auto [product, schedule, hidden, stages] = of;
  Description tile(kernel.getContext());
  const sm::AccumulatorType sums = product.getAccumulator().getType();
  const int64_t types = schedule ? schedule.getTypes() : 1;
  tile.number("rows", sums.getRows() / types);
  // Blocks of a cluster that have types of their own divide a tile of all these types.
  const int64_t split_types = schedule ? schedule.getClusterTypes() : 1;
  if (types * split_types > 1)
    tile.number("types", types * split_types);
  if (schedule && schedule.getStationaryGroups() > 0)
    tile.number("held_groups", schedule.getStationaryGroups());
  if (schedule && schedule.ordersGroups())
    tile.number("long_groups", schedule.getLongestFirst());
  // Of a tile at the end of a group the sums may have fewer.
  tile.number("columns", schedule ? schedule.getColumns() : sums.getColumns());
  tile.number("depth", product.getStageDepth());
  tile.number("stages", stages);
  auto partition = product->getParentOfType<sm::PartitionOp>();
  tile.number("consumers", partition ? static_cast<int64_t>(partition.getWarpgroups())
                                     : llvm::divideCeil(threadsOf(kernel), sm::warpgroup_threads));
  if (clusterOf(kernel) > 1) {
    tile.number("cluster_rows", schedule.getClusterRows());
    tile.number("cluster_columns", schedule.getClusterColumns());
    if (const int64_t split = schedule.getSplitK() * split_types; split > 1)
      tile.number("split", split);
  }
  return tile.all();
}

DictionaryAttr describeBoxes(sm::KernelOp kernel, bool of_layers) {
  Description boxes(kernel.getContext());
  Block &body = kernel.getBody().front();
  boxes.box("x", body.getArgument(0));
  boxes.box("w", body.getArgument(1));
  boxes.box("y", body.getArgument(2));
  if (of_layers)
    boxes.box("next_w", lastWeights(kernel));
  return boxes.all();
}

/// Of a kernel whose threads copy.
void describeThreads(Description &description, sm::KernelOp kernel, sm::AccumulatorType sums, bool scaled) {
  Block &body = kernel.getBody().front();
  int64_t vector = 1;
  for (BlockArgument maps : body.getArguments().take_front(3))
    vector = std::max(vector, cast<sm::MapsType>(maps.getType()).getVector());
  Description warps(kernel.getContext());
  warps.number("rows", sums.getWarpRows());
  warps.number("columns", sums.getWarpColumns());
  description.number("vector", vector);
  description.boolean("scaled", scaled);
  description.boolean("listed", cast<sm::MapsType>(body.getArgument(0).getType()).getListed());
  description.add("warps", warps.all());
}

std::string scheduleTextOf(sm::KernelOp kernel, const TileProduct &of) {
  if (!of.hidden)
    return scheduleText(of.schedule, of.stages);
  return scheduleText({of.hidden, of.schedule}, of.stages,
                      stagesOf(kernel, of.schedule, lastWeights(kernel)));
}
} // namespace

FailureOr<DictionaryAttr> describeKernel(sm::KernelOp kernel, int64_t shared_bytes) {
  sm::MmaOp product;
  bool dependent = false, terms = false, scaled = false;
  kernel.walk([&](Operation *op) {
    if (auto mma = dyn_cast<sm::MmaOp>(op); mma && !product)
      product = mma;
    dependent |= isa<sm::WaitForPredecessorOp>(op);
    terms |= isa<sm::ReadTermsOp>(op);
    scaled |= isa<sm::AddScaledOp>(op);
  });
  auto layout = dyn_cast<tile::LayoutAttr>(kernel.getLayout());
  if (!layout)
    return kernel.emitOpError("needs the #tile.layout that says how many groups it counts");
  if (auto reduced = dyn_cast<tile::ReducedAttr>(kernel.getSchedule()))
    return describeReduction(kernel, reduced, layout, shared_bytes, dependent);
  if (!product)
    return kernel.emitOpError("has no sm.mma: nothing to say about its tile");
  if (failed(checkProduct(product, kernel)))
    return failure();

  Block &body = kernel.getBody().front();
  MLIRContext *context = kernel.getContext();
  TileProduct of{product, dyn_cast<tile::StagedAttr>(kernel.getSchedule()), {}, 0};
  if (kernel.getHiddenSchedule())
    of.hidden = cast<tile::StagedAttr>(*kernel.getHiddenSchedule());
  // Of two layers A is rows that stay.
  of.stages =
      of.hidden ? stagesOf(kernel, of.hidden, body.getArgument(1)) : product.getA().getType().getStages();

  Description description(context);
  if (layout.isTransposed())
    description.add("map", StringAttr::get(context, algrt::name(algrt::Map::Dx)));
  if (layout.isWeightGradient())
    description.add("map", StringAttr::get(context, algrt::name(algrt::Map::Dw)));
  description.number("threads", threadsOf(kernel));
  description.number("cluster", clusterOf(kernel));
  description.number("shared_bytes", shared_bytes);
  description.add("output",
                  TypeAttr::get(cast<sm::MapsType>(body.getArgument(2).getType()).getElementType()));
  description.boolean("dependent_launch", dependent);
  description.boolean("terms", terms);
  description.number("groups", layout.getOut().getCount());
  if (cast<sm::MapsType>(body.getArgument(0).getType()).getRun())
    description.boolean("joins_runs", true);
  if (usesPlainMaps(kernel))
    describeThreads(description, kernel, product.getAccumulator().getType(), scaled);
  if (of.schedule)
    description.add("schedule", StringAttr::get(context, scheduleTextOf(kernel, of)));
  description.add("tile", describeTile(kernel, of));
  description.add("boxes", describeBoxes(kernel, static_cast<bool>(of.hidden)));
  return description.all();
}

namespace {
/// A dictionary whose entries must be there.
struct Fields {
  DictionaryAttr dictionary;

  template <class Attr> Attr get(StringRef name) const {
    auto value = dictionary.getAs<Attr>(name);
    if (!value)
      throw Failure("the attribute " + kernel_attribute_name.str() + " of a kernel has no proper entry '" +
                    name.str() + "'");
    return value;
  }
  int64_t number(StringRef name) const { return get<IntegerAttr>(name).getInt(); }
  bool boolean(StringRef name) const { return get<BoolAttr>(name).getValue(); }
  Fields fields(StringRef name) const { return {get<DictionaryAttr>(name)}; }
};

algrt::GpuBox readBox(const Fields &box) {
  return {box.number("columns"), box.number("rows"), box.number("swizzle")};
}
} // namespace

algrt::GpuKernel readKernelAttribute(LLVM::LLVMFuncOp function) {
  auto dictionary = function->getAttrOfType<DictionaryAttr>(kernel_attribute_name);
  if (!dictionary)
    throw Failure("the function " + function.getSymName().str() + " has no attribute " +
                  kernel_attribute_name.str());
  const Fields fields{dictionary};
  algrt::GpuKernel kernel{};
  kernel.symbol = function.getSymName().str();
  kernel.parameters = readParameters(function);
  kernel.output =
      fields.get<TypeAttr>("output").getValue().isF32() ? algrt::ElementType::F32 : algrt::ElementType::Bf16;
  if (dictionary.contains("map"))
    kernel.map =
        fields.get<StringAttr>("map") == algrt::name(algrt::Map::Dw) ? algrt::Map::Dw : algrt::Map::Dx;
  kernel.threads = fields.number("threads");
  kernel.cluster = fields.number("cluster");
  kernel.shared_bytes = fields.number("shared_bytes");
  kernel.dependent_launch = fields.boolean("dependent_launch");
  kernel.terms = fields.boolean("terms");
  kernel.groups = fields.number("groups");
  kernel.joins_runs = dictionary.contains("joins_runs");
  if (dictionary.contains("vector")) {
    kernel.copies = algrt::GpuCopies::Threads;
    kernel.vector = fields.number("vector");
    kernel.scaled = fields.boolean("scaled");
    kernel.listed = fields.boolean("listed");
    if (dictionary.contains("slices")) {
      kernel.slices = fields.number("slices");
    } else {
      const Fields warps = fields.fields("warps");
      kernel.warp_rows = warps.number("rows");
      kernel.warp_columns = warps.number("columns");
    }
  }
  if (auto schedule = dictionary.getAs<StringAttr>("schedule"))
    kernel.schedule = schedule.str();
  const Fields tile = fields.fields("tile");
  kernel.tile = {tile.number("rows"), tile.number("columns"), tile.number("depth"), tile.number("stages"),
                 tile.number("consumers")};
  if (kernel.cluster > 1) {
    kernel.tile.cluster_rows = tile.number("cluster_rows");
    kernel.tile.cluster_columns = tile.number("cluster_columns");
  }
  if (tile.dictionary.contains("split"))
    kernel.tile.split_k = tile.number("split");
  if (tile.dictionary.contains("types"))
    kernel.tile.types = tile.number("types");
  if (tile.dictionary.contains("held_groups"))
    kernel.tile.stationary_groups = tile.number("held_groups");
  if (tile.dictionary.contains("long_groups"))
    kernel.tile.longest_first = tile.number("long_groups");
  const Fields boxes = fields.fields("boxes");
  kernel.x = readBox(boxes.fields("x"));
  kernel.w = readBox(boxes.fields("w"));
  kernel.y = readBox(boxes.fields("y"));
  if (boxes.dictionary.contains("next_w"))
    kernel.next_w = readBox(boxes.fields("next_w"));
  return kernel;
}

} // namespace compiler
