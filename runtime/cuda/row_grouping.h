// The row list of a call, made on the device by the kernel group_rows.
#pragma once

#include "runtime/bundle/layer.h"
#include "runtime/cpu/row_source.h"
#include "runtime/cuda/module.h"

#include <optional>

namespace algrt::cuda {

// Device memory of the caller's.
struct Workspace {
  void *address = nullptr;
  size_t bytes = 0;
};

// Bytes of workspace that the lists of m rows take, wherever the workspace begins: one, of so many experts
// two, one of which is for X where their rows are listed. Of one network with 0 experts.
int64_t rowListBytes(const Layer &layer, int64_t m, int64_t experts = 0);

// The kernel of a bundle that makes the list on this device, its index in the manifest: one for the device's
// architecture alone before others. Throws Error(ALGRT_UNSUPPORTED) where there is none.
size_t chooseGroupRows(const std::vector<Kernel> &kernels, const DeviceProperties &device);

// Where in the workspace the lists will be; `of_x` is 0 where X has none of its own.
struct PlacedLists {
  DevicePointer list = 0, of_x = 0;
};
// Throws Error(ALGRT_WORKSPACE_TOO_SMALL) with the bytes that are needed.
PlacedLists placeRowLists(const Layer &layer, int64_t m, const ExpertStarts &experts,
                          const Workspace &workspace);

// What the lists of a workspace say, for calls one behind the other that are given the same one: steps of a
// program multiply the same rows, and a list that one has made is there for the next.
class HeldLists {
public:
  // The rows that lists are of: m of them for kernels, as groupRows is given them.
  struct Rows {
    int64_t types, row_type_width, m;
    RowSource source;
    ExpertStarts experts;

    Rows(const Layer &layer, int64_t m, const RowSource &source, const ExpertStarts &experts);
    bool operator==(const Rows &) const = default;
  };

  // Whether all lists at these places are of these rows.
  bool hold(const Rows &rows, const PlacedLists &lists) const;
  // Lists of these rows are enqueued.
  void set(const Rows &rows, const PlacedLists &lists);

private:
  struct Made {
    Rows rows;
    PlacedLists lists;
  };
  std::optional<Made> made_;
};

// Enqueues the kernel. The source is of m rows, or of the batch that a list of experts names rows of, on the
// device; m is what kernels can count. Throws Error(ALGRT_UNSUPPORTED) for more experts than a block of the
// kernel can count rows of, or a kernel that knows no experts.
void groupRows(const Driver &driver, const ReadyKernel &kernel, const GpuCode &code, const Layer &layer,
               const RowSource &source, const ExpertStarts &experts, int64_t m, const PlacedLists &lists,
               Stream stream);

} // namespace algrt::cuda
