#include "compiler/targets/c/cuda_launcher.h"

#include "compiler/failure.h"
#include "compiler/spec/usage_error.h"
#include "compiler/targets/c/cuda_launcher_text.h"
#include "runtime/cuda/launch_plan.h"
#include "runtime/gpu_kernel_abi.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
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
  return layer.lift == algrt::Lift::rows && layer.row_types == algrt::RowTypesKind::interval;
}

int swizzleNumber(std::int64_t bytes) { return bytes == 32 ? 1 : bytes == 64 ? 2 : bytes == 128 ? 3 : 0; }
bool isPlain(const algrt::GpuKernel &kernel) { return kernel.copies == algrt::GpuCopies::threads; }
/// Bytes that are moved at a time: addresses and strides are multiples of them (runtime/gpu_kernel_abi.h).
std::int64_t unitBytes(const algrt::GpuKernel &kernel, algrt::ElementType type) {
  constexpr std::int64_t most = 16;
  return isPlain(kernel) ? std::min(kernel.vector * algrt::elementBytes(type), most) : most;
}
int typeNumber(algrt::ElementType type) { return type == algrt::ElementType::f32 ? 7 : 9; }

/// What the fixed text calls the numbers of this kernel.
std::vector<std::pair<std::string, std::int64_t>> numbers(const CudaProgram &program) {
  const algrt::Layer &layer = program.layer;
  const algrt::GpuKernel &kernel = program.kernel;
  const bool rows = layer.lift == algrt::Lift::rows;
  const std::int64_t out_groups = static_cast<std::int64_t>(layer.out_groups.size());
  // Of the kernel's parameters all maps are the first one.
  std::int64_t singles = 0, maps_bytes = 0;
  for (const algrt::KernelParameter &parameter : kernel.parameters)
    if (parameter.isMap())
      maps_bytes = parameter.end();
    else
      ++singles;
  const std::int64_t out_width = layer.n / out_groups;
  // Clusters take whole numbers of tiles in each direction. A tile that several blocks compute counts for
  // each.
  const std::int64_t cluster_columns = kernel.tile.columns * kernel.tile.cluster_columns,
                     column_tiles =
                         (out_width + cluster_columns - 1) / cluster_columns * kernel.tile.cluster_columns;
  // Where rows of x are held, a block takes several groups with all their columns in one turn.
  const std::int64_t held = kernel.tile.held_groups;
  const std::int64_t group_tiles = held > 0 ? (out_groups + held - 1) / held : out_groups;
  std::vector<std::pair<std::string, std::int64_t>> all = {
      {"ARCHITECTURE", kernel.architecture},
      {"EXACT_ARCHITECTURE", kernel.exact_architecture},
      {"K", layer.k},
      {"N", layer.n},
      {"IN_GROUPS", layer.in_groups.size()},
      {"OUT_GROUPS", out_groups},
      {"BANK_ROW_GROUPS", layer.bank_rows.size()},
      {"BANK_OUT_GROUPS", rows ? out_groups : 1},
      {"BANK_COLUMNS", layer.bankColumns()},
      {"INPUT_BYTES", algrt::elementBytes(layer.dtype)},
      {"INPUT_TYPE", typeNumber(layer.dtype)},
      {"INPUT_UNIT", unitBytes(kernel, layer.dtype)},
      {"OUTPUT_BYTES", algrt::elementBytes(kernel.output)},
      {"OUTPUT_TYPE", typeNumber(kernel.output)},
      {"OUTPUT_UNIT", unitBytes(kernel, kernel.output)},
      {"THREADS", kernel.threads},
      {"CLUSTER", kernel.cluster},
      {"SHARED_BYTES", kernel.shared_bytes},
      {"DEPENDENT_LAUNCH", kernel.dependent_launch},
      {"TILE_TYPES", kernel.tile.types},
      {"TILE_ROWS", kernel.tile.rows},
      {"CLUSTER_ROWS", kernel.tile.cluster_rows},
      {"GROUP_TILES", group_tiles},
      {"COLUMN_TILES", held > 0 ? 1 : column_tiles * kernel.tile.split},
      {"PLAIN_MAPS", isPlain(kernel)},
      {"PARAMETERS", singles + 1},
      {"MAPS_BYTES", maps_bytes},
      {"MAP_BYTES", isPlain(kernel) ? algrt_plain_map_bytes : algrt_tensor_map_bytes},
      {"MAP_ALIGNMENT", isPlain(kernel) ? alignof(algrt_plain_map) : std::size_t(algrt_tensor_map_alignment)},
      {"MOST_ROWS", algrt_most_gpu_rows},
      {"PTX_BYTES", program.ptx.size()},
      {"TERMS_BYTES", program.terms.size() * sizeof(std::int32_t)},
      {"PERIOD", rows ? layer.types * layer.row_type_width : 1},
  };
  if (isInterval(layer))
    all.emplace_back("RUN", layer.row_type_width);
  for (const auto &[name, box] : {std::pair{"X", kernel.x}, {"W", kernel.w}, {"Y", kernel.y}}) {
    all.emplace_back(fmt::format("{}_BOX_COLUMNS", name), box.columns);
    all.emplace_back(fmt::format("{}_BOX_ROWS", name), box.rows);
    all.emplace_back(fmt::format("{}_SWIZZLE", name), swizzleNumber(box.swizzle));
  }
  return all;
}

std::string constants(const CudaProgram &program) {
  std::string text = "\n/* The kernel's numbers. */\nenum {";
  const char *separator = "";
  for (const auto &[name, value] : numbers(program)) {
    if (value > INT32_MAX)
      throw Failure(
          fmt::format("{} is {}: a launcher in C counts in 32 bits; compile a bundle instead", name, value));
    text += fmt::format("{}\n  {} = {}", separator, name, value);
    separator = ",";
  }
  return text + fmt::format("\n}};\n#define SYMBOL \"{}\"\n", program.kernel.symbol);
}

std::string termsTable(const CudaProgram &program) {
  const std::vector<std::int32_t> &terms = program.terms;
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
  for (std::size_t i = 0; i < terms.size(); ++i)
    // The least number has no literal in C.
    text +=
        fmt::format("{}{}", i % 12 == 0 ? "\n    " : " ",
                    terms[i] == INT32_MIN ? std::string("-2147483647 - 1,") : fmt::format("{},", terms[i]));
  return text + "\n};\n";
}

/// The kernel's parameters, as its list has them: the maps, each written to its place, and one pointer for
/// each parameter.
std::string parameterText(const algrt::KernelParameters &parameters) {
  std::string maps = R"c(
/* ---- Parameters ---- */

/* The first parameter: all maps, as the kernel expects them. */
static int write_maps(@_kernel *kernel, unsigned char *maps, const matrix *x, const matrix *w, const matrix *y,
                      int64_t m, int64_t offset) {
  static const box_shape x_box = {X_BOX_COLUMNS, X_BOX_ROWS, X_SWIZZLE};
  static const box_shape w_box = {W_BOX_COLUMNS, W_BOX_ROWS, W_SWIZZLE};
  static const box_shape y_box = {Y_BOX_COLUMNS, Y_BOX_ROWS, Y_SWIZZLE};
  int result;
)c";
  std::string pointers = R"c(
/* One pointer for each of the kernel's parameters, to its value. */
static void set_parameters(void **parameters, void *maps, int32_t *rows, int32_t *offset,
                           unsigned long long *terms) {
  (void)offset, (void)terms;
  parameters[0] = maps;
)c";
  int next = 1;
  for (const algrt::KernelParameter &parameter : parameters) {
    const auto point = [&](const char *value) {
      pointers += fmt::format("  parameters[{}] = {};\n", next++, value);
    };
    switch (parameter.value) {
    case algrt::ParameterValue::map: {
      if (parameter.operand != "x" && parameter.operand != "w" && parameter.operand != "y")
        throw Failure(
            fmt::format("the kernel takes maps of {}, which a launcher in C does not have; compile a "
                        "bundle instead",
                        parameter.operand));
      const bool bank = parameter.view == algrt::ViewKind::bank;
      std::string view = name(parameter.view);
      std::ranges::transform(view, view.begin(), [](unsigned char c) { return std::toupper(c); });
      maps += fmt::format("  result = {0}(kernel, maps + {1}, {2}{3}, {4}&{3}_box);\n  if (result != 0)\n    "
                          "return result;\n",
                          bank ? "write_bank" : "write_rows", parameter.offset, bank ? "" : view + ", ",
                          parameter.operand,
                          bank                       ? ""
                          : parameter.operand == "x" ? "IN_GROUPS, m, offset, "
                                                     : "OUT_GROUPS, m, offset, ");
      break;
    }
    case algrt::ParameterValue::rows:
      point("rows");
      break;
    case algrt::ParameterValue::offset:
      point("offset");
      break;
    case algrt::ParameterValue::terms:
      point("terms");
      break;
    default:
      throw Failure(
          fmt::format("the kernel takes the parameter {}, which a launcher in C does not have; compile a "
                      "bundle instead",
                      name(parameter.value)));
    }
  }
  return maps + "  return 0;\n}\n" + pointers + "}\n";
}

std::string machineCode(std::string_view cubin) {
  std::string text =
      fmt::format("\n/* Machine code, a cubin. A driver that does not know it compiles the PTX below. */\n"
                  "static const union {{\n  uint64_t alignment;\n  unsigned char bytes[{}];\n}} "
                  "machine_code = {{.bytes = {{",
                  cubin.size());
  text.reserve(text.size() + 4 * cubin.size());
  for (std::size_t i = 0; i < cubin.size(); ++i)
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
  constexpr std::size_t longest = 1000;
  std::string text = "\n/* PTX, which the driver compiles when it is loaded. */\n"
                     "static const char *const ptx_lines[] = {";
  std::size_t in_line = 0;
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
  for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;)
    text.insert(at + 1, " ");
  return text;
}

/// What is computed, with shapes and units, for both files.
std::string comment(const CudaProgram &program) {
  const algrt::Layer &layer = program.layer;
  const algrt::GpuKernel &kernel = program.kernel;
  const bool rows = layer.lift == algrt::Lift::rows;
  std::string text =
      fmt::format("/* {} for {}{}, generated by algctl.\n *\n", inComment(program.title),
                  fmt::format("sm_{}", kernel.architecture), kernel.exact_architecture ? "a" : "");
  text += fmt::format(" * y[m, {}] = x[m, {}] (times) w, row-major.\n", layer.n, layer.k);
  text += fmt::format(" *   x  {}, {} groups of {} columns\n", name(layer.dtype), layer.in_groups.size(),
                      layer.in_groups[0]);
  text += rows ? fmt::format(" *   w  {}, [{}, {}]: row group g times output group h is a block of {} x {}\n",
                             name(layer.dtype), layer.k, layer.n, layer.bank_rows[0], layer.out_groups[0])
               : fmt::format(" *   w  {}, [{}, {}, {}]: one block for each slot\n", name(layer.dtype),
                             layer.bank_rows.size(), layer.bank_rows[0], layer.bankColumns());
  text += fmt::format(" *   y  {}, {} groups of {} columns\n", name(kernel.output), layer.out_groups.size(),
                      layer.out_groups[0]);
  if (!rows)
    text += " * Every row carries all slots: p0 has no effect.\n";
  else if (isInterval(layer))
    text += fmt::format(" * Row r has type (p0 + r) / {} mod {}.\n", layer.row_type_width, layer.types);
  else
    text += fmt::format(" * Row r has type (p0 + r) mod {}.\n", layer.types);
  text += fmt::format(
      " * Addresses of x and w, and the distances of their rows, are multiples of {} bytes, those of y "
      "of {}.\n",
      unitBytes(kernel, layer.dtype), unitBytes(kernel, kernel.output));
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
  LauncherFiles files;
  files.header = comment(program) + fmt::format("#ifndef {0}\n#define {0}\n\n", guard) +
                 withIdentifier(launcher_declarations, identifier) + "\n#endif\n";
  files.source =
      comment(program) +
      fmt::format("#include \"{}\"\n\n#include <dlfcn.h>\n#include <stddef.h>\n#include <stdio.h>\n"
                  "#include <stdlib.h>\n#include <string.h>\n",
                  program.names.include) +
      constants(program) + termsTable(program) + (program.cubin.empty() ? "" : machineCode(program.cubin)) +
      ptxLines(program.ptx);
  const bool plain = isPlain(program.kernel);
  const std::string parameters = parameterText(program.kernel.parameters);
  for (const char *part :
       {plain ? launcher_plain_map_entries : launcher_tensor_map_entries, launcher_driver, launcher_operands,
        plain ? launcher_plain_maps : launcher_tensor_maps, launcher_views,
        isInterval(program.layer) ? launcher_interval_rows : launcher_cyclic_rows, parameters.c_str(),
        launcher_ptx, program.cubin.empty() ? launcher_ptx_alone : launcher_machine_code, launcher_loading,
        launcher_launch})
    files.source += withIdentifier(part, identifier);
  return files;
}

} // namespace compiler
