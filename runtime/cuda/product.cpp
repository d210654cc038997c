#include "runtime/cuda/product.h"

#include "runtime/bundle/fusion.h"
#include "runtime/cuda/launch_cache.h"
#include "runtime/cuda/launch_parameters.h"
#include "runtime/cuda/tensor_map.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace algrt::cuda {

namespace {

Operand operandOf(const MatrixView &view) { return {reinterpret_cast<uintptr_t>(view.data), view.stride}; }

// What a call has beside its matrices, as plans and parameters take it: of a fused layer, in its order.
class FurtherOfCall {
public:
  FurtherOfCall(const Layer &layer, const ProductCall &call) {
    if (!layer.fusion)
      return;
    const size_t weights = size_t(layer.fusion->allWeights() - 1);
    for (size_t place = 0; place < call.further.size(); ++place) {
      const ProductOperand &each = call.further[place];
      operands_.at(place) = operandOf(each.view);
      if (place >= weights && place - weights < layer.fusion->operands.size())
        numbers_.at(number_count_++) = each.number;
    }
    operand_count_ = call.further.size();
  }

  std::span<const Operand> operands() const { return std::span(operands_).first(operand_count_); }
  std::span<const float> numbers() const { return std::span(numbers_).first(number_count_); }

private:
  // Those from the counts on have no value.
  std::array<Operand, 3 * most_fused> operands_;
  std::array<float, most_fused> numbers_;
  size_t operand_count_ = 0, number_count_ = 0;
};

// All that a launch of this bundle on this device is prepared from. Nothing where p0 is refused: in the key
// it counts by where it is in the period of the row types, as for every kernel.
std::optional<LaunchKey> keyOf(const Layer &layer, const ProductRequest &request, const ProductCall &call) {
  const int64_t m = request.m, p0 = request.p0;
  std::optional<LaunchKey> key;
  if (p0 < 0 || m < 0 || p0 > std::numeric_limits<int64_t>::max() - m)
    return key;
  key.emplace();
  key->add(uint64_t(request.map) << 32 | uint64_t(request.output) << 16 |
           uint64_t(request.dependent_launch) << 2 | uint64_t(request.listed) << 1 |
           uint64_t(request.positions));
  key->add(uint64_t(call.kernel));
  key->add(uint64_t(m));
  key->add(uint64_t(p0 % rowTypePeriod(layer)));
  key->add(uint64_t(request.operands.experts));
  key->add(uint64_t(request.operands.rows_of_x));
  for (const Operand &operand : {request.operands.x, request.operands.w, request.operands.y})
    key->add(operand);
  for (const Operand &operand : request.operands.further)
    key->add(operand);
  // Maps of rows in lists have the list's address.
  if (request.listed || request.operands.experts > 0)
    key->add(reinterpret_cast<uintptr_t>(call.workspace.address));
  return key;
}

ReadyKernel readyKernel(DeviceModules &modules, size_t index, Stream stream, const std::string &name) {
  if (const std::optional<ReadyKernel> ready = modules.find(index))
    return *ready;
  const Driver &driver = modules.context().driver();
  CaptureStatus status = CaptureStatus::None;
  driver.check(driver.streamIsCapturing(stream, &status), "asking whether the stream is being captured");
  if (status != CaptureStatus::None)
    throw Error(ALGRT_NOT_PREPARED,
                "the stream is being captured, and kernel " + name + " is not yet on device " +
                    std::to_string(modules.properties().ordinal) +
                    ": call algrt_bundle_prepare, or this function once, before the capture begins");
  return modules.prepare(index);
}

std::shared_ptr<const PreparedLaunch> prepareLaunch(const Driver &driver, const Layer &layer,
                                                    const GpuKernel &kernel, const ProductRequest &request,
                                                    size_t index, const ReadyKernel &ready,
                                                    const DeviceLists &lists) {
  PreparedLaunch launch{
      index,
      ready,
      planLaunch(layer, kernel, request.operands, request.m, request.p0, ready.blocks, lists),
      {}};
  for (const TensorMap &map : launch.plan.maps)
    launch.maps.push_back(encodeTensorMap(driver, map));
  return std::make_shared<const PreparedLaunch>(std::move(launch));
}

void launch(const Driver &driver, const PreparedLaunch &prepared, const KernelParameters &list, Stream stream,
            const Layer &layer, const ProductCall &call, const FurtherOfCall &further, bool at_positions,
            bool is_dependent) {
  const LaunchPlan &plan = prepared.plan;
  const auto address = [](const void *pointer) { return uint64_t(reinterpret_cast<uintptr_t>(pointer)); };
  const auto bias = std::ranges::find(call.further, std::string_view("bias"), &ProductOperand::name);
  ParameterBlock block(list);
  setProduct(block, list, plan,
             {plan.rows, plan.offset, prepared.ready.terms, call.beta,
              bias == call.further.end() ? 0 : address(bias->view.data),
              at_positions ? address(call.rows.positions.data) : 0, int32_t(call.rows.positions.bytes),
              layer.fusion ? &*layer.fusion : nullptr, further.operands(), further.numbers(),
              address(call.experts.data), int32_t(call.experts.count),
              call.experts.x_by_list ? address(call.experts.list) : 0, address(call.experts.list),
              int32_t(call.experts.batch_rows)},
             [next = prepared.maps.data()](const TensorMap &, std::byte *to) mutable {
               std::memcpy(to, next++, sizeof(TensorMapObject));
             });

  std::array<LaunchAttribute, 2> attributes{};
  LaunchConfig config{plan.grid, 1, 1, plan.threads, 1, 1, plan.shared_bytes, stream, attributes.data(), 0};
  if (plan.cluster > 1)
    attributes[config.attribute_count++] = clusterAttribute(plan.cluster);
  if (is_dependent) {
    LaunchAttribute &attribute = attributes[config.attribute_count++];
    attribute.id = LaunchAttributeId::ProgrammaticStreamSerialization;
    attribute.value.programmatic_stream_serialization_allowed = 1;
  }
  driver.check(driver.launchKernelEx(&config, prepared.ready.function, block.pointers().data(), nullptr),
               "launching the kernel");
}

} // namespace

void runProduct(const GpuKernels &kernels, const Layer &layer, const ProductCall &call) {
  DeviceModules &modules = kernels.device(call.device);
  const FurtherOfCall further(layer, call);
  const ProductRequest request{
      {operandOf(call.x), operandOf(call.w), operandOf(call.y), further.operands(), call.experts.count,
       call.experts.list != nullptr && call.experts.x_by_list ? call.experts.batch_rows : 0},
      call.map == Map::Dw ? call.x.rows : call.y.rows,
      needsLists(layer, call.rows.kind) ? 0 : call.rows.p0,
      call.output,
      call.order == LaunchOrder::Dependent,
      call.map,
      needsLists(layer, call.rows.kind),
      needsLists(layer, call.rows.kind) && call.rows.kind == RowSourceKind::Positions};
  const std::optional<LaunchKey> key = keyOf(layer, request, call);
  std::shared_ptr<const PreparedLaunch> prepared = key ? modules.launches().find(*key) : nullptr;
  const size_t index = prepared ? prepared->kernel : kernels.choose(modules, request, call.kernel);
  const Kernel &kernel = kernels.kernel(index);
  const Stream stream = static_cast<Stream>(call.stream);
  const Driver &driver = modules.context().driver();
  const CurrentContext current(modules.context());
  const ReadyKernel ready = prepared ? prepared->ready : readyKernel(modules, index, stream, kernel.name);
  DeviceLists lists{ready.terms, 0};
  std::optional<ReadyKernel> group_rows;
  const GpuCode *group_rows_code = nullptr;
  PlacedLists placed;
  const HeldLists::Rows listed_rows(layer, request.m, call.rows, call.experts);
  if (kernel.gpu->listed) {
    placed = placeRowLists(layer, request.m, call.experts, call.workspace);
    lists.rows = placed.list;
    lists.rows_of_x = placed.of_x;
    if (call.lists == nullptr || !call.lists->hold(listed_rows, placed)) {
      const size_t lister = chooseGroupRows(kernels.all(), modules.properties());
      group_rows_code = &*kernels.kernel(lister).group_rows;
      group_rows = readyKernel(modules, lister, stream, kernels.kernel(lister).name);
    }
  }
  if (!prepared) {
    prepared = prepareLaunch(driver, layer, *kernel.gpu, request, index, ready, lists);
    if (key)
      modules.launches().insert(*key, prepared);
  }
  if (group_rows) {
    groupRows(driver, *group_rows, *group_rows_code, layer, call.rows, call.experts, request.m, placed,
              stream);
    if (call.lists != nullptr)
      call.lists->set(listed_rows, placed);
  }
  // Nobody has asked for the latter, so that it may be left out where a capture might not take it.
  const bool is_dependent = call.order == LaunchOrder::Dependent ||
                            (call.order == LaunchOrder::BehindStep && kernel.gpu->dependent_launch &&
                             driver.capturesDependentLaunches());
  launch(driver, *prepared, kernel.gpu->parameters, stream, layer, call, further, request.positions,
         is_dependent);
}

} // namespace algrt::cuda
