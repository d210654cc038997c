// algrt_run: the steps of a program one after another, with what they hand on in the workspace.
#include "runtime/api/arguments.h"
#include "runtime/api/products.h"
#include "runtime/api/program_call.h"
#include "runtime/api/programs.h"
#include "runtime/api/tensor.h"
#include "runtime/support/checked.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <vector>

using namespace algrt;

namespace {

// Where a buffer begins, and the unit of the distance of its rows: with these every kernel can be given it.
constexpr int64_t buffer_alignment = 256, row_alignment = 16;

int64_t lengthOf(const Extent &extent, int64_t m) {
  return checkedAdd(checkedMultiply(extent.factor, m, "a buffer"), extent.constant, "a buffer");
}

// From one row of a buffer to the next, in elements.
int64_t rowStride(const ProgramBuffer &buffer, int64_t m) {
  const int64_t unit = row_alignment / elementBytes(buffer.type);
  return checkedMultiply(ceilDivide(lengthOf(buffer.shape.back(), m), unit), unit, "a row of a buffer");
}

// Of a buffer with all its rows, rounded up so that the next one is aligned, too.
int64_t bufferBytes(const ProgramBuffer &buffer, int64_t m) {
  int64_t bytes = checkedMultiply(rowStride(buffer, m), elementBytes(buffer.type), "a buffer");
  for (size_t i = 0; i + 1 < buffer.shape.size(); ++i)
    bytes = checkedMultiply(bytes, lengthOf(buffer.shape[i], m), "a buffer");
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
size_t programWorkspace(const algrt_bundle &bundle, const Program &program, int64_t m, int32_t threads) {
  size_t most = 0;
  for (const ProgramStep &step : program.steps)
    most = std::max(most, workspaceBytes(bundle.projection(step.projection), m, threads));
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
      const algrt_run_options &options)
      : bundle_(bundle), program_(program), call_(call), options_(options) {}

  void run();

private:
  // Whether the options suit the program and its steps.
  void checkOptions() const;
  // A step sees to its own operands. Of several steps, no output may be what another one still reads or has
  // written.
  void checkOverlaps() const;
  // With how many bytes there have to be for all of the program, whichever part of it found too few.
  Error workspaceTooSmall() const;
  // As error messages of the step, which know the names of its map alone, begin: what is what.
  std::string describe(size_t number) const;
  // The number that the step's projection has for the kernel of the options, which counts those of all.
  int32_t kernelOf(const ProgramStep &step) const;
  // Takes the beginning of the workspace, or memory of its own.
  void placeBuffers();
  void run(const ProgramStep &step);
  // What the program has in the place of a map's operand; nullptr where the call leaves it out.
  const algrt_named_tensor *given(const ProgramStep &step, const char *operand) const;
  const DLTensor *tensor(const ProgramStep &step, const char *operand) const;
  template <typename Args> void setCommon(const ProgramStep &step, Args &args) const;

  const algrt_bundle &bundle_;
  const Program &program_;
  const ProgramCall &call_;
  const algrt_run_options &options_;
  AlignedBuffer own_;
  std::byte *workspace_ = nullptr; // behind the buffers
  size_t workspace_bytes_ = 0;
  std::map<std::string, BufferTensor, std::less<>> buffers_;
};

void Run::placeBuffers() {
  workspace_ = static_cast<std::byte *>(options_.workspace);
  workspace_bytes_ = options_.workspace_bytes;
  if (program_.buffers.empty())
    return;
  const int64_t m = call_.rows(), bytes = allBufferBytes(program_, m);
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
      made.shape.push_back(lengthOf(extent, m));
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

const algrt_named_tensor *Run::given(const ProgramStep &step, const char *operand) const {
  const auto own = step.operands.find(operand);
  if (own == step.operands.end())
    return nullptr;
  const auto buffer = buffers_.find(own->second);
  return buffer != buffers_.end() ? &buffer->second.named : call_.find(own->second);
}

const DLTensor *Run::tensor(const ProgramStep &step, const char *operand) const {
  const algrt_named_tensor *found = given(step, operand);
  return found == nullptr ? nullptr : found->tensor;
}

template <typename Args> void Run::setCommon(const ProgramStep &step, Args &args) const {
  args.types = tensor(step, "types");
  args.positions = tensor(step, "positions");
  args.sequence_starts = tensor(step, "sequence_starts");
  args.sequence_positions = tensor(step, "sequence_positions");
  args.p0 = options_.p0;
  args.stream = options_.stream;
  args.workspace = workspace_;
  args.workspace_bytes = workspace_bytes_;
  args.threads = options_.threads;
  args.kernel = kernelOf(step);
}

void Run::run(const ProgramStep &step) {
  const LoadedProjection &projection = bundle_.projection(step.projection);
  const OperandNames names = operandNames(step.map);
  switch (step.map) {
  case Map::forward: {
    algrt_forward_args args = algrt_forward_args_init();
    setCommon(step, args);
    const algrt_named_tensor *w = given(step, names.w);
    args.x = tensor(step, names.x);
    args.w = w->tensor;
    args.weights = w->weights;
    args.y = tensor(step, names.y);
    args.bias = tensor(step, "bias");
    args.dependent_launch = options_.dependent_launch;
    runForward(projection, args);
    return;
  }
  case Map::dx: {
    algrt_dx_args args = algrt_dx_args_init();
    setCommon(step, args);
    args.dy = tensor(step, names.x);
    args.w = tensor(step, names.w);
    args.dx = tensor(step, names.y);
    args.dependent_launch = options_.dependent_launch;
    runDx(projection, args);
    return;
  }
  case Map::dw: {
    algrt_dw_args args = algrt_dw_args_init();
    setCommon(step, args);
    args.x = tensor(step, names.x);
    args.dy = tensor(step, names.w);
    args.dw = tensor(step, names.y);
    args.dbias = tensor(step, "dbias");
    args.beta = options_.beta;
    runDw(projection, args);
    return;
  }
  }
}

void Run::checkOptions() const {
  checkCount("p0", options_.p0);
  checkCount("threads", options_.threads);
  checkCount("kernel", options_.kernel);
  const std::vector<ProgramStep> &steps = program_.steps;
  if (steps.size() > 1 && (options_.kernel != 0 || options_.dependent_launch != 0))
    refuse("kernel and dependent_launch are for programs of one step, " + program_.name + " has " +
           std::to_string(steps.size()) + ": pass 0");
  if (options_.dependent_launch != 0 && steps[0].map == Map::dw)
    refuse("dependent_launch is set, but kernels of dw wait for nothing by themselves: pass 0");
  const bool takes_packed = steps.size() == 1 && steps[0].map == Map::forward && steps[0].projection == 0;
  const std::string packed = takes_packed ? steps[0].operands.at("w") : "";
  for (const ProgramOperand &operand : program_.operands)
    if (const algrt_named_tensor *found = call_.find(operand.name);
        found != nullptr && found->weights != nullptr && operand.name != packed)
      refuse(operand.name + ": is given as packed weights, which stand for the bank of a program that is one "
                            "forward product of the bundle's own projection: pass the tensor");
  if (options_.beta == 0)
    return;
  if (std::ranges::none_of(steps, [](const ProgramStep &step) { return step.map == Map::dw; }))
    refuse("beta is set, but program " + program_.name + " adds to nothing: pass 0");
  for (size_t i = 0; i < steps.size(); ++i)
    for (const char *result : {"dw", "dbias"})
      if (const auto own = steps[i].operands.find(result);
          own != steps[i].operands.end() && program_.findBuffer(own->second) != nullptr)
        refuse("beta is set, but step " + std::to_string(i + 1) + " of program " + program_.name +
               " writes " + result + " to its buffer " + own->second + ", which holds nothing yet: pass 0");
}

void Run::checkOverlaps() const {
  if (program_.steps.size() < 2)
    return;
  struct Given {
    const char *name;
    OperandRole role;
    MatrixView view;
    int64_t element;
  };
  std::vector<Given> all;
  for (const ProgramOperand &operand : program_.operands)
    if (const algrt_named_tensor *found = call_.find(operand.name))
      all.push_back({operand.name.c_str(), operand.role,
                     readJoined(found->tensor, operand.name.c_str(), call_.device()),
                     elementBytes(found->tensor->dtype)});
  for (const Given &written : all) {
    if (written.role != OperandRole::output)
      continue;
    for (const Given &other : all) {
      if (other.role != OperandRole::output)
        requireDisjoint(written.view, written.name, written.element, other.view, other.name, other.element);
      else if (&other > &written && overlap(written.view, written.element, other.view, other.element))
        refuse(std::string(written.name) + ": overlaps " + other.name + ": both are written");
    }
  }
}

Error Run::workspaceTooSmall() const {
  const int64_t m = call_.rows();
  return {ALGRT_WORKSPACE_TOO_SMALL,
          (options_.workspace == nullptr
               ? std::string("workspace is null")
               : "workspace has " + std::to_string(options_.workspace_bytes) + " bytes") +
              ", program " + program_.name + " needs " +
              std::to_string(programWorkspace(bundle_, program_, m, options_.threads)) + " bytes for " +
              std::to_string(m) + (m == 1 ? " row" : " rows") + ": ask algrt_program_workspace_size"};
}

std::string Run::describe(size_t number) const {
  const ProgramStep &step = program_.steps[number];
  const OperandNames names = operandNames(step.map);
  const std::array<std::string, 3> matrices = {names.x, names.w, names.y};
  std::string text = "step " + std::to_string(number + 1) + " (" + name(step.map) + ": ";
  for (const std::string &matrix : matrices)
    text += (matrix == names.x ? "" : ", ") + matrix + " is " + step.operands.at(matrix);
  for (const auto &[operand, own] : step.operands)
    if (std::ranges::find(matrices, operand) == matrices.end())
      text += ", " + operand + " is " + own;
  return text + "): ";
}

int32_t Run::kernelOf(const ProgramStep &step) const {
  if (options_.kernel == 0 || bundle_.further.empty())
    return options_.kernel;
  const auto countOf = [&](size_t projection) {
    return int64_t(bundle_.projection(projection).bundle.manifest().kernels.size());
  };
  int64_t before = 0;
  for (size_t projection = 0; projection < step.projection; ++projection)
    before += countOf(projection);
  const int64_t count = countOf(step.projection), kernel = options_.kernel - before;
  if (kernel < 1 || kernel > count)
    refuse(
        "kernel is " + std::to_string(options_.kernel) + ", but program " + program_.name + " is a step of " +
        (step.projection == 0 ? "the bundle's own projection"
                              : "projection " + bundle_.bundle.manifest().further[step.projection - 1].name) +
        ", whose kernels are " +
        (count == 0 ? "none" : std::to_string(before + 1) + " to " + std::to_string(before + count)));
  return int32_t(kernel);
}

void Run::run() {
  checkOptions();
  checkOverlaps();
  placeBuffers();
  for (size_t i = 0; i < program_.steps.size(); ++i)
    try {
      run(program_.steps[i]);
    } catch (const Error &error) {
      if (error.status() == ALGRT_WORKSPACE_TOO_SMALL)
        throw workspaceTooSmall();
      if (program_.steps.size() == 1)
        throw;
      throw Error(error.status(), describe(i) + error.what());
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
    *bytes = programWorkspace(*bundle, of, m, threads);
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
    const ProgramCall call(of, tensors, count);
    Run(*bundle, of, call, read).run();
  });
}
