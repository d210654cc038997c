// Feed-forward networks among the programs of a bundle.
#pragma once

#include "runtime/bundle/bundle.h"

#include <optional>
#include <string>

namespace algrt {

// y = (act(x gate) * (x up)) down, or without a gate y = act(x up) down, by the layers of its products. They
// live in the bundle.
struct Network {
  std::string program;
  Layer up, down; // gate is shaped like up
  const Support *up_support = nullptr, *down_support = nullptr;
  bool gate = false;
  size_t steps = 0;

  int64_t k() const { return up.k; }
  int64_t hidden() const { return up.n; }
  int64_t out() const { return down.n; }
};

// The program as a network: one with the tensors x, up, down, y and perhaps gate, all of one type, whose
// products are by matrices of the row lift with types that follow from the position. Otherwise nothing, and
// `why_not` ends a sentence about the program.
std::optional<Network> networkOf(const Bundle &bundle, const Program &program, std::string &why_not);

// Bundles of one network that are measured against each other. Only the first is needed; a name is empty
// where there is none.
struct NetworkBundles {
  std::string bundle;
  std::string steps;      // the same program with a step for each layer
  std::string apart;      // the same program whose operations are kernels of their own
  std::string each;       // the same program for the rows of one expert alone
  std::string activation; // computes h from up and, with a gate, gate: what dense products have between them

  // The bundle, and of NAME.alg the files NAME-steps.alg, NAME-apart.alg, NAME-each.alg and
  // NAME-activation.alg beside it that are there.
  static NetworkBundles beside(const std::string &bundle);
};
// Whether it is such a file of another bundle, by its name.
bool isNetworkCompanion(const std::string &path);

} // namespace algrt
