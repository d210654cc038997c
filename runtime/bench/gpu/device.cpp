#include "runtime/bench/gpu/device.h"

namespace algrt {

GpuDevice::GpuDevice(const std::shared_ptr<const cuda::Driver> &driver,
                     const cuda::DeviceProperties &properties)
    : properties_(properties), context_(driver, properties.handle), current_(context_) {}

GpuDevice::GpuDevice(int ordinal)
    : GpuDevice(cuda::Driver::open(), readDevice(*cuda::Driver::open(), ordinal)) {}

std::string GpuDevice::name() const {
  char name[256] = {};
  driver().check(driver().deviceGetName(name, int(sizeof(name)), properties_.handle), "cuDeviceGetName");
  return name;
}

int64_t GpuDevice::l2Bytes() const {
  int bytes = 0;
  driver().check(driver().deviceGetAttribute(&bytes, cuda::DeviceAttribute::L2CacheSize, properties_.handle),
                 "cuDeviceGetAttribute");
  return bytes;
}

size_t GpuDevice::freeBytes() const {
  size_t free = 0, total = 0;
  driver().check(driver().memGetInfo(&free, &total), "cuMemGetInfo");
  return free;
}

std::string gpuPciBusId(const cuda::Driver &driver, const cuda::DeviceProperties &device) {
  char id[64] = {};
  driver.check(driver.deviceGetPciBusId(id, int(sizeof(id)), device.handle), "cuDeviceGetPCIBusId");
  return id;
}

std::string cudaVersion(const cuda::Driver &driver) {
  int version = 0;
  driver.check(driver.driverGetVersion(&version), "cuDriverGetVersion");
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

GpuMemory::GpuMemory(const GpuDevice &device, size_t bytes, const char *what)
    : driver_(device.driver()), bytes_(bytes) {
  const cuda::Result result = driver_.memAlloc(&address_, bytes);
  if (result == cuda::Result::OutOfMemory)
    throw Error(ALGRT_OUT_OF_MEMORY, std::string(what) + " needs " + std::to_string(bytes) +
                                         " bytes on the device, which has " +
                                         std::to_string(device.freeBytes()) + " left: measure fewer rows");
  driver_.check(result, "cuMemAlloc");
}

GpuMemory::~GpuMemory() { driver_.memFree(address_); }

void GpuMemory::upload(const void *from) {
  driver_.check(driver_.memcpyHtoD(address_, from, bytes_), "copying to the device");
  // The copy returns when it has read the bytes; streams such as GpuStream do not wait for them to arrive.
  driver_.check(driver_.ctxSynchronize(), "copying to the device");
}

void GpuMemory::download(void *to, size_t bytes) const {
  driver_.check(driver_.memcpyDtoH(to, address_, bytes), "copying from the device");
}

void GpuMemory::fill(unsigned char byte) {
  driver_.check(driver_.memsetD8(address_, byte, bytes_), "filling device memory");
  driver_.check(driver_.ctxSynchronize(), "filling device memory");
}

GpuStream::GpuStream(const GpuDevice &device) : driver_(device.driver()) {
  driver_.check(driver_.streamCreate(&stream_, cuda::stream_non_blocking), "cuStreamCreate");
}

GpuStream::~GpuStream() { driver_.streamDestroy(stream_); }

void GpuStream::synchronize() const {
  driver_.check(driver_.streamSynchronize(stream_), "waiting for the device");
}

GpuGraph::GpuGraph(const GpuDevice &device, const GpuStream &stream, const GpuCall &call, int calls)
    : driver_(device.driver()), stream_(stream), calls_(calls) {
  // Of this thread alone: what other threads do meanwhile does not break the capture.
  driver_.check(driver_.streamBeginCapture(stream.get(), cuda::CaptureMode::ThreadLocal),
                "cuStreamBeginCapture");
  cuda::Graph graph = nullptr;
  try {
    for (int i = 0; i < calls; ++i)
      call(stream.get());
  } catch (const Error &) {
    driver_.streamEndCapture(stream.get(), &graph);
    if (graph != nullptr)
      driver_.graphDestroy(graph);
    throw;
  }
  driver_.check(driver_.streamEndCapture(stream.get(), &graph), "cuStreamEndCapture");
  const cuda::Result result = driver_.graphInstantiate(&exec_, graph, 0);
  driver_.graphDestroy(graph);
  driver_.check(result, "cuGraphInstantiate");
}

GpuGraph::~GpuGraph() { driver_.graphExecDestroy(exec_); }

void GpuGraph::launch() const { driver_.check(driver_.graphLaunch(exec_, stream_.get()), "cuGraphLaunch"); }

GpuTimer::GpuTimer(const GpuDevice &device, const GpuStream &stream)
    : driver_(device.driver()), stream_(stream) {
  driver_.check(driver_.eventCreate(&begin_, cuda::event_default), "cuEventCreate");
  const cuda::Result result = driver_.eventCreate(&end_, cuda::event_default);
  if (result != cuda::Result::Success) {
    driver_.eventDestroy(begin_);
    driver_.fail(result, "cuEventCreate");
  }
}

GpuTimer::~GpuTimer() {
  driver_.eventDestroy(begin_);
  driver_.eventDestroy(end_);
}

void GpuTimer::start() { driver_.check(driver_.eventRecord(begin_, stream_.get()), "cuEventRecord"); }

void GpuTimer::stop() { driver_.check(driver_.eventRecord(end_, stream_.get()), "cuEventRecord"); }

double GpuTimer::microseconds() {
  driver_.check(driver_.eventSynchronize(end_), "waiting for the device");
  float milliseconds = 0;
  driver_.check(driver_.eventElapsedTime(&milliseconds, begin_, end_), "cuEventElapsedTime");
  return 1e3 * double(milliseconds);
}

} // namespace algrt
