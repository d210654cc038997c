// Question 2: how fast does the copy engine fill shared memory, from L2 and from device memory, by box size,
// boxes in flight and multicast. One thread issues, another waits and frees the stage, as in a kernel, but
// nothing is computed.
#include "fetch.h"

using Measure = double (*)(uint8_t *, const Matrix &, int, int, int, int);

static void measureBoxes(Report &report, const std::string &title, Measure measure, uint8_t *data,
                         const Matrix &matrix, int columns, std::initializer_list<int> rowCounts) {
  const int stageCounts[] = {2, 4, 6, 8, 16};
  report.table(title, {"rows", "2 boxes", "4 boxes", "6 boxes", "8 boxes", "16 boxes"});
  for (int rows : rowCounts) {
    std::vector<Cell> cells = {rows};
    for (int stages : stageCounts) {
      bool fits = stages * rows * columns * 2 <= sharedCapacity;
      cells.push_back(fits ? measure(data, matrix, columns, rows, stages, report.multiprocessors()) / 1e12
                           : NAN);
    }
    report.row(cells);
  }
}

int main(int argumentCount, char **arguments) {
  Report report("tma", argumentCount, arguments);
  const size_t most = size_t{1} << 30;
  DeviceBuffer<uint8_t> data(most);
  randomise(data, report.multiprocessors());

  const Matrix matrices[] = {{"16 MB in L2", size_t{16} << 20, 5e8}, {"1 GB in memory", most, 1e9}};
  for (const Matrix &matrix : matrices) {
    std::string name = matrix.name;
    measureBoxes(report, "TB/s into shared memory, 64 columns x rows, " + name, fetchRate<2, 1>, data.get(),
                 matrix, 64, {8, 16, 32, 64, 128, 256});
    measureBoxes(report, "the same, 3D: rows of one phase, " + name, fetchRate<3, 1>, data.get(), matrix, 64,
                 {8, 32, 64, 128, 256});
    measureBoxes(report, "the same, 2D, multicast over 2 (arriving in both), " + name, fetchRate<2, 2>,
                 data.get(), matrix, 64, {16, 64, 128, 256});
    measureBoxes(report, "the same, 2D, multicast over 4 (arriving in all), " + name, fetchRate<2, 4>,
                 data.get(), matrix, 64, {32, 64, 128, 256});
    measureBoxes(report, "the same, 2D, 32 columns without multicast, " + name, fetchRate<2, 1>, data.get(),
                 matrix, 32, {64, 128});
  }
  return 0;
}
