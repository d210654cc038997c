// Clocks share times among threads; whatever they share, they say what plain ones of a time for each agent
// say.
#include "compiler/simulator/model/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace {

using simulator::Clock;

constexpr size_t agents = 12;

struct PlainClock {
  std::vector<uint32_t> times = std::vector<uint32_t>(agents), views = times;

  void advance(size_t agent, uint32_t time) {
    for (std::vector<uint32_t> *of : {&times, &views})
      (*of)[agent] = std::max((*of)[agent], time);
  }
  void join(const PlainClock &other, bool order_alone) {
    for (size_t agent = 0; agent < agents; ++agent) {
      times[agent] = std::max(times[agent], other.times[agent]);
      if (!order_alone)
        views[agent] = std::max(views[agent], other.views[agent]);
    }
  }
};

struct Both {
  Clock clock;
  PlainClock plain;

  void advance(size_t agent, uint32_t time) {
    clock.advance(agent, time);
    plain.advance(agent, time);
  }
  void join(const Both &other) {
    clock.join(other.clock);
    plain.join(other.plain, false);
  }
  void gather(const Both &other, bool order_alone) {
    order_alone ? clock.gatherOrder(other.clock) : clock.gather(other.clock);
    plain.join(other.plain, order_alone);
  }
  void expectSame(const char *what) const {
    for (size_t agent = 0; agent < agents; ++agent) {
      ASSERT_EQ(clock[agent], plain.times[agent]) << what;
      ASSERT_EQ(clock.seen(agent), plain.views[agent]) << what;
    }
  }
};

// Threads, the last agents being copies that they wait for, and barriers of all and of some of them.
TEST(Clock, SaysWhatPlainClocksSay) {
  constexpr size_t threads = 8, barriers = 4;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](size_t count) { return size_t(random() % count); };
    std::vector<Both> thread(threads), barrier(barriers);
    std::vector<uint32_t> time(agents, 0);
    for (size_t i = 0; i < threads; ++i)
      thread[i].advance(i, ++time[i]);
    for (int step = 0; step < 120; ++step) {
      const size_t i = below(threads);
      Both &meeting = barrier[below(barriers)];
      switch (below(seed % 2 == 0 ? 6 : 4)) {
      case 0: // all meet
        for (size_t k = 0; k < threads; ++k) {
          meeting.gather(thread[k], false);
          thread[k].advance(k, ++time[k]);
        }
        for (Both &waiting : thread)
          waiting.join(meeting);
        if (below(2) == 0)
          meeting = Both();
        break;
      case 1: // one arrives, some wait
        meeting.gather(thread[i], false);
        thread[i].advance(i, ++time[i]);
        for (size_t k = 0; k < threads; ++k)
          if (below(2) == 0)
            thread[k].join(meeting);
        break;
      case 2: { // some wait for a copy
        const size_t copy = threads + below(agents - threads);
        ++time[copy];
        for (size_t k = below(threads); k < threads; ++k)
          thread[k].advance(copy, time[copy]);
        break;
      }
      case 3: // a barrier hears of a copy, or tells another what it knows
        if (below(2) == 0)
          meeting.advance(agents - 1, ++time[agents - 1]);
        else
          meeting.gather(barrier[below(barriers)], false);
        break;
      case 4:
        meeting.gather(thread[i], true);
        break;
      default:
        thread[i].join(meeting);
      }
      for (const Both &each : thread)
        ASSERT_NO_FATAL_FAILURE(each.expectSame("a thread")) << "seed " << seed << ", step " << step;
      for (const Both &each : barrier)
        ASSERT_NO_FATAL_FAILURE(each.expectSame("a barrier")) << "seed " << seed << ", step " << step;
    }
  }
}

} // namespace
