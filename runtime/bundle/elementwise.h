// Element-wise functions of a bundle (docs/bundle.md, "Element-wise functions"): maps and reductions between
// the products of a program.
#pragma once

#include "runtime/bundle/gpu_kernel.h"
#include "runtime/bundle/layer.h"
#include "runtime/bundle/program.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace algrt {

class JsonFields;

// What such a function reads or writes. It goes over a domain of rows and columns, and the operand has one
// number for each element of that, each row, each column, or one number for the call.
struct ElementwiseOperand {
  std::string name;
  OperandRole role; // input or output
  FusedOperand::Per per;
  ElementType type;
  // Of the tensor. Per element that of the domain, or [columns] of a domain of one row, or of three
  // dimensions whose first two are the rows; per row [rows]; per column [columns]; per call [1].
  Shape shape;
  // Of an output that is added to: the input, one f32 per call, that says how often what it held counts.
  // Where that is 0 it is not read. Empty for outputs that are written alone.
  std::string held_by = {};
  bool operator==(const ElementwiseOperand &) const = default;
};

// Its code for one target.
struct ElementwiseKernel {
  std::string target; // "cpu", "sm_90a"
  // Neither a CPU nor a GPU that this runtime knows: kept, with everything below unset.
  bool known = false;
  // Rows and columns of the domain that one worker owns, a thread of the CPU or a block of threads on a GPU;
  // 0: all of them. Tasks are numbered along the rows, the columns of each block of rows one after another.
  int64_t rows_per_task = 0, columns_per_task = 0;
  // For the CPU:
  std::string level;
  std::vector<std::string> features;
  std::string section, symbol;
  // For a GPU:
  std::optional<GpuCode> gpu;
};

struct Elementwise {
  std::string name;
  Extent rows, columns; // the domain
  // Inputs "x", "x2", "x3", ..., then outputs "y", "y2", ...: what kernels take, in this order.
  std::vector<ElementwiseOperand> operands;
  std::vector<ElementwiseKernel> kernels;

  const ElementwiseOperand *findOperand(std::string_view name) const;
};

// Reads the list "elementwise" of the manifest, which may be missing. Throws Error(ALGRT_BAD_BUNDLE) naming
// the key for operands that do not fit the domain, kernels that lack something, and what is there twice. That
// sections exist is checked by parseManifest.
std::vector<Elementwise> parseElementwise(const JsonFields &document);

// Of the function that computes the gradient of a layer's bias in that type, which bundles have with dw: what
// it sums is x, dy; how often y, dbias, counts is x2.
std::string dbiasFunction(ElementType type);

// What a GPU's kernel of the function is launched with, in this order: of each operand its address, and of
// one per element the distance of its rows. An input per call is a number in the launch where its address is
// 0. Then rows and columns of the domain.
KernelParameters elementwiseParameters(const Elementwise &function);

// As the manifest has it.
nlohmann::ordered_json elementwiseJson(const Elementwise &function);

// What a step of a program connects: an operand for each of the function's.
std::vector<ProgramOperand> operandsOf(const Elementwise &function);

// How many tasks the kernel's work is cut into for a domain of that size. Throws Error where that leaves 64
// bits.
int64_t elementwiseTasks(const ElementwiseKernel &kernel, int64_t rows, int64_t columns);

} // namespace algrt
