#include "runtime/api/tensor.h"

#include "runtime/api/boundary.h"
#include "runtime/support/checked.h"
#include "runtime/support/transposed.h"

#include <array>
#include <span>
#include <string>

namespace algrt {

namespace {

[[noreturn]] void refuse(const char *name, const std::string &what) {
  throw Error(ALGRT_INVALID_ARGUMENT, std::string(name) + ": " + what);
}

std::string typeText(DLDataType type) {
  const char *kind = type.code == kDLInt      ? "int"
                     : type.code == kDLUInt   ? "uint"
                     : type.code == kDLFloat  ? "f"
                     : type.code == kDLBfloat ? "bf"
                                              : "type code ";
  std::string text =
      kind + (*kind == 't' ? std::to_string(type.code) + " of " : "") + std::to_string(type.bits);
  return type.lanes == 1 ? text : text + "x" + std::to_string(type.lanes);
}

void checkDevice(const DLTensor *tensor, const char *name, DLDevice needed) {
  const DLDevice device = tensor->device;
  if (device.device_type == needed.device_type &&
      (device.device_type == kDLCPU || device.device_id == needed.device_id))
    return;
  const std::string on =
      device.device_type == kDLCPU ? "is in CPU memory"
      : device.device_type == kDLCUDA
          ? "is on a device of DLPack type 2 (CUDA), number " + std::to_string(device.device_id)
          : "is on a device of DLPack type " + std::to_string(device.device_type);
  refuse(name, on + (needed.device_type == kDLCPU
                         ? ", needs to be in CPU memory"
                         : ", needs to be on CUDA device " + std::to_string(needed.device_id) + " as x is"));
}

// Everything but shape and strides.
void checkKind(const DLTensor *tensor, const char *name, DLDevice device, DLDataType needed) {
  requireNotNull(tensor, name);
  checkDevice(tensor, name, device);
  const DLDataType type = tensor->dtype;
  if (!sameType(type, needed))
    refuse(name, "is of type " + typeText(type) + ", needs " + typeText(needed));
  if (tensor->ndim < 1 || tensor->ndim > 8)
    refuse(name, "has " + std::to_string(tensor->ndim) + " dimensions");
  if (tensor->shape == nullptr)
    refuse(name, "has no shape");
}

bool hasShape(const DLTensor *tensor, std::span<const int64_t> needed) {
  if (tensor->ndim != int(needed.size()))
    return false;
  for (int i = 0; i < tensor->ndim; ++i)
    // any_rows is negative itself: an extent of that value is as wrong as any other negative one.
    if (needed[i] == any_rows ? tensor->shape[i] < 0 : tensor->shape[i] != needed[i])
      return false;
  return true;
}

// What a message about a wrong shape ends with.
std::string transposedText(const DLTensor *tensor, std::span<const int64_t> needed) {
  return isTransposed({tensor->shape, size_t(tensor->ndim)}, needed) ? ": transposed?" : "";
}

// No processor gives a program more. What is above in an address may be a tag.
constexpr uint64_t address_space = uint64_t(1) << 56;
// Linux on x86-64 gives higher addresses to those alone who ask for them: what begins below ends below.
constexpr uint64_t ordinary_space = uint64_t(1) << 47;

// Where the tensor's memory ends, as far as its address tells.
uint64_t endOfSpace(const DLTensor *tensor, uint64_t data) {
#if defined(__x86_64__) && defined(__linux__)
  if (tensor->device.device_type == kDLCPU && data < ordinary_space)
    return ordinary_space;
#endif
  return address_space;
}

// Where the first of `bytes` bytes is. All of them have to have addresses: with an offset or a size beyond
// them whatever is computed from it is none.
void *dataOf(const DLTensor *tensor, const char *name, int64_t bytes, int64_t element_bytes) {
  if (tensor->data == nullptr)
    refuse(name, "has no data");
  const uint64_t data = reinterpret_cast<uintptr_t>(tensor->data) % address_space;
  const uint64_t space = endOfSpace(tensor, data) - data;
  if (tensor->byte_offset > space)
    refuse(name,
           "has a byte offset of " + std::to_string(tensor->byte_offset) + ", beyond the address space");
  if (uint64_t(bytes) > space - tensor->byte_offset)
    refuse(name, "has " + std::to_string(bytes) + " bytes from byte offset " +
                     std::to_string(tensor->byte_offset) + " on, which reach beyond the address space");
  const uintptr_t address = reinterpret_cast<uintptr_t>(tensor->data) + tensor->byte_offset;
  if (address % uintptr_t(element_bytes) != 0)
    refuse(name, "starts at an address that is not a multiple of its element's " +
                     std::to_string(element_bytes) + " bytes");
  return reinterpret_cast<void *>(address);
}

// The stride of a dimension. Where the dimension has at most one element its stride means nothing, and
// frameworks leave anything there: then `natural`.
int64_t strideOf(const DLTensor *tensor, int dimension, int64_t natural) {
  return tensor->strides == nullptr || tensor->shape[dimension] <= 1 ? natural : tensor->strides[dimension];
}

// From the first element to the last, whose byte has to be addressable.
int64_t spanBytes(const MatrixView &view, int64_t element_bytes, const char *name) {
  if (view.rows == 0)
    return 0;
  const int64_t before = checkedMultiply(view.rows - 1, view.stride, name);
  return checkedMultiply(checkedAdd(before, view.columns, name), element_bytes, name);
}

// Last two dimensions as a matrix of `rows` rows.
MatrixView matrixOf(const DLTensor *tensor, const char *name, int64_t rows, int64_t element_bytes) {
  const int inner = tensor->ndim - 1;
  MatrixView view{nullptr, rows, tensor->shape[inner], 0};
  if (int64_t stride = strideOf(tensor, inner, 1); stride != 1)
    refuse(name, "has stride " + std::to_string(stride) + " inside a row, needs 1: make it contiguous");
  view.stride = strideOf(tensor, inner - 1, view.columns);
  if (view.stride < view.columns)
    refuse(name, "has rows " + std::to_string(view.stride) + " elements apart, less than their width " +
                     std::to_string(view.columns));
  const int64_t bytes = spanBytes(view, element_bytes, name);
  if (rows != 0)
    view.data = dataOf(tensor, name, bytes, element_bytes);
  return view;
}

struct ByteRange {
  uintptr_t begin, end;
};

ByteRange bytesOf(const MatrixView &view, int64_t element_bytes) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(view.data);
  return {begin, begin + uintptr_t(((view.rows - 1) * view.stride + view.columns) * element_bytes)};
}

} // namespace

bool sameType(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

std::string shapeText(const int64_t *shape, int ndim) {
  std::string text = "[";
  for (int i = 0; i < ndim; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

int64_t elementBytes(DLDataType type) { return int64_t(type.bits) * type.lanes / 8; }

DLDataType dlpackType(ElementType type) {
  return type == ElementType::F32 ? DLDataType{kDLFloat, 32, 1} : DLDataType{kDLBfloat, 16, 1};
}

std::optional<ElementType> elementTypeOf(DLDataType type) {
  for (ElementType candidate : {ElementType::F32, ElementType::Bf16}) {
    if (sameType(type, dlpackType(candidate)))
      return candidate;
  }
  return std::nullopt;
}

MatrixView readMatrix(const DLTensor *tensor, const char *name, DLDevice device, ElementType type,
                      int64_t rows, int64_t columns) {
  checkKind(tensor, name, device, dlpackType(type));
  const std::array<int64_t, 2> needed = {rows, columns};
  if (!hasShape(tensor, needed))
    refuse(name, "has shape " + shapeText(tensor->shape, tensor->ndim) + ", needs [" +
                     (rows == any_rows ? "M" : std::to_string(rows)) + ", " + std::to_string(columns) + "]" +
                     transposedText(tensor, needed));
  return matrixOf(tensor, name, tensor->shape[0], elementBytes(type));
}

MatrixView readWeights(const DLTensor *tensor, const char *name, DLDevice device, const Layer &layer,
                       ElementType type) {
  const int64_t columns = layer.weightColumns();
  if (layer.lift == Lift::Rows)
    return readMatrix(tensor, name, device, type, layer.k, columns);
  checkKind(tensor, name, device, dlpackType(type));
  const int64_t slots = int64_t(layer.weight_rows.size());
  const std::array<int64_t, 3> blocks = {slots, layer.k / slots, columns};
  const std::array<int64_t, 2> flat = {layer.k, columns};
  if (hasShape(tensor, flat))
    return matrixOf(tensor, name, layer.k, elementBytes(type));
  if (!hasShape(tensor, blocks))
    refuse(name, "has shape " + shapeText(tensor->shape, tensor->ndim) + ", needs " +
                     shapeText(blocks.data(), 3) + " or " + shapeText(flat.data(), 2) +
                     (tensor->ndim == 2 ? transposedText(tensor, flat) : transposedText(tensor, blocks)));
  MatrixView view = matrixOf(tensor, name, layer.k, elementBytes(type));
  if (blocks[1] == 1) // one row per block: the distance of rows is the distance of blocks
    view.stride = strideOf(tensor, 0, view.columns);
  const int64_t between = strideOf(tensor, 0, blocks[1] * view.stride);
  if (view.stride < view.columns || between != checkedMultiply(blocks[1], view.stride, name))
    refuse(name, "has blocks " + std::to_string(between) + " elements apart, needs " +
                     std::to_string(blocks[1] * view.stride) + ", their rows one after another");
  view.data = dataOf(tensor, name, spanBytes(view, elementBytes(type), name), elementBytes(type));
  return view;
}

MatrixView readVector(const DLTensor *tensor, const char *name, DLDevice device, ElementType type,
                      int64_t size) {
  checkKind(tensor, name, device, dlpackType(type));
  if (!hasShape(tensor, std::array{size}))
    refuse(name,
           "has shape " + shapeText(tensor->shape, tensor->ndim) + ", needs [" + std::to_string(size) + "]");
  if (int64_t stride = strideOf(tensor, 0, 1); stride != 1)
    refuse(name, "has stride " + std::to_string(stride) + ", needs 1: make it contiguous");
  if (size == 0)
    return {nullptr, 0, 0, 0};
  const int64_t bytes = checkedMultiply(size, elementBytes(type), name);
  return {dataOf(tensor, name, bytes, elementBytes(type)), 1, size, size};
}

IntegerVector readIntegers(const DLTensor *tensor, const char *name, DLDevice device, IntegerTypes types,
                           int64_t size, const char *meaning) {
  requireNotNull(tensor, name);
  const DLDataType type = tensor->dtype;
  const bool wide = types == IntegerTypes::Int32OrInt64 && type.bits == 64;
  const DLDataType needed{kDLInt, uint8_t(wide ? 64 : 32), 1};
  if (types == IntegerTypes::Int32OrInt64 && !sameType(type, needed)) {
    checkDevice(tensor, name, device);
    refuse(name, "is of type " + typeText(type) + ", needs int32 or int64");
  }
  checkKind(tensor, name, device, needed);
  if (size == any_size ? tensor->ndim != 1 || tensor->shape[0] < 0 : !hasShape(tensor, std::array{size}))
    refuse(name, "has shape " + shapeText(tensor->shape, tensor->ndim) + ", needs " +
                     (size == any_size ? "one dimension" : "[" + std::to_string(size) + "]") + ": " +
                     meaning);
  if (int64_t stride = strideOf(tensor, 0, 1); stride != 1)
    refuse(name, "has stride " + std::to_string(stride) + ", needs 1: make it contiguous");
  const int64_t count = tensor->shape[0], element = wide ? 8 : 4;
  const int64_t bytes = checkedMultiply(count, element, name);
  return {count == 0 ? nullptr : dataOf(tensor, name, bytes, element), count, element};
}

MatrixView readJoined(const DLTensor *tensor, const char *name, DLDevice device) {
  checkDevice(tensor, name, device);
  const int inner = tensor->ndim - 1;
  const int64_t width = tensor->shape[inner], bytes = elementBytes(tensor->dtype);
  for (int i = 0; i <= inner; ++i)
    if (tensor->shape[i] == 0)
      return {nullptr, 0, width, width};
  if (int64_t stride = strideOf(tensor, inner, 1); inner == 0 && stride > 1) {
    MatrixView column{nullptr, width, 1, stride};
    column.data = dataOf(tensor, name, spanBytes(column, bytes, name), bytes);
    return column;
  } else if (stride != 1) {
    refuse(name, "has stride " + std::to_string(stride) + " inside a row, needs 1: make it contiguous");
  }
  MatrixView view{nullptr, 1, width, width};
  for (int i = inner; i-- > 0;) {
    const int64_t natural = checkedMultiply(view.rows, view.stride, name),
                  stride = strideOf(tensor, i, natural);
    if (view.rows == 1 && stride < width)
      refuse(name, "has rows " + std::to_string(stride) + " elements apart, less than their width " +
                       std::to_string(width));
    if (view.rows == 1)
      view.stride = stride;
    else if (stride != natural)
      refuse(name, "has blocks " + std::to_string(stride) + " elements apart, needs " +
                       std::to_string(natural) + ", their rows one after another");
    view.rows = checkedMultiply(view.rows, tensor->shape[i], name);
  }
  view.data = dataOf(tensor, name, spanBytes(view, bytes, name), bytes);
  return view;
}

bool overlap(const MatrixView &a, int64_t a_element_bytes, const MatrixView &b, int64_t b_element_bytes) {
  if (a.rows == 0 || b.rows == 0)
    return false;
  const ByteRange first = bytesOf(a, a_element_bytes), second = bytesOf(b, b_element_bytes);
  if (first.end <= second.begin || second.end <= first.begin)
    return false;
  const uint64_t pitch = uint64_t(a.stride * a_element_bytes);
  if (pitch != uint64_t(b.stride * b_element_bytes))
    return true;
  // Rows of both repeat with one pitch: where inside it does a row of the first start, seen from the second?
  const uint64_t distance = first.begin >= second.begin ? (first.begin - second.begin) % pitch
                                                        : pitch - (second.begin - first.begin) % pitch;
  return distance < uint64_t(b.columns * b_element_bytes) ||
         distance + uint64_t(a.columns * a_element_bytes) > pitch;
}

void requireDisjoint(const MatrixView &written, const char *written_name, int64_t written_element_bytes,
                     const MatrixView &read, const char *read_name, int64_t read_element_bytes) {
  if (overlap(written, written_element_bytes, read, read_element_bytes))
    refuse(written_name, std::string("overlaps ") + read_name + ": it is written while " + read_name +
                             " is still being read");
}

} // namespace algrt
