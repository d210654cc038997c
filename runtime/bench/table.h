// Tables of shapes: CSV with at least the columns m, k, n, q, and optionally case, map (a name of workload.h,
// or network_map), dtype, row_types, experts and predicted_us.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace algrt {

// Figures that others published for the same case, from the columns paper_dense_us, paper_algebra_us,
// paper_speedup_warm and paper_speedup_flushed; absent where the table has no such column or an empty cell.
struct PublishedFigures {
  std::optional<double> dense_us, algebra_us; // warm
  std::optional<double> speedup_warm, speedup_flushed;
};

// The map of rows that are feed-forward networks k -> n -> k, of SwiGLU.
inline constexpr const char *network_map = "ffn";

struct TableRow {
  int line = 0;
  std::string name; // column "case", or "line 7"
  std::string map = "forward";
  std::string dtype;     // empty where the table has no such column
  std::string row_types; // the same; as specs say it: "cyclic", "interval(32)", "explicit"
  int64_t m = 0, k = 0, n = 0, q = 0;
  int64_t experts = 0; // of networks: among how many the rows are divided; 0: one network
  PublishedFigures published;
  std::optional<double> predicted_us; // by the compiler's cost model
};

// Why a case of a bundle's network is left out where layers are measured on a CPU.
inline constexpr const char *why_no_network_on_cpu =
    "networks of bundles are measured on a GPU; on a CPU algctl bench measures those that it is given by "
    "name, "
    "specs of networks, and tables of them without --bundles";

// Throws Error(ALGRT_IO_ERROR), or Error(ALGRT_INVALID_ARGUMENT) with file, line and column name.
std::vector<TableRow> readTable(const std::string &path);

struct TableMatch {
  TableRow row;
  std::string bundle_path; // empty where skipped
  std::string skipped;     // the reason
};

// Matches each row with a bundle of the folder (files *.alg) by k, n and q, by the row types where the row
// names them, and by dtype where the row or the caller names one. Networks are matched with programs, of
// experts where the row has them; what is beside a network's bundle to be compared with it is none itself
// (gpu/network_bench.h). Maps that nobody measures are skipped. A bundle that cannot be read is an error.
std::vector<TableMatch> matchTable(const std::vector<TableRow> &rows, const std::string &bundle_folder,
                                   const std::optional<std::string> &dtype);

} // namespace algrt
