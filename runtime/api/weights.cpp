#include "runtime/api/boundary.h"
#include "runtime/api/handles.h"
#include "runtime/api/tensor.h"
#include "runtime/cpu/pack.h"

using namespace algrt;

int algrt_weights_pack(const algrt_bundle *bundle, const DLTensor *w, int32_t threads,
                       algrt_weights **weights) {
  return guarded([&] {
    requireNotNull(weights, "weights");
    *weights = nullptr;
    requireNotNull(bundle, "bundle");
    if (threads < 0)
      throw Error(ALGRT_INVALID_ARGUMENT,
                  "threads is " + std::to_string(threads) + ", needs 0 (all) or more");
    const Layer &layer = bundle->bundle.layer();
    const MatrixView bank = readBank(w, "w", cpu_device, layer, layer.dtype);
    const size_t kernel = bundle->kernels.choosePacked();
    *weights = new algrt_weights{bundle->bundle.hash(), kernel,
                                 packBank(bundle->kernels.load(kernel), layer, bank, threads)};
  });
}

void algrt_weights_free(algrt_weights *weights) { delete weights; }

size_t algrt_weights_bytes(const algrt_weights *weights) {
  return weights == nullptr ? 0 : weights->packed.size();
}
