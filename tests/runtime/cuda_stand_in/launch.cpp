// Launches.
#include "runtime/gpu_kernel_abi.h"
#include "tests/runtime/cuda_stand_in/capture.h"

#include <algorithm>
#include <cstring>

namespace algrt::cuda {

using namespace cuda_stand_in;

namespace {

void requireMemory(const State &s, const Launch &launch, const std::string &map, uint64_t address,
                   size_t bytes) {
  if (s.deviceOf(address, bytes) != launch.device)
    violation("cuLaunchKernelEx", Result::IllegalAddress,
              map + " is not within one allocation of the device");
}

void requireTensorMap(const State &s, const Launch &launch, const std::string &name,
                      const std::byte *object) {
  const std::optional<TensorMapContent> map = decodeTensorMap(object);
  if (!map) {
    violation("cuLaunchKernelEx", Result::LaunchFailed, "a tensor map that was not encoded");
    return;
  }
  size_t bytes = map->extents[0] * size_t(map->element_bytes);
  for (int i = 1; i < map->rank; ++i)
    bytes += (map->extents[size_t(i)] - 1) * map->strides[size_t(i) - 1];
  requireMemory(s, launch, "tensor " + name, map->address, bytes);
}

// A plain map does not say how large its elements are: two bytes at least.
void requirePlainMap(const State &s, const Launch &launch, const std::string &name, const std::byte *object) {
  constexpr size_t element = 2;
  algrt_plain_map map;
  std::memcpy(&map, object, sizeof(map));
  if (map.extents[3] == 0) // an operand without rows: nothing is reached
    return;
  size_t last = size_t(map.extents[0] - 1);
  for (size_t i = 1; i < 4; ++i) {
    if (map.rows != 0 && i == 2) // the type: which of the rows of dimension 3, all of the matrix, a list says
      continue;
    if ((map.groups != 0 && i == 1) || (map.row_groups != 0 && i == 3)) // where each group begins a list says
      continue;
    if (map.extents[i] < 1 || (map.extents[i] > 1 && map.strides[i - 1] <= 0)) {
      violation("cuLaunchKernelEx", Result::LaunchFailed, "plain " + name + " without elements");
      return;
    }
    last += size_t(map.extents[i] - 1) * size_t(map.strides[i - 1]);
  }
  requireMemory(s, launch, "plain " + name, map.address, (last + 1) * element);
}

// A device faults when a map leads it to memory that is not there. The first parameter is a struct of maps:
// of one kind, or tensor maps and plain maps behind them. Those that were encoded are tensor maps; where
// something else is left than plain maps, one was not, and what it should be is told by the size of maps of
// one kind, or of tensor maps and one plain map. Of a kernel that is no product it is the address of a
// row list or of an operand, which is 0 where that has no elements.
void requireMappedMemory(const State &s, const Launch &launch) {
  if (launch.parameters.empty())
    return;
  const std::vector<std::byte> &maps = launch.parameters[0];
  if (uint64_t address = 0; maps.size() == sizeof(address)) {
    std::memcpy(&address, maps.data(), sizeof(address));
    if (address != 0)
      requireMemory(s, launch, "the first operand of " + launch.symbol, address, sizeof(uint16_t));
    return;
  }
  constexpr size_t tensor = sizeof(TensorMapObject), plain = sizeof(algrt_plain_map);
  size_t tensor_maps = 0;
  while ((tensor_maps + 1) * tensor <= maps.size() && decodeTensorMap(maps.data() + tensor_maps * tensor))
    ++tensor_maps;
  if ((maps.size() - tensor_maps * tensor) % plain != 0)
    tensor_maps = maps.size() % tensor == 0 || maps.size() % tensor == plain ? maps.size() / tensor : 0;
  const size_t plain_bytes = maps.size() - tensor_maps * tensor;
  if (plain_bytes % plain != 0)
    violation("cuLaunchKernelEx", Result::LaunchFailed, "the first parameter is no struct of maps");
  for (size_t i = 0; i < tensor_maps; ++i)
    requireTensorMap(s, launch, "map " + std::to_string(i), maps.data() + i * tensor);
  for (size_t i = 0; i < plain_bytes / plain; ++i)
    requirePlainMap(s, launch, "map " + std::to_string(tensor_maps + i),
                    maps.data() + tensor_maps * tensor + i * plain);
}

} // namespace

// By shared memory and threads; registers are not known here.
Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function function, int threads,
                                                   size_t shared_bytes) {
  return entry("cuOccupancyMaxActiveBlocksPerMultiprocessor", Entry::NeedsContext, [&](State &s) {
    constexpr size_t system_shared_bytes = 1024; // of each block
    constexpr int most_threads = 2048;
    const FunctionObject *object = s.find(function);
    if (object == nullptr || threads <= 0 || blocks == nullptr)
      return violation("cuOccupancyMaxActiveBlocksPerMultiprocessor", Result::InvalidValue,
                       "no such function, or no threads");
    const DeviceSpec &device = s.devices[size_t(currentContext()->device)];
    if (shared_bytes > size_t(object->dynamic_shared) || threads > int(object->most_threads))
      *blocks = 0;
    else
      *blocks = std::min(most_threads / threads, int((size_t(device.shared_bytes) + system_shared_bytes) /
                                                     (shared_bytes + system_shared_bytes)));
    return Result::Success;
  });
}

// Clusters do not reach across processing clusters of 18 multiprocessors, and the last of those has fewer.
Result cuOccupancyMaxActiveClusters(int *clusters, Function function, const LaunchConfig *config) {
  return entry("cuOccupancyMaxActiveClusters", Entry::NeedsContext, [&](State &s) {
    const auto refuse = [](const std::string &what) {
      return violation("cuOccupancyMaxActiveClusters", Result::InvalidValue, what);
    };
    constexpr int most_together = 18;
    const FunctionObject *object = s.find(function);
    if (object == nullptr || clusters == nullptr || config == nullptr)
      return refuse("no such function, or nowhere to answer");
    if (config->block_x == 0 || config->block_x > object->most_threads ||
        config->shared_bytes > unsigned(object->dynamic_shared))
      return refuse("threads or shared memory that the kernel does not take");
    if (config->attribute_count != 1 || config->attributes[0].id != LaunchAttributeId::ClusterDimension)
      return refuse("no dimension of the cluster");
    const unsigned int cluster = config->attributes[0].value.cluster_dimension.x;
    if (cluster == 0 || config->grid_x == 0 || config->grid_x % cluster != 0)
      return refuse("clusters that do not divide the grid");
    const int processors = s.devices[size_t(currentContext()->device)].multiprocessors;
    *clusters = processors / most_together * (most_together / int(cluster)) +
                processors % most_together / int(cluster);
    return Result::Success;
  });
}

Result cuLaunchKernelEx(const LaunchConfig *config, Function function, void **parameters, void **extra) {
  return entry("cuLaunchKernelEx", Entry::NeedsContext, [&](State &s) {
    const auto refuse = [](Result result, const std::string &what) {
      return violation("cuLaunchKernelEx", result, what);
    };
    const FunctionObject *object = s.find(function);
    if (object == nullptr)
      return refuse(Result::InvalidHandle, "no such function");
    if (object->module->context != currentContext())
      return refuse(Result::InvalidContext, "the function belongs to another context");
    const DeviceSpec &device = s.devices[size_t(currentContext()->device)];
    Launch launch{object->symbol,
                  currentContext()->device,
                  config->stream,
                  config->grid_x,
                  config->block_x,
                  1,
                  config->shared_bytes,
                  false,
                  {},
                  object->module->image};
    if (config->grid_x == 0 || config->grid_x > 0x7fffffff || config->grid_y != 1 || config->grid_z != 1)
      return refuse(Result::InvalidValue, "a grid without blocks, or one that no kernel here has");
    if (config->block_x == 0 || config->block_x > object->most_threads || config->block_y != 1 ||
        config->block_z != 1)
      return refuse(Result::InvalidValue, std::to_string(config->block_x) + " threads, the kernel takes " +
                                              std::to_string(object->most_threads));
    if (config->shared_bytes > unsigned(object->dynamic_shared))
      return refuse(Result::InvalidValue, "more shared memory than was reserved for the function");
    for (unsigned int i = 0; i < config->attribute_count; ++i) {
      const LaunchAttribute &attribute = config->attributes[i];
      if (device.capability < 90)
        return refuse(Result::InvalidValue, "an attribute that the device does not know");
      if (attribute.id == LaunchAttributeId::ClusterDimension) {
        const auto &dimension = attribute.value.cluster_dimension;
        if (dimension.x == 0 || dimension.x > 8 || dimension.y != 1 || dimension.z != 1 ||
            config->grid_x % dimension.x != 0)
          return refuse(Result::InvalidClusterSize, "clusters that do not divide the grid, or of over 8");
        launch.cluster = dimension.x;
      } else if (attribute.id == LaunchAttributeId::ProgrammaticStreamSerialization) {
        launch.programmatic = attribute.value.programmatic_stream_serialization_allowed != 0;
      } else {
        return refuse(Result::InvalidValue, "an attribute that is not known");
      }
    }
    if (extra != nullptr || parameters == nullptr)
      return refuse(Result::InvalidValue, "parameters are to be passed as a list of pointers");
    for (size_t i = 0; i < object->parameters.size(); ++i) {
      if (parameters[i] == nullptr)
        return refuse(Result::InvalidValue, "parameter " + std::to_string(i) + " is missing");
      const std::byte *bytes = static_cast<const std::byte *>(parameters[i]);
      launch.parameters.emplace_back(bytes, bytes + object->parameters[i]);
    }
    return enqueue("cuLaunchKernelEx", s, config->stream, [&s, launch] {
      constexpr double milliseconds = 0.01;
      s.milliseconds += milliseconds;
      requireMappedMemory(s, launch);
      if (s.callback)
        s.callback(launch);
    });
  });
}

} // namespace algrt::cuda
