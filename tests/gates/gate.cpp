#include "tests/gates/gate.h"

#include "compiler/process/failure.h"
#include "dialects/sm/sm.h"
#include "tests/gates/main_loop.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringRef.h"

#include <cctype>
#include <fmt/format.h>
#include <sstream>

namespace gates {
namespace {

// Operations of the nvvm dialect that are one instruction each, and the beginning of its name in PTX. Each
// must occur as often in the one as in the other: these are executed by a warp or more together, or have
// effects that LLVM does not see.
struct Instruction {
  std::string_view nvvm, ptx;
  std::string_view at_cluster_scope = ""; // its name there, where that is another
  // Where two branches end with it, of which every thread takes one, the optimiser may make one end of both.
  bool ends_branches = false;
  // Another operation that is the same instruction, of a dialect of ours.
  std::string_view also = "";
};
constexpr Instruction instructions[] = {
    {"nvvm.wgmma.mma_async", "wgmma.mma_async.", "", false, "sm.wgmma_from_registers"},
    {"nvvm.wgmma.fence.aligned", "wgmma.fence."},
    {"nvvm.wgmma.commit.group.sync.aligned", "wgmma.commit_group."},
    {"nvvm.wgmma.wait.group.sync.aligned", "wgmma.wait_group."},
    {"nvvm.cp.async.bulk.tensor.shared.cluster.global", "cp.async.bulk.tensor.4d.shared::cluster.global."},
    {"nvvm.cp.async.bulk.tensor.global.shared.cta", "cp.async.bulk.tensor.4d.global.shared::cta."},
    {"nvvm.cp.async.bulk.tensor.reduce", "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add."},
    {"nvvm.cp.async.bulk.commit.group", "cp.async.bulk.commit_group", "", /*ends_branches=*/true},
    {"nvvm.cp.async.bulk.wait_group", "cp.async.bulk.wait_group"},
    {"nvvm.mbarrier.init", "mbarrier.init."},
    {"nvvm.cluster.arrive", "barrier.cluster.arrive;"},
    {"nvvm.cluster.arrive.relaxed", "barrier.cluster.arrive.relaxed"},
    {"nvvm.cluster.wait", "barrier.cluster.wait"},
    {"nvvm.mbarrier.arrive", "mbarrier.arrive.shared", "mbarrier.arrive.release.cluster."},
    {"nvvm.mbarrier.arrive.expect_tx", "mbarrier.arrive.expect_tx."},
    {"nvvm.mbarrier.try_wait", "mbarrier.try_wait."},
    {"nvvm.fence.mbarrier.init", "fence.mbarrier_init."},
    {"nvvm.fence.proxy", "fence.proxy."},
    {"nvvm.setmaxregister", "setmaxnreg."},
    {"nvvm.stmatrix", "stmatrix."},
    {"nvvm.elect.sync", "elect.sync"},
    {"nvvm.cp.async.commit.group", "cp.async.commit_group"},
    {"nvvm.cp.async.wait.group", "cp.async.wait_group"},
    {"nvvm.ldmatrix", "ldmatrix."},
    {"nvvm.mma.sync", "mma.sync."},
    {"nvvm.shfl.sync", "shfl.sync."},
    {"nvvm.griddepcontrol", "griddepcontrol."},
};

// Occurrences of an operation's name as a whole word.
int64_t countInNvvm(std::string_view text, std::string_view name) {
  int64_t count = 0;
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    const char after = end < text.size() ? text[end] : ' ', before = at > 0 ? text[at - 1] : ' ';
    count += (after == ' ' || after == '\n' || after == '{') && (before == ' ' || before == '\n');
  }
  return count;
}

void checkAssembly(const compiler::AssemblyReport &report, std::vector<std::string> &found) {
  if (report.kernels.size() != 1)
    found.push_back(
        fmt::format("ptxas reports {} functions instead of the one kernel", report.kernels.size()));
  for (const compiler::KernelResources &kernel : report.kernels) {
    const std::pair<const char *, int64_t> forbidden[] = {{"bytes of spill stores", kernel.spill_store_bytes},
                                                          {"bytes of spill loads", kernel.spill_load_bytes},
                                                          {"bytes of stack frame", kernel.stack_frame_bytes},
                                                          {"bytes of local memory", kernel.local_bytes}};
    for (const auto &[what, amount] : forbidden)
      if (amount != 0)
        found.push_back(fmt::format("{}: {} {}", kernel.name, amount, what));
  }
  found.insert(found.end(), report.warnings.begin(), report.warnings.end());
}

// Vector reductions, which multiply in f32: only they have slices.
bool isReduction(const Evidence &evidence) { return evidence.nvvm.find("slices = ") != std::string::npos; }

// Threads copy, and warps multiply: only such kernels have warps in their schedule.
bool isForThreads(const Evidence &evidence) { return evidence.nvvm.find("warps = ") != std::string::npos; }

std::vector<std::string> neededInSass(const Evidence &evidence) {
  if (isReduction(evidence))
    return {"LDG", "FFMA", "STG"};
  if (evidence.target == "sm_90a" && !isForThreads(evidence)) {
    // Threads write what tensor maps do not store: gradients of the weight matrix.
    const bool engine_stores = countInNvvm(evidence.nvvm, "nvvm.cp.async.bulk.tensor.global.shared.cta") > 0;
    return {"HGMMA", "UTMALDG", engine_stores ? "UTMASTG" : "STG", "USETMAXREG"};
  }
  // Single elements have no asynchronous copies.
  const bool asynchronous = countInNvvm(evidence.nvvm, "nvvm.cp.async.shared.global") > 0;
  return {"HMMA", "LDSM", "STG", asynchronous ? "LDGSTS" : "STS"};
}

void checkMachineCode(const Evidence &evidence, std::vector<std::string> &found) {
  for (const std::string &needed : neededInSass(evidence))
    if (countInSass(evidence.sass, needed) == 0)
      found.push_back(fmt::format("no {} in the machine code", needed));
  for (const char *forbidden : {"LDL", "STL"}) // local memory
    if (const int64_t count = countInSass(evidence.sass, forbidden))
      found.push_back(fmt::format("{} {} in the machine code", count, forbidden));
  if (countInSass(evidence.sass, "HGMMA") > 0 && mainLoops(evidence.sass).empty())
    found.push_back("no loop in the machine code multiplies");
  for (const MainLoop &loop : mainLoops(evidence.sass))
    if (loop.others() > loop.budget())
      found.push_back(fmt::format("a loop of {} instructions with {} products, beside which it may have {}",
                                  loop.instructions, loop.products, loop.budget()));
}

// Copies by single threads. Where the ring has more stages than a tile has steps, those ahead of the products
// are never made, and the optimiser may see that.
bool mayBeDead(std::string_view name) {
  return name.starts_with("llvm.nvvm.cp.async.ca.") || name.starts_with("llvm.nvvm.cp.async.cg.");
}

// Products of the same rows by several weight matrices each ask for the fragments of the rows, which warps
// load once.
bool hasSeveralWeights(const Evidence &evidence) {
  return evidence.nvvm.find("operand = \"w2\"") != std::string::npos;
}

bool mayBeLoadedOnce(const Evidence &evidence, std::string_view name, int64_t before, int64_t after) {
  return hasSeveralWeights(evidence) && name.find("ldmatrix") != std::string_view::npos && after < before &&
         2 * after >= before;
}

// The same of ends of branches: at least one is left.
bool mayBeMerged(std::string_view name, int64_t before, int64_t after) {
  return name == "llvm.nvvm.cp.async.bulk.commit.group" && after > 0 && after < before;
}

void checkCopies(const Evidence &evidence, std::vector<std::string> &found) {
  const int64_t chosen = countInNvvm(evidence.nvvm, "nvvm.cp.async.shared.global");
  const int64_t written =
      countInPtx(evidence.ptx.ptx, "cp.async.ca.") + countInPtx(evidence.ptx.ptx, "cp.async.cg.");
  if (written > chosen || (written == 0) != (chosen == 0))
    found.push_back(fmt::format("{} nvvm.cp.async.shared.global, but {} cp.async in PTX", chosen, written));
}

// Addresses in other blocks are arithmetic: what several branches need may be computed once before them.
void checkAddresses(const Evidence &evidence, std::vector<std::string> &found) {
  const int64_t chosen = countInNvvm(evidence.nvvm, "nvvm.mapa"),
                written = countInPtx(evidence.ptx.ptx, "mapa.");
  if (written > chosen || (written == 0) != (chosen == 0))
    found.push_back(fmt::format("{} nvvm.mapa, but {} mapa in PTX", chosen, written));
}

// Waits that the module asks for at the scope of the cluster.
int64_t clusterWaits(const std::string &nvvm) {
  std::istringstream lines(nvvm);
  int64_t count = 0;
  for (std::string line; std::getline(lines, line);)
    count += line.find("nvvm.mbarrier.try_wait ") != std::string::npos &&
             line.find("#nvvm.mem_scope<cluster>") != std::string::npos;
  return count;
}

// Arrivals that say that a slot has been read are at the scope of a block, and waits for them, too: at the
// scope of a cluster ptxas fences all of memory at each, and empties the first-level cache. Only where the
// cluster meets it may, and twice for a wait, the first attempt and the others, where sums come from other
// blocks.
void checkScopes(const Evidence &evidence, std::vector<std::string> &found) {
  const int64_t meetings = countInNvvm(evidence.nvvm, "nvvm.cluster.wait"),
                waits = clusterWaits(evidence.nvvm);
  // Prefetches into the second-level cache have the same name, and another ending.
  int64_t emptied = countInSass(evidence.sass, "CCTL");
  for (size_t at = evidence.sass.find(".PF2"); at != std::string::npos;
       at = evidence.sass.find(".PF2", at + 1))
    --emptied;
  if (emptied > meetings + 2 * waits)
    found.push_back(
        fmt::format("{} CCTL in the machine code for {} meetings of the cluster and {} waits at its "
                    "scope",
                    emptied, meetings, waits));
}

void checkCounts(const Evidence &evidence, std::vector<std::string> &found) {
  if (evidence.ptx.unmarked_assembly != 0)
    found.push_back(
        fmt::format("{} pieces of inline assembly are not convergent", evidence.ptx.unmarked_assembly));
  const compiler::InstructionCounts &before = evidence.ptx.translated, &after = evidence.ptx.optimized;
  for (const auto &[name, count] : before)
    if (const auto left = after.find(name);
        left == after.end() ||
        (mayBeDead(name) ? left->second > count
                         : left->second != count && !mayBeMerged(name, count, left->second) &&
                               !mayBeLoadedOnce(evidence, name, count, left->second)))
      found.push_back(fmt::format("{}: {} before optimisation, {} after", name, count,
                                  left == after.end() ? 0 : left->second));
  for (const auto &[name, count] : after)
    if (!before.contains(name))
      found.push_back(fmt::format("{}: none before optimisation, {} after", name, count));
  for (const Instruction &instruction : instructions) {
    int64_t chosen = countInNvvm(evidence.nvvm, instruction.nvvm);
    if (!instruction.also.empty())
      chosen += countInNvvm(evidence.nvvm, instruction.also);
    int64_t written = countInPtx(evidence.ptx.ptx, instruction.ptx);
    if (!instruction.at_cluster_scope.empty())
      written += countInPtx(evidence.ptx.ptx, instruction.at_cluster_scope);
    if (chosen != written && !(instruction.ends_branches && written > 0 && written < chosen) &&
        !mayBeLoadedOnce(evidence, instruction.nvvm, chosen, written))
      found.push_back(
          fmt::format("{} {}, but {} {} in PTX", chosen, instruction.nvvm, written, instruction.ptx));
  }
  checkCopies(evidence, found);
  checkAddresses(evidence, found);
  checkScopes(evidence, found);
}

bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == ':';
}

} // namespace

int64_t countInPtx(std::string_view ptx, std::string_view instruction) {
  int64_t count = 0;
  for (size_t at = ptx.find(instruction); at != std::string_view::npos; at = ptx.find(instruction, at + 1))
    count += at == 0 || !isWord(ptx[at - 1]);
  return count;
}

int64_t countInSass(std::string_view sass, std::string_view instruction) {
  int64_t count = 0;
  for (size_t at = sass.find(instruction); at != std::string_view::npos;
       at = sass.find(instruction, at + 1)) {
    const char after = at + instruction.size() < sass.size() ? sass[at + instruction.size()] : ' ';
    count += (at == 0 || !isWord(sass[at - 1])) && (after == '.' || after == ' ');
  }
  return count;
}

Evidence collectEvidence(const std::string &nvvm, const std::string &target) {
  mlir::DialectRegistry dialects;
  dialects.insert<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, sm::SmDialect>();
  mlir::MLIRContext context(dialects);
  context.loadAllAvailableDialects();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(nvvm, &context);
  if (!module)
    throw compiler::Failure("the module in the nvvm dialect cannot be read back");
  Evidence evidence;
  evidence.nvvm = nvvm;
  evidence.target = target;
  evidence.ptx = compiler::generatePtx(*module, target);
  return withPtx(evidence, evidence.ptx.ptx);
}

Evidence withPtx(const Evidence &evidence, const std::string &ptx) {
  Evidence result = evidence;
  result.ptx.ptx = ptx;
  result.assembly = compiler::assemble(ptx, evidence.target);
  result.sass = compiler::disassemble(result.assembly.cubin);
  return result;
}

std::vector<std::string> objections(const Evidence &evidence) {
  std::vector<std::string> found;
  checkAssembly(evidence.assembly.report, found);
  checkMachineCode(evidence, found);
  checkCounts(evidence, found);
  return found;
}

std::vector<std::string> objectionsOn(const Evidence &evidence, const std::string &machine) {
  std::vector<std::string> found;
  checkAssembly(compiler::assemble(evidence.ptx.ptx, machine).report, found);
  return found;
}

} // namespace gates
