#include "runtime/bench/gpu/measure_cases.h"

#include "runtime/bench/workload.h"
#include "runtime/bundle/gpu_targets.h"
#include "runtime/cuda/device.h"

#include <algorithm>
#include <map>
#include <set>

namespace algrt {

bool measuresOnGpu(const std::string &target, const std::vector<TableMatch> &cases, int device,
                   std::string &why_not) {
  if (!target.empty() && target != "cpu" && !isGpuTarget(target))
    throw Error(ALGRT_INVALID_ARGUMENT, "target is '" + target +
                                            "'; kernels are measured for cpu, or for a GPU such as " +
                                            std::string(gpu_targets.back().name));
  if (!target.empty())
    return target != "cpu";
  std::vector<GpuKernel> kernels;
  std::map<std::string, std::set<Map>> maps_of; // bundles
  std::set<std::string> networks;
  for (const TableMatch &match : cases)
    if (match.row.map == network_map) {
      if (!match.bundle_path.empty())
        networks.insert(match.bundle_path);
    } else if (!match.bundle_path.empty()) {
      const std::vector<Map> &maps = requireWorkload(match.row.map).maps;
      maps_of[match.bundle_path].insert(maps.begin(), maps.end());
    }
  for (const auto &[path, maps] : maps_of) {
    const Bundle bundle = Bundle::open(path);
    for (const Kernel &kernel : bundle.manifest().kernels)
      if (kernel.gpu && maps.contains(kernel.gpu->map))
        kernels.push_back(*kernel.gpu);
  }
  for (const std::string &path : networks) {
    const Bundle bundle = Bundle::open(path);
    for (size_t i = 0; i < bundle.projectionCount(); ++i)
      for (const Kernel &kernel : bundle.projection(i).manifest().kernels)
        if (kernel.gpu)
          kernels.push_back(*kernel.gpu);
  }
  if (kernels.empty())
    return false;
  try {
    const cuda::DeviceProperties properties = readDevice(*cuda::Driver::open(), device);
    for (const GpuKernel &kernel : kernels)
      if ((why_not = reasonNotToRun(kernel, properties)).empty())
        return true;
  } catch (const Error &error) {
    if (error.status() != ALGRT_NO_DRIVER && error.status() != ALGRT_NO_DEVICE)
      throw;
    why_not = error.what();
  }
  return false;
}

GpuReport measureOnGpu(const GpuBenchOptions &given, const std::vector<TableMatch> &cases,
                       const std::string &command, const std::function<void(const GpuReport &)> &after_each) {
  GpuReport report;
  report.command = command;
  size_t done = 0;
  GpuBenchOptions options = given;
  if (given.progress)
    options.progress = [&](double fraction, const std::string &what) {
      given.progress((double(done) + fraction) / double(std::max<size_t>(1, cases.size())), what);
    };
  MeasuredDevice device(options);
  GpuBench bench(device);
  GpuNetworkBench networks(device);
  report.machine = device.lookedAt();
  for (const TableMatch &match : cases) {
    try {
      if (match.bundle_path.empty()) {
        report.skipped.push_back(match);
      } else if (match.row.map == network_map) {
        report.networks.push_back({networks.measure(NetworkBundles::beside(match.bundle_path), match.row.m,
                                                    match.row.experts, given.activation),
                                   match.row});
        report.networks.back().result.name = match.row.name;
      } else {
        report.cases.push_back({bench.measure(match.bundle_path, match.row.m, match.row.map), match.row});
        report.cases.back().result.name = match.row.name;
      }
    } catch (const Error &error) {
      switch (error.status()) {
      case ALGRT_OUT_OF_MEMORY:
      case ALGRT_UNSUPPORTED:
      case ALGRT_WRONG_ARCHITECTURE:
        report.skipped.push_back({match.row, "", error.what()});
        break;
      case ALGRT_DEVICE_ERROR:
        report.aborted = match.row.name + ", " + std::to_string(match.row.m) + " rows: " + error.what();
        break;
      default:
        throw;
      }
    }
    ++done;
    report.machine = device.lookedAt();
    if (!report.aborted.empty())
      break;
    if (after_each)
      after_each(report);
  }
  return report;
}

} // namespace algrt
