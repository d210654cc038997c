// The times of a vector clock, many of which are alike: threads that met at a barrier differ in their own
// times alone. So they share the times they have in common, and what one of them learns from a barrier, the
// others find already computed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace simulator {

// A time for each agent. Grows as agents appear; what it does not hold is 0, before the agent's first event.
class AgentTimes {
public:
  uint32_t operator[](size_t agent) const {
    const uint32_t known = at(common_.get(), agent);
    return agent == own_ ? std::max(known, own_time_) : known;
  }

  // Constant while the agent is always the same, as for a thread's own time.
  void advance(size_t agent, uint32_t time) {
    if (time <= (*this)[agent])
      return;
    if (agent == own_ || (own_ == nobody && !common_)) {
      own_ = agent;
      own_time_ = time;
      return;
    }
    setCommon(united(common_, nullptr, agent, time));
  }

  // The later time for each agent. Constant where another thread with the same times did it just before.
  void join(const AgentTimes &other) {
    if (!other.common_ || other.common_ == common_ || other.common_ == included_) {
      if (other.own_ != nobody)
        advance(other.own_, other.own_time_);
      return;
    }
    const bool contained = !common_ || other.included_ == common_;
    if (contained && other.own_ == nobody)
      setCommon(other.common_);
    else
      setCommon(united(common_, other.common_, other.own_, other.own_time_));
  }

  // The same for what gathers the times of many that arrive: in place.
  void gather(const AgentTimes &other) {
    if (other.common_ && other.common_ != common_ && other.common_ != included_) {
      if (!common_)
        setCommon(other.common_);
      else {
        raise(writable(), *other.common_);
        included_ = other.common_;
      }
    }
    if (other.own_ == nobody || other.own_time_ <= (*this)[other.own_])
      return;
    if (other.own_ == own_)
      own_time_ = other.own_time_;
    else
      raise(writable(), other.own_, other.own_time_);
  }

  void clear() { *this = AgentTimes(); }

private:
  using Times = std::vector<uint32_t>;
  using Common = std::shared_ptr<Times>; // written only while nobody else has it
  static constexpr size_t nobody = SIZE_MAX;

  static uint32_t at(const Times *times, size_t agent) {
    return times && agent < times->size() ? (*times)[agent] : 0;
  }

  static void raise(Times &times, size_t agent, uint32_t time) {
    if (agent >= times.size())
      times.resize(agent + 1, 0);
    times[agent] = std::max(times[agent], time);
  }

  static void raise(Times &times, const Times &others) {
    if (others.size() > times.size())
      times.resize(others.size(), 0);
    std::transform(others.begin(), others.end(), times.begin(), times.begin(),
                   [](uint32_t a, uint32_t b) { return std::max(a, b); });
  }

  Times &writable() {
    if (!common_)
      common_ = std::make_shared<Times>();
    else if (common_.use_count() > 1) {
      included_ = common_;
      common_ = std::make_shared<Times>(*common_);
    }
    return *common_;
  }

  void setCommon(Common common) { included_ = std::exchange(common_, std::move(common)); }

  // The later times of both, either of which may be null, and of one agent more.
  static Common united(const Common &a, const Common &b, size_t agent, uint32_t time) {
    struct Result {
      Common a, b;
      size_t agent = nobody;
      uint32_t time = 0;
      Common result;
    };
    // As many as the things that the threads of a block wait for one after the other.
    thread_local std::array<Result, 32> last;
    thread_local size_t oldest = 0;
    for (const Result &known : last)
      if (known.result && known.a == a && known.b == b && known.agent == agent && known.time == time)
        return known.result;
    auto result = a ? std::make_shared<Times>(*a) : std::make_shared<Times>();
    if (b)
      raise(*result, *b);
    if (agent != nobody)
      raise(*result, agent, time);
    last[oldest++ % last.size()] = {a, b, agent, time, result};
    return result;
  }

  Common common_;
  Common included_;     // times that are in common_, if any are known to be
  size_t own_ = nobody; // the agent whose time may be later than in common_
  uint32_t own_time_ = 0;
};

} // namespace simulator
