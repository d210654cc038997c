// What every command of algctl works on: an algebra and, where one is given, the layer or the program that
// uses it; or a program alone.
#pragma once

#include "algebras/algebra.h"
#include "algebras/error.h"
#include "algebras/layer.h"
#include "compiler/spec/program_spec.h"

#include <optional>
#include <string>

namespace compiler {

struct Spec {
  // Absent where the program is a file, whose operations name their algebras.
  std::optional<algebras::Algebra> algebra;
  // Absent when neither the file nor the command line says anything about a layer.
  std::optional<algebras::Layer> layer;
  // The user knows that the table is not associative and wants it all the same; composition and fusion are
  // off.
  bool allow_nonassociative = false;
  // What the user wrote: a file name or an expression. For messages.
  std::string source_name;
  // There is none beside a layer.
  std::optional<ProgramSpec> program = {};
  // The heading of the layer or of the built-in kind of program, where it is in a file.
  std::optional<algebras::SourceLocation> where = {};

  // The program's module, where it is a file.
  const ProgramFile *programFile() const { return program ? std::get_if<ProgramFile>(&*program) : nullptr; }
};

// The algebra of the spec. Throws UsageError where it is a program's file, which may name several.
const algebras::Algebra &requireAlgebra(const Spec &spec);

// The layer of the spec. Throws UsageError naming what is missing and how to give it, or saying that it is a
// program.
const algebras::Layer &requireLayer(const Spec &spec);

// Throws algebras::InputError unless kernels can be generated for the spec: it has a layer or a program, its
// field is that of the rational numbers, and its table is associative or `allow_nonassociative` was said.
// Cost: that of finding out whether the algebra is associative, which is nothing for constructions.
void requireCompilable(const Spec &spec);

} // namespace compiler
