#include "compiler/bundle/kernel_description.h"

#include <nlohmann/json.hpp>

namespace compiler {

nlohmann::ordered_json groupRowsJson(const algrt::Kernel &kernel) {
  return {{"name", kernel.name},
          {"map", kernel.map},
          {"target", kernel.target},
          {"symbol", kernel.group_rows->symbol},
          {"threads", kernel.group_rows->threads},
          {"parameters", kernel.group_rows->parameters.json()}};
}

nlohmann::ordered_json gpuKernelJson(const algrt::Kernel &kernel) {
  const algrt::GpuKernel &gpu = *kernel.gpu;
  auto box = [](const algrt::GpuBox &box) {
    return nlohmann::ordered_json{{"columns", box.columns}, {"rows", box.rows}, {"swizzle", box.swizzle}};
  };
  nlohmann::ordered_json entry;
  entry["name"] = kernel.name;
  entry["map"] = kernel.map;
  entry["target"] = kernel.target;
  entry["output"] = algrt::name(gpu.output);
  entry["symbol"] = gpu.symbol;
  entry["threads"] = gpu.threads;
  entry["cluster"] = gpu.cluster;
  entry["shared_bytes"] = gpu.shared_bytes;
  entry["dependent_launch"] = gpu.dependent_launch;
  if (gpu.copies == algrt::GpuCopies::Threads) {
    entry["copies"] = algrt::name(gpu.copies);
    entry["vector"] = gpu.vector;
    if (gpu.isReduction())
      entry["slices"] = gpu.slices;
    else
      entry["warps"] = {gpu.warp_rows, gpu.warp_columns};
  }
  if (gpu.best_for_rows.to > 0)
    entry["best_for_rows"] = {gpu.best_for_rows.from, gpu.best_for_rows.to};
  if (gpu.registers > 0)
    entry["registers"] = gpu.registers;
  entry["terms"] = gpu.terms;
  if (gpu.scaled)
    entry["scaled"] = true;
  if (gpu.listed)
    entry["rows"] = "listed";
  if (gpu.joins_runs)
    entry["rows"] = "joined_runs";
  if (gpu.groups > 0)
    entry["groups"] = gpu.groups;
  if (!gpu.schedule.empty())
    entry["schedule"] = gpu.schedule;
  entry["tile"] = {{"rows", gpu.tile.rows},
                   {"columns", gpu.tile.columns},
                   {"depth", gpu.tile.depth},
                   {"stages", gpu.tile.stages},
                   {"consumers", gpu.tile.consumers}};
  if (gpu.cluster > 1) {
    entry["tile"]["cluster_rows"] = gpu.tile.cluster_rows;
    entry["tile"]["cluster_columns"] = gpu.tile.cluster_columns;
    if (gpu.tile.split_k > 1)
      entry["tile"]["split"] = gpu.tile.split_k;
  }
  if (gpu.tile.types > 1)
    entry["tile"]["types"] = gpu.tile.types;
  if (gpu.tile.longest_first > 0)
    entry["tile"]["long_groups"] = gpu.tile.longest_first;
  if (gpu.tile.stationary_groups > 0)
    entry["tile"]["held_groups"] = gpu.tile.stationary_groups;
  entry["boxes"] = {{"x", box(gpu.x)}, {"w", box(gpu.w)}, {"y", box(gpu.y)}};
  if (gpu.next_w.columns > 0)
    entry["boxes"]["next_w"] = box(gpu.next_w);
  entry["parameters"] = gpu.parameters.json();
  return entry;
}

} // namespace compiler
