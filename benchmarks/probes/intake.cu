// What one multiprocessor takes in through the copy engine, and how the rate of each falls with the number that copy: the
// loop of fetch.h by the number of blocks (one a multiprocessor) and of boxes in flight, then by rows of a box.
#include "fetch.h"

int main(int argumentCount, char **arguments) {
  Report report("intake", argumentCount, arguments);
  const size_t most = size_t{1} << 30;
  DeviceBuffer<uint8_t> data(most);
  randomise(data, report.multiprocessors());
  const int all = report.multiprocessors();
  struct Source {
    const char *name;
    size_t bytes;
    double perBlock; // fetched by each block
  };
  const Source sources[] = {{"4 MB in L2", size_t{4} << 20, 4e7},
                            {"16 MB in L2", size_t{16} << 20, 4e7},
                            {"1 GB in memory", most, 1.2e7}};
  for (const Source &source : sources) {
    report.table(std::string("KB per microsecond into each processor, boxes of 64 columns x 128 rows (16 KB), ") + source.name +
                     ", by blocks",
                 {"blocks", "1 box", "2 boxes", "4 boxes", "6 boxes", "8 boxes", "12 boxes"});
    for (int blocks : {1, 2, 4, 8, 16, 33, 66, 100, all}) {
      std::vector<Cell> cells = {blocks};
      for (int stages : {1, 2, 4, 6, 8, 12}) {
        const Matrix matrix = {source.name, source.bytes, source.perBlock * blocks};
        cells.push_back(fetchRate<2, 1>(data.get(), matrix, 64, 128, stages, blocks) / blocks / 1e9);
      }
      report.row(cells);
    }
  }
  report.table("the same from 16 MB in L2 by rows of the box (64 columns), 192 KB or 16 boxes in flight: one block, all blocks, and "
               "all with rows of one phase (3D)",
               {"rows", "one", "all", "all 3D"});
  for (int rows : {8, 16, 32, 64, 128, 256}) {
    const int stages = std::min(16, 192 * 1024 / (rows * 128));
    std::vector<Cell> cells = {rows};
    cells.push_back(fetchRate<2, 1>(data.get(), {"", size_t{16} << 20, 2e7}, 64, rows, stages, 1) / 1e9);
    cells.push_back(fetchRate<2, 1>(data.get(), {"", size_t{16} << 20, 2e7 * all}, 64, rows, stages, all) / all / 1e9);
    cells.push_back(fetchRate<3, 1>(data.get(), {"", size_t{16} << 20, 2e7 * all}, 64, rows, stages, all) / all / 1e9);
    report.row(cells);
  }
  return 0;
}
