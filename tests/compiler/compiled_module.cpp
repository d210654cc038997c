#include "tests/compiler/compiled_module.h"

#include "compiler/targets/cpu/object_code.h"
#include "dialects/tile/tile.h"
#include "runtime/cpu/features.h"
#include "tests/compiler/emulated_amx.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/Passes.h"

#include <dlfcn.h>
#include <fstream>
#include <stdexcept>

namespace compiler_test {

static mlir::DialectRegistry dialects() {
  mlir::DialectRegistry registry;
  registry.insert<alg::AlgDialect, tile::TileDialect, mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, mlir::index::IndexDialect, mlir::LLVM::LLVMDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect>();
  return registry;
}

ModuleContext::ModuleContext() : context(dialects()) { context.loadAllAvailableDialects(); }

mlir::OwningOpRef<mlir::ModuleOp> ModuleContext::parse(const std::string &text) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    throw std::runtime_error("the program cannot be read");
  return module;
}

std::vector<Machine> machinesOfAmx() {
  std::vector<Machine> machines = {Machine::EmulatedAmx};
  if (algrt::missingCpuFeatures(compiler::cpuLevel("sapphirerapids").features).empty())
    machines.push_back(Machine::Amx);
  return machines;
}

CompiledModule::CompiledModule(const std::string &text) {
  ModuleContext context;
  compile(*context.parse(text), Machine::Plain);
}

CompiledModule::CompiledModule(mlir::ModuleOp module, Machine machine) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.clone();
  compile(*copy, machine);
}

void CompiledModule::compile(mlir::ModuleOp module, Machine machine) {
  const compiler::CpuLevel lowered_for =
      compiler::cpuLevel(machine == Machine::Plain ? "x86-64-v3" : "sapphirerapids");
  const compiler::CpuLevel level = machine == Machine::Amx ? lowered_for : compiler::cpuLevel("x86-64-v3");
  mlir::PassManager passes(module.getContext());
  compiler::ConvertAlgToTileOptions choice;
  choice.cpu = lowered_for.name;
  passes.addPass(compiler::createConvertAlgToTile(choice));
  passes.addPass(compiler::createExpandMath());
  passes.addPass(compiler::createConvertTileToCpu());
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  passes.addPass(mlir::createLoopInvariantCodeMotionPass());
  compiler::addVectorToLlvm(passes, /*expand_bf16=*/!level.bf16_dot);
  if (mlir::failed(passes.run(module)))
    throw std::runtime_error("the program cannot be lowered");
  if (machine == Machine::EmulatedAmx)
    emulateAmx(module);
  module.walk([&](mlir::LLVM::LLVMFuncOp function) {
    auto number = [&](const char *name) {
      auto attribute = function->getAttrOfType<mlir::IntegerAttr>(name);
      return attribute ? attribute.getInt() : 0;
    };
    auto schedule = function->getAttrOfType<tile::ScheduleAttr>("tile.schedule");
    if (!schedule || function.getSymName().starts_with("_mlir_ciface_"))
      return;
    CompiledKernel &kernel = kernels_[function.getSymName().str()];
    kernel.scratch_bytes = number("tile.scratch_bytes");
    kernel.packed_bytes = number("tile.packed_bytes");
    kernel.types_per_task = schedule.getTypes();
    kernel.amx = schedule.getUnit() == tile::MultiplyUnit::Amx;
    kernel.rows_per_task = schedule.getRows();
    kernel.tasks = number("tile.tasks");
  });
  const std::string object =
      compiler::linkSharedObject(compiler::generateMachineCode(module, level, compiler::MachineCode::Object));
  const std::string path = folder_.path("kernels.so");
  std::ofstream(path, std::ios::binary) << object;
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_)
    throw std::runtime_error(dlerror());
  for (auto &[name, kernel] : kernels_)
    if (!(kernel.code = dlsym(library_, ("_mlir_ciface_" + name).c_str())))
      throw std::runtime_error(name + " has no code");
}

CompiledModule::~CompiledModule() {
  if (library_)
    dlclose(library_);
}

static algrt_memref1 describe(const std::vector<int64_t> &numbers) {
  void *data = const_cast<int64_t *>(numbers.data());
  return {data, data, 0, {static_cast<int64_t>(numbers.size())}, {1}};
}

namespace {
/// What a kernel may write and read meanwhile, on a cache line's boundary. All of it is NaN before, so that
/// what is multiplied without having been written is seen.
class Scratch {
public:
  explicit Scratch(int64_t bytes)
      : bytes_(bytes), room_(static_cast<size_t>(bytes) + 64, static_cast<char>(0xff)) {}
  algrt_memref1 descriptor() {
    char *aligned = room_.data() + (64 - reinterpret_cast<uintptr_t>(room_.data()) % 64) % 64;
    return {aligned, aligned, 0, {bytes_}, {1}};
  }

private:
  int64_t bytes_;
  std::vector<char> room_;
};
} // namespace

void CompiledModule::differentiate(const std::string &name, const std::vector<algrt_memref2> &operands,
                                   int64_t p0, float beta, const std::vector<int64_t> &rows,
                                   const std::vector<int64_t> &starts) const {
  const CompiledKernel &description = kernel(name);
  Scratch room(description.scratch_bytes);
  const algrt_memref1 scratch = room.descriptor(), row_list = describe(rows), start_list = describe(starts);
  reinterpret_cast<algrt_weight_gradient_kernel>(description.code)(
      operands.data(), &scratch, &row_list, &start_list, p0, beta, 0, description.tasks);
}

void CompiledModule::multiply(const std::string &name, const std::vector<algrt_memref2> &operands,
                              int64_t longest, int64_t types, int64_t p0, const std::vector<int64_t> &rows,
                              const std::vector<int64_t> &starts) const {
  const CompiledKernel &description = kernel(name);
  Scratch room(description.scratch_bytes);
  const algrt_memref1 scratch = room.descriptor();
  const algrt_memref1 row_list = describe(rows), start_list = describe(starts);
  const int64_t row_blocks = (longest + description.rows_per_task - 1) / description.rows_per_task;
  const int64_t tasks = (types + description.types_per_task - 1) / description.types_per_task * row_blocks;
  reinterpret_cast<algrt_product_kernel>(description.code)(operands.data(), &scratch, &row_list, &start_list,
                                                           p0, row_blocks, /*slices=*/1, 0, tasks);
}

} // namespace compiler_test
