// A DOT file in the few words that Boost's reader understands reliably.
#pragma once

#include "algebras/graph/dot_tokens.h"

#include <map>
#include <utility>

namespace algebras {

// Boost sorts vertices by name, stumbles over UTF-8, '#' lines, empty statements and anonymous subgraphs, and
// knows no lines. So vertices are renamed to "0", "1", ... in the order in which the file first names them,
// attributes and ports are left out, and each place where an edge is written is remembered.
struct DotNormalForm {
  std::string text;
  std::vector<std::string> names;                                         // of the vertices, in that order
  std::map<std::pair<int64_t, int64_t>, std::vector<size_t>> edge_places; // offsets of the targets
};

// InputError for undirected graphs, nesting deeper than 100 and files that could make more than 2^22 edges.
DotNormalForm normalizeDot(const std::vector<DotToken> &tokens, std::string_view content,
                           const std::string &file);

} // namespace algebras
