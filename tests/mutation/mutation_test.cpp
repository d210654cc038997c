// Plants one fault after another in emitted kernels and demands that the simulator objects to each. What it
// does not object to is listed in survivors.txt with the reason why it is no fault; a line of that file that
// is killed, or that names no mutation, fails as well.
#include "compiler/process/failure.h"
#include "compiler/simulator/kernel_module.h"
#include "runtime/support/error.h"
#include "tests/mutation/mutations.h"
#include "tests/mutation/subjects.h"

#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

using namespace mutation_test;
using namespace simulator_test;

namespace {

constexpr int parts = 4, seeds = 6;
constexpr int64_t step_limit = 4'000'000; // the kernels as they are take about a tenth

std::map<std::string, std::string> survivors() {
  std::ifstream file(ALGCTL_SOURCE_DIR "/tests/mutation/survivors.txt");
  EXPECT_TRUE(file.good());
  std::map<std::string, std::string> reasons;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#')
      continue;
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) {
      ADD_FAILURE() << "a line of survivors.txt gives no reason: " << line;
      continue;
    }
    const bool first = reasons.emplace(line.substr(0, colon), line.substr(colon + 2)).second;
    EXPECT_TRUE(first) << "survivors.txt lists twice: " << line;
  }
  return reasons;
}

/// What became of a mutant: how it was found out, and for which call.
struct Verdict {
  std::string kind, text; // empty: it survived
};

class Laboratory {
public:
  explicit Laboratory(const Subject &subject) : module_(subject.kernel(), subject.name) {
    for (int seed = 0; seed < seeds; ++seed)
      for (const Batch &batch : subject.batches) {
        compiler::SimulationSettings settings = settingsOf(static_cast<uint64_t>(seed), batch.blocks);
        settings.further_padding = settings.y_padding;
        settings.further_shift = settings.y_shift;
        settings.most_steps = step_limit;
        calls_.push_back(callOf(subject, batch, static_cast<uint64_t>(seed), settings));
      }
  }

  mlir::ModuleOp original() { return module_.module(); }

  Verdict judge(mlir::ModuleOp mutant) const {
    try {
      const compiler::SimulatedKernel kernel(mutant);
      for (const Call &call : calls_)
        if (ExactCase::Objection objection = call(kernel); !objection.kind.empty())
          return {objection.kind, objection.text};
    } catch (const compiler::Failure &failure) {
      return {"refused", failure.what()};
    } catch (const algrt::Error &error) {
      return {"refused", error.what()};
    }
    return {};
  }

private:
  using Call = std::function<ExactCase::Objection(const compiler::SimulatedKernel &)>;

  /// Near and far ones, where they are drawn.
  static std::vector<int64_t> positionsOf(const Batch &batch, uint64_t seed) {
    std::vector<int64_t> positions;
    std::mt19937_64 random(seed);
    for (int64_t row = 0; row < batch.m && batch.places == RowPlaces::Drawn; ++row)
      positions.push_back(static_cast<int64_t>(random() % 2000) - 1000);
    return positions;
  }

  static Call callOf(const Subject &subject, const Batch &batch, uint64_t seed,
                     const compiler::SimulationSettings &settings) {
    if (subject.chained)
      return [product = ChainedCase(*subject.chained, batch.m, batch.p0, seed, positionsOf(batch, seed)),
              settings](const auto &kernel) { return product.run(kernel, settings); };
    if (subject.fused_weights > 0)
      return [product = FusedCase(subject.fused(), batch.m, batch.p0, seed), settings](const auto &kernel) {
        return product.run(kernel, settings);
      };
    return
        [product = ExactCase(subject.spec(), batch.m, batch.p0, seed, subject.map, batch.beta, batch.places),
         settings](const auto &kernel) { return product.run(kernel, settings); };
  }

  compiler::KernelModule module_;
  std::vector<Call> calls_;
};

using Table = std::map<std::string, std::map<std::string, int>>; // kind of mutation, verdict, how many

void print(const std::string &title, const Table &table) {
  fmt::print("{}\n", title);
  for (const auto &[kind, verdicts] : table) {
    int total = 0;
    std::string text;
    for (const auto &[verdict, count] : verdicts) {
      total += count;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, verdict);
    }
    fmt::print("  {:<12} {:>4}: {}\n", kind, total, text);
  }
}

class Mutants : public testing::TestWithParam<std::tuple<std::string, int>> {};

const Subject &subjectNamed(const std::string &name) {
  for (const Subject &subject : subjects())
    if (subject.name == name)
      return subject;
  throw std::out_of_range(name);
}

TEST_P(Mutants, AreFoundOut) {
  const auto &[name, part] = GetParam();
  Laboratory laboratory(subjectNamed(name));
  ASSERT_EQ(laboratory.judge(laboratory.original()).text, "") << "the kernel as it is";
  const auto listed = survivors();
  const std::vector<Mutation> all = mutations(laboratory.original());
  Table table;
  for (size_t i = static_cast<size_t>(part); i < all.size(); i += parts) {
    mlir::OwningOpRef<mlir::ModuleOp> mutant = laboratory.original().clone();
    all[i].apply(*mutant);
    const Verdict verdict = laboratory.judge(*mutant);
    const std::string id = name + " " + all[i].name;
    const bool expected = listed.contains(id);
    ++table[all[i].kind][!verdict.kind.empty() ? verdict.kind : expected ? "equivalent" : "SURVIVED"];
    if (verdict.kind.empty())
      EXPECT_TRUE(expected) << "survived: " << id << "\n  " << all[i].op;
    else
      EXPECT_FALSE(expected) << "survivors.txt calls this equivalent: " << id << "\n  " << verdict.text;
  }
  print(fmt::format("{}, part {} of {}", name, part + 1, parts), table);
}

std::vector<std::string> namesOfSubjects() {
  std::vector<std::string> names;
  for (const Subject &subject : subjects())
    names.push_back(subject.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Suite, Mutants,
                         testing::Combine(testing::ValuesIn(namesOfSubjects()), testing::Range(0, parts)),
                         [](const auto &info) {
                           return std::get<0>(info.param) + std::to_string(std::get<1>(info.param) + 1);
                         });

TEST(Survivors, AreMutationsThatExist) {
  std::set<std::string> names;
  for (const Subject &subject : subjects()) {
    compiler::KernelModule module(subject.kernel(), subject.name);
    for (const Mutation &mutation : mutations(module.module()))
      EXPECT_TRUE(names.insert(subject.name + " " + mutation.name).second)
          << mutation.name << " is there twice";
  }
  for (const auto &[name, reason] : survivors())
    EXPECT_TRUE(names.contains(name)) << "survivors.txt lists what is no mutation: " << name;
}

} // namespace
