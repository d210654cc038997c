#include "runtime/api/arguments.h"
#include "runtime/api/programs.h"
#include "runtime/api/tensor.h"
#include "runtime/api/tensor_parts.h"
#include "runtime/bundle/fusion.h"
#include "runtime/cpu/pack.h"

#include <algorithm>
#include <deque>
#include <span>

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

MatrixView readWeightsOf(const LoadedProjection &projection, int64_t layer, const DLTensor *w,
                         const char *name) {
  const Layer &of = projection.bundle.layer();
  return readWeights(w, name, cpu_device, layer == 0 ? of : layerOfWeight(of, of.fusion->weights), of.dtype);
}

std::unique_ptr<algrt_weights> pack(const LoadedProjection &projection, int64_t layer, const DLTensor *w,
                                    const char *name, int32_t threads) {
  const MatrixView weight_matrix = readWeightsOf(projection, layer, w, name);
  const size_t kernel = projection.kernels.choosePacked();
  return std::unique_ptr<algrt_weights>(
      new algrt_weights{projection.bundle.hash(), projection.number, kernel, layer,
                        packWeights(projection.kernels.load(kernel), size_t(layer),
                                    projection.bundle.layer().dtype, weight_matrix, threads)});
}

// Whether a tensor has the type and the shape of the weights of experts: a further leading extent. What has
// another shape is refused as the weights of one network.
bool isOfExperts(const DLTensor *w, const Shape &one, ElementType type) {
  return w != nullptr && w->shape != nullptr && w->ndim == int32_t(one.size()) + 1 && w->shape[0] > 0 &&
         sameType(w->dtype, dlpackType(type)) &&
         std::ranges::equal(one, std::span(w->shape + 1, one.size()), {}, &Extent::constant);
}

std::deque<TensorSlice> expertsIn(const DLTensor &w, const char *name) {
  readJoined(&w, name, cpu_device); // refuses gaps between experts, and what has no addresses
  std::deque<TensorSlice> experts;
  for (int64_t expert = 0; expert < w.shape[0]; ++expert)
    experts.emplace_back(w, expert);
  return experts;
}

std::unique_ptr<algrt_weights> packExperts(const LoadedProjection &projection, int64_t layer,
                                           const DLTensor &w, const char *name, const Shape &one,
                                           int32_t threads) {
  std::unique_ptr<algrt_weights> weights(
      new algrt_weights{projection.bundle.hash(), projection.number, /*kernel=*/0, layer, AlignedBuffer()});
  weights->expert_shape = one;
  for (const TensorSlice &expert : expertsIn(w, name)) {
    weights->experts.push_back(pack(projection, layer, &expert.tensor(), name, threads));
    weights->kernel = weights->experts.back()->kernel;
  }
  return weights;
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
    checkCount("threads", threads);
    *weights = pack(*bundle, /*layer=*/0, w, "w", threads).release();
  });
}

int algrt_program_weights_pack(const algrt_bundle *bundle, const char *program, const char *operand,
                               const DLTensor *tensor, int32_t threads, algrt_weights **weights) {
  return guarded([&] {
    requireNotNull(weights, "weights");
    *weights = nullptr;
    const Program &of = requireProgram(bundle, program);
    requireNotNull(operand, "operand");
    checkCount("threads", threads);
    const ProgramOperand *found = of.findOperand(operand);
    if (found == nullptr || found->role != OperandRole::Weight)
      refuse(std::string(operand) + ": program " + of.name + " has no such weight");
    const std::optional<PackedOperand> packed = packedOperand(bundle->bundle, of, operand);
    if (!packed)
      throw Error(ALGRT_UNSUPPORTED,
                  std::string(operand) + ": program " + of.name +
                      " reads it otherwise than as a weight matrix of forward products of one "
                      "projection: pass the tensor to algrt_run");
    const LoadedProjection &projection = bundle->projection(packed->projection);
    *weights = (isOfExperts(tensor, found->shape, projection.bundle.layer().dtype)
                    ? packExperts(projection, packed->layer, *tensor, operand, found->shape, threads)
                    : pack(projection, packed->layer, tensor, operand, threads))
                   .release();
  });
}

int algrt_weights_repack(const algrt_bundle *bundle, const DLTensor *w, int32_t threads,
                         algrt_weights *weights) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    requireNotNull(weights, "weights");
    checkCount("threads", threads);
    if (weights->bundle_hash != bundle->bundle.hash())
      refuse("weights were packed for another bundle");
    const LoadedProjection &projection = bundle->projection(weights->projection);
    std::vector<algrt_weights *> of = {weights};
    std::vector<MatrixView> matrices;
    if (weights->experts.empty()) {
      matrices.push_back(readWeightsOf(projection, weights->layer, w, "w"));
    } else {
      const auto experts = int64_t(weights->experts.size());
      if (!isOfExperts(w, weights->expert_shape, projection.bundle.layer().dtype) || w->shape[0] != experts)
        refuse("w: is no " + std::string(name(projection.bundle.layer().dtype)) +
               " tensor of the weights of " + countText(experts, "expert") + ", each of shape " +
               text(weights->expert_shape) + ", which were packed");
      of.clear();
      const std::deque<TensorSlice> slices = expertsIn(*w, "w");
      for (size_t expert = 0; expert < slices.size(); ++expert) {
        of.push_back(weights->experts[expert].get());
        matrices.push_back(readWeightsOf(projection, weights->layer, &slices[expert].tensor(), "w"));
      }
    }
    for (size_t i = 0; i < of.size(); ++i)
      repackWeights(projection.kernels.load(of[i]->kernel), size_t(of[i]->layer),
                    projection.bundle.layer().dtype, matrices[i], threads, of[i]->packed);
  });
}

void algrt_weights_free(algrt_weights *weights) { delete weights; }

size_t algrt_weights_bytes(const algrt_weights *weights) {
  if (weights == nullptr)
    return 0;
  size_t bytes = weights->packed.size();
  for (const std::unique_ptr<algrt_weights> &expert : weights->experts)
    bytes += expert->packed.size();
  return bytes;
}
