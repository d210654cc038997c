// Layers that schedules are ranked for.
#pragma once

#include "algebras/expression.h"
#include "algebras/layer.h"

#include <string>

/// Of an algebra's rows, in equal groups.
inline algebras::Layer projection(const std::string &expression, int64_t in, int64_t out,
                                  algebras::DataType type = algebras::DataType::BF16) {
  return algebras::makeLayer(algebras::Lift::rows(algebras::parseExpression(expression)), in, out, type);
}
