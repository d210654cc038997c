// What an image of code names: its symbols, and the records that lie beside kernels
// (runtime/kernel_record.h).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

namespace algrt {

struct CodeSymbols {
  std::set<std::string_view> kernels; // views of the image; of an ELF file all symbols
  // By the name of the symbol that they lie beside. Whatever has such a name, of whole words.
  std::map<std::string_view, std::vector<uint64_t>> records;
};

// Of a shared object or a cubin, which are ELF files, or else of PTX. Nothing of what is none of these.
CodeSymbols readSymbols(std::string_view image);

} // namespace algrt
