// The layers for which CMake builds kernels (kernels.c), and bundles made of them.
#pragma once

#include "runtime/bundle/manifest.h"
#include "runtime/bundle/support.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace algrt::test {

struct Shape {
  std::string name; // of the shared object
  int64_t groups, in, out;
  int64_t period; // as in kernels.c
  bool bfloat16;

  int64_t k() const { return groups * in; }
  int64_t n() const { return groups * out; }
  int64_t weightColumns() const { return period < 0 ? out : n(); }
};

// Cyclic types in f32 and bf16, each with its way down for an FFN; interval, explicit, quaternions in f32.
const std::vector<Shape> &shapes();
const Shape &shape(const std::string &name);

// The manifest without sections, for a test to spoil.
nlohmann::ordered_json manifestOf(const Shape &shape);
// Sections: the kernels and, in the slot lift, the terms.
std::string bundleOf(const Shape &shape);
std::string bundleOf(const Shape &shape, const nlohmann::ordered_json &manifest);
// The same with code that says of itself whatever the manifest says of it.
std::string agreeingBundleOf(const Shape &shape, const nlohmann::ordered_json &manifest);
// Terms of the quaternions' multiplication table.
std::vector<std::vector<Term>> quaternionTerms();

} // namespace algrt::test
