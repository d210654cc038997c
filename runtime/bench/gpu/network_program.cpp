#include "runtime/bench/gpu/network_program.h"

#include <algorithm>

namespace algrt {

GpuNetworkProgram::GpuNetworkProgram(const GpuDevice &device, const std::string &path,
                                     const std::string &program, const GpuNetworkOperands &operands,
                                     bool each)
    : bundle_(Bundle::open(path)), program_(program), operands_(operands), each_(each) {
  std::string why_not = "is not there";
  const Program *found = bundle_.manifest().findProgram(program);
  const std::optional<Network> network = found ? networkOf(bundle_, *found, why_not) : std::nullopt;
  const Network &wanted = operands.network();
  if (!network)
    throw Error(ALGRT_INVALID_ARGUMENT, path + ": program " + program + " " + why_not);
  if (network->k() != wanted.k() || network->hidden() != wanted.hidden() || network->out() != wanted.out() ||
      network->gate != wanted.gate)
    throw Error(ALGRT_INVALID_ARGUMENT, path + ": program " + program + " is a network of other widths");
  handle_ = openBundle(path);
  requireDone(algrt_bundle_prepare(handle_.get(), device.ordinal()));

  size_t bytes = 0;
  requireDone(algrt_program_experts_workspace_size(handle_.get(), program.c_str(), operands.m(),
                                                   each ? 0 : operands.networks(), 0, &bytes));
  if (bytes > 0)
    workspace_ = std::make_unique<GpuMemory>(device, bytes, "what steps hand on to each other");
  if (!each)
    tensors_.push_back(operands.tensors());
  for (int64_t expert = 0; each && expert < operands.networks(); ++expert)
    tensors_.push_back(operands.tensorsOf(expert));
}

std::vector<GpuNetworkProgram::Choice> GpuNetworkProgram::kernels() const {
  if (description().steps.size() != 1 || description().steps.front().elementwise)
    return {};
  const size_t projection = description().steps.front().projection;
  int32_t before = 0;
  for (size_t i = 0; i < projection; ++i)
    before += int32_t(bundle_.projection(i).manifest().kernels.size());
  std::vector<Choice> choices;
  for (const Kernel &kernel : bundle_.projection(projection).manifest().kernels) {
    ++before;
    if (kernel.gpu && kernel.gpu->map == Map::Forward)
      choices.push_back({before, &kernel});
  }
  return choices;
}

GpuCall GpuNetworkProgram::call(int32_t kernel) {
  return [this, kernel](void *stream) {
    algrt_run_options options = algrt_run_options_init();
    options.stream = stream;
    options.kernel = kernel;
    options.workspace = workspace_ ? workspace_->pointer() : nullptr;
    options.workspace_bytes = workspace_ ? workspace_->bytes() : 0;
    options.expert_starts = each_ ? nullptr : operands_.expertStarts();
    for (size_t i = 0; i < tensors_.size(); ++i) {
      options.p0 = operands_.first(int64_t(i));
      if (operands_.rowsOf(int64_t(i)) > 0 || !each_)
        requireDone(algrt_run(handle_.get(), program_.c_str(), tensors_[i].data(),
                              int64_t(tensors_[i].size()), &options));
    }
  };
}

} // namespace algrt
