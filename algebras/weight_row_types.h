// The rows of a weight matrix that takes the place of activations.
#pragma once

#include "algebras/groups.h"
#include "algebras/lift.h"
#include "algebras/row_types.h"

#include <optional>

namespace algebras {

// The schedule by which the rows of a weight matrix have their types where it is multiplied by another one as
// activations are: a row of its group k carries row k of the matrix of positions. `rows` are its row groups,
// as many as the lift has. Nothing where the types come in intervals of unequal widths, which no schedule
// has, and in the lift by slots, where the slots of a row do not lie side by side.
std::optional<RowTypes> typesOfWeightRows(const Lift &lift, const Groups &rows);

} // namespace algebras
