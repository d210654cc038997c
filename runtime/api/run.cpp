// algrt_run: the steps of a program one after another, with what they hand on in the workspace.
#include "runtime/api/arguments.h"
#include "runtime/api/products.h"
#include "runtime/api/program_call.h"
#include "runtime/api/programs.h"
#include "runtime/api/tensor.h"
#include "runtime/support/checked.h"

#include <algorithm>
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
    throw Error(ALGRT_WORKSPACE_TOO_SMALL,
                std::string("workspace ") +
                    (place == nullptr ? "is null" : "has " + std::to_string(workspace_bytes_) + " bytes") +
                    ": what the steps of program " + program_.name + " hand on takes " +
                    std::to_string(bytes) + " bytes: ask algrt_program_workspace_size");
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
  args.kernel = options_.kernel;
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
    if (options_.dependent_launch != 0)
      refuse("dependent_launch is set, but kernels of dw wait for nothing by themselves: pass 0");
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

void Run::run() {
  if (program_.steps.size() > 1) {
    if (options_.kernel != 0 || options_.dependent_launch != 0)
      refuse("kernel and dependent_launch are for programs of one step, " + program_.name + " has " +
             std::to_string(program_.steps.size()) + ": pass 0");
  }
  const bool takes_packed = program_.steps.size() == 1 && program_.steps[0].map == Map::forward &&
                            program_.steps[0].projection == 0;
  for (const ProgramOperand &operand : program_.operands)
    if (const algrt_named_tensor *found = call_.find(operand.name);
        found != nullptr && found->weights != nullptr && !takes_packed)
      refuse(operand.name +
             ": is given as packed weights, which a program takes that is one forward product: pass "
             "the tensor");
  const bool adds =
      std::ranges::any_of(program_.steps, [](const ProgramStep &step) { return step.map == Map::dw; });
  if (!adds && options_.beta != 0)
    refuse("beta is set, but program " + program_.name + " adds to nothing: pass 0");
  placeBuffers();
  for (const ProgramStep &step : program_.steps)
    run(step);
}

} // namespace

int algrt_program_workspace_size(const algrt_bundle *bundle, const char *program, int64_t m, int32_t threads,
                                 size_t *bytes) {
  return guarded([&] {
    const Program &of = requireProgram(bundle, program);
    requireNotNull(bytes, "bytes");
    checkCount("m", m);
    checkCount("threads", threads);
    size_t most = 0;
    for (const ProgramStep &step : of.steps)
      most = std::max(most, workspaceBytes(bundle->projection(step.projection), m, threads));
    *bytes = checkedAdd(size_t(allBufferBytes(of, m)), most, "the workspace of a program");
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
                      "algrt_run_options_init");
    const ProgramCall call(of, tensors, count);
    Run(*bundle, of, call, read).run();
  });
}
