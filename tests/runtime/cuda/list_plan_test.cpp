// Lists that kernels look up: rows by type, groups of unequal widths and their terms in pieces. Element by
// element against the layer.
#include "runtime/cuda/row_grouping.h"
#include "runtime/cuda/row_list.h"
#include "tests/runtime/cuda/plan_cases.h"

#include "runtime/support/error.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace algrt::cuda {
namespace {

constexpr uint64_t table_address = 1 << 20, list_address = 1 << 24;

Layer unequalLayer(std::vector<int64_t> in, std::vector<int64_t> out,
                   RowTypesKind kind = RowTypesKind::Cyclic) {
  Layer layer{};
  layer.lift = Lift::Rows;
  layer.dtype = ElementType::Bf16;
  for (int64_t width : in)
    layer.k += width;
  for (int64_t width : out)
    layer.n += width;
  layer.types = int64_t(in.size());
  layer.row_types = kind;
  layer.row_type_width = kind == RowTypesKind::Cyclic ? 1 : 0;
  layer.in_groups = layer.weight_rows = std::move(in);
  layer.out_groups = std::move(out);
  return layer;
}

GpuKernel threadKernel(Map map, bool listed) {
  GpuKernel kernel{};
  kernel.map = map;
  kernel.output = ElementType::Bf16;
  kernel.threads = 128;
  kernel.cluster = 1;
  kernel.copies = GpuCopies::Threads;
  kernel.vector = 4;
  kernel.listed = listed;
  kernel.terms = true;
  kernel.tile = {32, 16, 16, 3, 1};
  return kernel;
}

TEST(RowList, HasEveryRowOnceInOrder) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const int64_t types = 1 + int64_t(random() % 9), m = int64_t(random() % 40);
    std::vector<int64_t> row_types(static_cast<size_t>(m));
    for (int64_t &type : row_types)
      type = int64_t(random() % uint64_t(types));
    const std::vector<int32_t> list = rowList(types, row_types);
    ASSERT_EQ(int64_t(list.size()), rowListWords(types, m));
    const int32_t *const starts = list.data() + 1, *const entries = starts + types + 1;
    EXPECT_EQ(starts[0], 0);
    EXPECT_EQ(starts[types], m);
    int32_t longest = 0;
    std::set<int32_t> seen;
    for (int64_t type = 0; type < types; ++type) {
      longest = std::max(longest, starts[type + 1] - starts[type]);
      for (int32_t i = starts[type]; i < starts[type + 1]; ++i) {
        EXPECT_EQ(row_types[size_t(entries[i])], type);
        EXPECT_TRUE(seen.insert(entries[i]).second);
        EXPECT_TRUE(i == starts[type] || entries[i - 1] < entries[i]) << "not stable";
      }
    }
    EXPECT_EQ(int64_t(seen.size()), m);
    EXPECT_EQ(list[0], longest);
  }
}

TEST(RowList, RefusesWhatIsNoTypeAndWhatIsTooLong) {
  const std::vector<int64_t> wrong = {0, 2, 1}, negative = {0, -1};
  for (const auto *types : {&wrong, &negative})
    try {
      rowList(2, *types);
      ADD_FAILURE() << "accepted";
    } catch (const Error &error) {
      EXPECT_EQ(error.status(), ALGRT_INVALID_ARGUMENT);
      EXPECT_NE(std::string(error.what()).find("row 1 has type"), std::string::npos) << error.what();
    }
  EXPECT_THROW(rowListWords(3, int64_t(1) << 31), Error);
  EXPECT_THROW(rowListWords(0, 1), Error);
}

TEST(ListPlan, OneMapHasAllRowsOfAList) {
  const Layer layer = unequalLayer({16, 16, 16}, {24, 24, 24}, RowTypesKind::ExplicitTypes);
  for (const Map map : {Map::Forward, Map::Dx, Map::Dw}) {
    const Operand any{4096, 100};
    const LaunchPlan plan =
        planByHand(layer, threadKernel(map, true), any, any, any, 70, 0, 6, {table_address, list_address});
    ASSERT_EQ(plan.plain_maps.size(), 3u) << name(map);
    const algrt_plain_map &rows = plan.plain_maps[0], &weights = plan.plain_maps[map == Map::Dw ? 2 : 1];
    EXPECT_EQ(rows.rows, list_address);
    EXPECT_EQ(rows.extents[2], 3);
    EXPECT_EQ(rows.extents[3], 70);
    EXPECT_EQ(rows.strides[2], 100);
    EXPECT_EQ(rows.groups, 0u) << "groups of one width need no list";
    EXPECT_EQ(weights.rows, 0u);
    EXPECT_EQ(weights.row_groups, 0u);
  }
}

// However rows are spread, their tiles are no more than are planned, and the numbers of all have to fit.
TEST(ListPlan, CountsTilesThatHaveRows) {
  const Layer layer = unequalLayer({16, 16, 16}, {32, 32, 32}, RowTypesKind::ExplicitTypes);
  const Operand any{4096, 100};
  const auto tiles = [&](int64_t m) {
    return planByHand(layer, threadKernel(Map::Forward, true), any, any, any, m, 0, 132).tiles;
  };
  const int64_t of_a_row_block = 3 * 2; // groups, blocks of columns
  EXPECT_EQ(tiles(1), 3 * of_a_row_block);
  EXPECT_EQ(tiles(32), 3 * of_a_row_block);
  EXPECT_EQ(tiles(320), (10 + 3) * of_a_row_block);
  EXPECT_EQ(tiles(0), 0);
  GpuKernel fine = threadKernel(Map::Forward, true);
  fine.tile.rows = 1;
  EXPECT_THROW(planByHand(layer, fine, any, any, any, int64_t(1) << 30, 0, 132), Error);
}

// The lists with which the table begins, and where each map finds its own.
TEST(ListPlan, MapsFindTheirGroups) {
  const Layer layer = unequalLayer({8, 24, 16}, {12, 4, 20});
  const std::vector<int32_t> lists = {0, 8, 32, 48, /**/ 0, 12, 16, 36, /**/ 0, 8, 32, 48};
  const uint64_t input = table_address, output = table_address + 4 * 4, row_groups = table_address + 8 * 4;
  for (const Map map : {Map::Forward, Map::Dx, Map::Dw}) {
    const GpuKernel kernel = threadKernel(map, false);
    const std::vector<int32_t> table = termsTable(layer, kernel, Support::complete(3));
    ASSERT_GT(table.size(), lists.size());
    EXPECT_TRUE(std::equal(lists.begin(), lists.end(), table.begin())) << name(map);
    const Operand any{4096, 100};
    const LaunchPlan plan = planByHand(layer, kernel, any, any, any, 70, 4, 6, {table_address, 0});
    const size_t of_rows = map == Map::Dw ? 3 : 2; // maps; of dw one of all rows, too
    const bool gradient = map == Map::Dw;
    ASSERT_EQ(plan.plain_maps.size(), 2 * of_rows + 1);
    for (size_t i = 0; i < of_rows; ++i)
      EXPECT_EQ(plan.plain_maps[i].groups, map == Map::Dx ? output : input) << name(map);
    const algrt_plain_map &weights = plan.plain_maps[gradient ? 2 * of_rows : of_rows];
    EXPECT_EQ(weights.groups, output);
    EXPECT_EQ(weights.row_groups, row_groups);
    const algrt_plain_map &last = plan.plain_maps[gradient ? of_rows : of_rows + 1];
    EXPECT_EQ(last.groups, map == Map::Dx ? input : output) << name(map);
    for (const algrt_plain_map &one : plan.plain_maps)
      EXPECT_EQ(one.rows, 0u);
  }
  // Groups begin at multiples of four columns, which threads may move at a time, and of no eight.
  GpuKernel wide = threadKernel(Map::Forward, false);
  wide.vector = 8;
  const Operand any{4096, 104};
  try {
    planByHand(layer, wide, any, any, any, 70, 4, 6, {table_address, 0});
    ADD_FAILURE() << "accepted";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("groups of multiples of 4 columns"), std::string::npos)
        << error.what();
  }
}

// A term is there once for each depth of what it reads, in the order of its columns.
TEST(ListPlan, TermsComeInPieces) {
  const Layer layer = unequalLayer({8, 40, 16}, {12, 4, 36});
  for (const Map map : {Map::Forward, Map::Dx}) {
    const GpuKernel kernel = threadKernel(map, false);
    const std::vector<int32_t> table = termsTable(layer, kernel, Support::complete(3));
    const std::vector<int64_t> &widths = map == Map::Dx ? layer.out_groups : layer.in_groups;
    const size_t starts = 12, words = starts + 10;
    for (int32_t type = 0; type < 3; ++type)
      for (int32_t group = 0; group < 3; ++group) {
        std::vector<std::array<int32_t, 3>> expected;
        // Forward, group j reads i and j; transposed, group i of type i reads all and every other group
        // itself.
        for (int32_t read = 0; read < 3; ++read)
          if (map == Map::Forward ? read == type || read == group : type == group || read == group)
            for (int32_t column = 0; column < widths[size_t(read)]; column += 16)
              expected.push_back({read, column, read});
        const size_t entry = starts + size_t(type * 3 + group);
        ASSERT_EQ(table[entry + 1] - table[entry], int32_t(expected.size())) << type << ", " << group;
        for (size_t i = 0; i < expected.size(); ++i)
          for (size_t word = 0; word < 3; ++word)
            EXPECT_EQ(table[words + 3 * (size_t(table[entry]) + i) + word], expected[i][word])
                << name(map) << " " << type << ", " << group << ": piece " << i;
      }
  }
}

TEST(ListPlan, JoinedGroupsMayBeUnequal) {
  const Layer layer = unequalLayer({8, 16, 4, 12}, {4, 8, 20, 4});
  const Layer joined = joinGroups(layer, 2);
  EXPECT_EQ(joined.in_groups, (std::vector<int64_t>{24, 16}));
  EXPECT_EQ(joined.out_groups, (std::vector<int64_t>{12, 24}));
  EXPECT_EQ(joined.weight_rows, (std::vector<int64_t>{24, 16}));
}

// What a step has listed another one finds, unless it asks for other rows, or finds those of X elsewhere.
TEST(ListPlan, ListsAreHeldForTheRowsThatTheyAreOf) {
  const Layer layer = unequalLayer({8, 16}, {4, 8}, RowTypesKind::Cyclic);
  const int64_t positions[2] = {}, others[2] = {};
  const int32_t starts[2] = {}, entries[2] = {};
  RowSource source;
  source.kind = RowSourceKind::Positions;
  source.positions = {positions, 2, 8};
  ExpertStarts experts{starts, 1, entries, 2, 2, true};
  const PlacedLists both{list_address, list_address + 64}, one{list_address, 0};
  const HeldLists::Rows rows(layer, 2, source, experts);
  HeldLists held;
  EXPECT_FALSE(held.hold(rows, one));
  held.set(rows, both);
  EXPECT_TRUE(held.hold(rows, both));

  // A step behind it reads X by entries, and needs no list for that.
  experts.x_by_list = false;
  EXPECT_TRUE(held.hold({layer, 2, source, experts}, one));
  held.set(rows, one);
  EXPECT_FALSE(held.hold(rows, both));

  EXPECT_FALSE(held.hold(rows, {list_address + 4, 0}));
  EXPECT_FALSE(held.hold({layer, 3, source, experts}, one));
  ExpertStarts of_others = experts;
  of_others.data = starts + 1;
  EXPECT_FALSE(held.hold({layer, 2, source, of_others}, one));
  RowSource moved = source;
  moved.positions.data = others;
  EXPECT_FALSE(held.hold({layer, 2, moved, experts}, one));
  Layer wider = layer;
  wider.row_type_width = 4;
  EXPECT_FALSE(held.hold({wider, 2, source, experts}, one));
  Layer finer = layer;
  finer.types = 3;
  EXPECT_FALSE(held.hold({finer, 2, source, experts}, one));
  EXPECT_TRUE(held.hold({layer, 2, source, experts}, one));
}

} // namespace
} // namespace algrt::cuda
