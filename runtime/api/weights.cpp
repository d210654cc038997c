#include "runtime/api/arguments.h"
#include "runtime/api/programs.h"
#include "runtime/api/tensor.h"
#include "runtime/bundle/fusion.h"
#include "runtime/cpu/pack.h"

#include <algorithm>

using namespace algrt;

namespace {

bool isWeight(const Layer &layer, std::string_view operand) {
  const int64_t weights = fusionOf(layer, Map::Forward).weights;
  for (int64_t i = 0; i < weights; ++i)
    if (operand == numberedName(operandNames(Map::Forward).w, i))
      return true;
  return false;
}

void checkThreads(int32_t threads) {
  if (threads < 0)
    refuse("threads is " + std::to_string(threads) + ", needs 0 (all) or more");
}

algrt_weights *pack(const LoadedProjection &projection, const DLTensor *w, const char *name,
                    int32_t threads) {
  const Layer &layer = projection.bundle.layer();
  const MatrixView weight_matrix = readWeights(w, name, cpu_device, layer, layer.dtype);
  const size_t kernel = projection.kernels.choosePacked();
  return new algrt_weights{projection.bundle.hash(), projection.number, kernel,
                           packWeights(projection.kernels.load(kernel), layer, weight_matrix, threads)};
}

} // namespace

std::optional<size_t> algrt::packedProjection(const Bundle &bundle, const Program &program,
                                              std::string_view operand) {
  std::optional<size_t> projection;
  for (const ProgramStep &step : program.steps)
    for (const auto &[key, own] : step.operands) {
      if (own != operand)
        continue;
      if (step.elementwise || step.map != Map::Forward ||
          !isWeight(bundle.projection(step.projection).layer(), key) ||
          projection.value_or(step.projection) != step.projection)
        return std::nullopt;
      projection = step.projection;
    }
  return projection;
}

int algrt_weights_pack(const algrt_bundle *bundle, const DLTensor *w, int32_t threads,
                       algrt_weights **weights) {
  return guarded([&] {
    requireNotNull(weights, "weights");
    *weights = nullptr;
    requireNotNull(bundle, "bundle");
    checkThreads(threads);
    *weights = pack(*bundle, w, "w", threads);
  });
}

int algrt_program_weights_pack(const algrt_bundle *bundle, const char *program, const char *operand,
                               const DLTensor *tensor, int32_t threads, algrt_weights **weights) {
  return guarded([&] {
    requireNotNull(weights, "weights");
    *weights = nullptr;
    const Program &of = requireProgram(bundle, program);
    requireNotNull(operand, "operand");
    checkThreads(threads);
    const ProgramOperand *found = of.findOperand(operand);
    if (found == nullptr || found->role != OperandRole::Weight)
      refuse(std::string(operand) + ": program " + of.name + " has no such weight");
    const std::optional<size_t> projection = packedProjection(bundle->bundle, of, operand);
    if (!projection)
      throw Error(ALGRT_UNSUPPORTED,
                  std::string(operand) + ": program " + of.name +
                      " reads it otherwise than as a weight matrix of forward products of one "
                      "projection: pass the tensor to algrt_run");
    *weights = pack(bundle->projection(*projection), tensor, operand, threads);
  });
}

int algrt_weights_repack(const algrt_bundle *bundle, const DLTensor *w, int32_t threads,
                         algrt_weights *weights) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    requireNotNull(weights, "weights");
    checkThreads(threads);
    if (weights->bundle_hash != bundle->bundle.hash())
      refuse("weights were packed for another bundle");
    const LoadedProjection &projection = bundle->projection(weights->projection);
    const Layer &layer = projection.bundle.layer();
    const MatrixView weight_matrix = readWeights(w, "w", cpu_device, layer, layer.dtype);
    repackWeights(projection.kernels.load(weights->kernel), layer, weight_matrix, threads, weights->packed);
  });
}

void algrt_weights_free(algrt_weights *weights) { delete weights; }

size_t algrt_weights_bytes(const algrt_weights *weights) {
  return weights == nullptr ? 0 : weights->packed.size();
}
