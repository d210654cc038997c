#include "compiler/schedule/unequal_turns.h"

#include <vector>

namespace compiler {

double NumberedTiles::mostLongOf(double workers) const {
  constexpr double counted = 1 << 16; // beyond these they even out
  if (lines * rows * columns > counted)
    return std::ceil(lines * rows * columns / workers);
  std::vector<double> of(static_cast<std::size_t>(workers));
  for (double line = 0; line < lines; ++line)
    for (double row = 0; row < rows; ++row)
      for (double column = 0; column < columns; ++column) {
        const double group = std::fmod(line, types);
        const double number = groups_outside ? ((group * lines + line) * rows + row) * columns + column
                                             : ((line * rows + row) * groups + group) * columns + column;
        ++of[static_cast<std::size_t>(std::fmod(number, workers))];
      }
  return *std::max_element(of.begin(), of.end());
}

} // namespace compiler
