#include "runtime/api/arguments.h"
#include "runtime/api/products.h"
#include "runtime/api/row_arguments.h"
#include "runtime/api/tensor.h"
#include "runtime/cpu/weight_gradient.h"
#include "runtime/cuda/product.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

using namespace algrt;

namespace {

// The gradients have a type of their own: f32, or that of the layer.
ElementType gradientType(const DLTensor *tensor, const char *name, const Layer &layer) {
  requireNotNull(tensor, name);
  const std::optional<ElementType> type = elementTypeOf(tensor->dtype);
  return type == ElementType::F32 ? *type : layer.dtype; // of another type it is refused as not the layer's
}

struct Written {
  MatrixView view;
  const char *name;
  int64_t element;
};

struct Operands {
  MatrixView x, dy;
  RowSource rows;
  int64_t element;
};

void requireDisjointFrom(const Operands &read, const Written &written) {
  requireDisjoint(written.view, written.name, written.element, read.x, "x", read.element);
  requireDisjoint(written.view, written.name, written.element, read.dy, "dy", read.element);
  requireDisjoint(written.view, written.name, written.element, read.rows);
}

// Number in the manifest of the function that sums the rows of dy.
size_t dbiasFunctionOf(const LoadedProjection &projection, ElementType type) {
  if (!projection.bundle.layer().bias)
    refuse("dbias is given, but the layer of the bundle has no bias: compile it with one, or pass NULL");
  const std::vector<Elementwise> &functions = projection.bundle.manifest().elementwise;
  const auto found = std::ranges::find(functions, dbiasFunction(type), &Elementwise::name);
  if (found == functions.end())
    throw Error(ALGRT_UNSUPPORTED, "dbias: the bundle has no function " + dbiasFunction(type) +
                                       ", which computes it: compile the bundle again, or pass NULL and sum "
                                       "the rows of dy there");
  return size_t(found - functions.begin());
}

// The sum of the rows of dy, checked and ready to be run behind dw; nothing where none is wanted.
class ColumnSums {
public:
  ColumnSums(const LoadedProjection &projection, const algrt_dw_args &args, const Operands &read,
             const Written &dw)
      : beta_(args.beta) {
    if (args.dbias == nullptr)
      return;
    const Layer &layer = projection.bundle.layer();
    const ElementType type = gradientType(args.dbias, "dbias", layer);
    const Written dbias{readVector(args.dbias, "dbias", args.x->device, type, layer.n), "dbias",
                        elementBytes(type)};
    requireDisjointFrom(read, dbias);
    requireDisjoint(dbias.view, dbias.name, dbias.element, dw.view, dw.name, dw.element);
    const auto tensor = [this, &args](std::string_view operand) -> const DLTensor * {
      return operand == "x" ? args.dy : operand == "y" ? args.dbias : operand == "x2" ? &factor_ : nullptr;
    };
    run_ = prepareElementwise(projection.elementwise, dbiasFunctionOf(projection, type),
                              {tensor, args.x->device, args.stream, args.threads});
  }
  ColumnSums(const ColumnSums &) = delete;

  void run() const {
    if (run_)
      run_();
  }

private:
  float beta_;
  int64_t one_ = 1;
  const DLTensor factor_{&beta_, cpu_device, 1, dlpackType(ElementType::F32), &one_, nullptr, 0};
  std::function<void()> run_;
};

void differentiateOnCpu(const LoadedProjection &bundle, const algrt_dw_args &args) {
  const Layer &layer = bundle.bundle.layer();
  WeightGradientCall call{};
  call.x = readMatrix(args.x, "x", cpu_device, layer.dtype, any_rows, layer.k);
  const int64_t m = call.x.rows;
  call.dy = readMatrix(args.dy, "dy", cpu_device, layer.dtype, m, layer.n);
  call.output = gradientType(args.dw, "dw", layer);
  call.dw = readWeights(args.dw, "dw", cpu_device, layer, call.output);
  call.batch.source = readRows(layer, rowArguments(args), cpu_device, m);
  const Operands read{call.x, call.dy, call.batch.source, elementBytes(layer.dtype)};
  const Written dw{call.dw, "dw", elementBytes(call.output)};
  requireDisjointFrom(read, dw);
  const ColumnSums sums(bundle, args, read, dw);

  call.beta = args.beta;
  call.batch.workspace = args.workspace;
  call.batch.workspace_bytes = args.workspace_bytes;
  call.batch.threads = args.threads;
  call.kernel = int64_t(args.kernel) - 1;
  runWeightGradient(bundle.kernels, layer, call);
  sums.run();
}

void differentiateOnCuda(const LoadedProjection &bundle, const algrt_dw_args &args,
                         const PlaceInProgram &place) {
  if (!bundle.gpu_kernels.any(Map::Dw))
    throw Error(ALGRT_UNSUPPORTED,
                "x: is on a CUDA device, but the bundle has no kernel of dw for one: compile it for one, or "
                "pass tensors in CPU memory");
  const Layer &layer = bundle.bundle.layer();
  const DLDevice device = args.x->device;
  cuda::ProductCall call{};
  call.map = Map::Dw;
  call.x = readMatrix(args.x, "x", device, layer.dtype, any_rows, layer.k);
  call.w = readMatrix(args.dy, "dy", device, layer.dtype, call.x.rows, layer.n);
  call.output = gradientType(args.dw, "dw", layer);
  call.y = readWeights(args.dw, "dw", device, layer, call.output);
  call.rows = readRows(layer, rowArguments(args), device, call.x.rows);
  const Operands read{call.x, call.w, call.rows, elementBytes(layer.dtype)};
  const Written dw{call.y, "dw", elementBytes(call.output)};
  requireDisjointFrom(read, dw);
  const ColumnSums sums(bundle, args, read, dw);
  call.device = device.device_id;
  call.workspace = {args.workspace, args.workspace_bytes};
  call.lists = place.lists;
  call.order = cuda::launchOrder(/*dependent=*/false, place.behind_step);
  call.stream = args.stream;
  call.kernel = int64_t(args.kernel) - 1;
  call.beta = args.beta;
  cuda::runProduct(bundle.gpu_kernels, layer, call);
  sums.run();
}

} // namespace

void algrt::runDw(const LoadedProjection &projection, const algrt_dw_args &args,
                  const PlaceInProgram &place) {
  checkCount("p0", args.p0);
  checkCount("threads", args.threads);
  checkCount("kernel", args.kernel);
  if (!std::isfinite(args.beta))
    refuse("beta is not finite");
  checkRowArguments(projection.bundle.layer(), rowArguments(args));
  if (args.x != nullptr && args.x->device.device_type == kDLCUDA)
    return differentiateOnCuda(projection, args, place);
  if (args.stream != nullptr)
    refuse("stream is set, but x is in CPU memory, and the CPU has no streams: pass NULL");
  differentiateOnCpu(projection, args);
}

int algrt_dw(const algrt_bundle *bundle, const algrt_dw_args *given) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    runDw(*bundle, readArguments(given, offsetof(algrt_dw_args, beta) + sizeof(algrt_dw_args::beta),
                                 algrt_dw_args_init(), "algrt_dw_args_init"));
  });
}
