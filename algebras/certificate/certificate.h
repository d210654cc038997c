// Certificates: JSON from which algcheck establishes the facts about an algebra again (docs/certificates.md).
#pragma once

#include "algebras/algebra.h"
#include "algebras/facts.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace algebras {

struct Certificate {
  nlohmann::ordered_json json;
  // For people: what is known, or might be asked, and is not in the certificate, with the reason.
  std::vector<std::string> omissions;
};

// The proof follows the construction: families and tables are proved by their elements, products by rules, so
// that Q(2)^8 takes a few lines. A product with a factor that is not associative and unital, and over Q one
// whose factors have centres that are not of coprime degrees, is written as one table. InputError for what is
// too large for a certificate: families and tables beyond 2^21 slots or 2^23 constants.
Certificate certify(const Algebra &algebra);

// What is known of the algebra and not claimed by its certificate, for people: sharper bounds on the rank,
// all places where division algebras are ramified. (Why parts of the structure are left out is among the
// omissions.)
std::vector<std::string> notClaimed(const Facts &facts, const Certificate &certificate);

} // namespace algebras
