// The loops of a kernel's machine code that multiply: the innermost ones with products of warpgroups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gates {

struct MainLoop {
  int64_t instructions = 0; // from the loop's label to the branch back to it
  int64_t products = 0;     // HGMMA among them
  int64_t functions = 0;    // MUFU among them: of maps between two products
  int64_t roundings = 0;    // F2FP among them, of two sums each: what a map leaves to the next product

  int64_t others() const { return instructions - products; }
  // What the others may be: the wait for a stage, its release, the step's indices; and for each product two
  // descriptors. Loops with several forms of a step, as for the last one of a group, have the products of
  // all. A map of two sums has its operands to read, some arithmetic and perhaps functions before it rounds.
  int64_t budget() const { return 52 + 11 * products + 8 * functions + 14 * roundings; }
};

// In the order of the text that nvdisasm prints.
std::vector<MainLoop> mainLoops(const std::string &sass);

} // namespace gates
