// What the user called the groups of a layer.
#pragma once

#include "algebras/algebra.h"
#include "algebras/lift.h"

#include <cstdint>
#include <string>
#include <vector>

namespace algebras {

// Of a matrix-like algebra: the name of its vertex or element, those of the factors of a tensor product
// ("a,0") and, in a direct product, that with the factor's number ("0.a"); otherwise the position's number.
std::string positionName(const Algebra &algebra, int64_t position);

// Whether somebody named vertices, arrows or elements of the algebra, by anything but their numbers.
bool hasNames(const Algebra &algebra);

// Of a lift of an algebra with names: for each group the name of its position, or of its slot; nothing for
// other algebras, whose names follow from the numbers.
std::vector<std::string> groupNames(const Lift &lift);
// For each row type the name of the first position that has it; nothing in the slot lift, and as above.
std::vector<std::string> typeNames(const Lift &lift);

} // namespace algebras
