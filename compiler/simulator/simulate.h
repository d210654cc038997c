// Products of a GPU kernel on the simulator. Plain C++, so that a command can use it without MLIR's headers.
#pragma once

#include "compiler/simulator/host/host_kernel.h"
#include "compiler/simulator/model/machine.h"
#include "runtime/bundle/gpu_kernel.h"
#include "runtime/bundle/support.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace compiler {

/// One product, of the map that the kernel computes, operands in the order of its maps: x and y here are dy
/// and dx where it is dx; w and y are dy and dw where it is dw.
struct ProductOperands {
  const algrt::Layer *layer = nullptr;
  const algrt::Support *support = nullptr;
  int64_t m = 0;
  int64_t p0 = 0;           ///< absolute position of row 0
  std::span<const float> x; ///< m x K, of a gradient dY, m x N; values of bf16
  std::span<const float> w; ///< K x weightColumns, of dw dY, m x N; values of bf16
  /// Of dw: what dW holds, K x weightColumns values of the result's type, and how often it counts. Where that
  /// is 0 the kernel may not read it, and nothing need be given.
  std::span<const float> held = {};
  float beta = 0;
  std::span<const float> bias = {}; ///< N values of bf16, of a product whose layer has a bias
  /// Of a fused layer what its kernels read beside x and w, by their names: weights like w, of bf16; operands
  /// of maps, N, M, M x N values or one, of the operand's type.
  std::map<std::string, std::span<const float>, std::less<>> further = {};
  /// The type of every row, where they are explicit, or a kernel of experts finds rows in lists; of the batch
  /// where these are listed.
  std::span<const int32_t> types = {};
  /// The absolute position of every row, instead of p0 and the row's number; for kernels of vector
  /// reductions, and of experts.
  std::span<const int64_t> positions = {};
  bool wide_positions = true; ///< as int64; else as int32, which they have to fit
  /// Where the rows of each expert begin, and where those of the last one end, of kernels that take them. W,
  /// further weights and operands that are numbers of columns then are those of all experts, one after
  /// another.
  std::span<const int32_t> expert_starts = {};
  /// Where these divide a list of rows of a batch of `batch_rows`: one for each of the m rows of Y. X has the
  /// rows of the batch, or as many as the list, as an earlier step leaves them; positions are of the batch.
  std::span<const int32_t> expert_rows = {};
  int64_t batch_rows = 0;
  bool x_by_list = true;
  bool hasList() const { return !expert_rows.empty(); }
  int64_t rowsOfX() const { return hasList() && x_by_list ? batch_rows : m; }
  int64_t positionCount() const { return hasList() ? batch_rows : m; }
  int64_t experts() const { return std::max<int64_t>(static_cast<int64_t>(expert_starts.size()) - 1, 0); }
  int64_t networks() const { return std::max<int64_t>(experts(), 1); }
};

struct SimulationSettings {
  uint64_t seed = 0; ///< of the interleaving
  /// Multiprocessors of the device: blocks, each of which walks several tiles when there are few.
  int32_t blocks = 3;
  /// Between the rows of each matrix, and from an address that is a multiple of 256 to its first element. In
  /// the smallest units that the kernel takes: 16 bytes, or where threads copy its vector, down to one
  /// element.
  int64_t x_padding = 0, w_padding = 0, y_padding = 0;
  int64_t x_shift = 0, w_shift = 0, y_shift = 0;
  /// Of a fused layer's operands and results behind the first, in pairs of elements, or in single ones where
  /// the kernel moves no more at a time. Weights are padded and shifted as the first one is.
  int64_t further_padding = 0, further_shift = 0;
  /// Steps of the scheduler without a new byte of the result after which a launch counts as endless; 0: the
  /// model's own limit.
  int64_t most_steps = 0;
  /// Told now and then which fraction of the result is written; may be empty.
  std::function<void(double fraction)> progress = {};
};

struct Simulation {
  std::vector<float> y; ///< m x N, of a gradient dX, m x K, or dW; NaN where nothing was written
  std::map<std::string, std::vector<float>> further; ///< of a fused layer, the results behind the first
  int64_t unwritten = 0; ///< elements of Y, or of any result, that the kernel never wrote
  uint32_t grid = 0;     ///< blocks of the launch
  int64_t tiles = 0;     ///< tiles of Y
  simulator::Report report;

  bool ok() const { return report.ok() && unwritten == 0; }
};

/// "Y", "dX" or "dW".
const char *resultName(algrt::Map map);
/// How wide its rows are.
int64_t resultColumns(const algrt::Layer &layer, algrt::Map map);

/// What ptxas leaves each thread of a block of so many at entry: the block's share of the register file.
int32_t registersAtEntry(int64_t threads);

/// A fault of a kernel in full: what, the op as it was printed, where.
std::string explain(const HostKernel &code, const simulator::Fault &fault);

/// A kernel compiled for the simulator, for any number of products.
class SimulatedKernel {
public:
  /// The module of a kernel as `emit --stage=nvvm` prints it, with the attribute sm.kernel. Throws Failure
  /// naming what is wrong with it.
  explicit SimulatedKernel(mlir::ModuleOp module);
  /// The same for its text; `name` is what diagnostics call it.
  static SimulatedKernel parse(const std::string &text, const std::string &name);

  const algrt::GpuKernel &description() const { return kernel_; }

  /// What run() takes of memory at most for m rows, what it returns included. Throws algrt::Error where that
  /// leaves 64 bits.
  int64_t bytes(const algrt::Layer &layer, int64_t m) const;

  /// Launches the kernel as the runtime would, over operands in memory of their own that are poisoned around
  /// and between their rows. Throws algrt::Error where the runtime would refuse the launch, and Failure where
  /// the tensor maps are such that the driver would. Plain maps are memory that the kernel reads.
  Simulation run(const ProductOperands &product, const SimulationSettings &settings) const;

  std::string explain(const simulator::Fault &fault) const;

  const HostKernel &host() const { return code_; }

private:
  HostKernel code_;
  algrt::GpuKernel kernel_;
};

} // namespace compiler
