// Whether a decomposition is what it says, from the products of its elements alone.
#pragma once

#include "algebras/structure/decomposition.h"

#include <random>

namespace testing_support {

// Reports every claim that fails to GoogleTest.
void checkDecomposition(const algebras::Table &table, const algebras::Decomposition &decomposition);

// The same algebra in the basis b'_i = sum_j change[i][j] b_j for a random product of elementary steps:
// dense, and unimodular over Q.
algebras::Table denseBasis(const algebras::Table &table, std::mt19937 &random);

} // namespace testing_support
