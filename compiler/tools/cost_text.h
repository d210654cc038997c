// The cost report for people.
#pragma once

#include "algebras/cost/report.h"

#include <string>

namespace compiler {

std::string costText(const algebras::cost::CostReport &report);

} // namespace compiler
