// Programs as text, lowered to machine code of the CPU, and their kernels called as the runtime calls them.
#pragma once

#include "compiler/lower/passes.h"
#include "runtime/kernel_abi.h"
#include "tests/tools/temporary_folder.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace compiler_test {

/// A context with what a module goes through on its way to machine code.
class ModuleContext {
public:
  ModuleContext();
  /// Throws std::runtime_error for text that cannot be read.
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text);

  mlir::MLIRContext context;
};

/// What is known of a kernel beside its code.
struct CompiledKernel {
  void *code = nullptr;
  int64_t scratch_bytes = 0, packed_bytes = 0;
  int64_t types_per_task = 1, rows_per_task = 1;
  int64_t tasks = 0; ///< of a gradient of a weight matrix
  bool amx = false;  ///< whether the matrix unit multiplies
};

/// For which machine kernels are lowered, and where they run.
enum class Machine {
  Plain,       ///< x86-64-v3
  EmulatedAmx, ///< sapphirerapids, on x86-64-v3: in software
  Amx          ///< sapphirerapids
};

/// Where kernels for AMX run: in software everywhere, in hardware where there is some.
std::vector<Machine> machinesOfAmx();

/// The kernels of a module of functions of alg, or of tile kernels, as a shared object.
class CompiledModule {
public:
  explicit CompiledModule(const std::string &text);
  explicit CompiledModule(mlir::ModuleOp module, Machine machine = Machine::Plain);
  CompiledModule(const CompiledModule &) = delete;
  CompiledModule &operator=(const CompiledModule &) = delete;
  ~CompiledModule();

  /// Throws std::out_of_range for a kernel that is not there.
  const CompiledKernel &kernel(const std::string &name) const { return kernels_.at(name); }
  bool has(const std::string &name) const { return kernels_.contains(name); }

  /// Runs all tasks of a product, one after another: with `longest` rows of a type at most, of so many types.
  void multiply(const std::string &name, const std::vector<algrt_memref2> &operands, int64_t longest,
                int64_t types, int64_t p0, const std::vector<int64_t> &rows = {},
                const std::vector<int64_t> &starts = {}) const;
  /// The same of a gradient of a weight matrix, to which `beta` times what it was is added.
  void differentiate(const std::string &name, const std::vector<algrt_memref2> &operands, int64_t p0,
                     float beta, const std::vector<int64_t> &rows = {},
                     const std::vector<int64_t> &starts = {}) const;

private:
  void compile(mlir::ModuleOp module, Machine machine);

  TemporaryFolder folder_;
  void *library_ = nullptr;
  std::map<std::string, CompiledKernel> kernels_;
};

} // namespace compiler_test
