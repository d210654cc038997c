#include "runtime/cuda/row_grouping.h"

#include "runtime/cuda/launch_parameters.h"
#include "runtime/cuda/row_list.h"
#include "runtime/gpu_kernel_abi.h"
#include "runtime/support/checked.h"
#include "runtime/support/error.h"

#include <algorithm>

namespace algrt::cuda {

namespace {

constexpr int64_t word = sizeof(int32_t);

DevicePointer addressOf(const IntegerVector &vector) { return reinterpret_cast<uintptr_t>(vector.data); }

} // namespace

int64_t rowListBytes(const Layer &layer, int64_t m, int64_t experts) {
  const int64_t words = rowListWords(
      checkedMultiply(layer.types, std::max<int64_t>(experts, 1), "the types of all experts"), m);
  return (experts > 0 ? 2 : 1) * words * word + word - 1;
}

size_t chooseGroupRows(const std::vector<Kernel> &kernels, const DeviceProperties &device) {
  std::optional<size_t> found;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const std::optional<GpuCode> &code = kernels[i].group_rows;
    if (!code || !reasonNotToRun(*code, device).empty())
      continue;
    if (!found || (code->exact_architecture && !kernels[*found].group_rows->exact_architecture))
      found = i;
  }
  if (!found)
    throw Error(ALGRT_UNSUPPORTED, "the bundle has kernels that find rows in a list, but none for device " +
                                       std::to_string(device.ordinal) +
                                       " that makes such a list: compile the bundle again");
  return *found;
}

PlacedLists placeRowLists(const Layer &layer, int64_t m, const ExpertStarts &experts,
                          const Workspace &workspace) {
  const int64_t bytes = rowListBytes(layer, m, experts.count);
  if (workspace.address == nullptr || workspace.bytes < size_t(bytes))
    throw Error(
        ALGRT_WORKSPACE_TOO_SMALL,
        std::string("workspace ") +
            (workspace.address == nullptr ? "is null" : "has " + std::to_string(workspace.bytes) + " bytes") +
            ": rows that are listed by type need " + std::to_string(bytes) + " bytes of device memory: ask " +
            (experts.count > 0 ? "algrt_program_experts_workspace_size" : "algrt_workspace_size"));
  PlacedLists lists;
  lists.list = (reinterpret_cast<uintptr_t>(workspace.address) + uintptr_t(word - 1)) / uintptr_t(word) *
               uintptr_t(word);
  if (experts.list != nullptr && experts.x_by_list)
    lists.of_x = lists.list + uintptr_t(rowListWords(layer.types * experts.count, m) * word);
  return lists;
}

HeldLists::Rows::Rows(const Layer &layer, int64_t m, const RowSource &source, const ExpertStarts &experts)
    : types(layer.types), row_type_width(layer.row_type_width), m(m), source(source), experts(experts) {
  this->experts.x_by_list = false; // whose list x is read by is the product's affair
}

bool HeldLists::hold(const Rows &rows, const PlacedLists &lists) const {
  return made_ && made_->rows == rows && made_->lists.list == lists.list &&
         (lists.of_x == 0 || made_->lists.of_x == lists.of_x);
}

void HeldLists::set(const Rows &rows, const PlacedLists &lists) { made_ = {rows, lists}; }

void groupRows(const Driver &driver, const ReadyKernel &kernel, const GpuCode &code, const Layer &layer,
               const RowSource &source, const ExpertStarts &experts, int64_t m, const PlacedLists &lists,
               Stream stream) {
  const IntegerVector &numbers = source.kind == RowSourceKind::Types       ? source.types
                                 : source.kind == RowSourceKind::Positions ? source.positions
                                                                           : source.sequence_starts;
  if (numbers.size > algrt_most_gpu_rows)
    throw Error(ALGRT_INVALID_ARGUMENT, "sequence_starts: has " + std::to_string(numbers.size) +
                                            " elements, kernels count up to " +
                                            std::to_string(algrt_most_gpu_rows));
  const bool equal = source.kind == RowSourceKind::EqualSequences;
  int32_t form = source.kind == RowSourceKind::Types       ? algrt_rows_of_types
                 : source.kind == RowSourceKind::Positions ? algrt_rows_of_positions
                 : equal                                   ? algrt_rows_of_equal_sequences
                                                           : algrt_rows_of_sequences;
  if (numbers.bytes == 8)
    form |= algrt_rows_of_wide;
  // That the period, and with it the offset, fits 32 bits has been checked with the product's launch.
  const int32_t types = int32_t(layer.types),
                sequences = source.kind == RowSourceKind::Sequences
                                ? int32_t(std::max<int64_t>(numbers.size - 1, 1))
                            : equal ? int32_t(source.sequence_rows)
                                    : 1;
  // Of experts that of row 0, where no positions are given.
  const bool counts = equal || source.kind == RowSourceKind::Offset;
  const auto offset = int32_t(counts ? source.p0 % (layer.types * layer.row_type_width) : 0);
  if ((experts.count > 0) != (code.parameters.find(ParameterValue::Experts) != nullptr))
    throw Error(ALGRT_BAD_BUNDLE, "the bundle's kernel that lists rows is for other calls than its products");
  int64_t segments = types, shared_bytes = code.shared_bytes;
  if (experts.count > 0) {
    segments = checkedMultiply(segments, experts.count, "the types of all experts");
    if (const int64_t most = mostListedTypes(code.threads); segments > most)
      throw Error(ALGRT_UNSUPPORTED, "expert_starts: are of " + std::to_string(experts.count) +
                                         " experts, a GPU lists rows of " + std::to_string(types) +
                                         " types of at most " + std::to_string(most / types) +
                                         ": compile kernels for fewer rows of each, which need no lists");
    shared_bytes = algrt_group_rows_shared_bytes(code.threads, segments);
  }
  ParameterBlock block(code.parameters);
  setRowList(block, code.parameters,
             {lists.list, addressOf(numbers), addressOf(source.sequence_positions), layer.row_type_width,
              int32_t(m), types, form, sequences, offset, lists.of_x,
              reinterpret_cast<uintptr_t>(experts.data), int32_t(std::max<int64_t>(experts.count, 1)),
              reinterpret_cast<uintptr_t>(experts.list), int32_t(experts.batch_rows)});
  const LaunchConfig config{
      uint32_t(segments) + 1, 1, 1, uint32_t(code.threads), 1, 1, uint32_t(shared_bytes), stream, nullptr, 0};
  driver.check(driver.launchKernelEx(&config, kernel.function, block.pointers().data(), nullptr),
               "launching the kernel that groups rows");
}

} // namespace algrt::cuda
