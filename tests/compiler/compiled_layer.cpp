#include "tests/compiler/compiled_layer.h"

#include "compiler/pipeline/pipeline.h"
#include "tests/tools/temporary_folder.h"

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace compiler_test {

using algebras::DataType;

PaddedMatrix::PaddedMatrix(int64_t rows, int64_t columns, int64_t padding, DataType dtype)
    : dtype_(dtype), shape_{rows, columns}, strides_{columns + padding, 1} {
  const size_t elements = static_cast<size_t>(rows * strides_[0]);
  storage_.resize(elements * elementBytes() + 64);
  start_ = storage_.data() + (64 - reinterpret_cast<uintptr_t>(storage_.data()) % 64) % 64;
  for (size_t element = 0; element < elements; ++element) {
    const Guard bytes = guard(element);
    std::memcpy(start_ + element * elementBytes(), bytes.data(), elementBytes());
  }
  descriptor_.data = start_;
  descriptor_.device = {kDLCPU, 0};
  descriptor_.ndim = 2;
  descriptor_.dtype = dtype == DataType::F32 ? DLDataType{kDLFloat, 32, 1} : DLDataType{kDLBfloat, 16, 1};
  descriptor_.shape = shape_;
  descriptor_.strides = strides_;
}

PaddedMatrix::Guard PaddedMatrix::guard(size_t element) const {
  const uint32_t word = 0x7fc00000u | static_cast<uint32_t>(element % 0x3fffff);
  const uint16_t half = static_cast<uint16_t>(0x7fc0u | element % 0x3f);
  Guard bytes{};
  std::memcpy(bytes.data(), dtype_ == DataType::F32 ? static_cast<const void *>(&word) : &half,
              elementBytes());
  return bytes;
}

void PaddedMatrix::set(int64_t row, int64_t column, double value) {
  const size_t element = static_cast<size_t>(row * strides_[0] + column);
  const float narrow = static_cast<float>(value);
  if (dtype_ == DataType::F32) {
    std::memcpy(start_ + 4 * element, &narrow, 4);
    return;
  }
  uint32_t bits = std::bit_cast<uint32_t>(narrow);
  if (narrow == narrow) // to nearest, ties to even
    bits += 0x7fff + (bits >> 16 & 1);
  const uint16_t half = static_cast<uint16_t>(bits >> 16);
  std::memcpy(start_ + 2 * element, &half, 2);
}

void PaddedMatrix::fill(std::mt19937 &random) {
  for (int64_t row = 0; row < shape_[0]; ++row)
    for (int64_t column = 0; column < shape_[1]; ++column)
      set(row, column, static_cast<double>(random()) / 0x80000000u - 1);
}

std::vector<double> PaddedMatrix::values() const {
  std::vector<double> values;
  for (int64_t row = 0; row < shape_[0]; ++row)
    for (int64_t column = 0; column < shape_[1]; ++column) {
      const char *from = start_ + elementBytes() * static_cast<size_t>(row * strides_[0] + column);
      uint32_t bits = 0;
      std::memcpy(&bits, from, elementBytes());
      values.push_back(std::bit_cast<float>(dtype_ == DataType::F32 ? bits : bits << 16));
    }
  return values;
}

DLTensor PaddedMatrix::vector() const {
  DLTensor row = descriptor_;
  row.ndim = 1;
  ++row.shape;
  ++row.strides;
  return row;
}

bool PaddedMatrix::paddingIntact() const {
  for (int64_t row = 0; row < shape_[0]; ++row)
    for (int64_t column = shape_[1]; column < strides_[0]; ++column) {
      const size_t element = static_cast<size_t>(row * strides_[0] + column);
      const Guard bytes = guard(element);
      if (std::memcmp(start_ + elementBytes() * element, bytes.data(), elementBytes()) != 0)
        return false;
    }
  return true;
}

static void check(int status) {
  if (status != ALGRT_OK)
    throw std::runtime_error(std::string(algrt_status_name(status)) + ": " + algrt_last_error());
}

CompiledLayer::CompiledLayer(const compiler::Spec &spec, const std::string &level) {
  TemporaryFolder folder;
  compiler::CompileOptions options;
  options.cpu_levels = {level};
  compiler::compileBundle(spec, folder.path("layer.alg"), options);
  algrt_bundle *opened = nullptr;
  check(algrt_bundle_open(folder.path("layer.alg").c_str(), &opened));
  bundle_.reset(opened);
  for (const nlohmann::json &kernel : nlohmann::json::parse(algrt_bundle_describe_kernels(opened))) {
    if (!kernel.at("usable"))
      throw std::runtime_error("a kernel for " + level + " does not run here: " + kernel.dump());
    if (kernel.at("map") == "forward") // they come first, so that their places are those in the manifest
      kernel_names_.push_back(kernel.at("weights"));
  }
}

template <class Args>
void CompiledLayer::setBatch(Args &args, const Batch &batch, RowTensors &rows, int threads) const {
  args.p0 = batch.p0;
  args.threads = threads;
  auto vector = [](DLTensor &tensor, const void *data, int64_t &size, int bits) {
    tensor.data = const_cast<void *>(data);
    tensor.device = {kDLCPU, 0};
    tensor.ndim = 1;
    tensor.dtype = {kDLInt, static_cast<uint8_t>(bits), 1};
    tensor.shape = &size;
    return &tensor;
  };
  rows.rows = batch.m;
  rows.bounds = static_cast<int64_t>(batch.sequence_starts.size());
  rows.sequences = static_cast<int64_t>(batch.sequence_positions.size());
  if (!batch.sequence_starts.empty()) {
    args.sequence_starts = vector(rows.starts, batch.sequence_starts.data(), rows.bounds, 64);
    args.sequence_positions =
        vector(rows.sequence_positions, batch.sequence_positions.data(), rows.sequences, 64);
  } else if (batch.sequence_rows > 0) {
    args.sequence_rows = batch.sequence_rows;
  } else if (!batch.positions.empty()) {
    args.positions = vector(rows.positions, batch.positions.data(), rows.rows, 64);
  }
  algrt_bundle_info info = algrt_bundle_info_init();
  check(algrt_bundle_get_info(bundle_.get(), &info));
  if (info.row_types == ALGRT_ROW_TYPES_EXPLICIT)
    args.types = vector(rows.types, batch.types.data(), rows.rows, 32);
}

void CompiledLayer::multiply(const Batch &batch, const PaddedMatrix &x, const PaddedMatrix &w,
                             PaddedMatrix &y, int kernel, int threads, const PaddedMatrix *bias) const {
  algrt_forward_args args = algrt_forward_args_init();
  RowTensors rows;
  setBatch(args, batch, rows, threads);
  args.x = x.tensor();
  args.y = y.tensor();
  args.kernel = kernel + 1;
  DLTensor vector{};
  if (bias) {
    vector = bias->vector();
    args.bias = &vector;
  }
  std::unique_ptr<algrt_weights, decltype(&algrt_weights_free)> packed(nullptr, algrt_weights_free);
  if (kernel >= 0 && kernel_names_.at(static_cast<size_t>(kernel)) == "packed") {
    algrt_weights *weights = nullptr;
    check(algrt_weights_pack(bundle_.get(), w.tensor(), threads, &weights));
    packed.reset(weights);
    args.weights = weights;
  } else {
    args.w = w.tensor();
  }
  check(algrt_forward(bundle_.get(), &args));
}

void CompiledLayer::differentiate(const Batch &batch, const PaddedMatrix &dy, const PaddedMatrix &w,
                                  PaddedMatrix &dx, int threads) const {
  algrt_dx_args args = algrt_dx_args_init();
  RowTensors rows;
  setBatch(args, batch, rows, threads);
  args.dy = dy.tensor();
  args.dx = dx.tensor();
  args.w = w.tensor();
  check(algrt_dx(bundle_.get(), &args));
}

void CompiledLayer::differentiateWeights(const Batch &batch, const PaddedMatrix &x, const PaddedMatrix &dy,
                                         PaddedMatrix &dw, float beta, int threads,
                                         PaddedMatrix *dbias) const {
  algrt_dw_args args = algrt_dw_args_init();
  RowTensors rows;
  setBatch(args, batch, rows, threads);
  args.x = x.tensor();
  args.dy = dy.tensor();
  args.dw = dw.tensor();
  args.beta = beta;
  DLTensor vector{};
  if (dbias) {
    vector = dbias->vector();
    args.dbias = &vector;
  }
  check(algrt_dw(bundle_.get(), &args));
}

} // namespace compiler_test
