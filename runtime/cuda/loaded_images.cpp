#include "runtime/cuda/loaded_images.h"

#include <array>

namespace algrt::cuda {

LoadedModule::LoadedModule(const PrimaryContext &context, std::string_view image, ImageKind kind,
                           const std::string &name)
    : context_(context), name_(name) {
  const Driver &driver = context_.driver();
  // PTX is a string to the driver.
  const std::string terminated(image);
  std::array<char, 4096> log{};
  JitOption options[] = {JitOption::ErrorLogBuffer, JitOption::ErrorLogBufferSizeBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  const Result result =
      driver.moduleLoadDataEx(&module_, terminated.c_str(), kind == ImageKind::Ptx ? 2 : 0, options, values);
  if (result != Result::Success)
    driver.fail(result, std::string("loading the ") + algrt::name(kind) + " section '" + name_ + "'" +
                            (log[0] == '\0' ? "" : std::string(": ") + log.data()));
}

LoadedModule::~LoadedModule() { (void)context_.driver().moduleUnload(module_); }

Function LoadedModule::function(const std::string &symbol) const {
  Function function = nullptr;
  const Result result = context_.driver().moduleGetFunction(&function, module_, symbol.c_str());
  if (result != Result::Success)
    context_.driver().fail(result, "finding kernel '" + symbol + "' in section '" + name_ + "'");
  return function;
}

LoadedImages::~LoadedImages() {
  if (modules_.empty())
    return;
  const Driver &driver = context_.driver();
  // Where the context cannot be made current the driver has gone, and what it held with it.
  const bool pushed = driver.ctxPushCurrent(context_.get()) == Result::Success;
  CaptureMode mode = CaptureMode::Relaxed; // another thread's capture is not to end with us
  (void)driver.threadExchangeStreamCaptureMode(&mode);
  modules_.clear();
  (void)driver.threadExchangeStreamCaptureMode(&mode);
  Context popped;
  if (pushed)
    (void)driver.ctxPopCurrent(&popped);
}

// Machine code that suits the device may still be newer than the driver: then the driver's own compiler is
// asked, with the PTX.
const LoadedModule &LoadedImages::module(const GpuCode &kernel) {
  std::string rejections;
  const std::vector<GpuImage> images = loadableImages(kernel, properties_);
  for (const GpuImage &image : images) {
    if (const auto found = modules_.find(image.section); found != modules_.end())
      return *found->second;
    try {
      auto loaded = std::make_unique<LoadedModule>(
          context_, bundle_.section(*bundle_.manifest().findSection(image.section)), image.kind,
          image.section);
      return *modules_.emplace(image.section, std::move(loaded)).first->second;
    } catch (const Error &error) {
      rejections += (rejections.empty() ? "" : "; ") + std::string(error.what());
      const bool rejected = error.status() == ALGRT_WRONG_ARCHITECTURE || error.status() == ALGRT_BAD_BUNDLE;
      if (!rejected || &image == &images.back())
        throw Error(error.status(), rejections);
    }
  }
  throw Error(ALGRT_INTERNAL, "kernel '" + kernel.symbol +
                                  "' was chosen for a device that can load none of "
                                  "its images");
}

} // namespace algrt::cuda
