// algrt_run: the steps of a program one after another, with what they hand on in the workspace.
#include "runtime/api/arguments.h"
#include "runtime/api/experts.h"
#include "runtime/api/products.h"
#include "runtime/api/program_call.h"
#include "runtime/api/programs.h"
#include "runtime/api/step_call.h"
#include "runtime/api/tensor.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

using namespace algrt;

namespace {

// Where a buffer begins, and the unit of the distance of its rows: with these every kernel can be given it.
constexpr int64_t buffer_alignment = 256, row_alignment = 16;

// From one row of a buffer to the next, in elements.
int64_t rowStride(const ProgramBuffer &buffer, int64_t m) {
  const int64_t unit = row_alignment / elementBytes(buffer.type);
  return checkedMultiply(ceilDivide(buffer.shape.back().lengthFor(m), unit), unit, "a row of a buffer");
}

// Of a buffer with all its rows, rounded up so that the next one is aligned, too.
int64_t bufferBytes(const ProgramBuffer &buffer, int64_t m) {
  int64_t bytes = checkedMultiply(rowStride(buffer, m), elementBytes(buffer.type), "a buffer");
  for (size_t i = 0; i + 1 < buffer.shape.size(); ++i)
    bytes = checkedMultiply(bytes, buffer.shape[i].lengthFor(m), "a buffer");
  return checkedMultiply(ceilDivide(bytes, buffer_alignment), buffer_alignment, "a buffer");
}

// Of all buffers, wherever the workspace begins.
int64_t allBufferBytes(const Program &program, int64_t m) {
  int64_t bytes = program.buffers.empty() ? 0 : buffer_alignment - 1;
  for (const ProgramBuffer &buffer : program.buffers)
    bytes = checkedAdd(bytes, bufferBytes(buffer, m), "the buffers of a program");
  return bytes;
}

// With which a call has enough: for the buffers, and behind them for the step that needs most.
size_t programWorkspace(const algrt_bundle &bundle, const Program &program, int64_t m, int32_t threads,
                        int64_t experts) {
  size_t most = 0;
  for (const ProgramStep &step : program.steps)
    if (!step.elementwise)
      most = std::max(
          most, workspaceBytes(bundle.projection(step.projection), step.rows.value_or(m), threads, experts));
  return checkedAdd(size_t(allBufferBytes(program, m)), most, "the workspace of a program");
}

// A buffer as a tensor in the memory of the call.
struct BufferTensor {
  std::vector<int64_t> shape, strides;
  DLTensor tensor;
  algrt_named_tensor named;
};

class Run {
public:
  Run(const algrt_bundle &bundle, const Program &program, const ProgramCall &call,
      const algrt_run_options &options, const NetworkRows &rows = {})
      : bundle_(bundle), program_(program), call_(call), options_(options), rows_(rows) {}

  void run();

private:
  // Whether the options suit the program and its steps.
  void checkOptions() const;
  // With how many bytes there have to be for all of the program, whichever part of it found too few.
  Error workspaceTooSmall() const;
  // What error messages of the step, which know the names of its function alone, begin with: what is what.
  // Empty where they are about operands alone that the program calls the same.
  std::string describe(size_t number, std::string_view message) const;
  // Whether the call has something in the place of a step's operand.
  bool isGiven(const std::string &own) const {
    return program_.findBuffer(own) != nullptr || call_.find(own) != nullptr;
  }
  // The number that the step's projection has for the kernel of the options, which counts those of all.
  int32_t kernelOf(const ProgramStep &step) const;
  // Takes the beginning of the workspace, or memory of its own.
  void placeBuffers();
  void run(size_t number);
  StepCall callOf(size_t number);
  // Of rows in a list on a device: that no step reads an operand there that its kernels find no rows of.
  void checkLists() const;
  // Sets where the rows of the step are.
  void placeRows(const ProgramStep &step, StepCall &call) const;

  const algrt_bundle &bundle_;
  const Program &program_;
  const ProgramCall &call_;
  const algrt_run_options &options_;
  const NetworkRows rows_; // in the call of all experts
  AlignedBuffer own_;
  std::byte *workspace_ = nullptr; // behind the buffers
  size_t workspace_bytes_ = 0;
  cuda::HeldLists lists_; // in the workspace, which steps write in turn
  std::map<std::string, BufferTensor, std::less<>> buffers_;
};

void Run::placeBuffers() {
  workspace_ = static_cast<std::byte *>(options_.workspace);
  workspace_bytes_ = options_.workspace_bytes;
  if (program_.buffers.empty())
    return;
  const int64_t m = rows_.experts.resultRows(call_.rows()), bytes = allBufferBytes(program_, m);
  std::byte *place = workspace_;
  if (place == nullptr && call_.device().device_type == kDLCPU) {
    own_ = AlignedBuffer(size_t(bytes));
    place = own_.data();
  } else if (place == nullptr || workspace_bytes_ < size_t(bytes)) {
    throw workspaceTooSmall();
  } else {
    workspace_ += bytes;
    workspace_bytes_ -= size_t(bytes);
  }
  const uintptr_t address = reinterpret_cast<uintptr_t>(place);
  place += (buffer_alignment - address % buffer_alignment) % buffer_alignment;
  for (const ProgramBuffer &buffer : program_.buffers) {
    BufferTensor &made = buffers_[buffer.name];
    for (const Extent &extent : buffer.shape)
      made.shape.push_back(extent.lengthFor(m));
    made.strides.assign(made.shape.size(), 1);
    int64_t stride = rowStride(buffer, m);
    for (size_t i = made.shape.size() - 1; i-- > 0; stride *= made.shape[i])
      made.strides[i] = stride;
    made.tensor = {place,
                   call_.device(),
                   int32_t(made.shape.size()),
                   dlpackType(buffer.type),
                   made.shape.data(),
                   made.strides.data(),
                   0};
    made.named = {buffer.name.c_str(), &made.tensor, nullptr};
    place += bufferBytes(buffer, m);
  }
}

StepCall Run::callOf(size_t number) {
  const ProgramStep &step = program_.steps[number];
  StepCall call{};
  for (const auto &[operand, own] : step.operands) {
    const auto buffer = buffers_.find(own);
    const algrt_named_tensor *given = buffer != buffers_.end() ? &buffer->second.named : call_.find(own);
    if (given != nullptr)
      call.operands.emplace(operand, given);
  }
  call.device = call_.device();
  placeRows(step, call);
  call.stream = options_.stream;
  call.workspace = workspace_;
  call.workspace_bytes = workspace_bytes_;
  call.threads = options_.threads;
  call.kernel = kernelOf(step);
  call.dependent_launch = number == 0 && options_.dependent_launch != 0;
  call.beta = options_.beta;
  call.place = {rows_.experts, &lists_,
                mayBeginEarly(program_, number, rows_.experts.resultRows(call_.rows()))};
  call.place.experts.x_by_list = readsBatch(program_, step);
  return call;
}

void Run::checkLists() const {
  if (rows_.experts.list == nullptr)
    return;
  for (const ProgramStep &step : program_.steps)
    if (const std::string own = unlistedOperand(program_, step); !own.empty())
      throw Error(ALGRT_UNSUPPORTED,
                  own + ": has rows of the batch, of which kernels for CUDA devices find those of x alone by "
                        "expert_rows: pass rows of each expert one after another, and no expert_rows");
}

void Run::placeRows(const ProgramStep &step, StepCall &call) const {
  call.p0 = step.rows ? 0 : options_.p0;
  call.sequence_rows = step.rows ? 0 : options_.sequence_rows;
  // Rows that have types, or positions, each of its own do not follow one another.
  if (step.rows || step.elementwise || call.find("types") != nullptr || call.find("positions") != nullptr)
    return;
  if (rows_.positions == nullptr) {
    call.p0 += rows_.first_row;
    return;
  }
  call.p0 = 0;
  call.operands["positions"] = rows_.positions;
}

void Run::run(size_t number) {
  const ProgramStep &step = program_.steps[number];
  if (step.elementwise) {
    const StepCall call = callOf(number);
    prepareElementwise(bundle_.elementwise, *step.elementwise,
                       {[&](std::string_view operand) { return call.tensor(operand); }, call.device,
                        call.stream, call.threads})();
    return;
  }
  const LoadedProjection &projection = bundle_.projection(step.projection);
  const auto run = projection.bundle.layer().fusion ? runFusedStep : runProjectionStep;
  run(projection, step.map, callOf(number));
}

void Run::checkOptions() const {
  checkCount("p0", options_.p0);
  checkCount("sequence_rows", options_.sequence_rows);
  checkCount("threads", options_.threads);
  checkCount("kernel", options_.kernel);
  const std::vector<ProgramStep> &steps = program_.steps;
  if (steps.size() > 1 && options_.kernel != 0)
    refuse("kernel is for programs of one step, " + program_.name + " has " + std::to_string(steps.size()) +
           ": pass 0");
  if (steps[0].elementwise && (options_.kernel != 0 || options_.dependent_launch != 0))
    refuse("kernel and dependent_launch are for products, " + program_.name +
           (steps.size() > 1 ? " begins with" : " is") + " an element-wise function: pass 0");
  if (options_.dependent_launch != 0 && !steps[0].elementwise && steps[0].map == Map::Dw)
    refuse("dependent_launch is set, but kernels of dw wait for nothing by themselves: pass 0");
  for (const ProgramOperand &operand : program_.operands)
    if (const algrt_named_tensor *found = call_.find(operand.name);
        found != nullptr && found->weights != nullptr &&
        !packedOperand(bundle_.bundle, program_, operand.name))
      refuse(operand.name +
             ": is given as packed weights, which stand for a weight matrix of forward products of one "
             "projection: pass the tensor");
  if (options_.beta == 0)
    return;
  if (std::ranges::none_of(steps,
                           [](const ProgramStep &step) { return !step.elementwise && step.map == Map::Dw; }))
    refuse("beta is set, but program " + program_.name + " adds to nothing: pass 0");
  for (size_t i = 0; i < steps.size(); ++i)
    for (const char *result : {"dw", "dbias"})
      if (const auto own = steps[i].operands.find(result);
          own != steps[i].operands.end() && program_.findBuffer(own->second) != nullptr)
        refuse("beta is set, but step " + std::to_string(i + 1) + " of program " + program_.name +
               " writes " + result + " to its buffer " + own->second + ", which holds nothing yet: pass 0");
}

Error Run::workspaceTooSmall() const {
  const int64_t m = rows_.experts.resultRows(call_.rows());
  return {ALGRT_WORKSPACE_TOO_SMALL,
          (options_.workspace == nullptr
               ? std::string("workspace is null")
               : "workspace has " + std::to_string(options_.workspace_bytes) + " bytes") +
              ", program " + program_.name + " needs " +
              std::to_string(programWorkspace(bundle_, program_, m, options_.threads, rows_.experts.count)) +
              " bytes for " + countText(m, "row") + ": ask algrt_program" +
              (rows_.experts.count > 0 ? "_experts" : "") + "_workspace_size"};
}

// The words of a message that may be names of operands.
std::vector<std::string_view> wordsOf(std::string_view message) {
  const auto in_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  std::vector<std::string_view> words;
  for (size_t at = 0; at < message.size();) {
    const auto begin = std::find_if(message.begin() + ptrdiff_t(at), message.end(), in_name);
    const auto end = std::find_if_not(begin, message.end(), in_name);
    if (begin != end)
      words.emplace_back(begin, end);
    at = size_t(end - message.begin());
  }
  return words;
}

std::string Run::describe(size_t number, std::string_view message) const {
  const ProgramStep &step = program_.steps[number];
  const std::vector<std::string_view> words = wordsOf(message);
  const auto is_operand = [&](std::string_view word) { return step.operands.contains(std::string(word)); };
  const auto differs = [&](std::string_view word) {
    return is_operand(word) && step.operands.at(std::string(word)) != word;
  };
  // What a step calls as the caller does needs no more words.
  const bool of_call = !words.empty() && (is_operand(words.front()) || words.front() == "p0" ||
                                          words.front() == "sequence_rows");
  const bool same = program_.steps.size() == 1 && std::ranges::all_of(step.operands, [](const auto &entry) {
                      return entry.first == entry.second;
                    });
  if (same || (of_call && std::ranges::none_of(words, differs)))
    return "";
  std::vector<std::string> first; // what the step is about
  if (!step.elementwise) {
    const OperandNames names = operandNames(step.map);
    first = {names.x, names.w, names.y};
  }
  std::string text = "step " + std::to_string(number + 1) + " (" +
                     (step.elementwise ? "element-wise" : name(step.map)),
              between = ": ";
  const auto add = [&](const std::string &operand, const std::string &own) {
    text += std::exchange(between, ", ") + operand + " is " + own;
  };
  for (const std::string &operand : first)
    add(operand, step.operands.at(operand));
  for (const auto &[operand, own] : step.operands)
    if (operand != own && isGiven(own) && std::ranges::find(first, operand) == first.end())
      add(operand, own);
  return text + "): ";
}

int32_t Run::kernelOf(const ProgramStep &step) const {
  if (options_.kernel == 0 || bundle_.bundle.projectionCount() == 1)
    return options_.kernel;
  const auto count_of = [&](size_t projection) {
    return int64_t(bundle_.projection(projection).bundle.manifest().kernels.size());
  };
  int64_t before = 0;
  for (size_t projection = 0; projection < step.projection; ++projection)
    before += count_of(projection);
  const std::string &named = bundle_.bundle.projectionName(step.projection);
  const int64_t count = count_of(step.projection), kernel = options_.kernel - before;
  if (kernel < 1 || kernel > count)
    refuse("kernel is " + std::to_string(options_.kernel) + ", but program " + program_.name +
           " is a step of " + (named.empty() ? "the bundle's own projection" : "projection " + named) +
           ", whose kernels are " +
           (count == 0 ? "none" : std::to_string(before + 1) + " to " + std::to_string(before + count)));
  return int32_t(kernel);
}

void Run::run() {
  checkOptions();
  checkLists();
  if (program_.steps.size() > 1) // a step sees to its own operands
    call_.requireDisjointOutputs();
  placeBuffers();
  for (size_t i = 0; i < program_.steps.size(); ++i)
    try {
      run(i);
    } catch (const Error &error) {
      if (error.status() == ALGRT_WORKSPACE_TOO_SMALL)
        throw workspaceTooSmall();
      throw Error(error.status(), describe(i, error.what()) + error.what());
    }
}

} // namespace

int algrt_program_workspace_size(const algrt_bundle *bundle, const char *program, int64_t m, int32_t threads,
                                 size_t *bytes) {
  return guarded([&] {
    const Program &of = requireProgram(bundle, program);
    requireNotNull(bytes, "bytes");
    checkCount("m", m);
    checkCount("threads", threads);
    *bytes = programWorkspace(*bundle, of, m, threads, 0);
  });
}

int algrt_program_experts_workspace_size(const algrt_bundle *bundle, const char *program, int64_t m,
                                         int64_t experts, int32_t threads, size_t *bytes) {
  return guarded([&] {
    const Program &of = requireProgram(bundle, program);
    requireNotNull(bytes, "bytes");
    checkCount("m", m);
    checkCount("experts", experts);
    checkCount("threads", threads);
    *bytes = programWorkspace(*bundle, of, m, threads, experts);
  });
}

int algrt_run(const algrt_bundle *bundle, const char *program, const algrt_named_tensor *tensors,
              int64_t count, const algrt_run_options *options) {
  return guarded([&] {
    const Program &of = requireProgram(bundle, program);
    const algrt_run_options initial = algrt_run_options_init();
    const algrt_run_options read =
        readArguments(options == nullptr ? &initial : options,
                      offsetof(algrt_run_options, beta) + sizeof(algrt_run_options::beta), initial,
                      "algrt_run_options_init", "options");
    if (read.expert_starts != nullptr) {
      runExperts(of, tensors, count, read, [&](const ProgramCall &call, const NetworkRows &rows) {
        Run(*bundle, of, call, read, rows).run();
      });
      return;
    }
    if (read.expert_rows != nullptr)
      refuse("expert_rows: is given, but expert_starts is null: it says which of them are whose");
    const ProgramCall call(of, tensors, count);
    Run(*bundle, of, call, read).run();
  });
}
