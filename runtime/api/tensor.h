// DLPack tensors checked and turned into views.
#pragma once

#include "runtime/algrt.h"
#include "runtime/bundle/manifest.h"
#include "runtime/cpu/matrix_view.h"
#include "runtime/cpu/row_source.h"

#include <optional>
#include <string>

namespace algrt {

inline constexpr int64_t any_rows = -1;

DLDataType dlpackType(ElementType type);

inline constexpr DLDevice cpu_device{kDLCPU, 0};

// f32 or bf16, or nothing.
std::optional<ElementType> elementTypeOf(DLDataType type);

// A row-major matrix of that type and shape in the memory of that device. Throws
// Error(ALGRT_INVALID_ARGUMENT) "x: ..." with what the tensor has and what is needed.
MatrixView readMatrix(const DLTensor *tensor, const char *name, DLDevice device, ElementType type,
                      int64_t rows, int64_t columns);

// The weight matrix in either of its shapes, with elements of that type.
MatrixView readWeights(const DLTensor *tensor, const char *name, DLDevice device, const Layer &layer,
                       ElementType type);

// A vector in the memory of that device, `size` long, elements side by side, as a matrix of one row.
MatrixView readVector(const DLTensor *tensor, const char *name, DLDevice device, ElementType type,
                      int64_t size);

enum class IntegerTypes { Int32, Int32OrInt64 };
inline constexpr int64_t any_size = -1;

// A vector of whole numbers in the memory of that device, elements side by side. `meaning` tells what its
// elements are where it has another number of them than `size`.
IntegerVector readIntegers(const DLTensor *tensor, const char *name, DLDevice device, IntegerTypes types,
                           int64_t size, const char *meaning);

// Any tensor in the memory of that device whose rows lie one after another at one distance, as a matrix with
// all dimensions but the last one joined; a vector whose numbers lie apart as one column; one without
// elements has no rows. Type and shape are the caller's to check.
MatrixView readJoined(const DLTensor *tensor, const char *name, DLDevice device);
int64_t elementBytes(DLDataType type);

bool sameType(DLDataType a, DLDataType b);
std::string shapeText(const int64_t *shape, int ndim); // "[4, 3]"

// Whether some element of one is also an element of the other. Views that interleave, such as column ranges
// of one buffer, do not overlap.
bool overlap(const MatrixView &a, int64_t a_element_bytes, const MatrixView &b, int64_t b_element_bytes);
// Throws if they do.
void requireDisjoint(const MatrixView &written, const char *written_name, int64_t written_element_bytes,
                     const MatrixView &read, const char *read_name, int64_t read_element_bytes);

} // namespace algrt
