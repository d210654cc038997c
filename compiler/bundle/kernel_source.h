// What the kernels of one projection of a bundle are compiled from. Plain C++ like pipeline.h.
#pragma once

#include "algebras/error.h"
#include "compiler/spec/spec.h"
#include "runtime/bundle/layer.h"
#include "runtime/bundle/map.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace compiler {

struct KernelSource {
  /// Of the projection in the bundle; empty for the bundle's own.
  std::string projection;
  /// For people: the spec, or the function's name.
  std::string title;
  algebras::Layer layer;
  /// Of a kernel that computes more than one product, or maps of it.
  std::optional<algrt::Fusion> fusion;
  std::vector<algrt::Map> maps;
  /// Types of the results, of which a GPU has a kernel each.
  std::vector<algebras::DataType> results;
  bool allow_nonassociative = false;
  /// The layer whose products read what those of `layer` leave, as schedules are chosen for it.
  std::optional<algebras::Layer> next = {};
  /// How many rows every call has; nothing where a call says so.
  std::optional<int64_t> rows = {};
  /// Whether a call says at which positions its rows are, so that they may be anywhere.
  bool takes_positions = true;
  /// The function in the alg dialect as a module with the places of its operations, of one map; empty for a
  /// projection, whose functions are those of its layer.
  std::string function;
  /// What each argument of the function is to its kernels, none or one operand or several, and each result.
  std::vector<std::vector<std::string>> operands;
  std::vector<std::string> result_operands;
  /// The file that `function` came from; null where nobody wrote one.
  std::shared_ptr<const ProgramFile> origin;
  /// Of the function's first product in that file.
  std::optional<algebras::SourceLocation> where = {};
  /// Of the layer or network in the spec that it comes from.
  std::optional<algebras::SourceLocation> described = {};
};

/// Calls `function`; an algebras::InputError of it that knows no place gets that of the source.
template <class Function> auto atPlaceOf(const KernelSource &source, Function function) {
  try {
    return function();
  } catch (const algebras::InputError &error) {
    if (error.where() || !source.where)
      throw;
    throw algebras::InputError(error.what(), *source.where).hint(error.hint());
  }
}

/// The projection that is the spec's layer. Throws UsageError where there is none.
KernelSource projectionSource(const Spec &spec, const std::vector<algrt::Map> &maps);

/// The layer whose kernels find the rows of each type in a list, however the types came about.
Spec withListedRows(const Spec &spec);

} // namespace compiler
