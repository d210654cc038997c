#include "compiler/targets/c/launcher_arguments.h"

#include "compiler/process/failure.h"
#include "runtime/cuda/operand_limits.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace compiler {
namespace {

using algrt::ParameterValue;
using algrt::cuda::FurtherOperand;
using algrt::cuda::OperandView;

[[noreturn]] void refuse(const std::string &what) {
  throw Failure(fmt::format(
      "the kernel takes {}, which a launcher in C does not have; compile a bundle instead", what));
}

/// Operands of programs have names of their own, which are none of the launcher's words.
std::string argumentName(const std::string &operand, bool of_program) {
  std::string name = of_program ? "operand_" : "";
  for (const char c : operand)
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

/// What the fixed text calls a view.
std::string linesOf(algrt::ViewKind kind) {
  if (kind == algrt::ViewKind::Weights)
    return "WEIGHT_MATRIX";
  std::string name = algrt::name(kind);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

int swizzleNumber(int64_t bytes) { return bytes == 32 ? 1 : bytes == 64 ? 2 : bytes == 128 ? 3 : 0; }

/// CUtensorMapDataType.
int typeNumber(algrt::ElementType type) { return type == algrt::ElementType::F32 ? 7 : 9; }

const algrt::FusedOperand *fusedOperand(const algrt::Layer &layer, const std::string &name) {
  if (layer.fusion)
    for (const algrt::FusedOperand &operand : layer.fusion->operands)
      if (operand.name == name)
        return &operand;
  return nullptr;
}

/// All matrices of a launch: what is read before what is written.
std::vector<LauncherMatrix> matricesOf(const algrt::Layer &layer, const algrt::GpuKernel &kernel) {
  const algrt::cuda::KernelShape shape = algrt::cuda::kernelShape(layer, kernel);
  const algrt::OperandNames names = algrt::operandNames(kernel.map);
  // A weight matrix is the second operand of a product, and its own gradient.
  const bool gradient = shape.isWeightGradient();
  const int64_t w_columns = gradient ? shape.n() : shape.weightColumns(),
                w_rows = gradient ? 0 : shape.weightRows();
  const int64_t y_columns = gradient ? shape.weightColumns() : shape.n(),
                y_rows = gradient ? shape.weightRows() : 0;
  const algrt::cuda::OperandViews views =
      viewOperands(shape, layer.dtype, kernel.output, {{0, shape.k()}, {0, w_columns}, {0, y_columns}}, 1, 0);
  std::vector<LauncherMatrix> all = {{names.x, false, layer.dtype, shape.k(), 0, 0, false, views.x, kernel.x},
                                     {names.w, false, layer.dtype, w_columns, w_rows, 0, false, views.w,
                                      kernel.w}},
                              results = {{names.y, true, kernel.output, y_columns, y_rows, 0, false, views.y,
                                          kernel.y}};
  for (size_t place = 0; layer.fusion && place < FurtherOperand::count(*layer.fusion); ++place) {
    const FurtherOperand further = FurtherOperand::at(*layer.fusion, place);
    if (further.hasNoMap(*layer.fusion))
      continue;
    const bool weight = further.kind == FurtherOperand::Kind::Weight;
    const int64_t columns = weight ? w_columns : further.isPerRow(*layer.fusion) ? 1 : y_columns;
    (further.kind == FurtherOperand::Kind::Result ? results : all)
        .push_back({further.name(*layer.fusion, kernel.map), further.kind == FurtherOperand::Kind::Result,
                    further.element(*layer.fusion, layer.dtype), columns, weight ? w_rows : 0, 0, false,
                    viewFurther(shape, layer, place, {0, columns}, 1, 0), kernel.w});
  }
  all.insert(all.end(), results.begin(), results.end());
  for (LauncherMatrix &matrix : all) {
    const algrt::cuda::OperandUnit unit = algrt::cuda::unitOf(layer, kernel, matrix.name);
    matrix.unit = unit.bytes;
    matrix.by_engine = unit.by_engine;
  }
  return all;
}

} // namespace

LauncherArguments::LauncherArguments(const algrt::Layer &layer, const algrt::GpuKernel &kernel)
    : list_(kernel.parameters), matrices_(matricesOf(layer, kernel)) {
  for (const algrt::KernelParameter &parameter : list_) {
    const algrt::FusedOperand *fused = fusedOperand(layer, parameter.operand);
    const std::string name = argumentName(parameter.operand, fused != nullptr);
    switch (parameter.value) {
    case ParameterValue::Map:
      if (std::ranges::find(matrices_, parameter.operand, &LauncherMatrix::name) == matrices_.end())
        refuse("maps of " + parameter.operand);
      break;
    case ParameterValue::Operand:
      if (fused == nullptr && parameter.operand != "bias")
        refuse("the address of " + parameter.operand);
      values_.push_back(
          {parameter.value, name, algrt::elementBytes(fused != nullptr ? fused->type : layer.dtype)});
      break;
    case ParameterValue::Number:
      values_.push_back({parameter.value, name, 0});
      break;
    case ParameterValue::Beta:
      values_.push_back({parameter.value, "beta", 0});
      break;
    case ParameterValue::Rows:
    case ParameterValue::Offset:
    case ParameterValue::Terms:
      break;
    default:
      refuse(std::string("the parameter ") + algrt::name(parameter.value));
    }
  }
  for (LauncherMatrix &matrix : matrices_)
    matrix.name = argumentName(matrix.name, fusedOperand(layer, matrix.name) != nullptr);
}

size_t LauncherArguments::result() const {
  return size_t(std::ranges::find(matrices_, true, &LauncherMatrix::is_result) - matrices_.begin());
}

std::string LauncherArguments::signature() const {
  std::string text = "@_kernel *kernel";
  for (const LauncherMatrix &matrix : matrices_)
    text +=
        fmt::format(", {}void *{}, int64_t ld{}", matrix.is_result ? "" : "const ", matrix.name, matrix.name);
  for (const LauncherValue &value : values_)
    text += fmt::format(", {}{}", value.element_bytes > 0 ? "const void *" : "float ", value.name);
  return text + ", int64_t m, int64_t p0, void *stream";
}

std::string LauncherArguments::comment() const {
  std::string text;
  for (const LauncherMatrix &matrix : matrices_) {
    const auto &extents = matrix.views.all[0].extents;
    text += fmt::format(
        " *   {}  {} [{}, {}], {} group{} of {}{} columns; address and distance of rows are multiples of "
        "{} bytes\n",
        matrix.name, algrt::name(matrix.type), matrix.rows > 0 ? std::to_string(matrix.rows) : "m",
        matrix.columns, extents[1], extents[1] > 1 ? "s" : "",
        // Where widths differ the map has the largest one, and a list.
        matrix.views.all[0].group_list < 0 ? "" : "up to ", extents[0], matrix.unit);
  }
  for (const LauncherValue &value : values_)
    text +=
        fmt::format(" *   {}  {}\n", value.name,
                    value.element_bytes > 0 ? "one number for each column of the result"
                    : value.name == "beta"  ? "what the result holds counts so often; with 0 it is not read"
                                            : "one number");
  return text;
}

std::string LauncherArguments::tables() const {
  std::string text = "\nstatic const operand_shape operands[] = {\n";
  for (const LauncherMatrix &matrix : matrices_)
    text += fmt::format("  {{\"{}\", {}, {}, {}, {}, {}, {}}},\n", matrix.name, matrix.columns, matrix.rows,
                        algrt::elementBytes(matrix.type), typeNumber(matrix.type), matrix.unit,
                        matrix.by_engine ? 1 : 0);
  text += "};\n\nstatic const map_shape maps[] = {\n";
  for (const algrt::KernelParameter &parameter : list_) {
    if (!parameter.isMap())
      continue;
    const auto matrix = std::ranges::find_if(matrices_, [&](const LauncherMatrix &candidate) {
      return candidate.name == parameter.operand || candidate.name == argumentName(parameter.operand, true);
    });
    const OperandView *view = matrix->views.find(parameter.view);
    if (view == nullptr)
      refuse(fmt::format("a map of {} of {}", algrt::name(parameter.view), matrix->name));
    const bool weights = parameter.view == algrt::ViewKind::Weights;
    const std::array<int64_t, 4> box =
        matrix->views.box(parameter.view, matrix->box.columns, matrix->box.rows);
    const auto step = [&](size_t i) { return weights ? view->strides[i] / matrix->columns : 0; };
    const auto rows = [&](size_t i) { return weights ? view->extents[i] : 0; };
    text +=
        fmt::format("  {{{}, {}, {}, {{{}, {}, {}, {}}}, {{{}, {}, {}}}, {{{}, {}}}, {{{}}}, {}, {}}},\n",
                    matrix - matrices_.begin(), linesOf(parameter.view), parameter.offset, view->extents[0],
                    view->extents[1], rows(2), rows(3), view->strides[0], step(1), step(2), view->group_list,
                    view->row_group_list, fmt::join(box, ", "), swizzleNumber(matrix->box.swizzle),
                    parameter.type == algrt::ParameterType::PlainMap ? 1 : 0);
  }
  return text + "};\n";
}

std::string LauncherArguments::parameters() const {
  std::string members = "  int32_t rows, offset;\n  unsigned long long terms;\n";
  for (const LauncherValue &value : values_)
    members +=
        fmt::format("  {} {};\n", value.element_bytes > 0 ? "unsigned long long" : "float", value.name);
  std::string pointers = "  parameters[0] = maps_of_all;\n";
  size_t next = 1, next_value = 0;
  for (const algrt::KernelParameter &parameter : list_) {
    if (parameter.isMap())
      continue;
    const bool known = parameter.value == ParameterValue::Rows || parameter.value == ParameterValue::Offset ||
                       parameter.value == ParameterValue::Terms;
    pointers += fmt::format("  parameters[{}] = &with->{};\n", next++,
                            known ? algrt::name(parameter.value) : values_[next_value++].name.c_str());
  }
  return fmt::format(
      "\n/* What the kernel takes behind its maps. */\ntypedef struct {{\n{}}} arguments;\n\n"
      "/* One pointer for each of the kernel's parameters, to its value. */\n"
      "static void set_parameters(void **parameters, void *maps_of_all, arguments *with) {{\n{}}}\n",
      members, pointers);
}

std::string LauncherArguments::launch(const char *name, bool dependent) const {
  std::string given, with;
  for (const LauncherMatrix &matrix : matrices_)
    given += fmt::format("{}{{(uintptr_t){}, ld{}}}", given.empty() ? "" : ", ", matrix.name, matrix.name);
  for (const LauncherValue &value : values_) {
    if (value.element_bytes > 0)
      with += fmt::format(
          "  if ((uintptr_t){0} % {1} != 0)\n    return fail(kernel, @_invalid_argument, \"{0} starts at an "
          "address that is not a multiple of {1} bytes\");\n",
          value.name, value.element_bytes);
    with += fmt::format("  with.{0} = {1}{0};\n", value.name, value.element_bytes > 0 ? "(uintptr_t)" : "");
  }
  return fmt::format("\nint @_{}({}) {{\n  const matrix given[OPERANDS] = {{{}}};\n  arguments with;\n{}  "
                     "return start(kernel, "
                     "given, &with, m, p0, stream, {});\n}}\n",
                     name, signature(), given, with, dependent ? 1 : 0);
}

std::string LauncherArguments::launches() const {
  return launch("launch", false) + launch("launch_dependent", true);
}

} // namespace compiler
