// A SwiGLU feed-forward block whose three projections are bundles: y = down(silu(gate x) * up x).
//
//     algctl compile "Q(32)" --in 2048 --out 6144 --dtype f32 -o gate.alg      (up.alg likewise)
//     algctl compile "Q(32)" --in 6144 --out 2048 --dtype f32 -o down.alg
//     ffn gate.alg up.alg down.alg --m 512
//
// Everything here goes through algrt.h, as it would inside a model. The result is checked against a dense
// emulation: for every row type the whole K x N matrix that its terms amount to, multiplied in double
// precision.
#include "runtime/algrt.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace {

void require(int status) {
  if (status != ALGRT_OK)
    throw std::runtime_error(algrt_last_error());
}

float roundToBfloat16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (!std::isnan(value))
    bits += 0x7fffu + ((bits >> 16) & 1u);
  return std::bit_cast<float>(bits & 0xffff0000u);
}

// A matrix in the type that the layers want.
class Matrix {
public:
  Matrix(int64_t rows, int64_t columns, DLDataType type)
      : columns_(columns), shape_{rows, columns}, type_(type),
        storage_(size_t(rows * columns) * (type.bits / 8)) {}

  float get(int64_t row, int64_t column) const {
    const size_t i = size_t(row * columns_ + column);
    if (type_.code == kDLFloat)
      return reinterpret_cast<const float *>(storage_.data())[i];
    return std::bit_cast<float>(uint32_t(reinterpret_cast<const uint16_t *>(storage_.data())[i]) << 16);
  }
  void set(int64_t row, int64_t column, float value) {
    const size_t i = size_t(row * columns_ + column);
    if (type_.code == kDLFloat)
      reinterpret_cast<float *>(storage_.data())[i] = value;
    else
      reinterpret_cast<uint16_t *>(storage_.data())[i] =
          uint16_t(std::bit_cast<uint32_t>(roundToBfloat16(value)) >> 16);
  }
  void randomise(double deviation, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(0, float(deviation));
    for (int64_t row = 0; row < shape_[0]; ++row)
      for (int64_t column = 0; column < columns_; ++column)
        set(row, column, normal(generator));
  }
  DLTensor tensor() { return {storage_.data(), {kDLCPU, 0}, 2, type_, shape_, nullptr, 0}; }
  int64_t rows() const { return shape_[0]; }

private:
  int64_t columns_;
  int64_t shape_[2];
  DLDataType type_;
  std::vector<unsigned char> storage_;
};

struct Close {
  void operator()(algrt_bundle *bundle) const { algrt_bundle_close(bundle); }
  void operator()(algrt_weights *weights) const { algrt_weights_free(weights); }
};

// One projection: a bundle, its weight matrix, and the weight matrix packed where the bundle has a kernel for
// that.
class Projection {
public:
  Projection(const std::string &path, unsigned seed)
      : bundle_(open(path)), info_(infoOf(bundle_.get())), bank_(info_.k, bankColumns(), info_.dtype) {
    if (info_.row_types == ALGRT_ROW_TYPES_EXPLICIT)
      throw std::runtime_error(path + ": has explicit row types; this example takes types from positions");
    bank_.randomise(1 / std::sqrt(double(info_.k)), seed);
    if (info_.packed_bytes != 0) {
      const DLTensor tensor = bank_.tensor();
      algrt_weights *weights = nullptr;
      require(algrt_weights_pack(bundle_.get(), &tensor, 0, &weights));
      weights_.reset(weights);
    }
  }

  const algrt_bundle_info &info() const { return info_; }
  int64_t typeOf(int64_t position) const { return position / info_.row_type_width % info_.types; }

  void forward(Matrix &x, Matrix &y, int64_t position) {
    const DLTensor x_tensor = x.tensor(), y_tensor = y.tensor(), w_tensor = bank_.tensor();
    algrt_forward_args args = algrt_forward_args_init();
    args.x = &x_tensor;
    args.y = &y_tensor;
    args.p0 = position;
    if (weights_)
      args.weights = weights_.get();
    else
      args.w = &w_tensor;
    require(algrt_forward(bundle_.get(), &args));
  }

  // The K x N matrix by which rows of a type are multiplied: the blocks that its terms name, the rest zero.
  std::vector<double> denseMatrix(int64_t type) const {
    std::vector<double> matrix(size_t(info_.k * info_.n), 0.0);
    std::vector<int64_t> row_offsets = {0};
    for (int64_t i = 0; i < info_.in_group_count; ++i)
      row_offsets.push_back(row_offsets.back() + info_.in_groups[i]);
    int64_t column = 0;
    for (int64_t group = 0; group < info_.out_group_count; ++group) {
      int64_t count = 0;
      require(algrt_bundle_get_terms(bundle_.get(), type, group, nullptr, 0, &count));
      std::vector<algrt_term> terms(static_cast<size_t>(count));
      require(algrt_bundle_get_terms(bundle_.get(), type, group, terms.data(), count, &count));
      const int64_t bank_column = info_.lift == ALGRT_LIFT_ROWS ? column : 0;
      for (const algrt_term &term : terms)
        for (int64_t r = 0; r < info_.in_groups[term.input_group]; ++r)
          for (int64_t c = 0; c < info_.out_groups[group]; ++c)
            matrix[size_t((row_offsets[term.input_group] + r) * info_.n + column + c)] +=
                term.coefficient * double(bank_.get(row_offsets[term.bank_row] + r, bank_column + c));
      column += info_.out_groups[group];
    }
    return matrix;
  }

private:
  static algrt_bundle *open(const std::string &path) {
    algrt_bundle *bundle = nullptr;
    require(algrt_bundle_open(path.c_str(), &bundle));
    return bundle;
  }
  static algrt_bundle_info infoOf(const algrt_bundle *bundle) {
    algrt_bundle_info info = algrt_bundle_info_init();
    require(algrt_bundle_get_info(bundle, &info));
    return info;
  }
  int64_t bankColumns() const { return info_.bank_shape[info_.bank_ndim - 1]; }

  std::unique_ptr<algrt_bundle, Close> bundle_;
  algrt_bundle_info info_;
  Matrix bank_;
  std::unique_ptr<algrt_weights, Close> weights_; // freed before its bundle
};

double silu(double value) { return value / (1 + std::exp(-value)); }

struct FeedForward {
  Projection gate, up, down;

  FeedForward(const std::string &gate_path, const std::string &up_path, const std::string &down_path)
      : gate(gate_path, 11), up(up_path, 12), down(down_path, 13) {
    const auto same = [](DLDataType a, DLDataType b) { return a.code == b.code && a.bits == b.bits; };
    const algrt_bundle_info &g = gate.info(), &u = up.info(), &d = down.info();
    if (g.k != u.k || g.n != u.n || d.k != g.n || d.n != g.k)
      throw std::runtime_error(
          "the projections do not fit: gate and up go from D to F, down from F to D; here " +
          std::to_string(g.k) + " -> " + std::to_string(g.n) + ", " + std::to_string(u.k) + " -> " +
          std::to_string(u.n) + ", " + std::to_string(d.k) + " -> " + std::to_string(d.n));
    if (!same(g.dtype, u.dtype) || !same(g.dtype, d.dtype))
      throw std::runtime_error("the projections do not have one dtype");
  }

  void forward(Matrix &x, Matrix &gated, Matrix &hidden, Matrix &y, int64_t position) {
    gate.forward(x, gated, position);
    up.forward(x, hidden, position);
    for (int64_t row = 0; row < hidden.rows(); ++row)
      for (int64_t column = 0; column < up.info().n; ++column)
        hidden.set(row, column, float(silu(gated.get(row, column)) * hidden.get(row, column)));
    down.forward(hidden, y, position);
  }
};

// A row of activations times a dense matrix, rounded where the layer would store it.
std::vector<double> multiply(const std::vector<double> &row, const std::vector<double> &matrix,
                             size_t columns, bool bfloat16) {
  std::vector<double> sums(columns, 0.0);
  for (size_t d = 0; d < row.size(); ++d)
    for (size_t c = 0; c < columns; ++c)
      sums[c] += row[d] * matrix[d * columns + c];
  if (bfloat16)
    for (double &sum : sums)
      sum = double(roundToBfloat16(float(sum)));
  return sums;
}

// Relative L2 error of y over a sample of rows.
double errorOf(const FeedForward &ffn, const Matrix &x, const Matrix &y, int64_t position) {
  const int64_t width = ffn.gate.info().k, hidden_width = ffn.gate.info().n;
  const bool bfloat16 = ffn.gate.info().dtype.code == kDLBfloat;
  std::vector<int64_t> rows(static_cast<size_t>(x.rows()));
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = int64_t(i);
  std::shuffle(rows.begin(), rows.end(), std::mt19937(7));
  rows.resize(std::min<size_t>(rows.size(), 64));
  const auto key = [&](int64_t row) {
    const int64_t p = position + row;
    return std::tuple(ffn.gate.typeOf(p), ffn.up.typeOf(p), ffn.down.typeOf(p));
  };
  std::sort(rows.begin(), rows.end(), [&](int64_t a, int64_t b) { return key(a) < key(b); });

  double error = 0, norm = 0;
  std::vector<double> gate, up, down; // of the current types
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i == 0 || key(rows[i]) != key(rows[i - 1])) {
      const int64_t p = position + rows[i];
      gate = ffn.gate.denseMatrix(ffn.gate.typeOf(p));
      up = ffn.up.denseMatrix(ffn.up.typeOf(p));
      down = ffn.down.denseMatrix(ffn.down.typeOf(p));
    }
    std::vector<double> row(static_cast<size_t>(width));
    for (int64_t c = 0; c < width; ++c)
      row[size_t(c)] = double(x.get(rows[i], c));
    const std::vector<double> g = multiply(row, gate, size_t(hidden_width), bfloat16);
    std::vector<double> h = multiply(row, up, size_t(hidden_width), bfloat16);
    for (size_t c = 0; c < h.size(); ++c) {
      h[c] *= silu(g[c]);
      if (bfloat16)
        h[c] = double(roundToBfloat16(float(h[c])));
    }
    const std::vector<double> expected = multiply(h, down, size_t(width), false);
    for (int64_t c = 0; c < width; ++c) {
      const double difference = double(y.get(rows[i], c)) - expected[size_t(c)];
      error += difference * difference;
      norm += expected[size_t(c)] * expected[size_t(c)];
    }
  }
  return std::sqrt(error / norm);
}

int run(const std::vector<std::string> &paths, int64_t m) {
  constexpr int64_t position = 5; // as if five tokens came before
  FeedForward ffn(paths[0], paths[1], paths[2]);
  const algrt_bundle_info &info = ffn.gate.info();
  Matrix x(m, info.k, info.dtype), gated(m, info.n, info.dtype), hidden(m, info.n, info.dtype);
  Matrix y(m, info.k, info.dtype);
  x.randomise(1, 10);
  double best = INFINITY;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    ffn.forward(x, gated, hidden, y, position);
    best = std::min(
        best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  const double error = errorOf(ffn, x, y, position);
  const double allowed = info.dtype.code == kDLBfloat ? 4e-3 : 1e-5;
  std::printf("FFN %lld -> %lld -> %lld, %lld rows, %s\n", (long long)info.k, (long long)info.n,
              (long long)info.k, (long long)m, info.dtype.code == kDLBfloat ? "bf16" : "f32");
  std::printf("relative L2 error against the dense emulation: %.2e (allowed %.0e)\n", error, allowed);
  std::printf("time, best of 5: %.2f ms\n", best);
  if (!(error <= allowed)) {
    std::fprintf(stderr, "ffn: the result is wrong\n");
    return 1;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> paths;
  int64_t m = 512;
  bool usage = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--m" && i + 1 < argc) {
      char *end = nullptr;
      m = std::strtoll(argv[++i], &end, 10);
      usage = usage || *end != '\0' || m < 1;
    } else {
      usage = usage || argument.starts_with("-");
      paths.push_back(argument);
    }
  }
  if (usage || paths.size() != 3) {
    std::fprintf(stderr, "usage: ffn GATE.alg UP.alg DOWN.alg [--m ROWS]\n");
    return 2;
  }
  try {
    return run(paths, m);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "ffn: %s\n", error.what());
    return 1;
  }
}
