// Experts whose rows are those of a list, on the CPU: each row by the weights of the expert in whose list it
// is, as a call of this row alone computes it.
#include "tests/runtime/expert_weights.h"
#include "tests/runtime/two_products.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <random>

namespace algrt::test {
namespace {

using testing::HasSubstr;

// A batch of M rows, of which experts have lists, with a result for each entry.
struct ListedExperts {
  ListedExperts(int64_t m, const std::vector<int64_t> &begins, const std::vector<int64_t> &rows)
      : count(int64_t(begins.size()) - 1), begins(begins), rows(rows), both("f32", m),
        up(count, 20, 30, 33, 4), down(count, 30, 20, 20, 5), y(int64_t(rows.size()), 20, 22, false) {
    both.options.expert_starts = starts.set(begins, /*int64=*/false);
    both.options.expert_rows = list.set(rows, /*int64=*/false);
    both.tensors[0].tensor = &y.tensor;
    both.tensors[1].tensor = &up.tensor;
    both.tensors[3].tensor = &down.tensor;
  }

  int run() {
    y.poison();
    return both.run();
  }
  std::string refusal(int status = ALGRT_INVALID_ARGUMENT) {
    EXPECT_EQ(run(), status);
    return algrt_last_error();
  }
  // What a call of one network gives for the row alone.
  std::vector<float> expectedOf(int64_t expert, int64_t row) {
    Both one("f32", 1);
    DLTensor x = both.x.tensor, up_of_one = up.of(expert), down_of_one = down.of(expert);
    std::vector<int64_t> shape = {1, 20};
    x.shape = shape.data();
    x.byte_offset += uint64_t(row * both.x.stride) * sizeof(float);
    one.tensors = {{"y", &one.y.tensor, nullptr},
                   {"up", &up_of_one, nullptr},
                   {"x", &x, nullptr},
                   {"down", &down_of_one, nullptr}};
    one.options.p0 = both.options.p0 + row;
    EXPECT_EQ(one.run(), ALGRT_OK) << algrt_last_error();
    return one.y.values();
  }
  void expectRight() {
    const std::vector<float> found = y.values();
    EXPECT_TRUE(y.paddingUntouched());
    y.poison();
    const std::vector<float> untouched = y.values();
    for (int64_t n = 0; n < y.rows; ++n) {
      const auto behind = std::ranges::upper_bound(begins, n);
      if (behind == begins.begin() || behind == begins.end()) {
        EXPECT_EQ(std::memcmp(&found[size_t(n * 20)], &untouched[size_t(n * 20)], 20 * sizeof(float)), 0)
            << "result row " << n << " is nobody's";
        continue;
      }
      const std::vector<float> expected = expectedOf(behind - begins.begin() - 1, rows[size_t(n)]);
      for (int64_t column = 0; column < 20; ++column)
        ASSERT_EQ(found[size_t(n * 20 + column)], expected[size_t(column)])
            << "result row " << n << " of row " << rows[size_t(n)];
    }
  }

  int64_t count;
  const std::vector<int64_t> begins, rows;
  Both both;
  ExpertWeights up, down;
  GuardedMatrix y;
  CpuProduct::Integers starts, list;
};

// Starts that divide so many entries by chance, and entries that are rows by chance.
ListedExperts anyLists(std::mt19937_64 &random, int64_t m, int64_t entries, int64_t experts) {
  std::vector<int64_t> starts, rows;
  for (int64_t i = 0; i <= experts; ++i)
    starts.push_back(int64_t(random() % uint64_t(entries + 1)));
  std::ranges::sort(starts);
  for (int64_t i = 0; i < entries; ++i)
    rows.push_back(int64_t(random() % uint64_t(m)));
  return {m, starts, rows};
}

TEST(ExpertLists, NameRowsOfTheBatch) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 20; ++round) {
    const auto m = 1 + int64_t(random() % 20), entries = int64_t(random() % 40),
               experts = 1 + int64_t(random() % 6);
    SCOPED_TRACE("round " + std::to_string(round));
    ListedExperts call = anyLists(random, m, entries, experts);
    call.both.options.p0 = int64_t(random() % 9);
    ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
    call.expectRight();
  }
}

TEST(ExpertLists, MayHaveARowSeveralTimesOrNever) {
  ListedExperts call(5, {0, 3, 3, 7}, {4, 4, 0, 4, 0, 0, 2});
  call.both.options.p0 = 3;
  ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  call.expectRight();
}

TEST(ExpertLists, MayBeEmpty) {
  ListedExperts call(5, {0, 0, 0}, {});
  EXPECT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  ListedExperts of_nothing(0, {0, 0, 0}, {});
  EXPECT_EQ(of_nothing.run(), ALGRT_OK) << algrt_last_error();
}

TEST(ExpertLists, NeedWorkspaceForTheirEntries) {
  ListedExperts call(3, {0, 9}, {2, 1, 0, 2, 1, 0, 2, 1, 0});
  size_t bytes = 0;
  ASSERT_EQ(algrt_program_workspace_size(call.both.bundle.get(), "both", 9, 0, &bytes), ALGRT_OK);
  std::vector<std::byte> workspace(bytes);
  call.both.options.workspace = workspace.data();
  call.both.options.workspace_bytes = bytes;
  ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  call.expectRight();
}

// A projection, whose program takes positions, or types: they are those of the rows of the batch.
struct ListedProjection {
  explicit ListedProjection(const std::string &name, int64_t k)
      : product(shape(name), 6), w(3 * k, 30, 30, false) {
    w.fill(3, 0.3);
    options.expert_starts = starts.set(begins, /*int64=*/false);
    options.expert_rows = list.set(rows, /*int64=*/false);
    tensors = {{"x", &product.x.tensor, nullptr}, {"w", &w.tensor, nullptr}, {"y", &y.tensor, nullptr}};
  }
  int run() {
    return algrt_run(product.bundle.get(), "forward", tensors.data(), int64_t(tensors.size()), &options);
  }
  // Rows permuted beforehand have the same bits: results of consecutive rows of these.
  std::vector<float> permuted(const std::vector<int64_t> &values_of_rows, const char *operand, bool int64) {
    CpuProduct ordered(product.shape, int64_t(rows.size()));
    std::vector<int64_t> values;
    const std::vector<float> all = product.x.values();
    std::vector<float> x;
    for (const int64_t row : rows) {
      values.push_back(values_of_rows[size_t(row)]);
      x.insert(x.end(), all.begin() + row * product.x.columns, all.begin() + (row + 1) * product.x.columns);
    }
    const std::vector<int64_t> x_shape = {int64_t(rows.size()), product.x.columns};
    const DLTensor x_tensor{
        x.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, const_cast<int64_t *>(x_shape.data()), nullptr, 0};
    CpuProduct::Integers numbers;
    algrt_run_options consecutive = algrt_run_options_init();
    consecutive.expert_starts = options.expert_starts;
    const std::vector<algrt_named_tensor> given = {{"x", &x_tensor, nullptr},
                                                   {"w", &w.tensor, nullptr},
                                                   {"y", &ordered.y.tensor, nullptr},
                                                   {operand, numbers.set(values, int64), nullptr}};
    EXPECT_EQ(algrt_run(product.bundle.get(), "forward", given.data(), 4, &consecutive), ALGRT_OK)
        << algrt_last_error();
    return ordered.y.values();
  }

  CpuProduct product;
  const std::vector<int64_t> begins = {0, 4, 4, 8}, rows = {5, 1, 1, 0, 3, 5, 0, 2};
  GuardedMatrix w, y{8, 30, 31, false};
  CpuProduct::Integers starts, list, numbers;
  std::vector<algrt_named_tensor> tensors;
  algrt_run_options options = algrt_run_options_init();
};

TEST(ExpertLists, HaveRowsAtPositionsOfTheBatch) {
  ListedProjection call("cyclic_f32", 20);
  const std::vector<int64_t> positions = {5, 3, 100, 8, 0, 2};
  call.tensors.push_back({"positions", call.numbers.set(positions, /*int64=*/true), nullptr});
  ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(call.y.values(), call.permuted(positions, "positions", /*int64=*/true));
  call.tensors.back().tensor = call.numbers.set(positions, /*int64=*/false);
  ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(call.y.values(), call.permuted(positions, "positions", /*int64=*/true));
  // And where they are counted.
  call.tensors.pop_back();
  call.options.p0 = 4;
  ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  EXPECT_EQ(call.y.values(), call.permuted({4, 5, 6, 7, 8, 9}, "positions", /*int64=*/true));
}

TEST(ExpertLists, TellWhatIsWrongWithACall) {
  ListedExperts call(6, {0, 2, 7}, {5, 0, 1, 2, 2, 4, 5});
  ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
  const auto with_rows = [&](const std::vector<int64_t> &rows) {
    call.both.options.expert_rows = call.list.set(rows, /*int64=*/false);
    const std::string message = call.refusal();
    call.both.options.expert_rows = call.list.set(call.rows, /*int64=*/false);
    return message;
  };
  EXPECT_THAT(with_rows({5, 0, 1, 2, 6, 4, 5}),
              HasSubstr("expert_rows: element 4 is 6, needs to be from 0 to 5, a row of the batch"));
  EXPECT_THAT(with_rows({-1, 0, 1, 2, 2, 4, 5}),
              HasSubstr("expert_rows: element 0 is -1, needs to be from 0 to 5"));
  EXPECT_THAT(with_rows({5, 0, 1, 2, 2, 4}),
              HasSubstr("y: has 7 rows, needs 6, one for each entry of expert_rows"));
  call.both.options.expert_starts = call.starts.set({0, 2, 8}, /*int64=*/false);
  EXPECT_THAT(
      call.refusal(),
      HasSubstr(
          "expert_starts: element 2 is 8, needs to be from 0 to 7, the number of entries of expert_rows"));
  call.both.options.expert_starts = nullptr;
  EXPECT_THAT(call.refusal(), HasSubstr("expert_rows: is given, but expert_starts is null"));
  call.both.options.expert_starts = call.starts.set(call.begins, /*int64=*/false);
  call.list.tensor.dtype.bits = 64;
  EXPECT_THAT(call.refusal(), HasSubstr("expert_rows: is of type int64, needs int32"));
  call.list.tensor.dtype.bits = 32;
  call.list.tensor.device = {kDLCUDA, 0};
  EXPECT_THAT(call.refusal(), HasSubstr("expert_rows: is elsewhere than the other tensors"));
  call.list.tensor.device = {kDLCPU, 0};
  // The list is read for each expert.
  call.list.tensor.data = call.y.tensor.data;
  call.list.tensor.byte_offset = call.y.tensor.byte_offset;
  std::memset(static_cast<char *>(call.y.tensor.data) + call.y.tensor.byte_offset, 0, 7 * sizeof(float));
  EXPECT_EQ(call.both.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), HasSubstr("overlaps expert_rows"));
  ListedExperts of_nothing(0, {0, 1}, {0});
  EXPECT_THAT(of_nothing.refusal(), HasSubstr("expert_rows: has 1 entry, but there are no rows"));
}

} // namespace
} // namespace algrt::test
