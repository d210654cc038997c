// Facts as the JSON object of the contract.
#pragma once

#include "algebras/facts.h"

#include <nlohmann/json_fwd.hpp>

namespace algebras {

nlohmann::json toJson(const Facts &facts);
nlohmann::ordered_json toOrderedJson(const Facts &facts); // keys in the order of the contract

} // namespace algebras
