#include "runtime/cuda/module.h"

#include "runtime/cuda/terms_table.h"

#include <algorithm>
#include <array>

namespace algrt::cuda {

namespace {

// A stream of our own: the default one would wait for, and hold up, the work of others.
class PrivateStream {
public:
  explicit PrivateStream(const Driver &driver) : driver_(driver) {
    driver_.check(driver_.streamCreate(&stream_, stream_non_blocking), "creating a stream");
  }
  ~PrivateStream() { (void)driver_.streamDestroy(stream_); }
  PrivateStream(const PrivateStream &) = delete;
  PrivateStream &operator=(const PrivateStream &) = delete;

  Stream get() const { return stream_; }

private:
  const Driver &driver_;
  Stream stream_ = nullptr;
};

} // namespace

DeviceBytes::DeviceBytes(const PrimaryContext &context, const void *bytes, size_t size) : context_(context) {
  const Driver &driver = context_.driver();
  const PrivateStream stream(driver);
  driver.check(driver.memAlloc(&address_, size), "allocating the terms table on the device");
  try {
    driver.check(driver.memcpyHtoDAsync(address_, bytes, size, stream.get()), "copying the terms table");
    driver.check(driver.streamSynchronize(stream.get()), "copying the terms table");
  } catch (const Error &) {
    (void)driver.memFree(address_);
    throw;
  }
}

DeviceBytes::~DeviceBytes() { (void)context_.driver().memFree(address_); }

DeviceModules::DeviceModules(const Bundle &bundle, std::shared_ptr<const Driver> driver,
                             const DeviceProperties &properties)
    : bundle_(bundle), properties_(properties), context_(std::move(driver), properties.handle),
      choice_(bundle.manifest().kernels, bundle.layer(), properties),
      images_(bundle_, context_, properties_) {}

DeviceModules::~DeviceModules() {
  if (images_.empty() && terms_.empty())
    return;
  const Driver &driver = context_.driver();
  // Where the context cannot be made current the driver has gone, and what it held with it.
  const bool pushed = driver.ctxPushCurrent(context_.get()) == Result::Success;
  CaptureMode mode = CaptureMode::Relaxed; // another thread's capture is not to end with us
  (void)driver.threadExchangeStreamCaptureMode(&mode);
  ready_.clear();
  terms_.clear();
  images_.clear();
  (void)driver.threadExchangeStreamCaptureMode(&mode);
  Context popped;
  if (pushed)
    (void)driver.ctxPopCurrent(&popped);
}

std::optional<ReadyKernel> DeviceModules::find(size_t kernel) const {
  const std::lock_guard lock(mutex_);
  const auto found = ready_.find(kernel);
  return found == ready_.end() ? std::nullopt : std::optional(found->second);
}

ReadyKernel DeviceModules::prepare(size_t kernel) {
  const std::lock_guard lock(mutex_);
  if (const auto found = ready_.find(kernel); found != ready_.end())
    return found->second;
  const RelaxedCapture relaxed(context_.driver());
  const ReadyKernel ready = load(kernel);
  ready_.emplace(kernel, ready);
  return ready;
}

ReadyKernel DeviceModules::load(size_t index) {
  bundle_.requireFaultless(index);
  const Driver &driver = context_.driver();
  if (const std::optional<GpuCode> &lists = bundle_.manifest().kernels[index].group_rows)
    return {images_.module(*lists).function(lists->symbol), 0, properties_.multiprocessors};
  const GpuKernel &kernel = *bundle_.manifest().kernels[index].gpu;
  ReadyKernel ready{images_.module(kernel).function(kernel.symbol), 0, properties_.multiprocessors};
  driver.check(driver.funcSetAttribute(ready.function, FunctionAttribute::MaxDynamicSharedSizeBytes,
                                       int(kernel.shared_bytes)),
               "reserving the kernel's shared memory");
  // Whose threads copy hides the latency of one block's copies behind other blocks. Where the copy engine
  // does, a block takes what a multiprocessor has.
  if (kernel.copies == GpuCopies::Threads) {
    int together = 0;
    driver.check(driver.occupancyMaxActiveBlocks(&together, ready.function, int(kernel.threads),
                                                 size_t(kernel.shared_bytes)),
                 "asking how many blocks share a multiprocessor");
    ready.blocks *= std::max(together, 1);
  } else if (kernel.cluster > 1) {
    // Blocks of a cluster run on neighbouring multiprocessors: some of them may be left over. A grid that did
    // not fit would leave its last clusters until the others have done all of their tiles.
    LaunchAttribute attribute = clusterAttribute(uint32_t(kernel.cluster));
    const LaunchConfig config{uint32_t(kernel.cluster),
                              1,
                              1,
                              uint32_t(kernel.threads),
                              1,
                              1,
                              uint32_t(kernel.shared_bytes),
                              nullptr,
                              &attribute,
                              1};
    int clusters = 0;
    driver.check(driver.occupancyMaxActiveClusters(&clusters, ready.function, &config),
                 "asking how many clusters of blocks the device runs");
    ready.blocks = std::max(clusters, 1) * kernel.cluster;
  }
  if (kernel.terms) {
    const bool unequal = kernelShape(bundle_.layer(), kernel).unequal;
    std::unique_ptr<DeviceBytes> &terms =
        terms_[{kernel.map, kernel.groups, kernel.scaled, kernel.tile.longest_first > 0,
                unequal ? kernel.tile.depth : 0}];
    if (!terms) {
      const std::vector<int32_t> table = termsTable(bundle_.layer(), kernel, bundle_.support());
      terms = std::make_unique<DeviceBytes>(context_, table.data(), table.size() * sizeof(int32_t));
    }
    ready.terms = terms->address();
  }
  return ready;
}

} // namespace algrt::cuda
