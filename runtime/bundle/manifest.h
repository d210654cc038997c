// The manifest of a bundle (docs/bundle.md), parsed and checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace algrt {

enum class Lift { rows, slots };
enum class ElementType { f32, bf16 };
enum class RowTypesKind { cyclic, interval, explicit_types };
enum class SupportKind { complete, table };
enum class WeightsForm { packed, copied, direct };

int64_t elementBytes(ElementType type);
const char *name(Lift lift);
const char *name(ElementType type);
const char *name(RowTypesKind kind);
const char *name(WeightsForm form);

struct Layer {
  Lift lift;
  ElementType dtype;
  int64_t k, n;
  int64_t types;
  RowTypesKind row_types;
  int64_t row_type_width; // 1 for cyclic, 0 for explicit
  std::vector<int64_t> in_groups;
  std::vector<int64_t> out_groups;
  std::vector<int64_t> bank_rows;

  // The bank as a matrix: k rows, and n columns (row lift) or n over the number of output groups (slot lift).
  int64_t bankColumns() const;
};

// One kernel. A map or target that this runtime does not know is kept, with everything below `features`
// unset.
struct Kernel {
  std::string name;
  std::string map;    // "forward"
  std::string target; // "cpu"
  std::string level;  // "x86-64-v4"
  std::vector<std::string> features;
  bool known = false; // a forward kernel for the CPU: the fields below are set and checked
  WeightsForm weights = WeightsForm::copied;
  std::string section;
  std::string symbol;
  int64_t types_per_task = 0;
  int64_t rows_per_task = 0;
  int64_t register_rows = 0, register_columns = 0; // for inspection; 0 where absent
  int64_t scratch_bytes = 0;                       // of each thread
  int64_t direct_rows = 0;                         // copied kernels; 0 where absent
  std::string pack_symbol;                         // packed kernels
  int64_t pack_tasks = 0;
  int64_t packed_bytes = 0;
};

struct SectionEntry {
  std::string name;
  std::string kind; // "shared-object", "terms", ...
  uint64_t offset;  // from the start of the file
  uint64_t size;
};

struct Manifest {
  std::string compiler;
  std::string algebra; // its name
  Layer layer;
  SupportKind support;
  std::string support_section; // table only
  std::vector<Kernel> kernels;
  std::vector<SectionEntry> sections;

  // nullptr if there is none of that name.
  const SectionEntry *findSection(std::string_view name) const;
};

// Checks every number: widths add up, products fit 64 bits, sections lie in [sections_begin, file_size) at
// multiples of 64 without overlap, what is referred to exists. Throws Error(ALGRT_BAD_BUNDLE) naming the key.
Manifest parseManifest(std::string_view json, uint64_t sections_begin, uint64_t file_size);

} // namespace algrt
