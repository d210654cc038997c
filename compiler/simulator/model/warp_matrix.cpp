// ldmatrix, stmatrix and mma.sync.
#include "compiler/simulator/model/multiprocessor.h"

#include "compiler/simulator/model/calls.h"
#include "compiler/simulator/model/handles.h"
#include "compiler/simulator/model/small_floats.h"

#include <fmt/format.h>

#include <cstring>

namespace simulator {
namespace {

// Matrix `m` of 8 x 8 16-bit elements has its rows at the addresses of lanes 8m .. 8m + 7; lane l holds
// elements 2(l % 4) and 2(l % 4) + 1 of row l / 4, or of column l / 4 when transposed.
struct MatrixArguments {
  uint8_t *address;
  uint32_t *registers;
  int32_t count, transposed;
};

template <class Row> void forEachRow(Multiprocessor &model, Warp &warp, Row row) {
  const auto &first = *static_cast<MatrixArguments *>(warp.arguments[0]);
  if (first.count != 1 && first.count != 2 && first.count != 4)
    model.fault(FaultKind::BadCall, fmt::format("{} matrices: 1, 2 or 4", first.count));
  for (int32_t lane = 0; lane < first.count * 8; ++lane) {
    const auto &arguments = *static_cast<MatrixArguments *>(warp.arguments[lane]);
    if (arguments.count != first.count || arguments.transposed != first.transposed)
      model.fault(FaultKind::Divergence,
                  fmt::format("lanes 0 and {} disagree on a matrix instruction", lane));
    // Each row is an access of the lane that gives its address.
    row(warp.threads[lane], model.ownShared(arguments.address, 16, 16), lane / 8, lane % 8);
  }
}

uint16_t *element(Warp &warp, int32_t matrix, int32_t row, int32_t column) {
  const auto &first = *static_cast<MatrixArguments *>(warp.arguments[0]);
  if (first.transposed)
    std::swap(row, column);
  auto &holder = *static_cast<MatrixArguments *>(warp.arguments[row * 4 + column / 2]);
  return reinterpret_cast<uint16_t *>(holder.registers + matrix) + column % 2;
}

AccessRecord recordAt(const Thread &lane, int32_t site) { return {lane.time, uint16_t(lane.index), 0, site}; }

void loadMatrices(Multiprocessor &model, Warp &warp, int32_t site) {
  forEachRow(model, warp,
             [&](Thread &lane, const Multiprocessor::Shared &where, int32_t matrix, int32_t row) {
               model.object(where.block->history.read(
                                where.offset, 16, recordAt(lane, site),
                                [&](const AccessRecord &write) { return model.orderGeneric(lane, write); }),
                            *where.block, "ldmatrix reads");
               uint16_t values[8];
               std::memcpy(values, where.bytes, 16);
               for (int32_t column = 0; column < 8; ++column)
                 *element(warp, matrix, row, column) = values[column];
             });
}

void storeMatrices(Multiprocessor &model, Warp &warp, int32_t site) {
  forEachRow(model, warp,
             [&](Thread &lane, const Multiprocessor::Shared &where, int32_t matrix, int32_t row) {
               auto order = [&](const AccessRecord &record) { return model.orderGeneric(lane, record); };
               model.object(where.block->history.write(where.offset, 16, recordAt(lane, site), order, order),
                            *where.block, "stmatrix writes");
               uint16_t values[8];
               for (int32_t column = 0; column < 8; ++column) {
                 values[column] = *element(warp, matrix, row, column);
                 if (isHalfHandle(values[column]))
                   model.fault(FaultKind::UnsettledAccumulator,
                               "stores the value of an accumulator that was in flight when it was taken: no "
                               "wait and settle before it");
               }
               std::memcpy(where.bytes, values, 16);
             });
}

struct MmaSyncArguments {
  float *d;
  const uint32_t *a, *b;
  int32_t f16;
};

void multiply(Warp &warp) {
  float a[16][16], b[16][8], d[16][8];
  auto half = [](const uint32_t *registers, int32_t index, bool f16) {
    return fromHalf(uint16_t(registers[index / 2] >> 16 * (index % 2)), f16);
  };
  auto visit = [&](auto each) {
    for (int32_t lane = 0; lane < 32; ++lane)
      each(*static_cast<MmaSyncArguments *>(warp.arguments[lane]), lane / 4, lane % 4);
  };
  visit([&](const MmaSyncArguments &arguments, int32_t group, int32_t within) {
    for (int32_t i = 0; i < 8; ++i)
      a[group + 8 * (i / 2 % 2)][within * 2 + i % 2 + 8 * (i / 4)] = half(arguments.a, i, arguments.f16);
    for (int32_t i = 0; i < 4; ++i) {
      b[within * 2 + i % 2 + 8 * (i / 2)][group] = half(arguments.b, i, arguments.f16);
      d[group + 8 * (i / 2)][within * 2 + i % 2] = arguments.d[i];
    }
  });
  for (int32_t row = 0; row < 16; ++row)
    for (int32_t depth = 0; depth < 16; ++depth)
      for (int32_t column = 0; column < 8; ++column)
        d[row][column] += a[row][depth] * b[depth][column];
  visit([&](const MmaSyncArguments &arguments, int32_t group, int32_t within) {
    for (int32_t i = 0; i < 4; ++i)
      arguments.d[i] = d[group + 8 * (i / 2)][within * 2 + i % 2];
  });
}

} // namespace
} // namespace simulator

using namespace simulator;

extern "C" {

void sm_ldmatrix(int32_t site, uint32_t *result, const void *address, int32_t count, int32_t transposed) {
  enter(site, [&](Multiprocessor &model) {
    MatrixArguments arguments{static_cast<uint8_t *>(const_cast<void *>(address)), result, count, transposed};
    model.meet(all_lanes, &arguments, [&](Warp &warp) { loadMatrices(model, warp, site); });
  });
}

void sm_stmatrix(int32_t site, void *address, const uint32_t *values, int32_t count, int32_t transposed) {
  enter(site, [&](Multiprocessor &model) {
    MatrixArguments arguments{static_cast<uint8_t *>(address), const_cast<uint32_t *>(values), count,
                              transposed};
    model.meet(all_lanes, &arguments, [&](Warp &warp) { storeMatrices(model, warp, site); });
  });
}

void sm_mma_m16n8k16(int32_t site, float *d, const uint32_t *a, const uint32_t *b, int32_t f16) {
  enter(site, [&](Multiprocessor &model) {
    MmaSyncArguments arguments{d, a, b, f16};
    model.meet(all_lanes, &arguments, [&](Warp &warp) {
      multiply(warp);
      model.report.statistics.products += 16 * 8 * 16;
    });
  });
}

} // extern "C"
