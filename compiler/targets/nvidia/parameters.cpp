#include "compiler/targets/nvidia/parameters.h"

#include "compiler/process/failure.h"
#include "compiler/targets/nvidia/instructions.h"
#include "compiler/targets/nvidia/plain_map.h"
#include "runtime/bundle/json_fields.h"
#include "runtime/bundle/map.h"
#include "runtime/support/error.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <nlohmann/json.hpp>

using namespace mlir;

namespace compiler {
namespace {

using algrt::KernelParameter;
using algrt::KernelParameters;
using algrt::ParameterType;
using algrt::ParameterValue;
using algrt::ViewKind;

/// Dimension 2 has the depth of the weight matrix's blocks, dimension 3 the rows of an operand.
constexpr int64_t weight_row_dimension = 2;

algrt::RowTypesKind kindOf(alg::RowTypesAttr types) {
  switch (types.getKind()) {
  case alg::RowTypeKind::Interval:
    return algrt::RowTypesKind::Interval;
  case alg::RowTypeKind::Explicit:
    return algrt::RowTypesKind::ExplicitTypes;
  case alg::RowTypeKind::Cyclic:
    return algrt::RowTypesKind::Cyclic;
  }
  llvm_unreachable("no kind of row types");
}

algrt::RowAccess accessOf(sm::MapsType type) {
  return type.getListed() ? algrt::RowAccess::Listed
         : type.getRun()  ? algrt::RowAccess::JoinedRuns
                          : algrt::RowAccess::Segments;
}

std::vector<ViewKind> viewsOf(sm::MapsType type, sm::KernelOp kernel) {
  auto layout = cast<tile::LayoutAttr>(kernel.getLayout());
  if (type.getRowDimension() == weight_row_dimension)
    return {ViewKind::Weights};
  if (isa<tile::ReducedAttr>(kernel.getSchedule()))
    return {ViewKind::AllRows};
  std::vector<ViewKind> views = algrt::rowViews(kindOf(layout.getRowTypes()), accessOf(type));
  // A gradient of the weight matrix also sees all rows as they lie; of a row list coordinates choose them.
  if (layout.isWeightGradient() && !type.getListed())
    views.push_back(ViewKind::AllRows);
  return views;
}

Type typeOf(ParameterType type, MLIRContext *context) {
  Builder builder(context);
  switch (type) {
  case ParameterType::TensorMap:
    return LLVM::LLVMArrayType::get(builder.getI8Type(), algrt::parameterBytes(type));
  case ParameterType::PlainMap:
    return plainMapType(context);
  case ParameterType::Address:
    return pointerTo(context, Space::Global);
  case ParameterType::I32:
    return builder.getI32Type();
  case ParameterType::I64:
    return builder.getI64Type();
  case ParameterType::F32:
    return builder.getF32Type();
  }
  llvm_unreachable("no type of a parameter");
}

/// Of all maps: an array, or arrays of each type one behind the other.
Type structOfMaps(const KernelParameters &parameters, MLIRContext *context) {
  SmallVector<Type> arrays;
  unsigned count = 0;
  const std::vector<KernelParameter> &all = parameters.all();
  for (size_t i = 0; i < all.size() && all[i].isMap(); ++i) {
    ++count;
    if (i + 1 < all.size() && all[i + 1].isMap() && all[i + 1].type == all[i].type)
      continue;
    arrays.push_back(LLVM::LLVMArrayType::get(typeOf(all[i].type, context), count));
    count = 0;
  }
  return arrays.size() == 1 ? arrays.front() : LLVM::LLVMStructType::getLiteral(context, arrays);
}

/// What people read: "maps", "bias", "position_bytes", "rows".
std::string nameOf(const KernelParameter &parameter) {
  if (parameter.value == ParameterValue::Operand || parameter.value == ParameterValue::Number)
    return parameter.operand;
  if (parameter.value == ParameterValue::ElementBytes)
    return parameter.operand + "_bytes";
  return parameter.isMap() ? "maps" : algrt::name(parameter.value);
}

ArrayAttr attributeOf(const KernelParameters &parameters, Builder &builder) {
  SmallVector<Attribute> list;
  for (const KernelParameter &parameter : parameters) {
    NamedAttrList entry;
    entry.set("value", builder.getStringAttr(algrt::name(parameter.value)));
    entry.set("type", builder.getStringAttr(algrt::name(parameter.type)));
    if (!parameter.operand.empty())
      entry.set("operand", builder.getStringAttr(parameter.operand));
    if (parameter.isMap())
      entry.set("view", builder.getStringAttr(algrt::name(parameter.view)));
    list.push_back(entry.getDictionary(builder.getContext()));
  }
  return builder.getArrayAttr(list);
}

} // namespace

std::string operandName(BlockArgument argument) {
  if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
    return name.getName().str();
  return "operand" + std::to_string(argument.getArgNumber());
}

SmallVector<BlockArgument> mapsInOrder(sm::KernelOp kernel) {
  SmallVector<BlockArgument> tensor, plain;
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (auto type = dyn_cast<sm::MapsType>(argument.getType()))
      (type.isPlain() ? plain : tensor).push_back(argument);
  tensor.append(plain);
  return tensor;
}

/// What the maps of each operand are called: X, weight matrices and results by their number, others by their
/// own name.
static std::string nameOfMaps(BlockArgument maps, algrt::Map map) {
  const algrt::OperandNames names = algrt::operandNames(map);
  // A kernel's first three arguments, whatever its map; behind them those of several products.
  const char *const first[] = {names.x, names.w, names.y};
  if (maps.getArgNumber() < std::size(first))
    return first[maps.getArgNumber()];
  // A gradient of the weight matrix has only its result once more, in a plain map.
  if (map == algrt::Map::Dw)
    return names.y;
  auto alike = [](BlockArgument argument) {
    auto type = dyn_cast<sm::MapsType>(argument.getType());
    if (!type)
      return 0;
    if (type.getRowDimension() == weight_row_dimension)
      return 1;
    return llvm::any_of(argument.getUsers(), llvm::IsaPred<sm::StoreSumsOp>) ? 2 : 3;
  };
  const int kind = alike(maps);
  if (kind == 3)
    return operandName(maps);
  int64_t number = 1;
  for (BlockArgument before : maps.getOwner()->getArguments().slice(std::size(first)))
    if (before.getArgNumber() < maps.getArgNumber() && alike(before) == kind)
      ++number;
  return algrt::numberedName(kind == 1 ? names.w : names.y, number);
}

FailureOr<KernelParameters> parametersOf(sm::KernelOp kernel) {
  auto layout = cast<tile::LayoutAttr>(kernel.getLayout());
  const algrt::Map map = layout.isWeightGradient() ? algrt::Map::Dw
                         : layout.isTransposed()   ? algrt::Map::Dx
                                                   : algrt::Map::Forward;
  // Of the arguments that are whole numbers. Kernels that find rows in lists are given no positions.
  const char *const positions = "positions", *const expert_starts = "expert_starts";
  const std::pair<ParameterValue, const char *> numbers[] = {{ParameterValue::Rows, ""},
                                                             {ParameterValue::Offset, ""},
                                                             {ParameterValue::ElementBytes, positions},
                                                             {ParameterValue::Experts, ""},
                                                             {ParameterValue::BatchRows, ""}};
  // Of the lists by which an expert's rows are found.
  const char *const lists[] = {"x_rows", "expert_rows"};
  size_t indices = 0, list = 0;
  KernelParameters parameters;
  for (BlockArgument argument : mapsInOrder(kernel)) {
    auto type = cast<sm::MapsType>(argument.getType());
    const std::string operand = nameOfMaps(argument, map);
    const std::vector<ViewKind> views = viewsOf(type, kernel);
    if (static_cast<int64_t>(views.size()) != type.getCount())
      return kernel.emitOpError("has ")
             << type.getCount() << " maps of " << operand << ", of which a launch has " << views.size();
    for (const ViewKind view : views)
      parameters.map(type.isPlain() ? ParameterType::PlainMap : ParameterType::TensorMap, operand, view);
  }
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    if (isa<sm::MapsType>(argument.getType()))
      continue;
    if (isa<sm::ColumnsType>(argument.getType())) {
      parameters.add(ParameterValue::Operand, operandName(argument));
    } else if (isa<sm::TermsTableType>(argument.getType())) {
      parameters.add(ParameterValue::Terms);
    } else if (isa<sm::PositionsType>(argument.getType())) {
      parameters.add(ParameterValue::Operand, positions);
    } else if (isa<sm::ExpertStartsType>(argument.getType())) {
      parameters.add(ParameterValue::Operand, expert_starts);
    } else if (isa<sm::ExpertRowsType>(argument.getType())) {
      parameters.add(ParameterValue::Operand, lists[list++]);
    } else if (argument.getType().isF32()) {
      if (layout.isWeightGradient())
        parameters.add(ParameterValue::Beta);
      else
        parameters.add(ParameterValue::Number, operandName(argument));
    } else {
      const auto &[value, operand] = numbers[indices++];
      if (value == ParameterValue::ElementBytes && !isa<tile::ReducedAttr>(kernel.getSchedule()))
        parameters.add(ParameterValue::Experts);
      else
        parameters.add(value, operand);
    }
  }
  if (parameters.bytes() > algrt::most_parameter_bytes)
    return kernel.emitOpError("takes ")
           << parameters.bytes() << " bytes of parameters, of which a launch has "
           << algrt::most_parameter_bytes << ": give it fewer operands";
  return parameters;
}

LLVM::LLVMFuncOp declareKernel(OpBuilder &builder, Location location, StringRef name,
                               const KernelParameters &parameters, int64_t threads, int64_t blocks_together) {
  MLIRContext *context = builder.getContext();
  const bool has_maps = parameters.begin()->isMap();
  SmallVector<Type> types;
  SmallVector<std::string> names;
  for (const KernelParameter &parameter : parameters) {
    if (parameter.isMap() && !types.empty())
      continue;
    types.push_back(parameter.isMap() ? pointerTo(context, Space::Generic) : typeOf(parameter.type, context));
    names.push_back(nameOf(parameter));
  }
  auto function = LLVM::LLVMFuncOp::create(
      builder, location, name, LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
  if (has_maps) {
    function.setArgAttr(0, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(structOfMaps(parameters, context)));
    function.setArgAttr(0, NVVM::NVVMDialect::getGridConstantAttrName(), builder.getUnitAttr());
    function.setArgAttr(0, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(algrt::parameterAlignment(parameters.begin()->type)));
  }
  function->setAttr(kernel_parameters_name, attributeOf(parameters, builder));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    builder.getDenseI32ArrayAttr({static_cast<int32_t>(threads), 1, 1}));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(static_cast<int32_t>(blocks_together)));
  Block *entry = function.addEntryBlock(builder);
  for (auto [argument, text] : llvm::zip(entry->getArguments(), names))
    argument.setLoc(NameLoc::get(builder.getStringAttr(text)));
  return function;
}

KernelParameters readParameters(LLVM::LLVMFuncOp function) {
  auto list = function->getAttrOfType<ArrayAttr>(kernel_parameters_name);
  if (!list)
    throw Failure("the function " + function.getSymName().str() + " has no attribute " +
                  kernel_parameters_name.str());
  // As the manifest would have it, so that it is read as strictly.
  nlohmann::ordered_json entries = nlohmann::ordered_json::array();
  int64_t end = 0;
  for (Attribute attribute : list) {
    nlohmann::ordered_json &entry = entries.emplace_back(nlohmann::ordered_json::object());
    if (auto dictionary = dyn_cast<DictionaryAttr>(attribute))
      for (NamedAttribute field : dictionary)
        if (auto text = dyn_cast<StringAttr>(field.getValue()))
          entry[field.getName().str()] = text.str();
    for (const ParameterType type :
         {ParameterType::TensorMap, ParameterType::PlainMap, ParameterType::Address, ParameterType::I32,
          ParameterType::I64, ParameterType::F32})
      if (entry.value("type", "") == algrt::name(type)) {
        entry["offset"] = llvm::alignTo(end, algrt::parameterAlignment(type));
        entry["bytes"] = algrt::parameterBytes(type);
        end = entry["offset"].get<int64_t>() + algrt::parameterBytes(type);
      }
  }
  const nlohmann::json document = {{kernel_parameters_name.str(), entries}};
  try {
    return KernelParameters::parse(algrt::JsonFields(document, "the function " + function.getSymName().str()),
                                   kernel_parameters_name.data());
  } catch (const algrt::Error &error) {
    throw Failure(error.what());
  }
}

} // namespace compiler
