#include "compiler/simulator/model/machine.h"

#include "compiler/simulator/model/multiprocessor.h"

#include <fmt/format.h>

#include <chrono>
#include <numeric>
#include <random>
#include <stdexcept>

namespace simulator {

namespace {
void check(const Launch &launch) {
  auto refuse = [](bool bad, std::string why) {
    if (bad)
      throw std::invalid_argument(why);
  };
  refuse(!launch.kernel, "the launch has no kernel");
  refuse(launch.threads < 32 || launch.threads > 1024 || launch.threads % 32 != 0,
         fmt::format("{} threads in a block: a multiple of 32 up to 1024 is needed", launch.threads));
  refuse(launch.cluster < 1 || launch.cluster > 16,
         fmt::format("a cluster of {} blocks: 1 to 16", launch.cluster));
  refuse(launch.grid < 1 || launch.grid % launch.cluster != 0 || launch.grid > 0x7fffffff,
         fmt::format("a grid of {} blocks does not consist of clusters of {}", launch.grid, launch.cluster));
  refuse(launch.shared_bytes < 0 || launch.shared_bytes > 227 * 1024,
         fmt::format("{} bytes of shared memory: a block has at most {}", launch.shared_bytes, 227 * 1024));
  refuse(launch.registers < 0 || launch.registers > 255 || launch.registers * launch.threads > 64 * 1024,
         fmt::format("{} threads with {} registers each do not fit in a register file of 65536",
                     launch.threads, launch.registers));
}
} // namespace

Report run(const Launch &launch, GlobalMemory &memory) {
  check(launch);
  Report report;
  const auto begin = std::chrono::steady_clock::now();
  {
    Multiprocessor model(launch, memory, report);
    std::vector<int64_t> order(size_t(launch.grid / launch.cluster));
    std::iota(order.begin(), order.end(), 0);
    // By hand: std::shuffle may differ from library to library, and a seed should mean one schedule.
    std::mt19937_64 random(launch.seed);
    for (size_t left = order.size(); left > 1; --left)
      std::swap(order[left - 1], order[random() % left]);
    for (int64_t cluster : order) {
      model.runCluster(cluster);
      if (int32_t(report.faults.size()) >= launch.most_faults)
        break;
    }
  }
  report.statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

} // namespace simulator
