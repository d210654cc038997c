// Bundles from hostile hands: whatever the bytes, the loader answers with a bundle or with an Error, and a
// bundle that it accepts can be walked through without a fault. No kernel is run.
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/format.h"
#include "runtime/support/error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace {

using algrt::Bundle;

void walkTerms(const algrt::Layer &layer, const algrt::Support &support) {
  algrt::TermStorage storage;
  constexpr int64_t most_types = 64; // a bundle may declare millions
  for (int64_t type = 0; type < std::min(layer.types, most_types); ++type)
    for (size_t group = 0; group < layer.out_groups.size(); ++group)
      for (const algrt::Term &term : support.terms(type, int64_t(group), storage))
        if (layer.in_groups.at(size_t(term.input_group)) != layer.weight_rows.at(size_t(term.weight_row)))
          std::abort();
}

// What the step's function takes, which has to be there.
std::vector<algrt::ProgramOperand> functionOf(const Bundle &bundle, const algrt::ProgramStep &step) {
  if (step.elementwise)
    return algrt::operandsOf(bundle.manifest().elementwise.at(*step.elementwise));
  if (step.projection >= bundle.projectionCount())
    std::abort();
  return algrt::operandsOf(bundle.projection(step.projection).layer(), step.map, {algrt::OperandType::F32});
}

// Touches everything that an accepted bundle promises.
void walk(const Bundle &bundle) {
  size_t bytes = 0;
  for (const algrt::SectionEntry &section : bundle.manifest().sections)
    for (char byte : bundle.section(section))
      bytes += static_cast<unsigned char>(byte);
  if (bundle.hasProjection())
    walkTerms(bundle.layer(), bundle.support());
  for (const algrt::Kernel &kernel : bundle.manifest().kernels)
    if (kernel.known && bundle.manifest().findSection(kernel.section) == nullptr)
      std::abort();
  for (const algrt::Kernel &kernel : bundle.manifest().kernels)
    if (const algrt::GpuCode *code = kernel.gpuCode();
        code != nullptr &&
        (code->parameters.empty() || code->parameters.bytes() > algrt::most_parameter_bytes))
      std::abort();
  for (const algrt::Program &program : bundle.manifest().programs)
    for (const algrt::ProgramStep &step : program.steps) {
      if (step.operands.size() > functionOf(bundle, step).size())
        std::abort();
      for (const auto &[name, own] : step.operands)
        if (program.findOperand(own) == nullptr && program.findBuffer(own) == nullptr)
          std::abort();
    }
  for (const Bundle &further : bundle.further())
    walk(further);
  if (bytes == SIZE_MAX)
    std::abort();
}

void tryToParse(const std::string &bytes, Bundle::HashCheck check) {
  try {
    walk(Bundle::parse(bytes, check));
  } catch (const algrt::Error &) {
    // refused with a reason: that is the other right answer
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  tryToParse(bytes, Bundle::HashCheck::Verify);
  tryToParse(bytes, Bundle::HashCheck::Skip);
  if (size < algrt::format::header_size)
    return 0;
  // With a header that is in order, so that mutations of the manifest and the sections are reached.
  const uint32_t version = algrt::format::version;
  const uint64_t file_size = size;
  std::memcpy(bytes.data(), algrt::format::magic.data(), algrt::format::magic.size());
  std::memcpy(bytes.data() + algrt::format::version_offset, &version, sizeof(version));
  std::memset(bytes.data() + algrt::format::reserved_offset, 0, 4);
  std::memcpy(bytes.data() + algrt::format::file_size_offset, &file_size, sizeof(file_size));
  tryToParse(bytes, Bundle::HashCheck::Skip);
  return 0;
}
