// Algebras of every kind that certificates prove, and the checker as the tests call it.
#pragma once

#include "algebras/algebra.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace testing_support {

// All cases of tests/algebras/data/cases.json.
std::vector<algebras::Algebra> knownTables();
// Families, products, group algebras, fields and quaternions over Q and GF(p), small ones.
std::vector<algebras::Algebra> smallSamples();
// Some of them after a dense change of basis.
std::vector<algebras::Algebra> denseSamples();
// Dimension 36 in dense bases, over Q and GF(101): enough for proofs with generators.
std::vector<algebras::Algebra> largeDenseSamples();

// Why the checker refuses: "claim: reason"; nothing when it accepts.
std::optional<std::string> refusal(const nlohmann::json &certificate);
nlohmann::json certificateOf(const algebras::Algebra &algebra);

} // namespace testing_support
