#include "runtime/api/arguments.h"
#include "runtime/api/programs.h"
#include "runtime/api/tensor.h"
#include "runtime/bundle/fusion.h"
#include "runtime/cpu/pack.h"

#include <algorithm>

using namespace algrt;

namespace {

// Which layer of a projection has a weight of that name, if any.
std::optional<int64_t> layerOfWeightNamed(const Layer &layer, std::string_view operand) {
  const Fusion fusion = fusionOf(layer, Map::Forward);
  for (int64_t i = 0; i < fusion.allWeights(); ++i)
    if (operand == numberedName(operandNames(Map::Forward).w, i))
      return fusion.layerOf(i);
  return std::nullopt;
}

void checkThreads(int32_t threads) {
  if (threads < 0)
    refuse("threads is " + std::to_string(threads) + ", needs 0 (all) or more");
}

MatrixView readWeightsOf(const LoadedProjection &projection, int64_t layer, const DLTensor *w,
                         const char *name) {
  const Layer &of = projection.bundle.layer();
  return readWeights(w, name, cpu_device, layer == 0 ? of : layerOfWeight(of, of.fusion->weights), of.dtype);
}

algrt_weights *pack(const LoadedProjection &projection, int64_t layer, const DLTensor *w, const char *name,
                    int32_t threads) {
  const MatrixView weight_matrix = readWeightsOf(projection, layer, w, name);
  const size_t kernel = projection.kernels.choosePacked();
  return new algrt_weights{projection.bundle.hash(), projection.number, kernel, layer,
                           packWeights(projection.kernels.load(kernel), size_t(layer),
                                       projection.bundle.layer().dtype, weight_matrix, threads)};
}

} // namespace

std::optional<PackedOperand> algrt::packedOperand(const Bundle &bundle, const Program &program,
                                                  std::string_view operand) {
  std::optional<PackedOperand> packed;
  for (const ProgramStep &step : program.steps)
    for (const auto &[key, own] : step.operands) {
      if (own != operand)
        continue;
      if (step.elementwise || step.map != Map::Forward)
        return std::nullopt;
      const std::optional<int64_t> layer =
          layerOfWeightNamed(bundle.projection(step.projection).layer(), key);
      if (!layer)
        return std::nullopt;
      const PackedOperand here = {step.projection, *layer};
      if (packed.value_or(here) != here)
        return std::nullopt;
      packed = here;
    }
  return packed;
}

int algrt_weights_pack(const algrt_bundle *bundle, const DLTensor *w, int32_t threads,
                       algrt_weights **weights) {
  return guarded([&] {
    requireNotNull(weights, "weights");
    *weights = nullptr;
    requireNotNull(bundle, "bundle");
    checkThreads(threads);
    *weights = pack(*bundle, /*layer=*/0, w, "w", threads);
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
    const std::optional<PackedOperand> packed = packedOperand(bundle->bundle, of, operand);
    if (!packed)
      throw Error(ALGRT_UNSUPPORTED,
                  std::string(operand) + ": program " + of.name +
                      " reads it otherwise than as a weight matrix of forward products of one "
                      "projection: pass the tensor to algrt_run");
    *weights = pack(bundle->projection(packed->projection), packed->layer, tensor, operand, threads);
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
    const MatrixView weight_matrix = readWeightsOf(projection, weights->layer, w, "w");
    repackWeights(projection.kernels.load(weights->kernel), size_t(weights->layer),
                  projection.bundle.layer().dtype, weight_matrix, threads, weights->packed);
  });
}

void algrt_weights_free(algrt_weights *weights) { delete weights; }

size_t algrt_weights_bytes(const algrt_weights *weights) {
  return weights == nullptr ? 0 : weights->packed.size();
}
