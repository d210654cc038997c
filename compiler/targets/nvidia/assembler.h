// NVIDIA's assembler and disassembler. This project needs neither to make PTX and carries neither: it finds
// what is installed, or what scripts/fetch-cuda-assembler has put into the user's cache.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

/// A program of NVIDIA's toolkit, or why there is none.
struct AssemblerTool {
  /// In the order in which they are looked through.
  enum class Place {
    Variable, ///< $ALGCTL_PTXAS, $ALGCTL_NVDISASM
    Pinned,   ///< the cache folder, which has the version that scripts/cuda-assembler.txt pins
    Path,     ///< $PATH
    Toolkit,  ///< $CUDA_HOME/bin, /usr/local/cuda/bin where that is not set
    Cache     ///< the cache folder, which has another version
  };
  std::string path;    // empty where none was found
  std::string version; // toolVersion of it
  Place place = Place::Path;
  std::string reason; // where none was found: what was looked for and how to get it
  bool found() const { return !path.empty(); }
};

/// ptxas, in the order of the places above: the pinned version comes before what the machine has, so that the
/// same program becomes the same machine code everywhere, and code for drivers that are not the newest. A
/// variable that names no executable file is not passed over: then nothing is found. The cache folder is
/// passed over where others can write it.
AssemblerTool findPtxas();
/// nvdisasm, in the same places; $ALGCTL_NVDISASM.
AssemblerTool findDisassembler();
/// The version of ptxas that scripts/cuda-assembler.txt pins.
std::string pinnedPtxasVersion();
/// The oldest drivers that are sure to load the machine code of a ptxas: those of its own release,
/// "CUDA 12.9" of 12.9.86.
std::string driversFor(const std::string &version);
/// Whether they are newer than those that the pinned version's code needs.
bool needsNewerDriver(const std::string &version);
/// Where scripts/fetch-cuda-assembler puts them: $XDG_CACHE_HOME/algctl/cuda-assembler, ~/.cache/...
/// otherwise; empty where neither variable is set.
std::string assemblerCacheFolder();
/// "12.9.86" as the program at `path` says of itself; empty where it says nothing of the kind. A file that
/// has not changed is asked once.
std::string toolVersion(const std::string &path);

/// What ptxas -v says of one kernel. Bytes and registers are per thread, shared memory per block.
struct KernelResources {
  std::string name;
  int64_t registers = 0;
  int64_t barriers = 0;
  int64_t stack_frame_bytes = 0;
  int64_t spill_store_bytes = 0;
  int64_t spill_load_bytes = 0;
  int64_t shared_bytes = 0; // static; dynamic shared memory is the launch's
  int64_t local_bytes = 0;  // "lmem"
};

struct AssemblyReport {
  std::vector<KernelResources> kernels;
  /// Warnings and advisories, one line each: "... (C7510) Potential Performance Loss: wgmma.mma_async ...".
  std::vector<std::string> warnings;
};

/// Reads what ptxas -v prints. A line that has the form of a report but not its numbers throws Failure: the
/// gates must not pass because a new ptxas says things in another way.
AssemblyReport parseAssemblyLog(std::string_view log);

struct Assembly {
  std::string cubin; // the bytes of an ELF file
  std::string log;   // what ptxas -v printed
  AssemblyReport report;
};

/// Assembles PTX text for `architecture`, "sm_90a". Throws AbsentError where there is no ptxas, Failure with
/// its messages where it refuses the program.
Assembly assemble(const std::string &ptx, const std::string &architecture);

/// The SASS of a cubin as text. Throws AbsentError, Failure.
std::string disassemble(const std::string &cubin);

} // namespace compiler
