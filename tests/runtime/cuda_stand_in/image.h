// What a module image says of itself: cubin (ELF) or PTX text.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace algrt::cuda_stand_in {

struct ImageKernel {
  std::string symbol;
  std::vector<size_t> parameters; // their sizes in bytes
  unsigned int most_threads;      // of a block
};

struct Image {
  bool ptx;
  int architecture; // ten times the compute capability
  bool exact;       // PTX for one capability alone: "sm_90a"
  std::vector<ImageKernel> kernels;
  std::string bytes; // all of it, without the zero that ends PTX
};

// Nothing if it is neither, or malformed. Images carry no length: ELF headers or a terminating zero end them.
std::optional<Image> readImage(const void *image);

} // namespace algrt::cuda_stand_in
