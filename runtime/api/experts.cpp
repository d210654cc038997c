#include "runtime/api/experts.h"

#include "runtime/api/arguments.h"
#include "runtime/api/handles.h"
#include "runtime/api/tensor.h"
#include "runtime/api/tensor_parts.h"
#include "runtime/gpu_kernel_abi.h"
#include "runtime/support/checked.h"

#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace algrt {

namespace {

class Division {
public:
  Division(const Program &program, const algrt_named_tensor *tensors, int64_t count,
           const algrt_run_options &options);

  void run(const RunNetwork &run);

private:
  void checkOptions() const;
  // That packed weights are those of so many experts, for the CPU.
  void checkPacked(const std::string &name, const algrt_weights &weights) const;
  // That a vector of the options is where the other tensors are.
  void checkPlace(const DLTensor &vector, const char *name) const;
  // That starts in CPU memory do not descend and lie within the rows, or the list of rows.
  void checkStarts() const;
  // That results have a row for each entry of the list; and that entries in CPU memory are rows.
  void checkList() const;
  // That no output is what the call reads, or another output.
  void checkOverlaps() const;
  // On a device the weights of an expert are found by its number, from the distance of the first one's rows.
  void checkGaps() const;
  // Of the tensors as a call of one network has them.
  std::vector<algrt_named_tensor> tensorsOf(int64_t expert, int64_t first, int64_t rows);
  // Places `first` to `first + rows - 1` of the list, in CPU memory.
  std::span<const int32_t> listed(int64_t first, int64_t rows) const {
    return {static_cast<const int32_t *>(list_.data) + first, size_t(rows)};
  }
  bool isOnDevice() const { return call_.device().device_type != kDLCPU; }
  bool hasList() const { return options_.expert_rows != nullptr; }
  // What the starts divide.
  int64_t dividedRows() const { return hasList() ? list_.size : call_.rows(); }
  bool isWeight(const ProgramOperand &operand) const { return operand.role == OperandRole::Weight; }
  // Whether the weight's leading extent is E times that of one expert.
  bool isJoined(const ProgramOperand &operand, const DLTensor &tensor) const {
    return tensor.ndim != int32_t(operand.shape.size()) + 1;
  }

  // Each of these is made from those before it.
  const Program &program_;
  const algrt_run_options &options_;
  const IntegerVector starts_;
  const int64_t experts_;
  const IntegerVector list_; // of rows; empty also where there is none
  const Program divided_;    // as it looks to the call
  const ProgramCall call_;
  const Program one_; // as it looks to the call of one network
  std::vector<algrt_named_tensor> given_;
  std::deque<TensorSlice> slices_; // of one network
  std::deque<GatheredTensor> gathered_;
};

// Starts are read before anything else is known: where the tensors are, they say themselves.
IntegerVector readStarts(const algrt_run_options &options) {
  return readIntegers(options.expert_starts, "expert_starts", options.expert_starts->device,
                      IntegerTypes::Int32, any_size,
                      "the first row of every expert, and where the rows of the last one end");
}

IntegerVector readList(const algrt_run_options &options) {
  if (options.expert_rows == nullptr)
    return {};
  return readIntegers(options.expert_rows, "expert_rows", options.expert_rows->device, IntegerTypes::Int32,
                      any_size, "the rows of every expert, one expert after another");
}

int64_t expertsOf(const IntegerVector &starts) {
  if (starts.size < 2)
    refuse("expert_starts: has " + countText(starts.size, "number") +
           ", needs at least two: the first row of every expert, and where the rows of the last one "
           "end");
  return starts.size - 1;
}

Division::Division(const Program &program, const algrt_named_tensor *tensors, int64_t count,
                   const algrt_run_options &options)
    : program_(program), options_(options), starts_(readStarts(options)), experts_(expertsOf(starts_)),
      list_(readList(options)),
      divided_(options.expert_rows != nullptr ? withListedRows(withExperts(program, experts_))
                                              : withExperts(program, experts_)),
      call_(divided_, tensors, count), one_(isOnDevice() && hasList() ? withListedRows(program) : program),
      given_(tensors, tensors + count) {
  checkOptions();
  if (hasList())
    checkList();
  if (starts_.data != nullptr && options.expert_starts->device.device_type == kDLCPU)
    checkStarts();
  checkOverlaps();
}

void Division::checkOptions() const {
  if (const std::string why = whyNoExperts(program_, isOnDevice()); !why.empty())
    throw Error(ALGRT_UNSUPPORTED, "expert_starts: the rows of program " + program_.name +
                                       " cannot be divided among experts: " + why);
  checkPlace(*options_.expert_starts, "expert_starts");
  if (hasList())
    checkPlace(*options_.expert_rows, "expert_rows");
  if (options_.sequence_rows != 0)
    refuse("sequence_rows is " + std::to_string(options_.sequence_rows) +
           ", needs 0 where expert_starts is given");
  checkCount("p0", options_.p0);
  if (options_.p0 > std::numeric_limits<int64_t>::max() - call_.rows())
    refuse("p0 is " + std::to_string(options_.p0) + ": the position of the last of " +
           std::to_string(call_.rows()) + " rows does not fit 64 bits");
  for (const char *name : {"sequence_starts", "sequence_positions"})
    if (const ProgramOperand *operand = program_.findOperand(name);
        operand != nullptr && operand->optional && call_.find(name) != nullptr)
      refuse(std::string(name) + ": is given, but expert_starts is, too: say positions");
  for (const algrt_named_tensor &given : given_)
    if (given.weights != nullptr)
      checkPacked(given.name, *given.weights);
}

void Division::checkPacked(const std::string &name, const algrt_weights &weights) const {
  if (isOnDevice())
    refuse(name + ": is given as packed weights, which are for the CPU: pass the tensor of all experts");
  const auto packed = int64_t(weights.experts.size());
  if (packed != experts_)
    refuse(name + ": is given as packed weights of " +
           (packed == 0 ? "one network" : countText(packed, "expert")) + ", needs those of " +
           countText(experts_, "expert"));
}

void Division::checkPlace(const DLTensor &vector, const char *name) const {
  const DLDevice device = call_.device(), own = vector.device;
  if (own.device_type != device.device_type ||
      (own.device_type != kDLCPU && own.device_id != device.device_id))
    refuse(std::string(name) + ": is elsewhere than the other tensors: pass it where these are");
}

void Division::checkList() const {
  for (const ProgramOperand &operand : divided_.operands)
    if (operand.role == OperandRole::Output && call_.find(operand.name) != nullptr &&
        call_.valueOf("R") != list_.size)
      refuse(operand.name + ": has " + std::to_string(call_.valueOf("R")) + " rows, needs " +
             std::to_string(list_.size) + ", one for each entry of expert_rows");
  const int64_t m = call_.rows();
  // No row stands for an entry then, also where only the device knows the entries.
  if (m == 0 && list_.size > 0)
    refuse("expert_rows: has " + std::to_string(list_.size) + (list_.size == 1 ? " entry" : " entries") +
           ", but there are no rows");
  if (isOnDevice()) {
    if (m >= algrt_most_gpu_rows)
      refuse("expert_rows: is of " + std::to_string(m) + " rows, a GPU kernel takes less than " +
             std::to_string(int64_t(algrt_most_gpu_rows)));
    return;
  }
  for (int64_t i = 0; i < list_.size; ++i)
    if (list_[i] < 0 || list_[i] >= m)
      refuse("expert_rows: element " + std::to_string(i) + " is " + std::to_string(list_[i]) +
             ", needs to be from 0 to " + std::to_string(m - 1) + ", a row of the batch");
}

void Division::checkStarts() const {
  const int64_t m = dividedRows();
  for (int64_t i = 0; i <= experts_; ++i) {
    const auto refuse_start = [&](const std::string &why) {
      refuse("expert_starts: element " + std::to_string(i) + " is " + std::to_string(starts_[i]) + ", " +
             why);
    };
    if (starts_[i] < 0 || starts_[i] > m)
      refuse_start("needs to be from 0 to " + std::to_string(m) +
                   (hasList() ? ", the number of entries of expert_rows" : ", the number of rows"));
    if (i > 0 && starts_[i] < starts_[i - 1])
      refuse_start("less than " + std::to_string(starts_[i - 1]) + " before it");
  }
}

void Division::checkOverlaps() const {
  call_.requireDisjointOutputs();
  for (const auto &[vector, name] : {std::pair(&starts_, "expert_starts"), std::pair(&list_, "expert_rows")})
    for (const PlacedTensor &written : call_.placedTensors())
      if (written.operand->role == OperandRole::Output)
        requireDisjoint(
            written.view, written.name(), written.element_bytes,
            {const_cast<void *>(vector->data), vector->data == nullptr ? 0 : 1, vector->size, vector->size},
            name, vector->bytes);
}

void Division::checkGaps() const {
  for (const ProgramOperand &operand : program_.operands) {
    const algrt_named_tensor *found = isWeight(operand) ? call_.find(operand.name) : nullptr;
    if (found == nullptr || experts_ == 1)
      continue;
    // All rows are at one distance, whosever they are. Of an expert with one row the kernel takes its length.
    const MatrixView all = readJoined(found->tensor, operand.name.c_str(), call_.device());
    if (all.rows == experts_ && all.stride != all.columns)
      refuse(operand.name + ": the weights of experts are " + std::to_string(all.stride) +
             " elements apart, needs " + std::to_string(all.columns) + ": without gaps between them");
  }
}

std::vector<algrt_named_tensor> Division::tensorsOf(int64_t expert, int64_t first, int64_t rows) {
  slices_.clear();
  gathered_.clear();
  std::vector<algrt_named_tensor> tensors;
  for (const algrt_named_tensor &given : given_) {
    const ProgramOperand &operand = *program_.findOperand(given.name);
    if (given.weights != nullptr) {
      tensors.push_back({given.name, nullptr, given.weights->experts[size_t(expert)].get()});
      continue;
    }
    const DLTensor &tensor = *given.tensor;
    const Extent &extent = operand.shape[0];
    // A device has rows of all experts.
    if (isOnDevice() && !isWeight(operand)) {
      tensors.push_back(given);
      continue;
    }
    if (isWeight(operand) && isJoined(operand, tensor)) {
      const int64_t own = tensor.shape[0] / experts_;
      slices_.emplace_back(tensor, expert * own, own);
    } else if (isWeight(operand)) {
      slices_.emplace_back(tensor, expert);
    } else if (!extent.symbol.empty() && hasList() && operand.role != OperandRole::Output) {
      gathered_.emplace_back(tensor, given.name, listed(first, rows));
      tensors.push_back({given.name, &gathered_.back().tensor(), nullptr});
      continue;
    } else if (!extent.symbol.empty()) {
      slices_.emplace_back(tensor, first, rows);
    } else {
      tensors.push_back(given);
      continue;
    }
    tensors.push_back({given.name, &slices_.back().tensor(), nullptr});
  }
  return tensors;
}

void Division::run(const RunNetwork &run) {
  const auto run_one = [&](int64_t expert, int64_t count, const NetworkRows &rows) {
    const std::vector<algrt_named_tensor> tensors = tensorsOf(expert, rows.first_row, count);
    const ProgramCall one(one_, tensors.data(), int64_t(tensors.size()));
    run(one, rows);
  };
  if (isOnDevice()) {
    checkGaps();
    if (!hasList() || list_.size > 0)
      run_one(0, call_.rows(),
              {0,
               nullptr,
               {static_cast<const int32_t *>(starts_.data), experts_,
                static_cast<const int32_t *>(list_.data), list_.size, call_.rows()}});
    return;
  }
  for (int64_t expert = 0; expert < experts_; ++expert) {
    const int64_t first = starts_[expert], count = starts_[expert + 1] - first;
    if (count == 0)
      continue;
    if (!hasList()) {
      run_one(expert, count, {first});
      continue;
    }
    std::vector<int64_t> positions;
    for (const int32_t row : listed(first, count))
      positions.push_back(options_.p0 + row);
    const DLTensor tensor{positions.data(), cpu_device, 1, {kDLInt, 64, 1}, const_cast<int64_t *>(&count),
                          nullptr,          0};
    const algrt_named_tensor named{"positions", &tensor, nullptr};
    run_one(expert, count, {first, &named});
  }
}

} // namespace

void runExperts(const Program &program, const algrt_named_tensor *tensors, int64_t count,
                const algrt_run_options &options, const RunNetwork &run) {
  Division(program, tensors, count, options).run(run);
}

} // namespace algrt
