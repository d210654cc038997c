// Vector clocks: for each agent, up to which of its events something is ordered after.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simulator {

// Grows as agents appear; what it does not hold is 0, before the agent's first event.
class Clock {
public:
  uint32_t operator[](size_t agent) const { return agent < times.size() ? times[agent] : 0; }

  void advance(size_t agent, uint32_t time) {
    if (agent >= times.size())
      times.resize(agent + 1, 0);
    times[agent] = std::max(times[agent], time);
  }

  void join(const Clock &other) {
    if (other.times.size() > times.size())
      times.resize(other.times.size(), 0);
    uint32_t *mine = times.data();
    const uint32_t *theirs = other.times.data();
    const size_t count = other.times.size();
    for (size_t agent = 0; agent < count; ++agent)
      mine[agent] = std::max(mine[agent], theirs[agent]);
  }

  void clear() { times.clear(); }

private:
  std::vector<uint32_t> times;
};

} // namespace simulator
