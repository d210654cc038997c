// Says what CuTe, the layout library of CUTLASS, makes of the layouts that kernels use: descriptors of
// operands in shared memory, the elements that threads hold of a product, and boxes of tensor maps.
//
// cute_layouts.py compiles this file for the host, with the questions of the kernels at hand, and reads what
// it prints. Nothing in it comes from the compiler: the layouts are written down once more, in CuTe's terms.
#include <cstddef>
#include <cstdint>
#include <cstdio>

/// Stands for the shared memory of a thread block.
alignas(1024) static unsigned char shared_memory[1 << 18];

// CuTe turns pointers into addresses of shared memory with this function, which a host does not have. Here
// such addresses count from the beginning of the array.
#define CUTE_CVTA_GENERIC_TO_SHARED_ACTIVATED 1
static size_t __cvta_generic_to_shared(const void *pointer) {
  return static_cast<const unsigned char *>(pointer) - shared_memory;
}

#include <cute/atom/mma_traits_sm90_gmma.hpp>
#include <cute/tensor.hpp>

namespace {

using cute::Int;
using Major = cute::SM90::GMMA::Major;
using Bf16 = cutlass::bfloat16_t;

constexpr int instruction_depth = 16;

constexpr int swizzleBits(int span) { return span == 128 ? 3 : span == 64 ? 2 : 1; }

/// A tensor over shared memory whose rows of `span` bytes are swizzled as tensor maps of that swizzle do it.
template <int span, class Element, class Layout> auto swizzled(const Layout &layout) {
  using Swizzle = cute::Swizzle<swizzleBits(span), 4, 3>;
  using Elements = cute::smem_ptr_flag_bits<8 * sizeof(Element)>;
  return cute::make_tensor(cute::make_smem_ptr(reinterpret_cast<Element *>(shared_memory)),
                           cute::make_composed_layout(Swizzle{}, Elements{}, layout));
}

template <Major major, int span, int extent, int depth> auto operandLayout() {
  using cute::make_layout, cute::make_shape, cute::make_stride;
  using One = Int<1>;
  constexpr int width = span / sizeof(Bf16);
  const auto steps = make_shape(Int<instruction_depth>{}, Int<depth / instruction_depth>{});
  if constexpr (major == Major::K) {
    // A row for each of the extent, which has the whole depth.
    static_assert(depth == width);
    return make_layout(make_shape(Int<extent>{}, steps),
                       make_stride(Int<width>{}, make_stride(One{}, Int<instruction_depth>{})));
  } else {
    // Panels of so many of the extent, each with a row for each of the depth.
    static_assert(extent % width == 0);
    return make_layout(make_shape(make_shape(Int<width>{}, Int<extent / width>{}), steps),
                       make_stride(make_stride(One{}, Int<depth * width>{}),
                                   make_stride(Int<width>{}, Int<instruction_depth * width>{})));
  }
}

/// The descriptors of an operand at address 0, one for each instruction of its depth.
template <Major major, int span, int extent, int depth> void describeOperand() {
  const auto operand = swizzled<span, Bf16>(operandLayout<major, span, extent, depth>());
  for (int step = 0; step < depth / instruction_depth; ++step) {
    const cute::GmmaDescriptor descriptor =
        cute::SM90::GMMA::make_gmma_desc<major>(operand(cute::_, cute::make_coord(cute::_, step)));
    std::printf("operand %s %d %d %d %d %llu\n", major == Major::K ? "K" : "MN", span, extent, depth, step,
                static_cast<unsigned long long>(uint64_t{descriptor}));
  }
}

/// The row and the column of each sum of each thread of m64nNk16.
template <int columns> void describeAccumulator() {
  constexpr int rows = 64, threads = 128;
  const cute::SM90::GMMA::CLayout_64xN<columns> layout;
  for (int thread = 0; thread < threads; ++thread) {
    std::printf("accumulator %d %d", columns, thread);
    for (int sum = 0; sum < rows * columns / threads; ++sum) {
      const int place = layout(thread, sum);
      std::printf(" %d %d", place % rows, place / rows);
    }
    std::printf("\n");
  }
}

/// Where the elements of a box of a tensor map lie, in bytes from its beginning.
template <int span, class Element> void describeBox(int rows) {
  constexpr int columns = span / sizeof(Element);
  const auto box = swizzled<span, Element>(
      cute::make_layout(cute::make_shape(rows, Int<columns>{}), cute::make_stride(Int<columns>{}, Int<1>{})));
  for (int row = 0; row < rows; ++row) {
    std::printf("box %d %d %d %d", span, static_cast<int>(sizeof(Element)), rows, row);
    for (int column = 0; column < columns; ++column)
      std::printf(" %d", static_cast<int>(reinterpret_cast<const unsigned char *>(&box(row, column)) -
                                          shared_memory));
    std::printf("\n");
  }
}

} // namespace

int main() {
#include ALGCTL_QUESTIONS
}
