#include "runtime/bench/table.h"

#include "runtime/bench/network.h"
#include "runtime/bench/workload.h"
#include "runtime/bundle/bundle.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

namespace algrt {

namespace {

[[noreturn]] void refuse(const std::string &path, int line, const std::string &what) {
  throw Error(ALGRT_INVALID_ARGUMENT, path + ":" + std::to_string(line) + ": " + what);
}

// Cells of one line: separated by commas, quoted where they hold one, "" inside quotes for a quote.
std::vector<std::string> cellsOf(std::string_view text, const std::string &path, int line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      if (quoted && i + 1 < text.size() && text[i + 1] == '"')
        cells.back() += text[i++];
      else
        quoted = !quoted;
    } else if (text[i] == ',' && !quoted) {
      cells.emplace_back();
    } else if (text[i] != '\r') {
      cells.back() += text[i];
    }
  }
  if (quoted)
    refuse(path, line, "a quote is not closed");
  return cells;
}

int64_t positive(const std::string &cell, const std::string &column, const std::string &path, int line) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || value < 1)
    refuse(path, line, "column " + column + " is '" + cell + "', needs a whole number from 1");
  return value;
}

std::optional<double> positiveNumber(const std::string &cell, const std::string &column,
                                     const std::string &path, int line) {
  if (cell.empty())
    return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !(value > 0) || std::isinf(value))
    refuse(path, line, "column " + column + " is '" + cell + "', needs a number above 0, or nothing");
  return value;
}

// As specs say it.
std::string rowTypesText(const Layer &layer) {
  const std::string kind = name(layer.row_types);
  return layer.row_types == RowTypesKind::Interval ? kind + "(" + std::to_string(layer.row_type_width) + ")"
                                                   : kind;
}

// Whether it has kernels, for whatever machine, of all that is measured.
bool hasMaps(const Bundle &bundle, const Workload &workload) {
  return std::ranges::all_of(workload.maps, [&](Map map) {
    return std::ranges::any_of(bundle.manifest().kernels,
                               [&](const Kernel &kernel) { return kernel.map == name(map); });
  });
}

// Whether the bundle's program is the network of the row, with kernels for its experts where it has any.
bool isNetwork(const Bundle &bundle, const TableRow &row, const std::optional<std::string> &dtype) {
  const Program *program = bundle.manifest().findProgram("forward");
  std::string why_not;
  const std::optional<Network> network = program ? networkOf(bundle, *program, why_not) : std::nullopt;
  if (!network || network->k() != row.k || network->hidden() != row.n || network->out() != row.k ||
      network->up.types != row.q || (!row.row_types.empty() && row.row_types != rowTypesText(network->up)) ||
      (!row.dtype.empty() && row.dtype != name(network->up.dtype)) ||
      (dtype && *dtype != name(network->up.dtype)))
    return false;
  bool of_experts = false;
  for (const ProgramStep &step : program->steps)
    if (!step.elementwise)
      for (const Kernel &kernel : bundle.projection(step.projection).manifest().kernels)
        of_experts = of_experts || (kernel.gpu && kernel.gpu->takesExperts());
  return of_experts == (row.experts > 0);
}

std::string skipReason(const TableRow &row, const std::vector<std::pair<std::string, Bundle>> &bundles,
                       const std::optional<std::string> &dtype) {
  if (findWorkload(row.map) == nullptr && row.map != network_map)
    return "map " + row.map + " is not supported yet";
  return "no bundle with kernels of " + row.map + " and k=" + std::to_string(row.k) +
         ", n=" + std::to_string(row.n) + ", q=" + std::to_string(row.q) +
         (row.experts > 0 ? ", experts" : "") + (dtype ? ", dtype=" + *dtype : "") +
         (row.row_types.empty() ? "" : ", row_types=" + row.row_types) + " among the " +
         std::to_string(bundles.size()) + " there";
}

} // namespace

std::vector<TableRow> readTable(const std::string &path) {
  const std::string text = readFile(path);
  std::vector<std::string> header;
  std::vector<TableRow> rows;
  int line = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view content = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++line;
    if (content.find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    const std::vector<std::string> cells = cellsOf(content, path, line);
    if (header.empty()) {
      header = cells;
      for (const char *needed : {"m", "k", "n", "q"})
        if (std::find(header.begin(), header.end(), needed) == header.end())
          refuse(path, line, std::string("has no column ") + needed + "; a table needs m, k, n and q");
      continue;
    }
    if (cells.size() != header.size())
      refuse(path, line,
             "has " + std::to_string(cells.size()) + " cells, its header has " +
                 std::to_string(header.size()));
    TableRow row;
    row.line = line;
    row.name = "line " + std::to_string(line);
    for (size_t i = 0; i < cells.size(); ++i) {
      if (header[i] == "case")
        row.name = cells[i];
      else if (header[i] == "map")
        row.map = cells[i];
      else if (header[i] == "dtype")
        row.dtype = cells[i];
      else if (header[i] == "row_types")
        row.row_types = cells[i];
      for (const auto &[column, field] :
           {std::pair{"m", &TableRow::m}, {"k", &TableRow::k}, {"n", &TableRow::n}, {"q", &TableRow::q}})
        if (header[i] == column)
          row.*field = positive(cells[i], column, path, line);
      for (const auto &[column, field] : {std::pair{"paper_dense_us", &PublishedFigures::dense_us},
                                          {"paper_algebra_us", &PublishedFigures::algebra_us},
                                          {"paper_speedup_warm", &PublishedFigures::speedup_warm},
                                          {"paper_speedup_flushed", &PublishedFigures::speedup_flushed}})
        if (header[i] == column)
          row.published.*field = positiveNumber(cells[i], column, path, line);
      if (header[i] == "experts" && !cells[i].empty())
        row.experts = positive(cells[i], header[i], path, line);
      if (header[i] == "predicted_us")
        row.predicted_us = positiveNumber(cells[i], header[i], path, line);
    }
    rows.push_back(std::move(row));
  }
  if (header.empty())
    throw Error(ALGRT_INVALID_ARGUMENT, path + ": is empty; a table needs a header with m, k, n and q");
  return rows;
}

std::vector<TableMatch> matchTable(const std::vector<TableRow> &rows, const std::string &bundle_folder,
                                   const std::optional<std::string> &dtype) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(bundle_folder, error))
    if (entry.path().extension() == ".alg")
      paths.push_back(entry.path().string());
  if (error)
    throw Error(ALGRT_IO_ERROR, bundle_folder + ": cannot list the folder: " + error.message());
  std::sort(paths.begin(), paths.end());
  std::vector<std::pair<std::string, Bundle>> bundles;
  for (const std::string &path : paths)
    bundles.emplace_back(path, Bundle::open(path));

  std::vector<TableMatch> matches;
  for (const TableRow &row : rows) {
    const std::optional<std::string> wanted = row.dtype.empty() ? dtype : std::optional(row.dtype);
    const Workload *workload = findWorkload(row.map);
    bool any = false;
    for (const auto &[path, bundle] : bundles) {
      if (row.map == network_map) {
        if (!isNetworkCompanion(path) && isNetwork(bundle, row, dtype)) {
          matches.push_back({row, path, ""});
          any = true;
        }
        continue;
      }
      if (!bundle.hasProjection())
        continue;
      const Layer &layer = bundle.layer();
      if (workload == nullptr || !hasMaps(bundle, *workload) || layer.lift != Lift::Rows ||
          layer.k != row.k || layer.n != row.n || layer.types != row.q ||
          (!row.row_types.empty() && row.row_types != rowTypesText(layer)) ||
          (wanted && *wanted != name(layer.dtype)) || (dtype && *dtype != name(layer.dtype)))
        continue;
      matches.push_back({row, path, ""});
      any = true;
    }
    if (!any)
      matches.push_back({row, "", skipReason(row, bundles, wanted)});
  }
  return matches;
}

} // namespace algrt
