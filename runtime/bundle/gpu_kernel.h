// What the manifest says of a kernel for a GPU (docs/bundle.md; runtime/gpu_kernel_abi.h is how it is
// called).

#pragma once

#include "runtime/bundle/kernel_parameters.h"
#include "runtime/bundle/layer.h"
#include "runtime/bundle/map.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace algrt {

class JsonFields;

// Machine code, or PTX that the driver compiles when it is loaded.
enum class ImageKind { Cubin, Ptx };
const char *name(ImageKind kind);

struct GpuImage {
  ImageKind kind;
  std::string section; // of that kind
};

// The part of Y that one block computes at a time, and how it walks the contraction.
struct GpuTile {
  int64_t rows, columns; // rows of one type
  int64_t depth;         // of one stage
  int64_t stages;        // buffers between copies and products
  int64_t consumers;     // warpgroups that multiply
  // Blocks of a cluster: on so many consecutive blocks of rows times so many of columns, of which all go
  // through the same steps.
  int64_t cluster_rows = 1, cluster_columns = 1;
  int64_t types = 1; // a tile has rows of so many consecutive row segments
  // Above 0: a block takes the tiles of so many consecutive output groups in one turn, all their columns; of
  // the map dx some columns, and with its turn the blocks of a cluster have gone through all groups.
  int64_t stationary_groups = 0;
  // Blocks of a cluster that compute each of its tiles together, and store a part of it each.
  int64_t split_k = 1;
  // Above 0: groups of each type, those with the most terms, whose tiles come first; a split is of those
  // alone.
  int64_t longest_first = 0;
};

// What one copy between global and shared memory moves: `rows` times `columns` elements, columns innermost.
// For the weight matrix rows are its depth.
struct GpuBox {
  int64_t columns, rows;
  int64_t swizzle; // bytes of the span that the swizzle permutes: 0 (none), 32, 64 or 128
};

// What moves blocks of the operands into shared memory.
enum class GpuCopies {
  Engine, // the copy engine, by tensor maps: compute capability 9.0 and above
  Threads // the kernel's threads, by plain maps; those of a vector reduction into registers
};
const char *name(GpuCopies copies);

// Numbers of rows, both ends included.
struct RowRange {
  int64_t from, to;
};

// What any kernel for a GPU is made of.
struct GpuCode {
  int32_t architecture;    // ten times the compute capability that it needs: 90
  bool exact_architecture; // "sm_90a": runs on that capability alone; "sm_80": on later ones too, from PTX
  std::string symbol;
  std::vector<GpuImage> images; // at least one
  int64_t threads;              // of a block
  int64_t cluster;              // blocks of a cluster
  int64_t shared_bytes;         // dynamic shared memory of a block
  KernelParameters parameters;  // what it takes
};

struct GpuKernel : GpuCode {
  Map map = Map::Forward; // operands and result called x and y here are dy and dx where it is dx
  ElementType output;     // of Y
  bool dependent_launch;  // may be launched before its predecessor in the stream has ended
  int64_t registers;      // of a thread, for inspection; 0 where absent
  GpuTile tile;
  GpuBox x, w, y;
  GpuBox next_w = {}; // of the weights of a next layer, which only such kernels have
  bool terms;         // reads the terms table
  // Groups of X, Y and the weight matrix as the kernel counts them, where it takes several consecutive groups
  // of the layer as one (the factor M(b) of A*M(b)); 0: those of the layer.
  int64_t groups;
  GpuCopies copies = GpuCopies::Engine;
  // Elements that threads move at a time: 1, 2, 4 or 8; 0 where the copy engine moves them.
  int64_t vector = 0;
  // The terms have any coefficients, three words each.
  bool scaled = false;
  // Rows of each type are where a row list says, which the call has made before.
  bool listed = false;
  // Of interval types: all whole runs of a type are one segment.
  bool joins_runs = false;
  RowAccess rowAccess() const {
    return isReduction() ? RowAccess::AsTheyLie
           : listed      ? RowAccess::Listed
           : joins_runs  ? RowAccess::JoinedRuns
                         : RowAccess::Segments;
  }
  // How the warps of a block share a tile; 0 where warpgroups do.
  int64_t warp_rows = 0, warp_columns = 0;
  // Above 0: a kernel of vector reductions, which takes rows of the batch as they lie and reads their
  // positions from the device. So many slices of its threads divide the depth.
  int64_t slices = 0;
  bool isReduction() const { return slices > 0; }
  // Whether its launches are of experts, whose rows begin where the device says.
  bool takesExperts() const { return parameters.find(ParameterValue::Experts) != nullptr; }
  // As the compiler reads it, for inspection; empty where it is not said.
  std::string schedule;
  // Of X, that the kernel was scheduled for; {0, 0} where it is not said.
  RowRange best_for_rows = {0, 0};
};

// Whether `target` names a GPU whose kernels this runtime can launch (gpu_targets.h).
bool isGpuTarget(std::string_view target);

// Reads and checks the fields that a kernel of such a target has. Throws Error(ALGRT_BAD_BUNDLE)
// naming the key. That the sections exist is checked by parseManifest.
GpuKernel parseGpuKernel(const JsonFields &fields, std::string_view target, Map map, const Layer &layer);

// What a product's kernel has to be given for such a layer, in some order; what is behind `optional` it may
// be given or not.
struct ProductParameters {
  KernelParameters required, optional;
};
ProductParameters productParameters(const GpuKernel &kernel, const Layer &layer);

// The "map" of the kernel that lists rows by type.
inline constexpr std::string_view group_rows_map = "group_rows";

// The same of that kernel. Its shared memory is for the layer's types.
GpuCode parseGroupRows(const JsonFields &fields, std::string_view target, const Layer &layer);

// The code of an element-wise function, which takes these parameters.
GpuCode parseElementwiseCode(const JsonFields &fields, std::string_view target,
                             const KernelParameters &parameters);

// Shared memory that a block has on every device without being asked for more: what group_rows can have.
inline constexpr int64_t most_group_rows_shared_bytes = 48 * 1024;
// Types, of experts those of all together, whose rows a block of group_rows of so many threads can count.
int64_t mostListedTypes(int64_t threads);

} // namespace algrt
