// Layers that schedules are ranked for.
#pragma once

#include "algebras/expression.h"
#include "algebras/layer.h"
#include "compiler/schedule/staged_chained.h"

#include <string>

/// Of an algebra's rows, in equal groups.
inline algebras::Layer projection(const std::string &expression, int64_t in, int64_t out,
                                  algebras::DataType type = algebras::DataType::BF16) {
  return algebras::makeLayer(algebras::Lift::rows(algebras::parseExpression(expression)), in, out, type);
}

/// Two layers, one behind the other, the first of several products.
struct TwoLayers {
  TwoLayers(const std::string &algebra, int64_t in, int64_t hidden, int64_t out, int64_t weights = 2)
      : first(projection(algebra, in, hidden)), last(projection(algebra, hidden, out)) {
    first.fused.weights = weights;
  }

  compiler::StagedChainedProblem problem() const { return {first, last, algebras::DataType::BF16}; }

  algebras::Layer first, last;
};
