// Rows in lists: the kernel that makes the list and the products that find their rows there, each launched by
// the runtime and carried out on the simulator, one behind the other.
#include "tests/device/device_call.h"

#include <gtest/gtest.h>
#include <random>

using namespace device_test;
using algrt::ElementType;
using algrt::Map;

namespace {

constexpr Map all_maps[] = {Map::Forward, Map::Dx, Map::Dw};

class Draw {
public:
  explicit Draw(uint64_t seed) : engine_(seed) {}
  int64_t upTo(int64_t most) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(most + 1)); }

private:
  std::mt19937_64 engine_;
};

struct Target {
  int capability;
  compiler::Target target;
};
constexpr Target targets[] = {{80, compiler::Target::Sm80}, {90, compiler::Target::Sm90a}};

CompiledBundle compiled(const LayerText &layer, compiler::Target target, bool row_lists) {
  compiler::CompileOptions options;
  options.targets = {target};
  // With lists more rows than vector reductions are for, which take positions by themselves.
  options.rows = row_lists ? 512 : 64;
  options.row_lists = row_lists;
  return CompiledBundle(specOf(layer), options);
}

void expectListThenProduct(const DeviceCall &call) {
  ASSERT_EQ(call.device.ran.size(), 2u);
  EXPECT_EQ(call.device.ran[0], "group_rows");
}

// Complete graphs, terms from a table, and groups of unequal widths; types of which some have no rows, and
// rows that have no type.
TEST(DeviceLists, OfExplicitTypes) {
  Draw draw(1);
  struct Case {
    Target target;
    LayerText layer;
  };
  const LayerText complete = {.algebra = "Q(4)", .in = 64, .out = 96, .row_types = "explicit", .bias = true},
                  power = {.algebra = "Q(2)^2", .in = 48, .out = 40, .row_types = "explicit"},
                  unequal = {.algebra = "Q(3)",
                             .row_types = "explicit",
                             .in_groups = {24, 40, 8},
                             .out_groups = {16, 8, 56}};
  for (const auto &[target, layer] :
       {Case{targets[0], complete}, {targets[1], complete}, {targets[0], power}, {targets[1], unequal}}) {
    CompiledBundle bundle = compiled(layer, target.target, false);
    const int64_t types = bundle.parsed().layer().types;
    for (const Map map : all_maps)
      for (const ElementType output : {ElementType::Bf16, ElementType::F32}) {
        const DeviceUnderTest device(target.capability);
        const int64_t m = map == Map::Dw && output == ElementType::F32 ? 0 : 1 + draw.upTo(90);
        DeviceCall call(device.context(), bundle, map, m, output, static_cast<uint64_t>(draw.upTo(1000)));
        std::vector<int64_t> given;
        std::vector<int32_t> known;
        for (int64_t row = 0; row < m; ++row) {
          given.push_back(draw.upTo(11) == 0 ? types + draw.upTo(3)
                                             : std::min(draw.upTo(types - 1), draw.upTo(types)));
          known.push_back(given.back() < types ? static_cast<int32_t>(given.back()) : -1);
        }
        call.giveTypes(given);
        call.beta = map == Map::Dw && draw.upTo(1) == 0 ? -0.5f : 0.0f;
        ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
        expectListThenProduct(call);
        call.expectRight(known,
                         layer.algebra + " " + algrt::name(map) + " of " + std::to_string(m) + " rows");
        if (HasFailure())
          return;
      }
  }
}

// Positions of 4 and of 8 bytes, far away ones among them, and such as are none.
TEST(DeviceLists, OfPositions) {
  Draw draw(2);
  struct Case {
    Target target;
    const char *row_types;
  };
  for (const auto &[target, row_types] : {Case{targets[0], "interval(5)"}, {targets[1], "cyclic"}}) {
    CompiledBundle bundle =
        compiled({.algebra = "Q(3)", .in = 48, .out = 72, .row_types = row_types}, target.target, true);
    for (const Map map : all_maps)
      for (const int bits : {32, 64}) {
        const DeviceUnderTest device(target.capability);
        const int64_t m = 1 + draw.upTo(70);
        DeviceCall call(device.context(), bundle, map, m, bits == 32 ? ElementType::Bf16 : ElementType::F32,
                        static_cast<uint64_t>(draw.upTo(1000)));
        std::vector<int64_t> positions;
        for (int64_t row = 0; row < m; ++row)
          positions.push_back(draw.upTo(9) == 0 ? -1 - draw.upTo(9)
                                                : draw.upTo(100) + (bits == 64 ? int64_t{1} << 41 : 0));
        call.givePositions(positions, bits);
        ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
        expectListThenProduct(call);
        call.expectRight(call.typesAt(positions), std::string(row_types) + " " + algrt::name(map));
        if (HasFailure())
          return;
      }
  }
}

// Empty sequences among them, at positions of their own or all from 0 on.
TEST(DeviceLists, OfSequences) {
  Draw draw(3);
  const Target &target = targets[0];
  CompiledBundle bundle =
      compiled({.algebra = "Q(4)", .in = 64, .out = 64, .row_types = "interval(7)"}, target.target, true);
  for (const Map map : all_maps)
    for (const bool from_zero : {false, true}) {
      const DeviceUnderTest device(target.capability);
      std::vector<int64_t> starts = {0}, firsts, positions;
      for (int sequence = 0; sequence < 6; ++sequence) {
        const int64_t length = sequence == 2 ? 0 : draw.upTo(25);
        firsts.push_back(from_zero ? 0 : draw.upTo(1000));
        for (int64_t row = 0; row < length; ++row)
          positions.push_back(firsts.back() + row);
        starts.push_back(starts.back() + length);
      }
      DeviceCall call(device.context(), bundle, map, starts.back(), ElementType::Bf16, 7);
      call.giveSequences(starts, from_zero ? std::vector<int64_t>() : firsts, from_zero ? 64 : 32);
      ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
      expectListThenProduct(call);
      call.expectRight(call.typesAt(positions), algrt::name(map));
      if (HasFailure())
        return;
    }
}

// Sequences of one length, whose positions the kernel that makes the list computes.
TEST(DeviceLists, OfEqualSequences) {
  const Target &target = targets[0];
  CompiledBundle bundle =
      compiled({.algebra = "Q(4)", .in = 64, .out = 64, .row_types = "interval(7)"}, target.target, true);
  for (const Map map : all_maps)
    for (const int64_t p0 : {int64_t{0}, (int64_t{1} << 40) + 5}) {
      const DeviceUnderTest device(target.capability);
      std::vector<int64_t> positions;
      for (int64_t row = 0; row < 3 * 25; ++row)
        positions.push_back(p0 + row % 25);
      DeviceCall call(device.context(), bundle, map, 3 * 25, ElementType::Bf16, 7);
      call.sequence_rows = 25;
      call.p0 = p0;
      ASSERT_EQ(call.run(), ALGRT_OK) << algrt_last_error();
      expectListThenProduct(call);
      call.expectRight(call.typesAt(positions), algrt::name(map));
      if (HasFailure())
        return;
    }
}

} // namespace
