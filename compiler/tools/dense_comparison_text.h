// A layer beside the dense projection, for people and as JSON.
#pragma once

#include "compiler/schedule/dense_comparison.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace compiler {

// `title` says what is compared, `command` how to compile the dense projection.
std::string denseComparisonText(const DenseComparison &comparison, const std::string &title,
                                const std::string &command);
nlohmann::ordered_json denseComparisonJson(const DenseComparison &comparison, const std::string &title,
                                           const std::string &command);

} // namespace compiler
