// Launches.
#include "tests/runtime/cuda_stand_in/capture.h"

namespace algrt::cuda {

using namespace cuda_stand_in;

namespace {

// A device faults when a tensor map leads it to memory that is not there.
void requireMappedMemory(const State &s, const Launch &launch) {
  for (const std::vector<std::byte> &parameter : launch.parameters)
    for (size_t at = 0; at + sizeof(TensorMapObject) <= parameter.size(); at += sizeof(TensorMapObject)) {
      const std::optional<TensorMapContent> map = decodeTensorMap(parameter.data() + at);
      if (!map) {
        violation("cuLaunchKernelEx", Result::launch_failed, "a tensor map that was not encoded");
        continue;
      }
      size_t bytes = map->extents[0] * size_t(map->element_bytes);
      for (int i = 1; i < map->rank; ++i)
        bytes += (map->extents[size_t(i)] - 1) * map->strides[size_t(i) - 1];
      if (s.deviceOf(map->address, bytes) != launch.device)
        violation("cuLaunchKernelEx", Result::illegal_address,
                  "tensor map " + std::to_string(at / sizeof(TensorMapObject)) +
                      " is not within one allocation of the device");
    }
}

} // namespace

Result cuLaunchKernelEx(const LaunchConfig *config, Function function, void **parameters, void **extra) {
  return entry("cuLaunchKernelEx", Entry::needs_context, [&](State &s) {
    const auto refuse = [](Result result, const std::string &what) {
      return violation("cuLaunchKernelEx", result, what);
    };
    const FunctionObject *object = s.find(function);
    if (object == nullptr)
      return refuse(Result::invalid_handle, "no such function");
    if (object->module->context != currentContext())
      return refuse(Result::invalid_context, "the function belongs to another context");
    const DeviceSpec &device = s.devices[size_t(currentContext()->device)];
    Launch launch{object->symbol,
                  currentContext()->device,
                  config->stream,
                  config->grid_x,
                  config->block_x,
                  1,
                  config->shared_bytes,
                  false,
                  {}};
    if (config->grid_x == 0 || config->grid_x > 0x7fffffff || config->grid_y != 1 || config->grid_z != 1)
      return refuse(Result::invalid_value, "a grid without blocks, or one that no kernel here has");
    if (config->block_x == 0 || config->block_x > object->most_threads || config->block_y != 1 ||
        config->block_z != 1)
      return refuse(Result::invalid_value, std::to_string(config->block_x) + " threads, the kernel takes " +
                                               std::to_string(object->most_threads));
    if (config->shared_bytes > unsigned(object->dynamic_shared))
      return refuse(Result::invalid_value, "more shared memory than was reserved for the function");
    for (unsigned int i = 0; i < config->attribute_count; ++i) {
      const LaunchAttribute &attribute = config->attributes[i];
      if (device.capability < 90)
        return refuse(Result::invalid_value, "an attribute that the device does not know");
      if (attribute.id == LaunchAttributeId::cluster_dimension) {
        const auto &dimension = attribute.value.cluster_dimension;
        if (dimension.x == 0 || dimension.x > 8 || dimension.y != 1 || dimension.z != 1 ||
            config->grid_x % dimension.x != 0)
          return refuse(Result::invalid_cluster_size, "clusters that do not divide the grid, or of over 8");
        launch.cluster = dimension.x;
      } else if (attribute.id == LaunchAttributeId::programmatic_stream_serialization) {
        launch.programmatic = attribute.value.programmatic_stream_serialization_allowed != 0;
      } else {
        return refuse(Result::invalid_value, "an attribute that is not known");
      }
    }
    if (extra != nullptr || parameters == nullptr)
      return refuse(Result::invalid_value, "parameters are to be passed as a list of pointers");
    for (size_t i = 0; i < object->parameters.size(); ++i) {
      if (parameters[i] == nullptr)
        return refuse(Result::invalid_value, "parameter " + std::to_string(i) + " is missing");
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
