#include "tests/runtime/records.h"

#include "runtime/bundle/bundle.h"
#include "runtime/bundle/elementwise_record.h"
#include "runtime/bundle/kernel_record.h"
#include "runtime/kernel_record.h"
#include "runtime/support/elf.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <stdexcept>

namespace algrt::test {

namespace {

void overwrite(std::string &code, const KernelRecord &record) {
  const std::string name = record.symbol + ALGRT_RECORD_SUFFIX;
  const size_t bytes = record.words.size() * sizeof(uint64_t);
  bool found = false;
  Elf::read(code).value().forEachSymbol([&](std::string_view symbol, std::string_view contents) {
    if (symbol != name || contents.size() != bytes)
      return;
    std::memcpy(code.data() + (contents.data() - code.data()), record.words.data(), bytes);
    found = true;
  });
  if (!found)
    throw std::logic_error("no room for " + name);
}

std::string ptxOf(const KernelRecord &record) {
  std::string text = ".visible .const .align 8 .b8 " + record.symbol + ALGRT_RECORD_SUFFIX "[" +
                     std::to_string(record.words.size() * sizeof(uint64_t)) + "] = {";
  const auto *bytes = reinterpret_cast<const uint8_t *>(record.words.data());
  for (size_t i = 0; i < record.words.size() * sizeof(uint64_t); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(bytes[i]);
  return text + "};\n";
}

} // namespace

std::vector<SectionContent> withRecords(const nlohmann::ordered_json &manifest,
                                        std::vector<SectionContent> sections) {
  const Bundle bundle = Bundle::parse(encodeBundle(manifest, sections));
  std::set<std::pair<std::string, std::string>> written;
  const auto write = [&](const std::string &section, const KernelRecord &record) {
    SectionContent &content =
        *std::ranges::find(sections, section, [](const SectionContent &one) { return one.name; });
    if (content.kind == "shared-object")
      overwrite(content.bytes, record);
    else if (!Elf::read(content.bytes) && written.insert({section, record.symbol}).second)
      content.bytes += ptxOf(record);
  };
  for (const Elementwise &function : bundle.manifest().elementwise)
    for (const ElementwiseKernel &kernel : function.kernels)
      if (kernel.gpu)
        for (const GpuImage &image : kernel.gpu->images)
          write(image.section, recordOf(function, kernel));
  for (size_t number = 0; number < bundle.projectionCount(); ++number) {
    const Bundle &projection = bundle.projection(number);
    const RecordedLayer layer(projection.layer(), projection.support());
    for (const Kernel &kernel : projection.manifest().kernels)
      for (const KernelRecord &record : recordsOf(kernel, layer)) {
        if (kernel.known)
          write(kernel.section, record);
        else
          for (const GpuImage &image : kernel.gpuCode()->images)
            write(image.section, record);
      }
  }
  return sections;
}

} // namespace algrt::test
