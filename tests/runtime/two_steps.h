// A bundle of a program of two projections, by hand: h = x up, y = h down, with h in the workspace.
#pragma once

#include "runtime/bundle/writer.h"

#include <nlohmann/json.hpp>
#include <string>

namespace algrt::test {

// The manifest of `up` with that of `down` as a further projection, and the program "both" behind those of
// `up`. `down` has as many input columns as `up` has output columns; the two name different sections.
nlohmann::ordered_json twoSteps(nlohmann::ordered_json up, const nlohmann::ordered_json &down);

} // namespace algrt::test
