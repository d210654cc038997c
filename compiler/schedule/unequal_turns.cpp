#include "compiler/schedule/unequal_turns.h"

#include <vector>

namespace compiler {

double NumberedTiles::mostLongOf(double workers) const {
  constexpr double counted = 1 << 16; // beyond these they even out
  if (segments * rows * columns > counted)
    return std::ceil(segments * rows * columns / workers);
  std::vector<double> of(static_cast<size_t>(workers));
  for (double segment = 0; segment < segments; ++segment)
    for (double row = 0; row < rows; ++row)
      for (double column = 0; column < columns; ++column) {
        const double group = std::fmod(segment, types);
        const double number = groups_outside ? ((group * segments + segment) * rows + row) * columns + column
                                             : ((segment * rows + row) * groups + group) * columns + column;
        ++of[static_cast<size_t>(std::fmod(number, workers))];
      }
  return *std::max_element(of.begin(), of.end());
}

} // namespace compiler
