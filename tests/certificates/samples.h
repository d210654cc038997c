// Algebras of every kind that certificates prove, and the checker as the tests call it.
#pragma once

#include "algebras/algebra.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace testing_support {

// All cases of tests/algebras/data/cases.json.
std::vector<algebras::Algebra> knownTables();
// Families, products, group algebras, fields and quaternions over Q and GF(p), small ones.
std::vector<algebras::Algebra> smallSamples();
// Number fields without an inert prime, or with one, and products that have them as centres.
std::vector<algebras::Algebra> fieldSamples();
// Division algebras over Q and number fields, and matrices over them.
std::vector<algebras::Algebra> divisionSamples();
// Some of the small ones after a dense change of basis.
std::vector<algebras::Algebra> denseSamples();
// Dimension 36 in dense bases, over Q and GF(101): enough for proofs with generators.
std::vector<algebras::Algebra> largeDenseSamples();

// The same algebra in a random basis whose elements have rational coefficients with so many digits.
algebras::Algebra inRationalBasis(const algebras::Algebra &algebra, std::mt19937 &random, int digits);

// Why the checker refuses: "claim: reason"; nothing when it accepts.
std::optional<std::string> refusal(const nlohmann::json &certificate);
nlohmann::json certificateOf(const algebras::Algebra &algebra);

} // namespace testing_support
