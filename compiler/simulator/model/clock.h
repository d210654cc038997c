// Vector clocks: for each agent, up to which of its events something is ordered after, and up to which it
// sees what they wrote. The two differ where order came from another block at the scope of a block.
#pragma once

#include "compiler/simulator/model/agent_times.h"

namespace simulator {

class Clock {
public:
  uint32_t operator[](size_t agent) const { return times_[agent]; }
  uint32_t seen(size_t agent) const { return (differs_ ? views_ : times_)[agent]; }

  void advance(size_t agent, uint32_t time) {
    times_.advance(agent, time);
    if (differs_)
      views_.advance(agent, time);
  }

  // What a thread learns where it waited.
  void join(const Clock &other) {
    if (differs_ || other.differs_) {
      part();
      views_.join(other.differs_ ? other.views_ : other.times_);
    }
    times_.join(other.times_);
  }

  // The same for what gathers the clocks of many that arrive.
  void gather(const Clock &other) {
    if (differs_ || other.differs_) {
      part();
      views_.gather(other.differs_ ? other.views_ : other.times_);
    }
    times_.gather(other.times_);
  }

  // Order alone: what the other has seen is not seen here.
  void gatherOrder(const Clock &other) {
    part();
    times_.gather(other.times_);
  }

  void clear() { *this = Clock(); }

private:
  void part() {
    if (!differs_)
      views_ = times_;
    differs_ = true;
  }

  AgentTimes times_, views_; // views only where they differ from times
  bool differs_ = false;
};

} // namespace simulator
