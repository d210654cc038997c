// Plants one fault after another in emitted kernels and demands that the simulator objects to each. What it
// does not object to is listed in survivors.txt with the reason why it is no fault; a line of that file that
// is killed, or that names no mutation, fails as well.
#include "compiler/failure.h"
#include "compiler/simulator/kernel_module.h"
#include "runtime/support/error.h"
#include "tests/mutation/mutations.h"
#include "tests/simulator/kernels/exact_case.h"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace mutation_test;
using namespace simulator_test;

namespace {

struct Batch {
  std::int64_t m, p0;
  std::int32_t blocks;
  float beta = 0; // of the map dw
};

// A kernel and the calls that together go through all of it.
struct Subject {
  std::string name, algebra;
  std::int64_t in, out;
  std::string row_types, schedule;
  algrt::ElementType output;
  std::vector<Batch> batches;
  std::string lift = "rows", target = "sm_90a";
  algrt::Map map = algrt::Map::forward;
  std::vector<std::int64_t> in_groups = {}, out_groups = {}; // of unequal widths

  compiler::Spec spec() const {
    return in_groups.empty() ? projection(algebra, in, out, row_types, lift)
                             : projection(algebra, in_groups, out_groups, row_types);
  }
};

const std::vector<Subject> &subjects() {
  static const std::vector<Subject> all = {
      // Two warpgroups multiply. Tiles of 2 and of 4 steps through a ring of 3; with 385 rows, lines of 129
      // and 128 rows,
      // so that there are tiles of one row and empty ones; with 2 rows, fewer rows than types.
      {"complete",
       "Q(3)",
       192,
       288,
       "cyclic",
       "rows=128,columns=96,depth=32,stages=3",
       algrt::ElementType::bf16,
       {{385, 4, 2}, {2, 0, 3}}},
      // Two types in a tile, of three: tiles of two types and of one, whose types wrap around, of one step
      // and of
      // four through a ring of 2.
      {"types",
       "Q(3)",
       96,
       96,
       "cyclic",
       "rows=64,columns=32,depth=32,stages=2,types=2",
       algrt::ElementType::bf16,
       {{194, 2, 2}, {2, 1, 3}, {193, 0, 1}}},
      // Rows held for two groups and for the one that is left, of two types and of one.
      {"held",
       "Q(3)",
       96,
       48,
       "cyclic",
       "rows=64,columns=16,depth=32,stages=2,types=2,hold=2",
       algrt::ElementType::bf16,
       {{194, 2, 2}, {2, 1, 3}, {193, 0, 1}}},
      // One warpgroup multiplies. Terms from a table, tiles of 1, 2 and 4 steps, partial first and last runs,
      // f32.
      {"table",
       "Q(2)^2",
       128,
       256,
       "interval(40)",
       "rows=64,columns=64,depth=32,stages=2",
       algrt::ElementType::f32,
       {{150, 7, 2}, {90, 0, 3}}},
      // Terms with signs: products that add and products that subtract.
      {"signs",
       ALGCTL_SOURCE_DIR "/tests/simulator/kernels/Inputs/quaternions.json",
       128,
       128,
       "cyclic",
       "rows=64,columns=32,depth=32,stages=2",
       algrt::ElementType::bf16,
       {{150, 0, 2}, {2, 0, 3}},
       "slots"},
      // Two warpgroups that take turns: tiles of 2 and 4 steps through a ring of 3, so that each meets slots
      // in which
      // the other was last; lines of 65 and 64 rows, so that there are turns of tiles without rows.
      {"turns",
       "Q(3)",
       192,
       192,
       "cyclic",
       "rows=64,columns=32,depth=32,stages=3,turns=2",
       algrt::ElementType::bf16,
       {{193, 4, 1}, {2, 0, 1}}},
      // Rows on the instructions' second side: two warpgroups with 64 columns each and all 24 rows, of which
      // stmatrix
      // stores 16 and 8. The last step of a term is shallow.
      {"few_rows",
       "Q(3)",
       240,
       240,
       "cyclic",
       "rows=24,columns=128,depth=64,stages=2,rows_on=n",
       algrt::ElementType::bf16,
       {{131, 4, 2}, {2, 0, 3}}},
      // Four blocks copy for each other: two blocks of rows times two of columns. Lines of 130, of 65 and of
      // 1 and no
      // rows: clusters whose second blocks of rows are empty, and such as are not there; 72 columns are one
      // block and
      // a half.
      {"clusters",
       "Q(2)",
       96,
       144,
       "cyclic",
       "rows=64,columns=48,depth=32,stages=2,cluster=2x2",
       algrt::ElementType::bf16,
       {{260, 1, 8}, {130, 0, 4}, {1, 0, 4}}},
      // Two blocks divide the steps of a tile, of which there are none, 1, 2 and 3: shares of one step, of
      // two and
      // of none. Lines of 65 and of 1 rows; 40 columns are one block and a quarter, so that the second block
      // stores some and none.
      {"split",
       "T(3)",
       96,
       120,
       "cyclic",
       "rows=64,columns=32,depth=32,stages=2,split=2",
       algrt::ElementType::bf16,
       {{195, 1, 2}, {2, 0, 4}}},
      // Threads copy, warps multiply. Terms from a table, tiles of 2 and of 4 steps through a ring of 3;
      // blocks
      // that are partial in every direction, with such beside them as are not read: 20 of 32 in the depth, 36
      // of
      // 64 columns, lines of 1, 2, 30, 31 and 62 rows.
      {"threads",
       "path(3)",
       60,
       108,
       "cyclic",
       "rows=32,columns=32,depth=16,stages=3,warps=2x1",
       algrt::ElementType::bf16,
       {{92, 4, 2}, {2, 0, 3}, {185, 1, 1}, {5, 2, 2}},
       "rows",
       "sm_80"},
      // Threads copy one element at a time, through registers: odd widths, 21 of 32 in the depth and 23 of 32
      // columns; lines of 1, 5, 6, 8, 9, 15, 16 and 33 rows. One row alone is of type 1, which reads nothing
      // of the bank's first block: there is NaN where a masked element is read from instead.
      {"elements",
       "path(3)",
       63,
       69,
       "cyclic",
       "rows=16,columns=16,depth=16,stages=3,warps=1x2,vector=1",
       algrt::ElementType::bf16,
       {{47, 4, 2}, {2, 0, 3}, {99, 1, 1}, {26, 2, 2}, {16, 0, 2}, {1, 1, 1}},
       "rows",
       "sm_80"},
      // The gradient of X: the bank along its depth. The long tiles of two blocks come first and are divided,
      // those of
      // others are whole; 72 columns are one block and a quarter, the last step of a term is shallow.
      {"gradient",
       "Q(3)",
       216,
       144,
       "cyclic",
       "rows=64,columns=64,depth=32,stages=2,split=2,long=1",
       algrt::ElementType::bf16,
       {{195, 1, 2}, {2, 0, 4}},
       "rows",
       "sm_90a",
       algrt::Map::dx},
      // The same by threads: terms and their order from a table, blocks that are partial in every direction.
      {"gradient_threads",
       "Q(2)^2",
       144,
       80,
       "cyclic",
       "rows=32,columns=32,depth=16,stages=3,warps=2x1,long=1",
       algrt::ElementType::bf16,
       {{92, 4, 2}, {2, 0, 3}, {185, 1, 1}, {5, 2, 2}},
       "rows",
       "sm_80",
       algrt::Map::dx},
      // The gradient of the bank: both operands across the contraction, blocks of all rows and of lines; what
      // dW holds
      // is added, and not read where it does not count. Blocks that are partial in every direction, without
      // rows, of
      // tiles in the table's order.
      {"bank_gradient",
       "Q(2)^2",
       96,
       80,
       "cyclic",
       "rows=16,columns=16,depth=16,stages=3,warps=1x2,long=1",
       algrt::ElementType::bf16,
       {{92, 4, 2}, {2, 0, 3, 0.5f}, {185, 1, 1, 1.0f}, {5, 2, 2}},
       "rows",
       "sm_80",
       algrt::Map::dw},
      // Rows in a list, groups of unequal widths, terms in pieces from a table: types of all, of few and of
      // one
      // kind, types without rows, pieces that fill their step and such that do not. Rows of the first type
      // read one group
      // alone: behind it is NaN.
      {"lists",
       "graph(3; 1->0, 2->1, 2->0)",
       60,
       48,
       "explicit",
       "rows=16,columns=16,depth=16,stages=3,warps=1x2",
       algrt::ElementType::bf16,
       {{92, 0, 2}, {2, 0, 3}, {47, 0, 1}},
       "rows",
       "sm_80",
       algrt::Map::forward,
       {20, 4, 36},
       {8, 28, 12}},
      // The same of the bank's gradient, one of whose blocks is of all entries of the list.
      {"bank_lists",
       "graph(2; 1->0)",
       44,
       60,
       "explicit",
       "rows=16,columns=16,depth=16,stages=3,warps=1x2,long=1",
       algrt::ElementType::bf16,
       {{92, 0, 2}, {2, 0, 3, 0.5f}, {47, 0, 1, 1.0f}},
       "rows",
       "sm_80",
       algrt::Map::dw,
       {12, 32},
       {40, 20}},
  };
  return all;
}

constexpr int kParts = 4, kSeeds = 6;
constexpr std::int64_t kMostSteps = 4'000'000; // the kernels as they are take about a tenth

std::map<std::string, std::string> survivors() {
  std::ifstream file(ALGCTL_SOURCE_DIR "/tests/mutation/survivors.txt");
  EXPECT_TRUE(file.good());
  std::map<std::string, std::string> reasons;
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#')
      continue;
    const std::size_t colon = line.find(": ");
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
  explicit Laboratory(const Subject &subject)
      : spec(subject.spec()),
        module(emittedKernel(spec, subject.schedule, subject.output, subject.target, subject.map),
               subject.name) {
    for (int seed = 0; seed < kSeeds; ++seed)
      for (const Batch &batch : subject.batches)
        calls.push_back(
            {ExactCase(spec, batch.m, batch.p0, static_cast<std::uint64_t>(seed), subject.map, batch.beta),
             settingsOf(static_cast<std::uint64_t>(seed), batch.blocks)});
    for (Call &call : calls)
      call.settings.most_steps = kMostSteps;
  }

  mlir::ModuleOp original() { return module.module(); }

  Verdict judge(mlir::ModuleOp mutant) const {
    try {
      const compiler::SimulatedKernel kernel(mutant);
      for (const Call &call : calls)
        if (ExactCase::Objection objection = call.product.run(kernel, call.settings); !objection.kind.empty())
          return {objection.kind, objection.text};
    } catch (const compiler::Failure &failure) {
      return {"refused", failure.what()};
    } catch (const algrt::Error &error) {
      return {"refused", error.what()};
    }
    return {};
  }

private:
  struct Call {
    ExactCase product;
    compiler::SimulationSettings settings;
  };
  compiler::Spec spec;
  compiler::KernelModule module;
  std::vector<Call> calls;
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
  for (std::size_t i = static_cast<std::size_t>(part); i < all.size(); i += kParts) {
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
  print(fmt::format("{}, part {} of {}", name, part + 1, kParts), table);
}

std::vector<std::string> namesOfSubjects() {
  std::vector<std::string> names;
  for (const Subject &subject : subjects())
    names.push_back(subject.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Suite, Mutants,
                         testing::Combine(testing::ValuesIn(namesOfSubjects()), testing::Range(0, kParts)),
                         [](const auto &info) {
                           return std::get<0>(info.param) + std::to_string(std::get<1>(info.param) + 1);
                         });

TEST(Survivors, AreMutationsThatExist) {
  std::set<std::string> names;
  for (const Subject &subject : subjects()) {
    const compiler::Spec spec = subject.spec();
    compiler::KernelModule module(
        emittedKernel(spec, subject.schedule, subject.output, subject.target, subject.map), subject.name);
    for (const Mutation &mutation : mutations(module.module()))
      EXPECT_TRUE(names.insert(subject.name + " " + mutation.name).second)
          << mutation.name << " is there twice";
  }
  for (const auto &[name, reason] : survivors())
    EXPECT_TRUE(names.contains(name)) << "survivors.txt lists what is no mutation: " << name;
}

} // namespace
