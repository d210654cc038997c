#include "runtime/bundle/gpu_kernel.h"

#include "runtime/bundle/gpu_targets.h"
#include "runtime/bundle/json_fields.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <initializer_list>

namespace algrt {

namespace {

// CUDA C++ programming guide, "Compute Capabilities", 9.0; clusters above 8 blocks are not portable.
constexpr int64_t most_threads = 1024, warp = 32, most_cluster = 8, most_shared_bytes = 232448,
                  most_registers = 255;
// cuTensorMapEncodeTiled: elements of a box in each dimension, and the multiple of its innermost bytes.
constexpr int64_t most_box = 256, box_bytes_multiple = 16;
constexpr int64_t most_tile = 1 << 16;
// The first capability with a copy engine for tensor maps, and with clusters.
constexpr int32_t copy_engine = 90;
constexpr int64_t most_vector = 8;

int64_t multiple(const JsonFields &fields, const char *key, int64_t of, int64_t least, int64_t most) {
  const int64_t value = fields.integer(key, least, most);
  if (value % of != 0)
    fields.fail(key, "is " + std::to_string(value) + ", not a multiple of " + std::to_string(of));
  return value;
}

// Where threads copy, boxes tell how a tile lies in shared memory, and no tensor map limits them.
GpuBox parseBox(const JsonFields &boxes, const char *key, ElementType element, GpuCopies copies) {
  const JsonFields fields = boxes.object(key);
  const int64_t most = copies == GpuCopies::Engine ? most_box : most_tile;
  GpuBox box;
  box.columns = fields.integer("columns", 1, most);
  box.rows = fields.integer("rows", 1, most);
  box.swizzle = fields.integer("swizzle", 0, 128);
  if (box.swizzle != 0 && box.swizzle != 32 && box.swizzle != 64 && box.swizzle != 128)
    fields.fail("swizzle", "is " + std::to_string(box.swizzle) + ", not 0, 32, 64 or 128");
  if (copies == GpuCopies::Threads)
    return box;
  const int64_t bytes = box.columns * elementBytes(element);
  if (bytes % box_bytes_multiple != 0)
    fields.fail("columns", "take " + std::to_string(bytes) + " bytes, not a multiple of " +
                               std::to_string(box_bytes_multiple));
  if (box.swizzle != 0 && bytes > box.swizzle)
    fields.fail("columns", "take " + std::to_string(bytes) + " bytes, more than the swizzle's span of " +
                               std::to_string(box.swizzle));
  return box;
}

bool areEqual(const std::vector<int64_t> &widths) {
  return std::all_of(widths.begin(), widths.end(), [&](int64_t width) { return width == widths[0]; });
}

// What runtime/gpu_kernel_abi.h takes for granted.
void requireLayer(const JsonFields &fields, const Layer &layer) {
  if (layer.dtype != ElementType::Bf16)
    fields.fail("target", std::string("is a GPU, but the layer's dtype is ") + name(layer.dtype) +
                              ": its kernels multiply bf16");
}

// Boxes have whole runs or a part of one, and positions within a run are bits of a row's number.
void requireRunsToJoin(const JsonFields &fields, const Layer &layer) {
  if (layer.lift != Lift::Rows || layer.row_types != RowTypesKind::Interval)
    fields.fail("rows", "are joined runs, but the layer's row types are no intervals");
  if ((layer.row_type_width & (layer.row_type_width - 1)) != 0)
    fields.fail("rows", "are joined runs of " + std::to_string(layer.row_type_width) +
                            " rows, which is no power of two");
}

void requireBoxOfRuns(const JsonFields &boxes, const char *key, const GpuBox &box, const GpuKernel &kernel,
                      const Layer &layer) {
  const int64_t run = layer.row_type_width;
  if (kernel.joins_runs && kernel.copies == GpuCopies::Engine && box.rows % run != 0 && run % box.rows != 0)
    boxes.fail(key, "has " + std::to_string(box.rows) + " rows, no whole runs of " + std::to_string(run) +
                        " rows and no part of one");
}

// What tensor maps cannot describe, and only threads can look up.
void parseRows(const JsonFields &fields, const Layer &layer, GpuKernel &kernel) {
  if (fields.has("rows")) {
    const std::string rows = fields.string("rows");
    if (rows != "listed" && rows != "joined_runs")
      fields.fail("rows", "is '" + rows + "'; this runtime knows listed and joined_runs");
    kernel.listed = rows == "listed";
    kernel.joins_runs = !kernel.listed;
    if (kernel.joins_runs)
      requireRunsToJoin(fields, layer);
  }
  const bool engine = kernel.copies == GpuCopies::Engine;
  if (kernel.listed && engine)
    fields.fail("rows", "are listed, but the copy engine copies, which reads no lists");
  if (layer.row_types == RowTypesKind::ExplicitTypes && !kernel.listed)
    fields.fail("target", "is a GPU, but the layer's row types are explicit: its kernels need rows 'listed'");
  if (!areEqual(layer.in_groups) || !areEqual(layer.out_groups) || !areEqual(layer.weight_rows)) {
    if (engine)
      fields.fail("copies", "is engine, but the layer's groups are not all of one width, and the copy engine "
                            "reads no lists");
    if (!kernel.terms)
      fields.fail("terms", "is false, but the layer's groups are not all of one width: the terms table says "
                           "where they are");
  }
}

std::vector<GpuImage> parseImages(const JsonFields &fields) {
  std::vector<GpuImage> images;
  for (const JsonFields &entry : fields.objects("images")) {
    const std::string kind = entry.string("kind");
    if (kind != "cubin" && kind != "ptx")
      entry.fail("kind", "is '" + kind + "', not cubin or ptx");
    images.push_back({kind == "cubin" ? ImageKind::Cubin : ImageKind::Ptx, entry.string("section")});
  }
  if (images.empty())
    fields.fail("images", "is empty: a kernel needs a cubin or PTX");
  return images;
}

void parseTarget(const JsonFields &fields, std::string_view target, GpuCode &code) {
  const GpuTarget *found = findGpuTarget(target);
  if (found == nullptr)
    fields.fail("target", "is '" + std::string(target) + "', not a GPU");
  code.architecture = found->architecture;
  code.exact_architecture = found->exact_architecture;
}

void parseCode(const JsonFields &fields, GpuCode &code) {
  code.symbol = fields.string("symbol");
  if (code.symbol.empty())
    fields.fail("symbol", "is empty");
  code.images = parseImages(fields);
  code.threads = multiple(fields, "threads", warp, warp, most_threads);
}

// Who copies, and what goes with it.
void parseCopies(const JsonFields &fields, const Layer &layer, GpuKernel &kernel) {
  const std::string copies = fields.has("copies") ? fields.string("copies") : name(GpuCopies::Engine);
  if (copies != name(GpuCopies::Engine) && copies != name(GpuCopies::Threads))
    fields.fail("copies", "is '" + copies + "', not engine or threads");
  kernel.copies = copies == name(GpuCopies::Engine) ? GpuCopies::Engine : GpuCopies::Threads;
  if (kernel.copies == GpuCopies::Engine) {
    for (const char *key : {"vector", "warps", "slices"})
      if (fields.has(key))
        fields.fail(key, "is given, but the copy engine copies: only a kernel with copies 'threads' has it");
    if (kernel.architecture < copy_engine)
      fields.fail("copies", "is engine, which devices of the kernel's target do not have: its threads copy");
    return;
  }
  kernel.vector = fields.integer("vector", 1, most_vector);
  if ((kernel.vector & (kernel.vector - 1)) != 0)
    fields.fail("vector", "is " + std::to_string(kernel.vector) + ", not 1, 2, 4 or 8");
  if (fields.has("slices")) {
    if (fields.has("warps"))
      fields.fail("slices",
                  "are given together with warps: a vector reduction has slices, other kernels warps");
    if (layer.fusion && layer.fusion->results.size() != 1)
      fields.fail("slices", "are given for a fused layer of several results: vector reductions compute one");
    if (kernel.map != Map::Forward)
      fields.fail("slices", std::string("are given for the map ") + name(kernel.map) +
                                ": vector reductions are for forward");
    kernel.slices = fields.integer("slices", 1, kernel.threads);
    if (kernel.threads % kernel.slices != 0)
      fields.fail("slices", "are " + std::to_string(kernel.slices) + ", which do not divide " +
                                std::to_string(kernel.threads) + " threads");
    return;
  }
  const std::vector<int64_t> warps = fields.integers("warps", 1);
  if (warps.size() != 2)
    fields.fail("warps", "has " + std::to_string(warps.size()) + " numbers, not 2: rows and columns");
  const int64_t most = most_threads / warp;
  if (warps[0] > most || warps[1] > most || warps[0] * warps[1] * warp != kernel.threads)
    fields.fail("warps", "are " + std::to_string(warps[0]) + " x " + std::to_string(warps[1]) +
                             ", which does not make " + std::to_string(kernel.threads) + " threads");
  kernel.warp_rows = warps[0];
  kernel.warp_columns = warps[1];
}

RowRange parseBestRows(const JsonFields &fields) {
  constexpr const char *key = "best_for_rows";
  if (!fields.has(key))
    return {0, 0};
  const std::vector<int64_t> range = fields.integers(key, 1);
  if (range.size() != 2)
    fields.fail(key, "has " + std::to_string(range.size()) + " numbers, not 2: the least and the most rows");
  if (range[0] > range[1])
    fields.fail(key, "goes from " + std::to_string(range[0]) + " down to " + std::to_string(range[1]));
  return {range[0], range[1]};
}

// A kernel of two layers: the copy engine brings the blocks of both, and maps between them read what is there
// for each row or column; or it is one of vector reductions.
void parseNextLayer(const JsonFields &fields, const JsonFields &boxes, const Fusion &fusion,
                    GpuKernel &kernel) {
  if (kernel.copies != GpuCopies::Engine && !kernel.isReduction())
    fields.fail("copies", "is threads, but layers one after another have kernels of the copy engine, or of "
                          "vector reductions");
  if (kernel.tile.stationary_groups == 0 && !kernel.isReduction())
    fields.fail("tile", "has no held_groups, and kernels of layers one after another go through groups");
  for (const FusedOperand &operand : fusion.operands)
    if (operand.layer == 0 && operand.per == FusedOperand::Per::Element)
      fields.fail("target",
                  "is a GPU, where maps between two layers read no elements of '" + operand.name + "'");
  kernel.next_w = parseBox(boxes, "next_w", ElementType::Bf16, kernel.copies);
}

std::string textOf(const KernelParameter &parameter) {
  std::string text = name(parameter.value);
  if (parameter.isMap())
    text = std::string("a ") + name(parameter.type) + " of " + name(parameter.view);
  return parameter.operand.empty() ? text : text + " of " + parameter.operand;
}

bool holds(const KernelParameters &list, const KernelParameter &wanted) {
  return std::ranges::any_of(list, [&](const KernelParameter &parameter) {
    return parameter.value == wanted.value && parameter.type == wanted.type &&
           parameter.operand == wanted.operand && (!wanted.isMap() || parameter.view == wanted.view);
  });
}

// Reads the list of a kernel that takes what is required, whatever it likes of what is optional, and nothing
// else.
void checkParameters(const JsonFields &fields, GpuCode &code, const KernelParameters &required,
                     const KernelParameters &optional) {
  constexpr const char *key = "parameters";
  code.parameters = KernelParameters::parse(fields, key);
  for (const KernelParameter &parameter : code.parameters)
    if (!holds(required, parameter) && !holds(optional, parameter))
      fields.fail(key, "have " + textOf(parameter) + ", which no launch of such a kernel has");
  for (const KernelParameter &parameter : required)
    if (!holds(code.parameters, parameter))
      fields.fail(key, "lack " + textOf(parameter) + ", without which such a kernel cannot compute");
}

void addMaps(KernelParameters &list, ParameterType type, const std::string &operand,
             const std::vector<ViewKind> &views) {
  for (const ViewKind view : views)
    list.map(type, operand, view);
}

// Further weights come as the first one does; threads read what maps ask for and write further results.
void addFusion(const Fusion &fusion, const OperandNames &names, ParameterType copied,
               const std::vector<ViewKind> &rows, KernelParameters &list) {
  for (int64_t number = 1; number < fusion.allWeights(); ++number)
    addMaps(list, copied, numberedName(names.w, number), {ViewKind::Weights});
  for (const FusedOperand &operand : fusion.operands)
    if (operand.per == FusedOperand::Per::Row || operand.per == FusedOperand::Per::Element)
      addMaps(list, ParameterType::PlainMap, operand.name, rows);
    else
      list.add(operand.per == FusedOperand::Per::Call ? ParameterValue::Number : ParameterValue::Operand,
               operand.name);
  for (size_t number = 1; number < fusion.results.size(); ++number)
    addMaps(list, ParameterType::PlainMap, numberedName(names.y, int64_t(number)), rows);
}

// What kernels beside a product have in common; how much shared memory they take is for the caller to say.
GpuCode parseAuxiliary(const JsonFields &fields, std::string_view target) {
  GpuCode code{};
  parseTarget(fields, target, code);
  parseCode(fields, code);
  code.cluster = 1;
  return code;
}

} // namespace

const char *name(GpuCopies copies) { return copies == GpuCopies::Engine ? "engine" : "threads"; }

const char *name(ImageKind kind) { return kind == ImageKind::Cubin ? "cubin" : "ptx"; }

bool isGpuTarget(std::string_view target) { return findGpuTarget(target) != nullptr; }

GpuKernel parseGpuKernel(const JsonFields &fields, std::string_view target, Map map, const Layer &layer) {
  requireLayer(fields, layer);
  GpuKernel kernel;
  kernel.map = map;
  parseTarget(fields, target, kernel);
  const std::string output = fields.string("output");
  if (output != "bf16" && output != "f32")
    fields.fail("output", "is '" + output + "', not bf16 or f32");
  kernel.output = output == "bf16" ? ElementType::Bf16 : ElementType::F32;
  if (layer.fusion && kernel.output != layer.fusion->results.front())
    fields.fail("output", "is '" + output + "', but the first result of the fused layer is " +
                              name(layer.fusion->results.front()));
  parseCode(fields, kernel);
  kernel.cluster = fields.integer("cluster", 1, most_cluster);
  if (kernel.cluster > 1 && kernel.architecture < copy_engine)
    fields.fail("cluster", "is " + std::to_string(kernel.cluster) +
                               ", but devices of the kernel's target launch no clusters");
  kernel.shared_bytes = fields.integer("shared_bytes", 0, most_shared_bytes);
  kernel.dependent_launch = fields.boolean("dependent_launch");
  kernel.registers = fields.has("registers") ? fields.integer("registers", 1, most_registers) : 0;
  parseCopies(fields, layer, kernel);
  kernel.best_for_rows = parseBestRows(fields);
  if (fields.has("schedule"))
    kernel.schedule = fields.string("schedule");
  kernel.terms = fields.boolean("terms");
  kernel.scaled = fields.has("scaled") && fields.boolean("scaled");
  parseRows(fields, layer, kernel);
  if (kernel.scaled && !kernel.terms)
    fields.fail("scaled", "is true, but the kernel reads no terms");
  const int64_t groups = int64_t(layer.out_groups.size());
  kernel.groups = fields.has("groups") ? fields.integer("groups", 1, groups) : 0;
  if (kernel.groups != 0 &&
      (groups % kernel.groups != 0 || (layer.lift == Lift::Slots && kernel.groups != groups)))
    fields.fail("groups", "is " + std::to_string(kernel.groups) + ": the layer's " + std::to_string(groups) +
                              " groups cannot be joined into so many");
  const JsonFields tile = fields.object("tile");
  kernel.tile.rows = tile.integer("rows", 1, most_tile);
  kernel.tile.columns = tile.integer("columns", 1, most_tile);
  kernel.tile.depth = tile.integer("depth", 1, most_tile);
  kernel.tile.stages = tile.integer("stages", 1, most_tile);
  kernel.tile.consumers = tile.integer("consumers", 1, most_threads / warp);
  if (tile.has("split"))
    kernel.tile.split_k = tile.integer("split", 1, kernel.cluster);
  if (kernel.cluster > 1) {
    kernel.tile.cluster_rows = tile.integer("cluster_rows", 1, kernel.cluster);
    kernel.tile.cluster_columns = tile.integer("cluster_columns", 1, kernel.cluster);
    if (kernel.tile.cluster_rows * kernel.tile.cluster_columns * kernel.tile.split_k != kernel.cluster)
      tile.fail("cluster_rows", std::string("times cluster_columns ") +
                                    (kernel.tile.split_k > 1 ? "times split " : "") +
                                    "is not the cluster of " + std::to_string(kernel.cluster) + " blocks");
  }
  if (tile.has("types"))
    kernel.tile.types = tile.integer("types", 1, layer.types);
  if (tile.has("held_groups"))
    kernel.tile.stationary_groups = tile.integer("held_groups", 1, groups);
  // Sums of dX are complete when the blocks of a cluster have gone through all groups of dY.
  const int64_t kernel_groups = kernel.groups ? kernel.groups : groups;
  if (kernel.tile.stationary_groups > 0 && kernel.map == Map::Dx &&
      kernel.tile.stationary_groups * kernel.tile.split_k < kernel_groups)
    tile.fail("held_groups", "is " + std::to_string(kernel.tile.stationary_groups) +
                                 ", which in a gradient of X has to be all " + std::to_string(kernel_groups) +
                                 " groups, or the share of them of a block of the split");
  if (tile.has("long_groups"))
    kernel.tile.longest_first = tile.integer("long_groups", 1, kernel.groups ? kernel.groups : groups);
  const JsonFields boxes = fields.object("boxes");
  kernel.x = parseBox(boxes, "x", ElementType::Bf16, kernel.copies);
  kernel.w = parseBox(boxes, "w", ElementType::Bf16, kernel.copies);
  kernel.y = parseBox(boxes, "y", kernel.output, kernel.copies);
  const bool gradient = kernel.map == Map::Dw;
  requireBoxOfRuns(boxes, "x", kernel.x, kernel, layer);
  requireBoxOfRuns(boxes, gradient ? "w" : "y", gradient ? kernel.w : kernel.y, kernel, layer);
  if (layer.fusion && layer.fusion->next)
    parseNextLayer(fields, boxes, *layer.fusion, kernel);
  const ProductParameters wanted = productParameters(kernel, layer);
  checkParameters(fields, kernel, wanted.required, wanted.optional);
  // Of rows in a list that has been told already which expert each belongs to.
  const bool finds_rows = kernel.takesExperts() && !kernel.listed;
  for (const char *operand : {"expert_starts", "x_rows", "expert_rows"})
    if (finds_rows != (kernel.parameters.find(ParameterValue::Operand, operand) != nullptr))
      fields.fail("parameters", std::string("have experts without ") + operand + ", or the other way round");
  if (finds_rows != (kernel.parameters.find(ParameterValue::BatchRows) != nullptr))
    fields.fail("parameters", "have experts without batch_rows, or the other way round");
  return kernel;
}

ProductParameters productParameters(const GpuKernel &kernel, const Layer &layer) {
  const OperandNames names = operandNames(kernel.map);
  const bool weight_gradient = kernel.map == Map::Dw;
  const ParameterType type =
      kernel.copies == GpuCopies::Engine ? ParameterType::TensorMap : ParameterType::PlainMap;
  std::vector<ViewKind> rows =
      rowViews(layer.lift == Lift::Slots ? RowTypesKind::Cyclic : layer.row_types, kernel.rowAccess());
  // Of a row list coordinates choose all rows, too.
  if (weight_gradient && !kernel.listed)
    rows.push_back(ViewKind::AllRows);
  ProductParameters result;
  const auto add = [&](const char *operand, ParameterType type, const std::vector<ViewKind> &views) {
    addMaps(result.required, type, operand, views);
  };
  const std::vector<ViewKind> weight_views = {ViewKind::Weights};
  add(names.x, type, rows);
  add(names.w, type, weight_gradient ? rows : weight_views);
  add(names.y, type, weight_gradient ? weight_views : rows);
  // Threads add to what dW holds, whoever copies.
  if (weight_gradient && type != ParameterType::PlainMap)
    add(names.y, ParameterType::PlainMap, weight_views);
  if (layer.fusion)
    addFusion(*layer.fusion, names, type, rows, result.required);
  result.required.add(ParameterValue::Rows);
  (kernel.terms ? result.required : result.optional).add(ParameterValue::Terms);
  result.optional.add(ParameterValue::Offset);
  if (weight_gradient)
    result.required.add(ParameterValue::Beta);
  if (kernel.isReduction()) {
    result.required.add(ParameterValue::Operand, "positions");
    result.required.add(ParameterValue::ElementBytes, "positions");
    result.optional.add(ParameterValue::Operand, "expert_starts");
    result.optional.add(ParameterValue::Experts);
    result.optional.add(ParameterValue::Operand, "x_rows");
    result.optional.add(ParameterValue::Operand, "expert_rows");
    result.optional.add(ParameterValue::BatchRows);
  }
  if (kernel.listed && kernel.map == Map::Forward)
    result.optional.add(ParameterValue::Experts);
  if (kernel.map == Map::Forward && layer.bias)
    result.required.add(ParameterValue::Operand, "bias");
  return result;
}

int64_t mostListedTypes(int64_t threads) {
  return (most_group_rows_shared_bytes - algrt_group_rows_shared_bytes(threads, 0)) /
         int64_t(sizeof(int32_t));
}

GpuCode parseGroupRows(const JsonFields &fields, std::string_view target, const Layer &layer) {
  GpuCode code = parseAuxiliary(fields, target);
  code.shared_bytes = algrt_group_rows_shared_bytes(code.threads, layer.types);
  if (code.shared_bytes > most_group_rows_shared_bytes)
    fields.fail("threads", "are " + std::to_string(code.threads) + ", which with the layer's " +
                               std::to_string(layer.types) + " types need " +
                               std::to_string(code.shared_bytes) + " bytes of shared memory, more than " +
                               std::to_string(most_group_rows_shared_bytes));
  using enum ParameterValue;
  KernelParameters of_network, of_experts;
  for (const ParameterValue value : {RowList, RowSource, TypeWidth, Rows, Types, RowSourceForm, Offset}) {
    of_network.add(value);
    of_experts.add(value);
  }
  for (const ParameterValue value : {FirstPositions, Sequences})
    of_network.add(value);
  for (const ParameterValue value : {RowListOfX, Experts, BatchRows})
    of_experts.add(value);
  for (const char *operand : {"expert_starts", "expert_rows"})
    of_experts.add(Operand, operand);
  const bool knows_experts = KernelParameters::parse(fields, "parameters").find(Experts) != nullptr;
  checkParameters(fields, code, knows_experts ? of_experts : of_network, {});
  return code;
}

GpuCode parseElementwiseCode(const JsonFields &fields, std::string_view target,
                             const KernelParameters &parameters) {
  GpuCode code = parseAuxiliary(fields, target);
  code.shared_bytes = algrt_elementwise_shared_bytes(code.threads);
  checkParameters(fields, code, parameters, {});
  return code;
}

} // namespace algrt
