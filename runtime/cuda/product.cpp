#include "runtime/cuda/product.h"

#include "runtime/cuda/launch_parameters.h"
#include "runtime/cuda/tensor_map.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace algrt::cuda {

namespace {

Operand operandOf(const MatrixView &view) { return {reinterpret_cast<uintptr_t>(view.data), view.stride}; }

// What a call has beside its matrices, as plans and parameters take it: of a fused layer, in its order.
struct FurtherOfCall {
  FurtherOfCall(const Layer &layer, const ProductCall &call) {
    if (!layer.fusion)
      return;
    const size_t weights = size_t(layer.fusion->weights - 1);
    for (size_t place = 0; place < call.further.size(); ++place) {
      const ProductOperand &each = call.further[place];
      operands.push_back(operandOf(each.view));
      if (place >= weights && place - weights < layer.fusion->operands.size())
        numbers.push_back(each.number);
    }
  }

  std::vector<Operand> operands;
  std::vector<float> numbers;
};

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

void launch(const Driver &driver, const LaunchPlan &plan, const KernelParameters &list,
            const ReadyKernel &kernel, Stream stream, const Layer &layer, const ProductCall &call,
            const FurtherOfCall &further, bool at_positions) {
  const auto address = [](const void *pointer) { return uint64_t(reinterpret_cast<uintptr_t>(pointer)); };
  const auto bias = std::ranges::find(call.further, std::string_view("bias"), &ProductOperand::name);
  ParameterBlock block(list);
  setProduct(block, list, plan,
             {plan.rows, plan.offset, kernel.terms, call.beta,
              bias == call.further.end() ? 0 : address(bias->view.data),
              at_positions ? address(call.rows.positions.data) : 0, int32_t(call.rows.positions.bytes),
              layer.fusion ? &*layer.fusion : nullptr, further.operands, further.numbers},
             [&](const TensorMap &map, std::byte *to) {
               const TensorMapObject object = encodeTensorMap(driver, map);
               std::memcpy(to, &object, sizeof(object));
             });

  std::array<LaunchAttribute, 2> attributes{};
  LaunchConfig config{plan.grid, 1, 1, plan.threads, 1, 1, plan.shared_bytes, stream, attributes.data(), 0};
  if (plan.cluster > 1)
    attributes[config.attribute_count++] = clusterAttribute(plan.cluster);
  if (call.dependent_launch) {
    LaunchAttribute &attribute = attributes[config.attribute_count++];
    attribute.id = LaunchAttributeId::ProgrammaticStreamSerialization;
    attribute.value.programmatic_stream_serialization_allowed = 1;
  }
  driver.check(driver.launchKernelEx(&config, kernel.function, block.pointers().data(), nullptr),
               "launching the kernel");
}

} // namespace

void runProduct(const GpuKernels &kernels, const Layer &layer, const ProductCall &call) {
  DeviceModules &modules = kernels.device(call.device);
  const FurtherOfCall further(layer, call);
  const ProductRequest request{{operandOf(call.x), operandOf(call.w), operandOf(call.y), further.operands},
                               call.map == Map::Dw ? call.x.rows : call.y.rows,
                               call.rows.p0,
                               call.output,
                               call.dependent_launch,
                               call.map,
                               needsLists(layer, call.rows.kind),
                               needsLists(layer, call.rows.kind) &&
                                   call.rows.kind == RowSourceKind::Positions};
  const size_t index = kernels.choose(modules, request, call.kernel);
  const Kernel &kernel = kernels.kernel(index);
  const Operands &operands = request.operands;
  const Stream stream = static_cast<Stream>(call.stream);
  const CurrentContext current(modules.context());
  const ReadyKernel ready = readyKernel(modules, index, stream, kernel.name);
  DeviceLists lists{ready.terms, 0};
  std::optional<ReadyKernel> group_rows;
  const GpuCode *group_rows_code = nullptr;
  if (kernel.gpu->listed) {
    lists.rows = placeRowList(layer, request.m, call.workspace);
    const size_t lister = chooseGroupRows(kernels.all(), modules.properties());
    group_rows_code = &*kernels.kernel(lister).group_rows;
    group_rows = readyKernel(modules, lister, stream, kernels.kernel(lister).name);
  }
  const LaunchPlan plan =
      planLaunch(layer, *kernel.gpu, operands, request.m, request.p0, ready.blocks, lists);
  if (group_rows)
    groupRows(modules.context().driver(), *group_rows, *group_rows_code, layer, call.rows, request.m,
              lists.rows, stream);
  launch(modules.context().driver(), plan, kernel.gpu->parameters, ready, stream, layer, call, further,
         request.positions);
}

} // namespace algrt::cuda
