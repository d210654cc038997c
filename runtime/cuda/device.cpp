#include "runtime/cuda/device.h"

namespace algrt::cuda {

namespace {

std::string capabilityText(int32_t capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

int deviceCount(const Driver &driver) {
  int count = 0;
  driver.check(driver.deviceGetCount(&count), "counting CUDA devices");
  return count;
}

} // namespace

DeviceProperties readDevice(const Driver &driver, int32_t ordinal) {
  const int count = deviceCount(driver);
  if (ordinal < 0 || ordinal >= count)
    throw Error(ALGRT_NO_DEVICE, count == 0 ? "this machine has no CUDA device"
                                            : "there is no CUDA device " + std::to_string(ordinal) +
                                                  ", this machine has " + std::to_string(count) +
                                                  ", numbered from 0");
  DeviceProperties device{};
  device.ordinal = ordinal;
  driver.check(driver.deviceGet(&device.handle, ordinal), "opening a CUDA device");
  const auto attribute = [&](DeviceAttribute which) {
    int value = 0;
    driver.check(driver.deviceGetAttribute(&value, which, device.handle),
                 "reading a CUDA device's attributes");
    return value;
  };
  device.capability = 10 * attribute(DeviceAttribute::ComputeCapabilityMajor) +
                      attribute(DeviceAttribute::ComputeCapabilityMinor);
  device.multiprocessors = attribute(DeviceAttribute::MultiprocessorCount);
  device.shared_bytes = attribute(DeviceAttribute::MaxSharedMemoryPerBlockOptin);
  device.clusters = attribute(DeviceAttribute::ClusterLaunch) != 0;
  return device;
}

std::vector<DeviceProperties> readDevices(const Driver &driver) {
  std::vector<DeviceProperties> devices;
  for (int ordinal = 0, count = deviceCount(driver); ordinal < count; ++ordinal)
    devices.push_back(readDevice(driver, ordinal));
  return devices;
}

std::vector<GpuImage> loadableImages(const GpuCode &kernel, const DeviceProperties &device) {
  const bool same = device.capability == kernel.architecture;
  // Machine code runs on later devices of the same major capability, unless it is for one alone; PTX on all
  // later ones.
  const bool binary = same || (!kernel.exact_architecture && device.capability > kernel.architecture &&
                               device.capability / 10 == kernel.architecture / 10);
  const bool text = same || (!kernel.exact_architecture && device.capability > kernel.architecture);
  std::vector<GpuImage> images;
  for (ImageKind kind : {ImageKind::Cubin, ImageKind::Ptx})
    for (const GpuImage &image : kernel.images)
      if (image.kind == kind && (kind == ImageKind::Cubin ? binary : text))
        images.push_back(image);
  return images;
}

std::string reasonNotToRun(const GpuCode &kernel, const DeviceProperties &device) {
  const std::string which = "device " + std::to_string(device.ordinal);
  const std::string has = ", " + which + " has ";
  const bool capable = kernel.exact_architecture ? device.capability == kernel.architecture
                                                 : device.capability >= kernel.architecture;
  if (!capable)
    return "needs compute capability " + capabilityText(kernel.architecture) +
           (kernel.exact_architecture ? "" : " or above") + has + capabilityText(device.capability);
  if (loadableImages(kernel, device).empty())
    return "has machine code for compute capability " + capabilityText(kernel.architecture) + " and no PTX" +
           has + capabilityText(device.capability);
  if (kernel.shared_bytes > device.shared_bytes)
    return "needs " + std::to_string(kernel.shared_bytes) + " bytes of shared memory in a block" + has +
           std::to_string(device.shared_bytes);
  if (kernel.cluster > 1 && !device.clusters)
    return "launches clusters of blocks, which " + which + " cannot";
  return "";
}

} // namespace algrt::cuda
