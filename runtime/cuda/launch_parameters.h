// The parameters of one launch, laid out as the kernel's list says: for the driver as for the simulator.
#pragma once

#include "runtime/bundle/elementwise.h"
#include "runtime/cuda/launch_plan.h"
#include "runtime/gpu_kernel_abi.h"
#include "runtime/support/error.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <span>

namespace algrt::cuda {

// Room for the values of a list, each at its offset. The list must outlive it.
class ParameterBlock {
public:
  explicit ParameterBlock(const KernelParameters &list) : list_(list) {}
  ParameterBlock(const ParameterBlock &) = delete;

  std::byte *at(int64_t offset) { return bytes_.data() + offset; }
  // `value` has the size of the parameter's type.
  template <typename T> void set(const KernelParameter &parameter, T value) {
    if (int64_t(sizeof(T)) != parameterBytes(parameter.type))
      throw Error(ALGRT_INTERNAL, std::string("a launch writes ") + std::to_string(sizeof(T)) +
                                      " bytes to the parameter " + name(parameter.value));
    std::memcpy(at(parameter.offset), &value, sizeof(T));
  }
  // For cuLaunchKernelEx: one for each parameter of the kernel, of which all maps are one. They are the
  // block's, so that a launch allocates nothing for them.
  std::span<void *> pointers();
  // From the first plain map to the last; empty where there is none.
  std::span<const std::byte> plainMaps();

private:
  const KernelParameters &list_;
  alignas(algrt_tensor_map_alignment) std::array<std::byte, most_parameter_bytes> bytes_{};
  std::array<void *, most_parameter_bytes / sizeof(int32_t)> pointers_; // set by pointers()
};

// Of a product, behind its maps.
struct ProductValues {
  int32_t rows, offset;
  uint64_t terms;
  float beta;
  uint64_t bias, positions;
  int32_t position_bytes;
  // Of a fused layer: what its kernels take beside x, w and y (FurtherOperand), whose addresses count here,
  // and for each of its operands a number, which counts where it is one for the call.
  const Fusion *fusion = nullptr;
  std::span<const Operand> further = {};
  std::span<const float> numbers = {};
  uint64_t expert_starts = 0; // of kernels that take them
  int32_t experts = 0;
  // Of experts whose rows are in a list, else 0: by which rows of x are found, and positions, and how many
  // rows of the batch it names.
  uint64_t x_rows = 0, expert_rows = 0;
  int32_t batch_rows = 0;
};

// Encodes a tensor map to where the launch has it.
using EncodeMap = std::function<void(const TensorMap &map, std::byte *to)>;

// `plan` is of the kernel whose list the block is for.
void setProduct(ParameterBlock &block, const KernelParameters &list, const LaunchPlan &plan,
                const ProductValues &values, const EncodeMap &encode);

// Of group_rows.
struct RowListValues {
  uint64_t list, source, firsts;
  int64_t width;
  int32_t rows, types, form, sequences, offset;
  // Of experts: the list for X where it is one of its own, where they begin, how many there are, the list of
  // their rows and how many rows of the batch that names.
  uint64_t list_of_x = 0, expert_starts = 0;
  int32_t experts = 1;
  uint64_t expert_rows = 0;
  int32_t batch_rows = 0;
};
void setRowList(ParameterBlock &block, const KernelParameters &list, const RowListValues &values);

// An operand of an element-wise function: where it is, or a number of the launch, with the address 0.
struct ElementwiseOperandValue {
  uint64_t address;
  int64_t stride; // of its rows, in elements
  float number;
};
// `operands` are in the order of the function's, rows and columns those of its domain.
void setElementwise(ParameterBlock &block, const KernelParameters &list, const Elementwise &function,
                    std::span<const ElementwiseOperandValue> operands, int32_t rows, int32_t columns);

} // namespace algrt::cuda
