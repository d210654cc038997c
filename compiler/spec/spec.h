// What every command of algctl works on: an algebra and, where one is given, the layer that uses it.
#pragma once

#include "algebras/algebra.h"
#include "algebras/layer.h"

#include <optional>
#include <string>

namespace compiler {

struct Spec {
  algebras::Algebra algebra;
  // Absent when neither the file nor the command line says anything about a layer.
  std::optional<algebras::Layer> layer;
  // The user knows that the table is not associative and wants it all the same; composition and fusion are
  // off.
  bool allow_nonassociative = false;
  // What the user wrote: a file name or an expression. For messages.
  std::string source_name;
};

// The layer of the spec. Throws UsageError naming what is missing and how to give it.
const algebras::Layer &requireLayer(const Spec &spec);

// Throws algebras::InputError unless kernels can be generated for the spec: it has a layer, its field is that
// of the rational numbers, and its table is associative or `allow_nonassociative` was said. Cost: that of
// finding out whether the algebra is associative, which is nothing for constructions.
void requireCompilable(const Spec &spec);

} // namespace compiler
