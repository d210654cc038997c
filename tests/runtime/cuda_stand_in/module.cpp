// Modules and their functions.
#include "tests/runtime/cuda_stand_in/capture.h"
#include "tests/runtime/cuda_stand_in/image.h"

#include <cstdio>

namespace algrt::cuda {

using namespace cuda_stand_in;

namespace {

bool runs(const Image &image, int capability) {
  if (capability == image.architecture)
    return true;
  if (image.ptx)
    return !image.exact && capability > image.architecture;
  // The ELF flags do not say whether machine code is for one capability alone: accepted as if it were not.
  return capability > image.architecture && capability / 10 == image.architecture / 10;
}

} // namespace

Result cuModuleLoadDataEx(Module *module, const void *bytes, unsigned int count, JitOption *options,
                          void **values) {
  return entry("cuModuleLoadDataEx", Entry::NeedsContext, [&](State &s) {
    const char *const me = "cuModuleLoadDataEx";
    if (const Result result = requireNoCapture(me, s); result != Result::Success)
      return result;
    if (bytes == nullptr || (count != 0 && (options == nullptr || values == nullptr)))
      return violation(me, Result::InvalidValue, "a null pointer");
    char *log = nullptr;
    size_t log_bytes = 0;
    for (unsigned int i = 0; i < count; ++i)
      if (options[i] == JitOption::ErrorLogBuffer)
        log = static_cast<char *>(values[i]);
      else if (options[i] == JitOption::ErrorLogBufferSizeBytes)
        log_bytes = reinterpret_cast<size_t>(values[i]);
      else
        return violation(me, Result::InvalidValue, "an option that is not known");
    const std::optional<Image> image = readImage(bytes);
    if (!image) {
      if (log != nullptr)
        std::snprintf(log, log_bytes, "the assembler's complaint");
      return Result::InvalidImage;
    }
    if (!runs(*image, s.devices[size_t(currentContext()->device)].capability))
      return Result::NoBinaryForGpu;
    auto object = std::make_unique<ModuleObject>();
    object->context = currentContext();
    object->image = std::make_shared<const std::string>(image->bytes);
    for (const ImageKernel &kernel : image->kernels)
      object->functions[kernel.symbol] = std::make_unique<FunctionObject>(
          FunctionObject{object.get(), kernel.symbol, kernel.parameters, kernel.most_threads});
    *module = object.get();
    s.modules[*module] = std::move(object);
    return Result::Success;
  });
}

Result cuModuleUnload(Module module) {
  return entry("cuModuleUnload", Entry::Releases, [&](State &s) {
    const auto found = s.modules.find(module);
    if (found == s.modules.end())
      return violation("cuModuleUnload", Result::InvalidHandle, "no such module");
    if (found->second->context != currentContext())
      return violation("cuModuleUnload", Result::InvalidContext, "another context is current");
    s.modules.erase(found);
    return Result::Success;
  });
}

Result cuModuleGetFunction(Function *function, Module module, const char *name) {
  return entry("cuModuleGetFunction", Entry::NeedsContext, [&](State &s) {
    if (!s.modules.contains(module))
      return violation("cuModuleGetFunction", Result::InvalidHandle, "no such module");
    const auto &functions = s.modules[module]->functions;
    const auto found = functions.find(name);
    if (found == functions.end())
      return Result::NotFound;
    *function = found->second.get();
    return Result::Success;
  });
}

Result cuFuncGetAttribute(int *value, FunctionAttribute attribute, Function function) {
  return entry("cuFuncGetAttribute", Entry::NeedsContext, [&](State &s) {
    const FunctionObject *object = s.find(function);
    if (object == nullptr)
      return violation("cuFuncGetAttribute", Result::InvalidHandle, "no such function");
    *value = attribute == FunctionAttribute::MaxDynamicSharedSizeBytes ? object->dynamic_shared
             : attribute == FunctionAttribute::MaxThreadsPerBlock      ? int(object->most_threads)
             : attribute == FunctionAttribute::NumRegs                 ? 168
                                                                       : 0;
    return Result::Success;
  });
}

Result cuFuncSetAttribute(Function function, FunctionAttribute attribute, int value) {
  return entry("cuFuncSetAttribute", Entry::NeedsContext, [&](State &s) {
    FunctionObject *object = s.find(function);
    if (object == nullptr)
      return violation("cuFuncSetAttribute", Result::InvalidHandle, "no such function");
    if (attribute != FunctionAttribute::MaxDynamicSharedSizeBytes)
      return violation("cuFuncSetAttribute", Result::InvalidValue, "an attribute that cannot be set");
    if (value < 0 || value > s.devices[size_t(object->module->context->device)].shared_bytes)
      return violation("cuFuncSetAttribute", Result::InvalidValue,
                       "more shared memory than a block can have");
    object->dynamic_shared = value;
    return Result::Success;
  });
}

} // namespace algrt::cuda
