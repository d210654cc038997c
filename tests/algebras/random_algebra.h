// Random graphs and expressions, the same on every machine.
#pragma once

#include "algebras/constructions.h"

#include <random>

namespace testing_support {

algebras::Graph randomGraph(std::mt19937 &random, int64_t most_vertices);
// Any mixture of constructions of dimension at most `most_dimension`.
algebras::Algebra randomAlgebra(std::mt19937 &random, int64_t most_dimension, algebras::Field field = {});

} // namespace testing_support
