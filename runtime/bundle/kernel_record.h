// The records that code carries (runtime/kernel_record.h): what they have to be for what a manifest says.
#pragma once

#include "runtime/bundle/code_symbols.h"
#include "runtime/bundle/manifest.h"
#include "runtime/bundle/support.h"

#include <cstdint>
#include <string>
#include <vector>

namespace algrt {

// Of a layer what all records of a bundle have: hashes that are taken once.
struct RecordedLayer {
  RecordedLayer(const Layer &layer, const Support &support);
  // Of another layer with the same terms.
  RecordedLayer(const Layer &layer, uint64_t support);

  const Layer &layer;
  uint64_t groups, support;
};

struct KernelRecord {
  std::string symbol; // that it lies beside
  std::vector<uint64_t> words;
};

// Of each the length and the bytes: as records have the names of a CPU's features.
uint64_t hashOfTexts(const std::vector<std::string> &texts);

// Of a kernel that this runtime knows: that of its symbol, and of a CPU kernel with packed weights that of
// the kernel which packs them, of each layer, whose record is of that layer alone. Empty for others.
std::vector<KernelRecord> recordsOf(const Kernel &kernel, const RecordedLayer &layer);
// That of a kernel of the map group_rows, which is for any layer.
KernelRecord groupRowsRecordOf(const Kernel &kernel);

// Why code with these symbols, out of the section of that name, is not what the manifest's entry says; empty
// where it is. The first difference: "scratch_bytes is 4 in the manifest, 64 in its code".
std::string findDifference(const std::vector<KernelRecord> &expected, const CodeSymbols &code,
                           const std::string &section);

} // namespace algrt
