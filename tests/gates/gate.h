// What a GPU kernel must show before anybody trusts it with a device: what NVIDIA's assembler reports, what
// the disassembled code holds, and that the compiler neither lost nor copied an instruction on the way.
#pragma once

#include "compiler/targets/nvidia/assembler.h"
#include "compiler/targets/nvidia/ptx.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gates {

// One kernel, from its instructions as the compiler chose them to machine code.
struct Evidence {
  std::string nvvm;   // the module in the nvvm dialect, as text
  std::string target; // that its PTX is for: "sm_90a" or "sm_80"
  compiler::PtxModule ptx;
  compiler::Assembly assembly;
  std::string sass;
};

// Takes a module in the nvvm dialect through LLVM, ptxas and nvdisasm. Throws compiler::Failure with the
// messages of whoever refuses it.
Evidence collectEvidence(const std::string &nvvm, const std::string &target = "sm_90a");
// The same for PTX by hand: `nvvm` and what LLVM counted are those of `evidence`.
Evidence withPtx(const Evidence &evidence, const std::string &ptx);

// What is wrong with a kernel: for sm_90a one that loads and stores through tensor maps and multiplies by
// warpgroups, for sm_80, or with warps in its schedule, one whose threads copy and whose warps multiply.
// Empty where nothing is.
std::vector<std::string> objections(const Evidence &evidence);
// What ptxas has against the kernel's PTX on another machine, "sm_120".
std::vector<std::string> objectionsOn(const Evidence &evidence, const std::string &machine);

// How often an instruction occurs in PTX, by the beginning of its name; in SASS, by its name up to a dot.
int64_t countInPtx(std::string_view ptx, std::string_view instruction);
int64_t countInSass(std::string_view sass, std::string_view instruction);

} // namespace gates
