#include "compiler/targets/c/cuda_launcher.h"

#include "compiler/process/failure.h"
#include "compiler/spec/usage_error.h"
#include "compiler/targets/c/cuda_launcher_text.h"
#include "compiler/targets/c/launcher_arguments.h"
#include "runtime/cuda/launch_plan.h"
#include "runtime/gpu_kernel_abi.h"
#include "runtime/support/error.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace compiler {
namespace {

std::string withIdentifier(std::string_view text, const std::string &identifier) {
  std::string result;
  for (char c : text)
    c == '@' ? result += identifier : result += c;
  return result;
}

bool isInterval(const algrt::Layer &layer) {
  return layer.lift == algrt::Lift::Rows && layer.row_types == algrt::RowTypesKind::Interval;
}

bool isPlain(const algrt::GpuKernel &kernel) { return kernel.copies == algrt::GpuCopies::Threads; }

/// Tiles of a launch of so many rows, whatever the addresses; nothing where it is refused.
std::optional<int64_t> tilesOf(const CudaProgram &program, int64_t m) {
  const algrt::Layer &layer = program.layer;
  std::vector<algrt::cuda::Operand> further;
  // Wide enough for all, and a multiple of what any thread moves.
  const int64_t ld = (std::max(layer.k, layer.n) + 15) / 16 * 16;
  if (layer.fusion)
    further.assign(algrt::cuda::FurtherOperand::count(*layer.fusion), {0, ld});
  const algrt::cuda::Operands operands = {{0, ld}, {0, ld}, {0, ld}, further};
  try {
    return planLaunch(layer, program.kernel, operands, m, 0, 1).tiles;
  } catch (const algrt::Error &) {
    return std::nullopt;
  }
}

/// What the fixed text calls the numbers of this kernel.
std::vector<std::pair<std::string, int64_t>> numbers(const CudaProgram &program,
                                                     const LauncherArguments &arguments) {
  const algrt::GpuKernel &kernel = program.kernel;
  const algrt::GpuTile &tile = kernel.tile;
  const algrt::cuda::KernelShape shape = algrt::cuda::kernelShape(program.layer, kernel);
  // Of the kernel's parameters all maps are the first one.
  int64_t singles = 0, maps_bytes = 0;
  for (const algrt::KernelParameter &parameter : kernel.parameters)
    if (parameter.isMap())
      maps_bytes = parameter.end();
    else
      ++singles;
  // Of one row: as many tiles for each tile of segments as of any other number of rows. Steps of a gradient
  // of the weight matrix are counted in 32 bits.
  const std::optional<int64_t> tiles = tilesOf(program, 1);
  if (!tiles)
    throw Failure("a launcher in C launches no kernel of this layer: its tiles are too many");
  const int64_t rows = tile.rows * tile.cluster_rows;
  const int64_t of_lines = shape.joins_runs ? tile.cluster_rows
                           : shape.interval
                               ? (shape.run + rows - 1) / rows * tile.cluster_rows
                               : (shape.period + tile.types - 1) / tile.types * tile.cluster_rows;
  int64_t most_rows = algrt_most_gpu_rows - 1;
  if (shape.isWeightGradient())
    for (int64_t refused = std::exchange(most_rows, 1) + 1; refused - most_rows > 1;) {
      const int64_t middle = most_rows + (refused - most_rows) / 2;
      (tilesOf(program, middle) ? most_rows : refused) = middle;
    }
  return {
      {"ARCHITECTURE", kernel.architecture},
      {"EXACT_ARCHITECTURE", kernel.exact_architecture},
      {"THREADS", kernel.threads},
      {"CLUSTER", kernel.cluster},
      {"SHARED_BYTES", kernel.shared_bytes},
      {"DEPENDENT_LAUNCH", kernel.dependent_launch},
      {"TILE_TYPES", tile.types},
      {"TILE_ROWS", tile.rows},
      {"CLUSTER_ROWS", tile.cluster_rows},
      {"WEIGHT_GRADIENT_TILES", shape.isWeightGradient() ? *tiles : 0},
      {"TILES_OF_LINE", *tiles / of_lines},
      {"OPERANDS", arguments.matrixCount()},
      {"RESULT", arguments.result()},
      {"PARAMETERS", singles + 1},
      {"MAPS_BYTES", maps_bytes},
      {"MAP_ALIGNMENT", isPlain(kernel) ? alignof(algrt_plain_map) : size_t(algrt_tensor_map_alignment)},
      {"MOST_ROWS", most_rows},
      {"MOST_TILES", algrt_most_gpu_rows},
      {"PTX_BYTES", program.ptx.size()},
      {"TERMS_BYTES", program.terms.size() * sizeof(int32_t)},
      {"INTERVAL", shape.interval},
      {"JOINED", shape.joins_runs},
      {"PERIOD", shape.period},
      {"RUN", shape.run},
  };
}

std::string constants(const CudaProgram &program, const LauncherArguments &arguments) {
  std::string text = "\n/* The kernel's numbers. */\nenum {";
  const char *separator = "";
  for (const auto &[name, value] : numbers(program, arguments)) {
    if (value > INT32_MAX)
      throw Failure(
          fmt::format("{} is {}: a launcher in C counts in 32 bits; compile a bundle instead", name, value));
    text += fmt::format("{}\n  {} = {}", separator, name, value);
    separator = ",";
  }
  return text + fmt::format("\n}};\n#define SYMBOL \"{}\"\n", program.kernel.symbol);
}

std::string termsTable(const CudaProgram &program) {
  const std::vector<int32_t> &terms = program.terms;
  if (terms.empty())
    return "\n/* Every type reads its own group and the one that it writes: no table of terms. */\n"
           "static const int32_t terms[1] = {0};\n";
  std::string text = fmt::format("\n/* Where the terms of (type, output group) start, by type, then group; "
                                 "then of each term its input group\n"
                                 " * and its row group of w, {}. */\n"
                                 "static const int32_t terms[{}] = {{",
                                 program.kernel.scaled ? "and the bits of its coefficient as a float"
                                                       : "with bit 31 set where it is subtracted",
                                 terms.size());
  for (size_t i = 0; i < terms.size(); ++i)
    // The least number has no literal in C.
    text +=
        fmt::format("{}{}", i % 12 == 0 ? "\n    " : " ",
                    terms[i] == INT32_MIN ? std::string("-2147483647 - 1,") : fmt::format("{},", terms[i]));
  return text + "\n};\n";
}

std::string machineCode(std::string_view cubin) {
  std::string text =
      fmt::format("\n/* Machine code, a cubin. A driver that does not know it compiles the PTX below. */\n"
                  "static const union {{\n  uint64_t alignment;\n  unsigned char bytes[{}];\n}} "
                  "machine_code = {{.bytes = {{",
                  cubin.size());
  text.reserve(text.size() + 4 * cubin.size());
  for (size_t i = 0; i < cubin.size(); ++i)
    text += fmt::format("{}{},", i % 32 == 0 ? "\n" : "", static_cast<unsigned char>(cubin[i]));
  return text + "\n}};\n";
}

std::string inLiteral(char c) {
  switch (c) {
  case '\n':
    return "\\n";
  case '\t':
    return "\\t";
  case '"':
  case '\\':
  case '?': // two of them begin a trigraph
    return {'\\', c};
  default:
    return c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
}

/// The lines of a text as literals; the longest that C99 is sure to take have 4095 characters.
std::string ptxLines(std::string_view ptx) {
  constexpr size_t longest = 1000;
  std::string text = "\n/* PTX, which the driver compiles when it is loaded. */\n"
                     "static const char *const ptx_lines[] = {";
  size_t in_line = 0;
  for (const char c : ptx) {
    text += in_line == 0 ? "\n    \"" : "";
    text += inLiteral(c);
    const bool ends = c == '\n' || ++in_line == longest;
    text += ends ? "\"," : "";
    in_line = ends ? 0 : in_line;
  }
  return text + (in_line > 0 ? "\"," : "") + (ptx.empty() ? "\n    \"\"" : "") + "\n};\n";
}

/// A text that cannot end the comment it stands in.
std::string inComment(std::string text) {
  for (size_t at = 0; (at = text.find("*/", at)) != std::string::npos;)
    text.insert(at + 1, " ");
  return text;
}

/// What is computed, with shapes and units, for both files.
std::string comment(const CudaProgram &program, const LauncherArguments &arguments) {
  const algrt::Layer &layer = program.layer;
  const algrt::GpuKernel &kernel = program.kernel;
  const algrt::OperandNames names = algrt::operandNames(kernel.map);
  std::string text =
      fmt::format("/* {} for {}{}, generated by algctl.\n *\n", inComment(program.title),
                  fmt::format("sm_{}", kernel.architecture), kernel.exact_architecture ? "a" : "");
  if (kernel.map == algrt::Map::Dw)
    text +=
        fmt::format(" * {} = {}^T (times) {} + beta {}, row-major.\n", names.y, names.x, names.w, names.y);
  else
    text += fmt::format(" * {}[m, {}] = {}{}[m, {}] (times) {}{}{}, row-major.\n", names.y,
                        kernel.map == algrt::Map::Forward ? layer.n : layer.k, layer.fusion ? "maps of " : "",
                        names.x, kernel.map == algrt::Map::Forward ? layer.k : layer.n, names.w,
                        kernel.map == algrt::Map::Forward ? "" : "^T", layer.bias ? " + bias" : "");
  text += arguments.comment();
  if (layer.lift != algrt::Lift::Rows)
    text += " * Every row carries all slots: p0 has no effect.\n";
  else if (isInterval(layer))
    text += fmt::format(" * Row r has type (p0 + r) / {} mod {}.\n", layer.row_type_width, layer.types);
  else
    text += fmt::format(" * Row r has type (p0 + r) mod {}.\n", layer.types);
  return text + " */\n";
}

} // namespace

LauncherNames launcherNames(std::string_view path) {
  const std::filesystem::path source(path);
  const std::string stem = source.stem().string();
  if (source.extension() != ".c" || stem.find_first_of("\"\\\n") != std::string::npos)
    throw UsageError(
        fmt::format("a kernel in C is two files, FILE.c and FILE.h: -o {} does not name the first", path));
  LauncherNames names;
  names.source_path = source.string();
  names.header_path = std::filesystem::path(source).replace_extension(".h").string();
  names.include = stem + ".h";
  for (char c : stem)
    names.identifier +=
        std::isalnum(static_cast<unsigned char>(c)) && static_cast<unsigned char>(c) < 128 ? c : '_';
  // Names that begin with an underscore are the C implementation's.
  if (!std::isalpha(static_cast<unsigned char>(names.identifier[0])))
    names.identifier = "kernel_" + names.identifier;
  return names;
}

LauncherFiles cudaLauncher(const CudaProgram &program) {
  const std::string &identifier = program.names.identifier;
  std::string guard = identifier + "_H";
  std::transform(guard.begin(), guard.end(), guard.begin(), [](unsigned char c) { return std::toupper(c); });
  const LauncherArguments arguments(program.layer, program.kernel);
  const std::string title = comment(program, arguments);
  std::string declarations = launcher_declarations;
  for (size_t at; (at = declarations.find('$')) != std::string::npos;)
    declarations.replace(at, 1, arguments.signature());
  LauncherFiles files;
  files.header = title + fmt::format("#ifndef {0}\n#define {0}\n\n", guard) +
                 withIdentifier(declarations, identifier) + "\n#endif\n";
  files.source =
      title +
      fmt::format("#include \"{}\"\n\n#include <dlfcn.h>\n#include <stddef.h>\n#include <stdio.h>\n"
                  "#include <stdlib.h>\n#include <string.h>\n",
                  program.names.include) +
      constants(program, arguments) + termsTable(program) +
      (program.cubin.empty() ? "" : machineCode(program.cubin)) + ptxLines(program.ptx);
  const bool plain = isPlain(program.kernel);
  for (const std::string &part :
       {std::string(plain ? launcher_plain_map_entries : launcher_tensor_map_entries),
        std::string(launcher_driver), std::string(launcher_operand_types), arguments.tables(),
        arguments.parameters(), std::string(launcher_operands), std::string(launcher_plain_maps),
        std::string(plain ? launcher_plain_alone : launcher_tensor_maps), std::string(launcher_ptx),
        std::string(program.cubin.empty() ? launcher_ptx_alone : launcher_machine_code),
        std::string(launcher_loading), std::string(launcher_launch), arguments.launches()})
    files.source += withIdentifier(part, identifier);
  return files;
}

} // namespace compiler
