// A quiver as SVG, drawn here: vertices on a circle, arrows trimmed at them, pairs of opposite arrows bent
// apart.
#pragma once

#include "compiler/drawing/quiver.h"

#include <string>

namespace compiler {

// A whole <svg> element with its own size and title, without an XML header, so that it also fits into HTML.
// The quiver must be drawn().
std::string toSvg(const Quiver &quiver, const std::string &title);

// & < > " as entities.
std::string escapeMarkup(const std::string &text);

} // namespace compiler
