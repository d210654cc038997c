#include "runtime/cuda/launch_plan.h"

#include "runtime/support/checked.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace algrt::cuda {

namespace {

// Strides of dimensions of one element are never taken, but have to be legal in a tensor map.
constexpr uint64_t any_stride = 16;

TensorMap tensorMap(const OperandView &view, ElementType element, const std::array<int64_t, 4> &box,
                    int64_t swizzle) {
  TensorMap map{};
  map.address = view.address;
  map.element = element;
  map.rank = 4;
  map.swizzle = int32_t(swizzle);
  for (size_t i = 0; i < 4; ++i) {
    map.extents[i] = uint64_t(view.extents[i]);
    map.box[i] = uint32_t(box[i]);
    if (i > 0)
      map.strides[i - 1] =
          view.extents[i] > 1 ? uint64_t(view.strides[i - 1] * elementBytes(element)) : any_stride;
  }
  return map;
}

algrt_plain_map plainMap(const OperandView &view, uint64_t row_list, const DeviceLists &lists) {
  const auto list = [&](int64_t word) {
    return word < 0 ? 0 : lists.terms + uint64_t(word) * sizeof(int32_t);
  };
  algrt_plain_map map{};
  map.address = view.address;
  map.groups = list(view.group_list);
  map.row_groups = list(view.row_group_list);
  map.rows = row_list;
  std::copy(view.strides.begin(), view.strides.end(), map.strides);
  std::transform(view.extents.begin(), view.extents.end(), map.extents,
                 [](int64_t extent) { return int32_t(extent); });
  return map;
}

TensorMap tensorMap(const OperandView &view, const ViewsOfOperand &views, ElementType element,
                    const GpuBox &of, uint64_t any_address) {
  TensorMap map = tensorMap(view, element, views.box(view.kind, of.columns, of.rows), of.swizzle);
  // Without rows there may be no operand, and nothing is read: a map has to be right all the same.
  if (view.extents[3] == 0) {
    map.extents[3] = 1;
    constexpr uint64_t aligned = ~uint64_t(15);
    map.address = any_address & aligned;
  }
  return map;
}

// The maps that the kernel takes, in the order of its parameters.
void appendMaps(LaunchPlan &plan, const KernelShape &shape, const Layer &layer, const GpuKernel &kernel,
                const Operands &given, const OperandViews &views, const DeviceLists &lists) {
  const OperandNames names = operandNames(kernel.map);
  const struct {
    const char *name;
    const ViewsOfOperand &views;
    const GpuBox &box;
    ElementType element;
  } operands[] = {{names.x, views.x, kernel.x, layer.dtype},
                  {names.w, views.w, kernel.w, layer.dtype},
                  {names.y, views.y, kernel.y, kernel.output}};
  // The blocks of all weights of a layer have the boxes of its first; of what else there is threads copy.
  const auto box_of = [&](const FurtherOperand &further) -> const GpuBox & {
    const bool of_next =
        further.kind == FurtherOperand::Kind::Weight && layer.fusion->layerOf(int64_t(further.number)) > 0;
    return of_next ? kernel.next_w : kernel.w;
  };
  const auto append = [&](const KernelParameter &parameter, const ViewsOfOperand &seen, const GpuBox &box,
                          ElementType element) {
    const OperandView *view = seen.find(parameter.view);
    if (view != nullptr && parameter.type == ParameterType::TensorMap)
      plan.maps.push_back(tensorMap(*view, seen, element, box, views.y.all[0].address));
    else if (view != nullptr)
      plan.plain_maps.push_back(plainMap(*view,
                                         !seen.listed                                ? 0
                                         : &seen == &views.x && lists.rows_of_x != 0 ? lists.rows_of_x
                                                                                     : lists.rows,
                                         lists));
    return view != nullptr;
  };
  for (const KernelParameter &parameter : kernel.parameters) {
    if (!parameter.isMap())
      continue;
    const auto *operand = std::ranges::find_if(
        operands, [&](const auto &candidate) { return parameter.operand == candidate.name; });
    bool found = false;
    if (operand != std::end(operands)) {
      found = append(parameter, operand->views, operand->box, operand->element);
    } else if (layer.fusion) {
      const auto place = FurtherOperand::find(*layer.fusion, kernel.map, parameter.operand);
      found =
          place && !FurtherOperand::at(*layer.fusion, *place).hasNoMap(*layer.fusion) &&
          append(parameter, viewFurther(shape, layer, *place, given.further[*place], plan.rows, plan.offset),
                 box_of(FurtherOperand::at(*layer.fusion, *place)), layer.dtype);
    }
    if (!found)
      throw Error(ALGRT_BAD_BUNDLE, std::string("the kernel takes a map of ") + name(parameter.view) +
                                        " of " + parameter.operand +
                                        ", which a launch of this layer does not have: it is the kernel of "
                                        "another layer");
  }
}

// A kernel adds the size of its grid to the number of its last tile.
int64_t requireCountable(int64_t tiles, const KernelShape &shape) {
  if (tiles > algrt_most_gpu_rows)
    throw Error(ALGRT_INVALID_ARGUMENT, std::string(shape.resultName()) + " has " + std::to_string(tiles) +
                                            " tiles, a GPU kernel counts up to " +
                                            std::to_string(int64_t(algrt_most_gpu_rows)) +
                                            ": call once for each part of its rows");
  return tiles;
}

// A cluster takes its tiles together, also those that are past the end.
int64_t inWholeClusters(int64_t extent, int64_t step, int64_t cluster) {
  return ceilDivide(extent, step * cluster) * cluster;
}

// Where blocks compute a tile together, it counts for each of them.
int64_t dividedTiles(int64_t tiles, int64_t groups, const GpuTile &tile, const char *what) {
  if (tile.longest_first == 0)
    return checkedMultiply(tiles, tile.split_k, what);
  const int64_t long_tiles = tiles / groups * tile.longest_first;
  return checkedAdd(tiles, checkedMultiply(long_tiles, tile.split_k - 1, what), what);
}

// Tiles of dW, whatever the rows.
int64_t countWeightTiles(const KernelShape &shape, const GpuTile &tile) {
  const char *const what = "tiles of dw";
  int64_t tiles = checkedMultiply(shape.weight_row_groups,
                                  inWholeClusters(shape.weight_height, tile.rows, tile.cluster_rows), what);
  tiles = checkedMultiply(tiles, shape.weight_groups, what);
  tiles =
      checkedMultiply(tiles, inWholeClusters(shape.weight_width, tile.columns, tile.cluster_columns), what);
  return requireCountable(dividedTiles(tiles, shape.weight_groups, tile, what), shape);
}

// The steps of a tile of dW are counted in 32 bits: `depth` rows of each term of its block. Terms of single
// types are no more than types, those of all types no more than input groups or, in the slot lift, pairs of
// groups.
void checkWeightSteps(const Layer &layer, const KernelShape &shape, const GpuTile &tile, int64_t m) {
  const char *const what = "steps of dw";
  const bool by_runs = shape.interval && !shape.joins_runs;
  const int64_t runs = by_runs ? ceilDivide(ceilDivide(m, shape.run) + 1, layer.types) : 1;
  // Of a list all rows may be of one type. Of joined runs a type may have one more, and partial ones at both
  // ends.
  const int64_t rows_of_run = by_runs            ? shape.run
                              : shape.listed     ? m
                              : shape.joins_runs ? ceilDivide(m, layer.types) + shape.run
                                                 : ceilDivide(m, layer.types);
  const int64_t of_type = checkedAdd(checkedMultiply(runs, ceilDivide(rows_of_run, tile.depth), what),
                                     shape.joins_runs ? 2 * ceilDivide(shape.run, tile.depth) : 0, what);
  const int64_t terms_of_all =
      layer.lift == Lift::Slots ? checkedMultiply(shape.in_groups, shape.out_groups, what) : shape.in_groups;
  const int64_t steps = std::max(checkedMultiply(of_type, layer.types, what),
                                 checkedMultiply(ceilDivide(m, tile.depth), terms_of_all, what));
  if (steps > most_int32)
    throw Error(ALGRT_INVALID_ARGUMENT, "x has " + std::to_string(m) +
                                            " rows, of which a GPU kernel cannot count the steps in 32 "
                                            "bits: call once for each part of them, with beta 1");
}

int64_t countTiles(const KernelShape &shape, const GpuTile &tile, int64_t m, int64_t offset) {
  if (shape.isWeightGradient())
    return countWeightTiles(shape, tile);
  if (m == 0)
    return 0;
  int64_t lines, longest;
  if (shape.as_they_lie) {
    lines = 1;
    longest = m;
  } else if (shape.listed) {
    lines = shape.listedSegments();
    longest = m;
  } else if (shape.joins_runs) {
    const RunsOfBatch runs(shape, m, offset);
    lines = runs.joinedSegments();
    longest = runs.longestJoined();
  } else if (shape.interval) {
    lines = (offset % shape.run + m - 1) / shape.run + 1;
    longest = shape.run;
  } else {
    lines = shape.period;
    longest = ceilDivide(m, lines);
  }
  int64_t tiles = checkedMultiply(ceilDivide(lines, tile.types),
                                  inWholeClusters(longest, tile.rows, tile.cluster_rows), "tiles of y");
  // The rows of each expert that has some begin a tile of their own: how many there are is the device's to
  // know.
  if (shape.networks > 1 && !shape.listed)
    tiles = checkedAdd(tiles, std::min(m, shape.networks), "tiles of y");
  // Where rows of x are stationary, a block counts what it does while they are: all columns of some groups.
  // Where sums of dx are, it is some columns of all groups.
  const int64_t column_blocks = inWholeClusters(shape.out_width, tile.columns, tile.cluster_columns);
  if (tile.stationary_groups > 0 && shape.map == Map::Dx)
    return requireCountable(
        checkedMultiply(checkedMultiply(tiles, column_blocks, "tiles of dx"), tile.split_k, "tiles of dx"),
        shape);
  const bool holds = tile.stationary_groups > 0;
  tiles = checkedMultiply(
      tiles, holds ? ceilDivide(shape.out_groups, tile.stationary_groups) : shape.out_groups, "tiles of y");
  tiles = checkedMultiply(tiles, holds ? 1 : column_blocks, "tiles of y");
  tiles = dividedTiles(tiles, shape.out_groups, tile, "tiles of y");
  requireCountable(tiles, shape);
  if (!shape.listed)
    return tiles;
  // So many were numbered if one type had all rows; so many can have rows.
  const int64_t numbered = lines * ceilDivide(m, tile.rows);
  return tiles / numbered * std::min(numbered, ceilDivide(m, tile.rows) + lines);
}

} // namespace

Layer kernelLayer(const Layer &layer, const GpuKernel &kernel) {
  return kernel.groups == 0 ? layer : joinGroups(layer, kernel.groups);
}

int64_t rowMapCount(const Layer &layer) { return kernelShape(layer, Map::Forward, 0).rowMaps(); }

int64_t tileCount(const Layer &layer, const GpuTile &tile, int64_t m, int64_t offset, Map map) {
  return countTiles(kernelShape(layer, map, 0), tile, m, offset);
}

bool numbersTilesOfExperts(const Layer &layer, const GpuKernel &kernel, int64_t experts, int64_t m) {
  const KernelShape shape = kernelShape(layer, kernel, experts);
  // Numbers up to the limit are exact in a double, and the product may leave 64 bits.
  const double tiles = double(shape.listedSegments()) * double(ceilDivide(m, kernel.tile.rows)) *
                       double(shape.out_groups) * double(ceilDivide(shape.out_width, kernel.tile.columns));
  return tiles <= double(algrt_most_gpu_rows);
}

void checkRows(const KernelShape &shape, int64_t m, int64_t p0) {
  const auto refuse = [](algrt_status status, const std::string &what) { throw Error(status, what); };
  if (m < 0 || p0 < 0)
    refuse(ALGRT_INVALID_ARGUMENT, "p0 and the number of rows need to be 0 or more");
  if (m >= algrt_most_gpu_rows)
    refuse(ALGRT_INVALID_ARGUMENT, std::string(shape.rowsName()) + " has " + std::to_string(m) +
                                       " rows, a GPU kernel takes less than " +
                                       std::to_string(int64_t(algrt_most_gpu_rows)) +
                                       ": call once for each part of them");
  if (m > 0 && p0 > std::numeric_limits<int64_t>::max() - (m - 1))
    refuse(ALGRT_INVALID_ARGUMENT, "p0 is " + std::to_string(p0) + ": the position of the last of " +
                                       std::to_string(m) + " rows does not fit 64 bits");
  // Kernels add a position below the period and an offset below the period.
  if (shape.period > most_int32 / 2)
    refuse(ALGRT_UNSUPPORTED, "the row types repeat after " + std::to_string(shape.period) +
                                  " rows, a GPU kernel takes at most " + std::to_string(most_int32 / 2));
}

uint32_t persistentGrid(int64_t tiles, int64_t cluster, int64_t blocks) {
  const int64_t clusters = std::min(blocks / cluster, ceilDivide(tiles, cluster));
  return uint32_t(std::max<int64_t>(clusters, 1) * cluster);
}

LaunchPlan planLaunch(const Layer &layer, const GpuKernel &kernel, const Operands &operands, int64_t m,
                      int64_t p0, int64_t blocks, const DeviceLists &lists) {
  const KernelShape shape = kernelShape(layer, kernel, operands.experts);
  checkRows(shape, m, p0);
  if (kernel.takesExperts() != (operands.experts > 0))
    throw Error(ALGRT_INVALID_ARGUMENT,
                kernel.takesExperts() ? "the kernel divides rows among experts: say where those of each begin"
                                      : "the rows are divided among experts, which the kernel does not do");
  if (operands.experts > most_int32)
    throw Error(ALGRT_INVALID_ARGUMENT, "there are " + std::to_string(operands.experts) +
                                            " experts, a GPU kernel counts up to " +
                                            std::to_string(most_int32));
  if (operands.further.size() != (layer.fusion ? FurtherOperand::count(*layer.fusion) : 0))
    throw Error(ALGRT_INTERNAL, "a launch is given " + std::to_string(operands.further.size()) +
                                    " further operands, which its layer does not have");
  LaunchPlan plan{};
  const int64_t offset = p0 % shape.period;
  if (shape.isWeightGradient())
    checkWeightSteps(layer, shape, kernel.tile, m);
  plan.tiles = countTiles(shape, kernel.tile, m, offset);
  if (plan.tiles == 0)
    return plan;
  const OperandViews views = viewOperands(shape, layer.dtype, kernel.output, operands, m, offset);
  if (const auto obstacle = findObstacle(layer, kernel, operands, views, m, offset))
    throw Error(obstacle->status(), obstacle->text());
  plan.rows = int32_t(m);
  plan.offset = int32_t(offset);
  appendMaps(plan, shape, layer, kernel, operands, views, lists);

  plan.threads = uint32_t(kernel.threads);
  plan.cluster = uint32_t(kernel.cluster);
  plan.shared_bytes = uint32_t(kernel.shared_bytes);
  plan.grid = persistentGrid(plan.tiles, kernel.cluster, blocks);
  return plan;
}

} // namespace algrt::cuda
