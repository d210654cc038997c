#include "python/operators/projection.h"

#include "python/operators/errors.h"

#include <map>
#include <memory>
#include <mutex>

namespace algctl_torch {
namespace {

// What the arguments of all maps have in common: where the rows are, on which stream and threads the call
// runs, and which memory it needs.
template <class Arguments> class Call {
public:
  Call(Arguments &arguments, const Bundle &bundle, const Tensor &x, const Matrix &rows,
       const OptionalTensor &positions, const OptionalTensor &types, int64_t p0) {
    require(p0 >= 0, "p0 is ", p0, ", positions begin at 0");
    arguments.p0 = p0;
    arguments.stream = streamOf(x);
    // To wake other threads takes as long as some hundred thousand products.
    const double products = double(rows.rows()) * double(bundle.info.k) * double(bundle.info.n);
    arguments.threads = products < 1 << 17 ? 1 : threads();
    bool listed = false;
    if (types) {
      requireSameDevice(*types, "types", x, "x");
      require(types->numel() == rows.rows(), "types has ", types->numel(), " numbers for ", rows.rows(),
              " rows of x");
      types_.emplace(torch::stable::reshape(*types, {rows.rows()}), "types");
      arguments.types = types_->get();
      listed = true;
    }
    if (positions) {
      require(p0 == 0, "p0 is ", p0, " beside positions, which say where every row is");
      requireSameDevice(*positions, "positions", x, "x");
      require(positions->numel() == rows.rows(), "positions has ", positions->numel(), " numbers for ",
              rows.rows(), " rows of x");
      positions_.emplace(torch::stable::reshape(*positions, {rows.rows()}), "positions");
      arguments.positions = positions_->get();
      listed = true;
    } else if (x.dim() > 2 && !types) {
      arguments.sequence_rows = Extents(x).back(2);
      // One sequence, or whole periods, need no list.
      listed = arguments.sequence_rows != rows.rows() && bundle.period() > 0 &&
               arguments.sequence_rows % bundle.period() != 0;
    }
    if (listed && x.is_cuda()) {
      size_t bytes = 0;
      check(algrt_workspace_size(bundle.handle, rows.rows(), 0, &bytes));
      if (bytes > 0) {
        workspace_ = emptyLike(x, {int64_t(bytes)}, ScalarType::Byte);
        arguments.workspace = workspace_->mutable_data_ptr();
        arguments.workspace_bytes = bytes;
      }
    }
  }

private:
  std::optional<Dense> types_, positions_;
  OptionalTensor workspace_; // the allocator gives freed memory to later work of the same stream alone
};

void requireType(const Tensor &tensor, const char *argument, const Bundle &bundle) {
  require(tensor.scalar_type() == bundle.type(), argument, " is of ", nameOf(tensor.scalar_type()),
          ", the bundle computes on ", nameOf(bundle.type()));
}

void requireColumns(const Matrix &matrix, const char *argument, int64_t columns) {
  require(matrix.columns() == columns, argument, " has ", matrix.columns(),
          " features, the bundle's layer has ", columns);
}

// Weights and biases may be kept in float32 beside products in bfloat16.
Tensor asComputed(const Tensor &tensor, const char *argument, const Bundle &bundle, const Tensor &x) {
  requireSameDevice(tensor, argument, x, "x");
  ScalarType type = tensor.scalar_type();
  require(type == bundle.type() || type == ScalarType::Float, argument, " is of ", nameOf(type),
          ", the bundle computes on ", nameOf(bundle.type()), " and takes float32 weights, too");
  return converted(tensor, bundle.type());
}

// [..., columns] beside the rows of x.
Tensor likeRows(const Tensor &x, int64_t columns) {
  Extents extents(x);
  std::vector<int64_t> sizes(extents.sizes, extents.sizes + extents.dimensions);
  sizes.back() = columns;
  return emptyLike(x, sizes, x.scalar_type());
}

Tensor forward(const Tensor &x, const Tensor *weight, const algrt_weights *packed, const OptionalTensor &bias,
               const OptionalTensor &positions, const OptionalTensor &types, int64_t p0,
               const Bundle &bundle) {
  requireType(x, "x", bundle);
  Matrix rows(x, "x");
  requireColumns(rows, "x", bundle.info.k);
  Tensor y = likeRows(x, bundle.info.n);
  Matrix result(y, "y");
  algrt_forward_args arguments = algrt_forward_args_init();
  std::optional<Dense> weights, offsets;
  if (weight != nullptr)
    arguments.w = weights.emplace(asComputed(*weight, "weight", bundle, x), "weight").get();
  arguments.weights = packed;
  if (bias)
    arguments.bias = offsets.emplace(asComputed(*bias, "bias", bundle, x), "bias").get();
  arguments.x = rows.get();
  arguments.y = result.get();
  Call call(arguments, bundle, x, rows, positions, types, p0);
  check(algrt_forward(bundle.handle, &arguments));
  return y;
}

// Packed weights by their number, with the bundle that packed them. Shared, because another thread may free
// the number while a call reads the weights.
struct Packed {
  std::shared_ptr<algrt_weights> weights;
  const Bundle *bundle;
};
std::mutex packed_mutex;
std::map<int64_t, Packed> packed_weights;
int64_t next_packed = 1;

void requirePacked(bool found, int64_t number) {
  require(found, "there are no packed weights of number ", number, " in this process");
}

Packed packedNumbered(int64_t number) {
  std::lock_guard lock(packed_mutex);
  auto found = packed_weights.find(number);
  requirePacked(found != packed_weights.end(), number);
  return found->second;
}

} // namespace

Tensor projectionForward(Tensor x, Tensor weight, OptionalTensor bias, OptionalTensor positions,
                         OptionalTensor types, int64_t p0, std::string name) {
  return forward(x, &weight, nullptr, bias, positions, types, p0, bundleNamed(name));
}

Tensor projectionDx(Tensor dy, Tensor weight, OptionalTensor positions, OptionalTensor types, int64_t p0,
                    std::string name) {
  const Bundle &bundle = bundleNamed(name);
  requireType(dy, "dy", bundle);
  Matrix rows(dy, "dy");
  requireColumns(rows, "dy", bundle.info.n);
  Tensor dx = likeRows(dy, bundle.info.k);
  Matrix result(dx, "dx");
  Dense weights(asComputed(weight, "weight", bundle, dy), "weight");
  algrt_dx_args arguments = algrt_dx_args_init();
  arguments.dy = rows.get();
  arguments.dx = result.get();
  arguments.w = weights.get();
  Call call(arguments, bundle, dy, rows, positions, types, p0);
  check(algrt_dx(bundle.handle, &arguments));
  return dx;
}

std::tuple<Tensor, Tensor> projectionDw(Tensor x, Tensor dy, OptionalTensor positions, OptionalTensor types,
                                        int64_t p0, std::string name, ScalarType type) {
  const Bundle &bundle = bundleNamed(name);
  requireType(x, "x", bundle);
  requireType(dy, "dy", bundle);
  requireSameDevice(dy, "dy", x, "x");
  Matrix rows(x, "x"), gradients(dy, "dy");
  requireColumns(rows, "x", bundle.info.k);
  requireColumns(gradients, "dy", bundle.info.n);
  const int64_t *shape = bundle.info.bank_shape;
  Tensor dw = emptyLike(x, {shape, shape + bundle.info.bank_ndim}, type);
  Tensor dbias = emptyLike(x, {bundle.info.bias != 0 ? bundle.info.n : 0}, type);
  Dense result(dw, "dw"), sums(dbias, "dbias");
  algrt_dw_args arguments = algrt_dw_args_init();
  arguments.x = rows.get();
  arguments.dy = gradients.get();
  arguments.dw = result.get();
  if (bundle.info.bias != 0)
    arguments.dbias = sums.get();
  Call call(arguments, bundle, x, rows, positions, types, p0);
  check(algrt_dw(bundle.handle, &arguments));
  return {dw, dbias};
}

int64_t packWeights(Tensor weight, std::string name) {
  const Bundle &bundle = bundleNamed(name);
  require(!weight.is_cuda(), "weight is on a CUDA device; packed weights are for the CPU");
  Dense source(asComputed(weight, "weight", bundle, weight), "weight");
  algrt_weights *handle = nullptr;
  check(algrt_weights_pack(bundle.handle, source.get(), threads(), &handle));
  std::shared_ptr<algrt_weights> weights(handle, algrt_weights_free);
  std::lock_guard lock(packed_mutex);
  packed_weights.emplace(next_packed, Packed{std::move(weights), &bundle});
  return next_packed++;
}

void freeWeights(int64_t number) {
  std::map<int64_t, Packed>::node_type freed; // beyond the lock, which memory of many megabytes would hold up
  std::lock_guard lock(packed_mutex);
  freed = packed_weights.extract(number);
  requirePacked(!freed.empty(), number);
}

int64_t packedBytes(int64_t number) {
  return int64_t(algrt_weights_bytes(packedNumbered(number).weights.get()));
}

Tensor projectionForwardPacked(Tensor x, int64_t number, OptionalTensor bias, OptionalTensor positions,
                               OptionalTensor types, int64_t p0, std::string name) {
  const Bundle &bundle = bundleNamed(name);
  Packed packed = packedNumbered(number);
  require(packed.bundle == &bundle, "the packed weights are of another bundle, ",
          packed.bundle->name.substr(0, 12));
  return forward(x, nullptr, packed.weights.get(), bias, positions, types, p0, bundle);
}

} // namespace algctl_torch
