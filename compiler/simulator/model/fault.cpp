#include "compiler/simulator/model/fault.h"

#include <fmt/format.h>

namespace simulator {

std::string_view name(FaultKind kind) {
  switch (kind) {
  case FaultKind::OutOfBounds:
    return "out of bounds";
  case FaultKind::Misaligned:
    return "misaligned";
  case FaultKind::NeverWritten:
    return "never written";
  case FaultKind::Race:
    return "race";
  case FaultKind::MissingProxyFence:
    return "missing proxy fence";
  case FaultKind::Overwrite:
    return "overwrite";
  case FaultKind::GlobalConflict:
    return "global conflict";
  case FaultKind::DependentLaunch:
    return "dependent launch";
  case FaultKind::Mbarrier:
    return "mbarrier";
  case FaultKind::PendingAtExit:
    return "pending at exit";
  case FaultKind::BadTensorMap:
    return "bad tensor map";
  case FaultKind::BadDescriptor:
    return "bad descriptor";
  case FaultKind::MissingWgmmaFence:
    return "missing wgmma fence";
  case FaultKind::UnsettledAccumulator:
    return "unsettled accumulator";
  case FaultKind::Divergence:
    return "divergence";
  case FaultKind::NamedBarrier:
    return "named barrier";
  case FaultKind::ClusterBarrier:
    return "cluster barrier";
  case FaultKind::ClusterLifetime:
    return "cluster lifetime";
  case FaultKind::Registers:
    return "registers";
  case FaultKind::Deadlock:
    return "deadlock";
  case FaultKind::Endless:
    return "endless";
  case FaultKind::Trap:
    return "trap";
  case FaultKind::Undefined:
    return "undefined";
  case FaultKind::BadCall:
    return "bad call";
  }
  return "unknown";
}

std::string Fault::text() const {
  std::string where;
  if (site >= 0)
    where += fmt::format(" at site {}", site);
  if (block >= 0)
    where += fmt::format(", block {}", block);
  if (thread >= 0)
    where += fmt::format(", thread {}", thread);
  return fmt::format("{}{}: {}", name(kind), where, message);
}

} // namespace simulator
