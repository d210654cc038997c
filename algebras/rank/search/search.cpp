#include "algebras/rank/search/search.h"

#include "algebras/rank/search/flip_graph.h"
#include "algebras/rank/search/hensel_lift.h"
#include "algebras/rank/search/least_squares.h"

#include <flint/flint.h>
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

namespace algebras {

using namespace rank;

namespace {

constexpr int64_t largest_flips = 64;         // entries of a bit mask
constexpr int64_t largest_least_squares = 40; // cubes of floating-point numbers
constexpr int64_t steps_at_once = 100'000;

bool hasOddDenominators(const Table &table) {
  for (const Constant &constant : table.constants())
    if (constant.value.denominator().integerModulo(2) == 0)
      return false;
  return true;
}

// The table modulo 2.
Table modulo2(const Table &table) {
  return Table(table.name(), Field::prime(2), table.dimension(), table.constants());
}

template <typename Vector>
typename FlipGraph<Vector>::Terms toTerms(const BilinearAlgorithm &algorithm, const Field &field) {
  typename FlipGraph<Vector>::Terms result;
  for (const BilinearProduct &product : algorithm) {
    Term<Vector> term;
    int mode = 0;
    for (const SparseVector *part : {&product.alpha, &product.beta, &product.gamma}) {
      for (const auto &[index, value] : *part) {
        int own = static_cast<int>(field.reduce(value).toInteger().value());
        term.factors[mode].set(static_cast<int>(index), own == 2 ? -1 : own);
      }
      ++mode;
    }
    result.push_back(term);
  }
  return result;
}

template <typename Vector>
BilinearAlgorithm fromTerms(const typename FlipGraph<Vector>::Terms &terms, const Field &field) {
  BilinearAlgorithm result;
  for (const Term<Vector> &term : terms) {
    BilinearProduct product;
    int mode = 0;
    for (SparseVector *part : {&product.alpha, &product.beta, &product.gamma}) {
      for (int index = 0; index < 64; ++index)
        if (int value = term.factors[mode].entry(index); value != 0)
          part->emplace_back(index, field.reduce(Rational(mode == 2 ? value * term.sign : value)));
      ++mode;
    }
    result.push_back(std::move(product));
  }
  return result;
}

// Whether an algorithm can be read over GF(2).
bool reducesModulo2(const BilinearAlgorithm &algorithm) {
  for (const BilinearProduct &product : algorithm)
    for (const SparseVector *part : {&product.alpha, &product.beta, &product.gamma})
      for (const auto &[index, value] : *part)
        if (value.denominator().integerModulo(2) == 0)
          return false;
  return true;
}

// FLINT keeps memory for each thread, and a thread that ends has to give it back.
struct FlintMemory {
  ~FlintMemory() { flint_cleanup(); }
};

// What the threads share.
class Search {
public:
  Search(const Table &table, const BilinearAlgorithm &known, const SearchOptions &options)
      : table_(table), known_(known), options_(options), start_(std::chrono::steady_clock::now()),
        least_(static_cast<int64_t>(known.size())) {
    result_.algorithm = known;
    result_.notes.resize(options.threads);
  }

  SearchResult run() {
    std::vector<std::thread> threads;
    for (int index = 0; index < options_.threads; ++index)
      threads.emplace_back([this, index] {
        FlintMemory memory;
        try {
          work(index);
        } catch (...) {
          std::lock_guard lock(mutex_);
          if (!failure_)
            failure_ = std::current_exception();
          done_ = true;
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    if (failure_)
      std::rethrow_exception(failure_);
    return std::move(result_);
  }

private:
  bool stop() {
    return done_ || seconds() >= options_.seconds || (options_.interrupted && options_.interrupted());
  }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  uint64_t seedOf(int thread) const { return options_.seed * 1000 + static_cast<uint64_t>(thread); }

  void work(int thread) {
    const Field &field = table_.field();
    bool small = table_.dimension() <= largest_flips;
    if (field.characteristic() == 2 && small)
      return flips<BinaryVector>(thread, table_);
    if (field.characteristic() == 3 && small)
      return flips<TernaryVector>(thread, table_);
    if (!field.isRationals())
      return;
    bool fits = table_.dimension() <= largest_least_squares;
    // One thread lifts from GF(2) where there is more than one, and that can be.
    if ((thread % 2 == 1 || !fits) && small && hasOddDenominators(table_))
      return flips<BinaryVector>(thread, modulo2(table_));
    if (fits)
      leastSquares(thread);
  }

  // Over Q the walks are modulo 2, and what they find is lifted.
  template <typename Vector> void flips(int thread, const Table &reduced) {
    bool own = thread % 2 == (table_.field().isRationals() ? 1 : 0) ||
               (table_.field().isRationals() && !reducesModulo2(known_));
    BilinearAlgorithm start = own ? ownProducts(reduced) : known_;
    FlipGraph<Vector> graph(toTerms<Vector>(start, reduced.field()), seedOf(thread));
    std::string name =
        fmt::format("flip graph over {} from {} products", reduced.field().name(), start.size());
    size_t unlifted = 0, walked_least = graph.best().size();
    int64_t rounds = 0;
    double when = 0;
    size_t offered = start.size() + 1;
    for (;; ++rounds) {
      if (graph.best().size() < offered) {
        offered = graph.best().size();
        BilinearAlgorithm found = fromTerms<Vector>(graph.best(), reduced.field());
        if (findMismatch(found, reduced))
          throw std::logic_error("a walk in the flip graph left the algorithms of its algebra");
        if (found.size() < walked_least) {
          walked_least = found.size();
          when = seconds();
        }
        if (!table_.field().isRationals()) {
          offer(std::move(found), name);
        } else if (static_cast<int64_t>(found.size()) < least_) {
          std::optional<BilinearAlgorithm> lifted = liftFromTwo(found, table_);
          if (lifted && !findMismatch(*lifted, table_))
            offer(std::move(*lifted), name + ", lifted");
          else
            ++unlifted;
        }
      }
      if (stop())
        break;
      graph.walk(steps_at_once);
      note(thread, fmt::format("{}: {} products, found after {:.1f} s; {} million steps", name, walked_least,
                               when, (rounds + 1) * steps_at_once / 1'000'000) +
                       (unlifted > 0 ? fmt::format(", {} of them not lifted", unlifted) : ""));
      // Walks that are as short as what is known, over another field or not, go on from different places.
      if (table_.field().isRationals() && unlifted > 0 && static_cast<int64_t>(offered) < least_) {
        graph =
            FlipGraph<Vector>(toTerms<Vector>(start, reduced.field()), seedOf(thread) + 7919 * (rounds + 1));
        offered = static_cast<size_t>(least_.load());
      }
    }
  }

  void leastSquares(int thread) {
    LeastSquares searcher(table_);
    std::mt19937_64 random(seedOf(thread));
    int64_t starts = 0;
    while (!stop()) {
      int64_t target = least_ - 1;
      if (target < 1)
        return;
      std::optional<BilinearAlgorithm> found =
          searcher.attempt(target, random, [&] { return stop() || least_ <= target; });
      ++starts;
      if (found && !findMismatch(*found, table_))
        offer(std::move(*found), "alternating least squares");
      note(thread,
           fmt::format("alternating least squares: {} starts, the last for {} products", starts, target));
    }
  }

  // A verified algorithm.
  void offer(BilinearAlgorithm algorithm, const std::string &method) {
    std::lock_guard lock(mutex_);
    if (static_cast<int64_t>(algorithm.size()) >= static_cast<int64_t>(result_.algorithm.size()))
      return;
    least_ = static_cast<int64_t>(algorithm.size());
    result_.algorithm = std::move(algorithm);
    result_.improved = true;
    result_.method = method;
    if (options_.progress)
      options_.progress({seconds(), least_, method});
    if (least_ <= options_.lower)
      done_ = true;
  }

  void note(int thread, std::string text) {
    std::lock_guard lock(mutex_);
    result_.notes[thread] = text;
    if (options_.progress && seconds() >= next_report_) {
      next_report_ = seconds() + 5;
      options_.progress({seconds(), least_, std::move(text)});
    }
  }

  const Table &table_;
  const BilinearAlgorithm &known_;
  const SearchOptions &options_;
  std::chrono::steady_clock::time_point start_;
  std::atomic<int64_t> least_;
  std::atomic<bool> done_ = false;
  std::mutex mutex_;
  SearchResult result_;
  std::exception_ptr failure_;
  double next_report_ = 5;
};

} // namespace

std::string whyNotSearched(const Table &table) {
  const Field &field = table.field();
  int64_t n = table.dimension();
  if (field.characteristic() > 3)
    return fmt::format("searches work over Q, GF(2) and GF(3), not over {}", field.name());
  if (n > largest_flips)
    return fmt::format("searches work up to dimension {}, not for {}", largest_flips, n);
  if (field.isRationals() && n > largest_least_squares && !hasOddDenominators(table))
    return fmt::format(
        "above dimension {} a search over Q goes by way of GF(2), where these constants have no value",
        largest_least_squares);
  return "";
}

SearchResult searchAlgorithm(const Table &table, const BilinearAlgorithm &known,
                             const SearchOptions &options) {
  if (!whyNotSearched(table).empty() || static_cast<int64_t>(known.size()) <= options.lower)
    return {known, false, "", {}};
  return Search(table, known, options).run();
}

} // namespace algebras
