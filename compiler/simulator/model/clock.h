// Vector clocks: for each agent, up to which of its events something is ordered after, and up to which it
// sees what they wrote. The two differ where order came from another block at the scope of a block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace simulator {

// Grows as agents appear; what it does not hold is 0, before the agent's first event.
class Clock {
public:
  uint32_t operator[](size_t agent) const { return at(times_, agent); }
  uint32_t seen(size_t agent) const { return at(differs_ ? views_ : times_, agent); }

  void advance(size_t agent, uint32_t time) {
    advance(times_, agent, time);
    if (differs_)
      advance(views_, agent, time);
  }

  void join(const Clock &other) {
    if (differs_ || other.differs_) {
      part();
      join(views_, other.differs_ ? other.views_ : other.times_);
    }
    join(times_, other.times_);
  }

  // Order alone: what the other has seen is not seen here.
  void joinOrder(const Clock &other) {
    part();
    join(times_, other.times_);
  }

  void clear() {
    times_.clear();
    views_.clear();
    differs_ = false;
  }

private:
  using Times = std::vector<uint32_t>;

  static uint32_t at(const Times &times, size_t agent) { return agent < times.size() ? times[agent] : 0; }

  static void advance(Times &times, size_t agent, uint32_t time) {
    if (agent >= times.size())
      times.resize(agent + 1, 0);
    times[agent] = std::max(times[agent], time);
  }

  static void join(Times &into, const Times &other) {
    if (other.size() > into.size())
      into.resize(other.size(), 0);
    uint32_t *mine = into.data();
    const uint32_t *theirs = other.data();
    const size_t count = other.size();
    for (size_t agent = 0; agent < count; ++agent)
      mine[agent] = std::max(mine[agent], theirs[agent]);
  }

  void part() {
    if (!differs_)
      views_ = times_;
    differs_ = true;
  }

  Times times_, views_; // views only where they differ from times
  bool differs_ = false;
};

} // namespace simulator
