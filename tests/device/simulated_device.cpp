#include "tests/device/simulated_device.h"

#include "compiler/simulator/model/machine.h"
#include "compiler/simulator/simulate.h"
#include "tests/device/launch_parameters.h"
#include "tests/runtime/cuda_stand_in/work.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <span>

namespace device_test {
namespace {

using simulator::Access;

void registerRegion(simulator::GlobalMemory &memory, const Region &region, Access access,
                    bool early = false) {
  const int64_t row_bytes = region.columns * region.element_bytes;
  if (region.rows == 0 || row_bytes == 0)
    return;
  const auto *start = reinterpret_cast<const std::byte *>(region.address);
  if (region.stride == region.columns)
    return memory.registerGlobal(region.name, start, region.rows * row_bytes, access, early);
  for (int64_t row = 0; row < region.rows; ++row)
    memory.registerGlobal(region.name + " row " + std::to_string(row),
                          start + row * region.stride * region.element_bytes, row_bytes, access, early);
}

// Words of the workspace that a kernel writes and others read.
Region within(const Region &workspace, const char *name, uint64_t address, int64_t count,
              int64_t element_bytes) {
  const uint64_t bytes = static_cast<uint64_t>(count * element_bytes);
  if (!workspace.holds(address) ||
      address + bytes > workspace.address + static_cast<uint64_t>(workspace.columns) ||
      address % static_cast<uint64_t>(element_bytes) != 0)
    throw std::runtime_error(std::string(name) +
                             " is not within the workspace, or at no multiple of its words");
  return {name, address, 1, count, count, element_bytes};
}

} // namespace

bool Region::holds(uint64_t at) const {
  const int64_t bytes = rows * stride * element_bytes;
  return at >= address && at < address + static_cast<uint64_t>(bytes);
}

SimulatedDevice::SimulatedDevice(CompiledBundle &bundle) : bundle_(bundle) {
  algrt::cuda_stand_in::onLaunch([this](const algrt::cuda_stand_in::Launch &launch) { run(launch); });
}

SimulatedDevice::~SimulatedDevice() { algrt::cuda_stand_in::onLaunch({}); }

void SimulatedDevice::run(const algrt::cuda_stand_in::Launch &launch) {
  try {
    runKernel(launch);
  } catch (const std::exception &error) {
    ADD_FAILURE() << "launch of " << launch.symbol << ": " << error.what();
  }
}

void SimulatedDevice::runKernel(const algrt::cuda_stand_in::Launch &recorded) {
  const Program &program = bundle_.programOf(*recorded.image);
  const algrt::Layer &layer = bundle_.parsed().layer();
  ran.push_back(program.name);
  if (recorded.symbol != program.code->symbol || recorded.symbol != program.kernel.name())
    throw std::runtime_error("the image's kernel is " + program.kernel.name());
  if (recorded.threads != program.threads || recorded.cluster != program.cluster)
    throw std::runtime_error("launched with " + std::to_string(recorded.threads) +
                             " threads in clusters of " + std::to_string(recorded.cluster) +
                             ", the kernel requires " + std::to_string(program.threads) + " in " +
                             std::to_string(program.cluster));
  LaunchParameters parameters(recorded, program.name, *program.code);
  using algrt::ParameterValue;

  simulator::GlobalMemory memory;
  // What nobody writes between two calls may be read before the grid before has ended: the weight matrix and
  // the terms.
  const algrt::GpuKernel *product = program.entry && program.entry->gpu ? &*program.entry->gpu : nullptr;
  const bool early = product && product->isReduction();
  for (const Region &operand : operands)
    registerRegion(memory, operand, Access::Read, early && operand.holds(parameters.addressOf("w")));
  if (product == nullptr && program.entry) {
    const auto rows = parameters.of<int32_t>(ParameterValue::Rows),
               types = parameters.of<int32_t>(ParameterValue::Types);
    registerRegion(memory,
                   within(workspace, "the row list", parameters.of<uint64_t>(ParameterValue::RowList),
                          types + 2 + rows, 4),
                   Access::Write);
  } else if (product == nullptr) {
    registerRegion(memory, bias_result,
                   parameters.of<float>(ParameterValue::Number, "x2") != 0 ? Access::ReadWrite
                                                                           : Access::Write);
  } else {
    const bool adds = product->map == algrt::Map::Dw && parameters.of<float>(ParameterValue::Beta) != 0;
    if (!result.holds(parameters.addressOf(algrt::operandNames(product->map).y)) && result.rows > 0)
      throw std::runtime_error("the maps of the result are not of the call's result");
    registerRegion(memory, result, adds ? Access::ReadWrite : Access::Write);
    if (const auto plain_maps = parameters.plainMaps(); !plain_maps.empty()) {
      memory.registerGlobal("the maps", plain_maps.data(), static_cast<int64_t>(plain_maps.size_bytes()),
                            Access::Read, /*independent=*/true);
      if (const uint64_t list = plain_maps.front().rows; list != 0)
        registerRegion(memory,
                       within(workspace, "the row list", list,
                              layer.types + 2 + parameters.of<int32_t>(ParameterValue::Rows), 4),
                       Access::Read);
    }
    if (const auto terms = parameters.of<uint64_t>(ParameterValue::Terms); terms != 0)
      memory.registerGlobal("the terms table", reinterpret_cast<const void *>(terms),
                            static_cast<int64_t>(algrt::cuda_stand_in::bytesAllocatedAt(terms)), Access::Read,
                            early);
  }

  const std::span<void *> values = parameters.values();
  simulator::Launch launch;
  launch.kernel = [&] { program.kernel.call(values.data()); };
  launch.grid = recorded.grid;
  launch.cluster = static_cast<int32_t>(recorded.cluster);
  launch.threads = static_cast<int32_t>(recorded.threads);
  launch.shared_bytes = recorded.shared_bytes;
  launch.registers = compiler::registersAtEntry(recorded.threads);
  launch.seed = seed++;
  launch.dependent_launch = recorded.programmatic;
  const simulator::Report report = simulator::run(launch, memory);
  for (const simulator::Fault &fault : report.faults)
    ADD_FAILURE() << program.name << ": " << fault.text() << "\n  at " << program.kernel.site(fault.site);
}

} // namespace device_test
