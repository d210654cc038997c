#include "compiler/tools/run_product.h"

#include "compiler/tools/opened_bundle.h"
#include "compiler/tools/session.h"
#include "runtime/algrt.h"
#include "runtime/numeric/bfloat16.h"
#include "runtime/support/checked.h"

#include <chrono>
#include <fmt/format.h>
#include <memory>

namespace compiler {
namespace {

// A compact matrix in the element type of the layer.
class Matrix {
public:
  Matrix(int64_t rows, int64_t columns, algrt::ElementType type)
      : shape_{rows, columns}, bf16_(type == algrt::ElementType::Bf16) {
    size_t count = static_cast<size_t>(rows) * static_cast<size_t>(columns);
    if (bf16_)
      halves_.resize(count);
    else
      floats_.resize(count);
    describe();
  }
  Matrix(int64_t rows, int64_t columns, algrt::ElementType type, const std::vector<float> &values)
      : Matrix(rows, columns, type) {
    for (size_t index = 0; index < values.size(); ++index) {
      if (bf16_)
        halves_[index] = algrt::toBfloat16(values[index]);
      else
        floats_[index] = values[index];
    }
  }
  Matrix(const Matrix &) = delete;
  Matrix &operator=(const Matrix &) = delete;

  const DLTensor *tensor() const { return &descriptor_; }
  // The only row of a matrix that has one.
  DLTensor vector() const {
    DLTensor row = descriptor_;
    row.ndim = 1;
    ++row.shape;
    return row;
  }

  std::vector<float> take() {
    if (!bf16_)
      return std::move(floats_);
    std::vector<float> values(halves_.size());
    for (size_t index = 0; index < values.size(); ++index)
      values[index] = algrt::fromBfloat16(halves_[index]);
    return values;
  }

private:
  int64_t shape_[2];
  bool bf16_;
  std::vector<float> floats_;
  std::vector<uint16_t> halves_;
  DLTensor descriptor_{};

  void describe() {
    descriptor_.data = bf16_ ? static_cast<void *>(halves_.data()) : static_cast<void *>(floats_.data());
    descriptor_.device = {kDLCPU, 0};
    descriptor_.ndim = 2;
    descriptor_.dtype = {static_cast<uint8_t>(bf16_ ? kDLBfloat : kDLFloat),
                         static_cast<uint8_t>(bf16_ ? 16 : 32), 1};
    descriptor_.shape = shape_;
  }
};

// A vector of int64, or none.
class Integers {
public:
  explicit Integers(const std::optional<std::vector<int64_t>> &values) : given_(values.has_value()) {
    if (!given_)
      return;
    size_ = static_cast<int64_t>(values->size());
    tensor_.data = const_cast<int64_t *>(values->data());
    tensor_.device = {kDLCPU, 0};
    tensor_.ndim = 1;
    tensor_.dtype = {kDLInt, 64, 1};
    tensor_.shape = &size_;
  }
  Integers(const Integers &) = delete;
  Integers &operator=(const Integers &) = delete;
  const DLTensor *tensor() const { return given_ ? &tensor_ : nullptr; }

private:
  bool given_;
  int64_t size_ = 0;
  DLTensor tensor_{};
};

// The matrices of one map: operands that it does not have are not there.
class Operands {
public:
  std::optional<Matrix> x, dy, w, bias, dbias, result; // of biases their only row

  Operands(const algrt::Layer &layer, const RunArrays &arrays, const ProductOptions &options)
      : type_(options.map == algrt::Map::Dw ? options.result_type.value_or(layer.dtype) : layer.dtype) {
    const int64_t m = arrays.m, columns = layer.weightColumns();
    if (options.map != algrt::Map::Dx)
      x.emplace(m, layer.k, layer.dtype, arrays.x);
    if (options.map != algrt::Map::Forward)
      dy.emplace(m, layer.n, layer.dtype, arrays.dy);
    if (options.map == algrt::Map::Dw) {
      result.emplace(layer.k, columns, type_, arrays.w);
      if (options.dbias)
        dbias.emplace(1, layer.n, type_);
      return;
    }
    w.emplace(layer.k, columns, layer.dtype, arrays.w);
    if (!arrays.bias.empty())
      bias.emplace(1, layer.n, layer.dtype, arrays.bias);
    result.emplace(m, options.map == algrt::Map::Forward ? layer.n : layer.k, type_);
  }
  algrt::ElementType resultType() const { return type_; }

private:
  algrt::ElementType type_;
};

template <class Function> double secondsOf(Function function) {
  auto begin = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

int64_t productBytes(const std::string &bundle_path, const algrt::Layer &layer, int64_t m,
                     const ProductOptions &options) {
  using algrt::checkedAdd, algrt::checkedMultiply;
  const OpenedBundle bundle = openBundle(bundle_path);
  algrt_bundle_info info = algrt_bundle_info_init();
  requireDone(algrt_bundle_get_info(bundle.get(), &info));
  size_t workspace = 0;
  requireDone(algrt_workspace_size(bundle.get(), m, options.threads, &workspace));
  int64_t bytes = static_cast<int64_t>(workspace);
  auto count = [&](int64_t rows, int64_t columns, int64_t element) {
    const int64_t elements = checkedMultiply(rows, columns, "the size of a matrix");
    bytes = checkedAdd(bytes, checkedMultiply(elements, element, "the bytes of a matrix"),
                       "the bytes of all matrices");
  };
  const bool weight_gradient = options.map == algrt::Map::Dw;
  const int64_t element = algrt::elementBytes(layer.dtype), columns = layer.weightColumns();
  if (options.map != algrt::Map::Dx)
    count(m, layer.k, element);
  if (options.map != algrt::Map::Forward)
    count(m, layer.n, element);
  if (!weight_gradient)
    count(layer.k, columns, element);
  // The result in its type, and as float.
  const int64_t result =
      algrt::elementBytes(weight_gradient ? options.result_type.value_or(layer.dtype) : layer.dtype);
  count(weight_gradient ? layer.k : m,
        weight_gradient                      ? columns
        : options.map == algrt::Map::Forward ? layer.n
                                             : layer.k,
        result == 4 ? 4 : result + 4);
  if (options.packed.value_or(options.map == algrt::Map::Forward))
    count(1, static_cast<int64_t>(info.packed_bytes), 1);
  return bytes;
}

ProductResult runProduct(const std::string &bundle_path, const algrt::Layer &layer, const RunArrays &arrays,
                         const ProductOptions &options) {
  const OpenedBundle bundle = openBundle(bundle_path);
  algrt_bundle_info info = algrt_bundle_info_init();
  requireDone(algrt_bundle_get_info(bundle.get(), &info));

  const bool forward = options.map == algrt::Map::Forward, weight_gradient = options.map == algrt::Map::Dw;
  Operands operands(layer, arrays, options);
  int64_t type_count = arrays.m;
  DLTensor types{};
  types.data = const_cast<int32_t *>(arrays.types.data());
  types.device = {kDLCPU, 0};
  types.ndim = 1;
  types.dtype = {kDLInt, 32, 1};
  types.shape = &type_count;

  const Integers positions(arrays.positions.positions), starts(arrays.positions.sequence_starts),
      sequence_positions(arrays.positions.sequence_positions);

  DLTensor bias{}, dbias{};
  if (operands.bias)
    bias = operands.bias->vector();
  if (operands.dbias)
    dbias = operands.dbias->vector();

  ProductResult result;
  result.packed = options.packed.value_or(forward && info.packed_bytes > 0);
  PackedWeights weights;
  if (result.packed) {
    algrt_weights *packed = nullptr;
    result.pack_seconds = secondsOf([&] {
      requireDone(algrt_weights_pack(bundle.get(), operands.w->tensor(), options.threads, &packed));
    });
    weights.reset(packed);
  }

  size_t workspace_bytes = 0;
  requireDone(algrt_workspace_size(bundle.get(), arrays.m, options.threads, &workspace_bytes));
  std::vector<char> workspace(workspace_bytes);
  // What the arguments of all maps have in common.
  auto fill = [&](auto &args) {
    args.types = layer.row_types == algrt::RowTypesKind::ExplicitTypes ? &types : nullptr;
    args.positions = positions.tensor();
    args.sequence_starts = starts.tensor();
    args.sequence_positions = sequence_positions.tensor();
    args.p0 = options.p0;
    args.sequence_rows = arrays.positions.sequence_rows;
    args.threads = options.threads;
    args.workspace = workspace.data();
    args.workspace_bytes = workspace.size();
  };
  auto multiply = [&] {
    if (forward) {
      algrt_forward_args args = algrt_forward_args_init();
      args.x = operands.x->tensor();
      args.y = operands.result->tensor();
      args.w = result.packed ? nullptr : operands.w->tensor();
      args.weights = weights.get();
      args.bias = operands.bias ? &bias : nullptr;
      fill(args);
      requireDone(algrt_forward(bundle.get(), &args));
    } else if (weight_gradient) {
      algrt_dw_args args = algrt_dw_args_init();
      args.x = operands.x->tensor();
      args.dy = operands.dy->tensor();
      args.dw = operands.result->tensor();
      args.dbias = operands.dbias ? &dbias : nullptr;
      args.beta = options.beta;
      fill(args);
      requireDone(algrt_dw(bundle.get(), &args));
    } else {
      algrt_dx_args args = algrt_dx_args_init();
      args.dy = operands.dy->tensor();
      args.dx = operands.result->tensor();
      args.w = operands.w->tensor();
      fill(args);
      requireDone(algrt_dx(bundle.get(), &args));
    }
  };
  multiply();                                 // the first call loads the kernels and starts the threads
  if (weight_gradient && options.beta != 0) { // it has added to what was there
    operands.result.emplace(layer.k, layer.weightColumns(), operands.resultType(), arrays.w);
    if (operands.dbias)
      dbias = operands.dbias.emplace(1, layer.n, operands.resultType()).vector();
  }
  result.seconds = secondsOf(multiply);
  result.y = operands.result->take();
  if (operands.dbias)
    result.dbias = operands.dbias->take();
  return result;
}

} // namespace compiler
