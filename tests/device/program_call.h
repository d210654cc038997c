// A call of a feed-forward network's program by the runtime, whose launches are carried out on the simulator.
#pragma once

#include "compiler/pipeline/pipeline.h"
#include "compiler/pipeline/program_plan.h"
#include "compiler/simulator/kernel_module.h"
#include "compiler/simulator/model/machine.h"
#include "compiler/simulator/simulate.h"
#include "tests/device/device_call.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace device_test {

/// How a kernel takes rows.
enum class Kind { InOrder, Reduction, Listed, GroupRows };
/// The step of a kernel, and of which kind it is.
using Ran = std::pair<std::string, Kind>;

class ProgramCall {
public:
  /// A schedule is chosen, or given by hand. The algebra has four types and groups.
  ProgramCall(const algrt::test::TestContext &context, int capability, int64_t m, uint64_t seed,
              int64_t listed_rows = 0, const std::string &schedule = "",
              compiler::Fusing fusing = compiler::Fusing::Layers, int64_t experts = 0,
              const std::string &algebra = "Q(4)");
  ~ProgramCall();
  ProgramCall(const ProgramCall &) = delete;

  int run();
  /// By the program's definition, in double precision, row by row; positions are those of the batch.
  void expectRight(const std::vector<int64_t> &positions) const;

  /// Other rows of x for a replay of a captured call, whose tensors stay where they are.
  void refill(uint64_t seed);

  algrt::cuda::Stream stream = nullptr;
  int64_t p0 = 0, sequence_rows = 0;
  std::vector<int64_t> positions; ///< where they are given
  std::vector<int32_t> starts;    ///< of experts
  std::vector<int32_t> list;      ///< of their rows, at most m, each of which y has a row for
  int64_t batch_rows = 0;         ///< of x, where there is a list: at most m; 0: m
  size_t workspace_short = 0;     ///< bytes that are missing
  int64_t gap = 0;                ///< elements between the gate matrices of experts, which there may not be
  std::vector<Ran> ran;
  std::vector<bool> began_early; ///< of each that ran: whether in a dependent launch
  size_t workspaceBytes() const { return workspace_bytes_; }

private:
  struct Kernel {
    Ran ran;
    const algrt::GpuCode *code;
    compiler::HostKernel host;
    int64_t threads;
  };
  static Kind kindOf(const algrt::Kernel &kernel);
  int64_t expertOf(int64_t row) const;
  /// Of the batch, the one that a row of y belongs to; what the list says beyond it is the nearest.
  int64_t sourceOf(int64_t row) const;
  int64_t rowsOfBatch() const { return batch_rows > 0 ? batch_rows : x_.shape[0]; }
  int64_t rowsOfResult() const { return list.empty() ? y_.shape[0] : static_cast<int64_t>(list.size()); }
  std::string textOf(const compiler::KernelSource &source, const algrt::Kernel &kernel,
                     compiler::Stage stage) const;
  /// The kernel that an image of the bundle holds, as the compiler writes it for the simulator.
  const Kernel &kernelOf(const std::string &image);
  void launch(const algrt::cuda_stand_in::Launch &launched);
  void registerMatrix(simulator::GlobalMemory &memory, const char *name, const algrt::test::GpuMatrix &matrix,
                      simulator::Access access, bool independent = false) const;

  const algrt::test::TestContext &context_;
  compiler::CompileOptions options_;
  compiler::ProgramPlan plan_;
  std::string bytes_;
  algrt::Bundle bundle_;
  algrt::test::BundleHandle handle_;
  std::map<const algrt::GpuCode *, Kernel> kernels_;
  algrt::test::GpuMatrix x_;
  int64_t networks_; ///< whose weights lie one below the other
  algrt::test::GpuMatrix gate_, up_, down_, y_;
  algrt::cuda::DevicePointer workspace_ = 0;
  size_t workspace_bytes_ = 0;
  uint64_t seed_;
};

} // namespace device_test
