#include "runtime/bench/gpu/device.h"

#include <cstdio>

namespace algrt {

GpuDevice::GpuDevice(int ordinal) : driver_(cuda::Driver::open()), ordinal_(ordinal) {
  int count = 0;
  driver_->check(driver_->deviceGetCount(&count), "cuDeviceGetCount");
  if (ordinal < 0 || ordinal >= count)
    throw Error(ALGRT_NO_DEVICE, "there is no CUDA device " + std::to_string(ordinal) + ": " +
                                     (count == 0 ? "the driver finds none"
                                                 : "they are numbered 0 to " + std::to_string(count - 1)));
  driver_->check(driver_->deviceGet(&device_, ordinal), "cuDeviceGet");
  cuda::Context context = nullptr;
  driver_->check(driver_->devicePrimaryCtxRetain(&context, device_), "cuDevicePrimaryCtxRetain");
  if (const cuda::Result pushed = driver_->ctxPushCurrent(context); pushed != cuda::Result::success) {
    driver_->devicePrimaryCtxRelease(device_);
    driver_->fail(pushed, "cuCtxPushCurrent");
  }
}

GpuDevice::~GpuDevice() {
  cuda::Context popped = nullptr;
  driver_->ctxPopCurrent(&popped);
  driver_->devicePrimaryCtxRelease(device_);
}

std::string GpuDevice::name() const {
  char name[256] = {};
  driver_->check(driver_->deviceGetName(name, int(sizeof(name)), device_), "cuDeviceGetName");
  return name;
}

std::string GpuDevice::pciBusId() const {
  char id[64] = {};
  driver_->check(driver_->deviceGetPciBusId(id, int(sizeof(id)), device_), "cuDeviceGetPCIBusId");
  return id;
}

std::string GpuDevice::driverVersion() const {
  int version = 0;
  driver_->check(driver_->driverGetVersion(&version), "cuDriverGetVersion");
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

int GpuDevice::attribute(cuda::DeviceAttribute attribute) const {
  int value = 0;
  driver_->check(driver_->deviceGetAttribute(&value, attribute, device_), "cuDeviceGetAttribute");
  return value;
}

int GpuDevice::architecture() const {
  return 10 * attribute(cuda::DeviceAttribute::compute_capability_major) +
         attribute(cuda::DeviceAttribute::compute_capability_minor);
}

size_t GpuDevice::freeBytes() const {
  size_t free = 0, total = 0;
  driver_->check(driver_->memGetInfo(&free, &total), "cuMemGetInfo");
  return free;
}

void GpuDevice::synchronize() const { driver_->check(driver_->ctxSynchronize(), "waiting for the device"); }

GpuMemory::GpuMemory(const GpuDevice &device, size_t bytes, const char *what)
    : driver_(device.driver()), bytes_(bytes) {
  const cuda::Result result = driver_.memAlloc(&address_, bytes);
  if (result == cuda::Result::out_of_memory)
    throw Error(ALGRT_OUT_OF_MEMORY, std::string(what) + " needs " + std::to_string(bytes) +
                                         " bytes on the device, which has " +
                                         std::to_string(device.freeBytes()) + " left: measure fewer rows");
  driver_.check(result, "cuMemAlloc");
}

GpuMemory::~GpuMemory() { driver_.memFree(address_); }

void GpuMemory::upload(const void *from) {
  driver_.check(driver_.memcpyHtoD(address_, from, bytes_), "copying to the device");
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
  driver_.check(driver_.streamBeginCapture(stream.get(), cuda::CaptureMode::thread_local_),
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
  if (result != cuda::Result::success) {
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
