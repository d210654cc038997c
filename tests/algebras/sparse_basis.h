// The same algebra in another basis that keeps the table sparse.
#pragma once

#include "algebras/table/table.h"

#include <random>

namespace testing_support {

// Slots in another order.
algebras::Table permuted(const algebras::Table &table, std::mt19937 &random);
// b_s becomes c_s b_s for c_s other than zero.
algebras::Table rescaled(const algebras::Table &table, std::mt19937 &random);
// b_a becomes b_a + factor b_s; the table itself when a = s.
algebras::Table withSum(const algebras::Table &table, int64_t a, int64_t s, const algebras::Rational &factor);
// `steps` times some b_a becomes b_a + c b_s.
algebras::Table withSums(const algebras::Table &table, int steps, std::mt19937 &random);

} // namespace testing_support
