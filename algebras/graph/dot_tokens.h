// The words of a DOT file, with their places.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace algebras {

struct DotToken {
  enum class Kind {
    Identifier, // bare, number, "quoted" + "joined", or <html>
    Strict,
    Graph,
    Digraph,
    Node,
    Edge,
    Subgraph,
    Arrow, // ->
    Line,  // --
    Sign,  // one of { } [ ] ; , = :
    End
  };
  Kind kind = Kind::End;
  std::string text; // an identifier without quotes and escapes; a sign itself
  size_t offset = 0;
};

// The last token is End. InputError with the place for unterminated strings and comments and for stray
// characters.
std::vector<DotToken> tokenizeDot(std::string_view content, const std::string &file);

} // namespace algebras
