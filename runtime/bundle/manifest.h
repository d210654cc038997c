// The manifest of a bundle (docs/bundle.md), parsed and checked.
#pragma once

#include "runtime/bundle/elementwise.h"
#include "runtime/bundle/gpu_kernel.h"
#include "runtime/bundle/layer.h"
#include "runtime/bundle/program.h"
#include "runtime/bundle/support_description.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace algrt {

enum class WeightsForm { Packed, Copied, Direct };

const char *name(WeightsForm form);

// The matrices that the function of a kernel for the CPU is called with (runtime/kernel_abi.h), in the order
// of its arguments.
std::vector<std::string> cpuOperands(Map map, const Layer &layer);

// The function that rewrites weights of one layer for a packed kernel (algrt_pack_kernel).
struct Packing {
  std::string symbol;
  int64_t tasks = 0;
  int64_t bytes = 0; // of the packed weight matrix
};

// One kernel. A map or target that this runtime does not know is kept, with everything below `features`
// unset.
struct Kernel {
  std::string name;
  std::string map;    // "forward", "dx", "dw"
  std::string target; // "cpu", "sm_90a"
  std::string level;  // "x86-64-v4"; empty for GPUs
  std::vector<std::string> features;
  std::optional<GpuKernel> gpu;      // a map of this runtime's, for a GPU that it knows
  std::optional<GpuCode> group_rows; // of the map group_rows, for such a GPU
  // The code of either of them; null for a kernel of another target.
  const GpuCode *gpuCode() const { return gpu ? &*gpu : group_rows ? &*group_rows : nullptr; }
  bool known = false; // a map of this runtime's, for the CPU: the fields below are set and checked
  WeightsForm weights = WeightsForm::Copied;
  std::string section;
  std::string symbol;
  int64_t types_per_task = 0;
  int64_t rows_per_task = 0;
  int64_t register_rows = 0, register_columns = 0; // for inspection; 0 where absent
  int64_t scratch_bytes = 0;                       // of each thread
  bool row_lists = false;                          // rows may come in lists, of any positions or types
  int64_t direct_rows = 0;                         // copied kernels; 0 where absent
  std::vector<Packing> packing;                    // packed kernels: of each layer's weights
  int64_t tasks = 0;                               // of dw: tiles of the result; 0 for other maps
  ElementType output = ElementType::F32;           // of dw: the type of the result
};

struct SectionEntry {
  std::string name;
  std::string kind; // "shared-object", "terms", ...
  uint64_t offset;  // from the start of the file
  uint64_t size;
};

// Those of a file. Copies share them: every projection of a bundle has one.
class Sections {
public:
  Sections() = default;
  // Names are those of one section each.
  explicit Sections(std::vector<SectionEntry> entries);

  auto begin() const { return table_->entries.begin(); }
  auto end() const { return table_->entries.end(); }
  size_t size() const { return table_->entries.size(); }
  // nullptr if there is none of that name.
  const SectionEntry *find(std::string_view name) const;

private:
  struct Table {
    std::vector<SectionEntry> entries;
    std::map<std::string, size_t, std::less<>> numbers; // by name
  };
  std::shared_ptr<const Table> table_ = std::make_shared<const Table>();
};

// A layer with its terms, and the kernels of its maps.
struct Projection {
  std::string name;
  Layer layer;
  SupportDescription support;
  std::vector<Kernel> kernels;
};

struct Manifest {
  std::string compiler;
  std::string algebra; // its name
  // The bundle's own projection. A bundle that holds programs alone may have none: there is no layer then,
  // and no kernel.
  std::optional<Layer> layer;
  SupportDescription support;
  std::vector<Kernel> kernels;
  std::vector<Projection> further;      // that steps of programs name
  std::vector<Elementwise> elementwise; // that steps name, too
  std::vector<Program> programs;
  Sections sections;

  // nullptr if there is none of that name.
  const SectionEntry *findSection(std::string_view name) const;
  const Program *findProgram(std::string_view name) const;
};

// Checks every number: widths add up, products fit 64 bits, sections lie in [sections_begin, file_size) at
// multiples of 64 without overlap, what is referred to exists. Throws Error(ALGRT_BAD_BUNDLE) naming the key.
Manifest parseManifest(std::string_view json, uint64_t sections_begin, uint64_t file_size);

} // namespace algrt
