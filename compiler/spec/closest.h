// "Did you mean ...": the known word that is nearest to a mistyped one.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace compiler {

// The candidate with the least edit distance (insert, delete, replace, swap of neighbours), if it is near
// enough that a typing error explains it: at most a third of the longer word, and at least one.
std::optional<std::string_view> closest(std::string_view word, std::span<const std::string_view> candidates);

} // namespace compiler
