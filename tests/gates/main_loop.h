// The loops of a kernel's machine code that multiply: the innermost ones with products of warpgroups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gates {

struct MainLoop {
  int64_t instructions = 0; // from the loop's label to the branch back to it
  int64_t products = 0;     // HGMMA among them

  int64_t others() const { return instructions - products; }
  // What the others may be: the wait for a stage, its release, the step's indices; and for each product two
  // descriptors. Loops with several forms of a step, as for the last one of a group, have the products of
  // all.
  int64_t budget() const { return 48 + 11 * products; }
};

// In the order of the text that nvdisasm prints.
std::vector<MainLoop> mainLoops(const std::string &sass);

} // namespace gates
