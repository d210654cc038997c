// Launchers of products by hand: their programs, and what a C compiler made of them.
#pragma once

#include "compiler/targets/c/cuda_launcher.h"
#include "runtime/cuda/driver_entries.h"
#include "tests/tools/temporary_folder.h"

#include <cstdint>
#include <string>
#include <vector>

// The driver's functions, which the stand-in defines.
namespace algrt::cuda {
// NOLINTBEGIN(readability-identifier-naming)
#define DECLARE(NAME, SYMBOL, PARAMETERS) extern "C" Result SYMBOL PARAMETERS;
ALGRT_CUDA_DRIVER_ENTRIES(DECLARE)
#undef DECLARE
// NOLINTEND(readability-identifier-naming)
} // namespace algrt::cuda

namespace launcher_test {

struct Shape {
  const char *name;
  algrt::Lift lift;
  algrt::RowTypesKind kind;
  int64_t types, run, groups, in, out;
  algrt::ElementType output;
  int64_t cluster;
  std::vector<int32_t> terms;
  int64_t vector = 0; // above 0: threads copy so many elements at a time
  bool scaled = false;
  int64_t tile_types = 1, stationary_groups = 0;
  bool split = false; // the blocks of a cluster compute each tile together
  algrt::Map map = algrt::Map::Forward;
  bool bias = false, unequal = false; // unequal: one group is wider than the others
  bool joined = false;                // the runs of interval types are one segment for each type
  bool fused = false; // two products, maps of which read operands of every kind, and two results

  // Elements that the distance of rows may grow by.
  int64_t padding(int64_t most) const { return vector == 0 ? most : vector * 3; }
};

extern const std::vector<Shape> shapes;
// Gradients, a bias, groups of unequal widths.
extern const std::vector<Shape> further_shapes;
// Layers of programs, the engine and threads.
extern const std::vector<Shape> fused_shapes;

// PTX of an empty kernel with the parameters of a shape's.
std::string emptyKernel(const Shape &shape);

// With the texts of a program: they have to outlive it.
compiler::CudaProgram programOf(const Shape &shape, const std::string &path, const std::string &ptx = "",
                                const std::string &cubin = "");

// The functions of a compiled launcher, by the types of its header.
struct Launcher {
  struct Kernel {
    void *state;
    char error[512];
  };
  using Symbol = void (*)();
  using Find = Symbol (*)(const char *, void *);

  // Of an empty kernel: its PTX, where none is given, and the cubin, where one is.
  Launcher(const TemporaryFolder &folder, const Shape &shape, const std::string &c_compiler,
           const std::string &ptx = "", const std::string &cubin = "");
  ~Launcher();
  Launcher(const Launcher &) = delete;
  Launcher &operator=(const Launcher &) = delete;

  // With the driver's functions from the stand-in, which the test is linked with.
  int loadFromStandIn(Kernel &kernel, int device) const;

  int (*load_from)(Kernel *, int, Find, void *);
  int (*load)(Kernel *, int);
  using Launch = int (*)(Kernel *, const void *, int64_t, const void *, int64_t, void *, int64_t, int64_t,
                         int64_t, void *);
  // With the address of a bias, and with beta.
  using LaunchWithBias = int (*)(Kernel *, const void *, int64_t, const void *, int64_t, void *, int64_t,
                                 const void *, int64_t, int64_t, void *);
  using LaunchWithBeta = int (*)(Kernel *, const void *, int64_t, const void *, int64_t, void *, int64_t,
                                 float, int64_t, int64_t, void *);
  // x, w, w2, factor, residual, y, y2, scale, alpha.
  using LaunchFused = int (*)(Kernel *, const void *, int64_t, const void *, int64_t, const void *, int64_t,
                              const void *, int64_t, const void *, int64_t, void *, int64_t, void *, int64_t,
                              const void *, float, int64_t, int64_t, void *);
  Launch launch, launch_dependent;
  LaunchWithBias launch_with_bias; // the same function
  LaunchWithBeta launch_with_beta;
  LaunchFused launch_fused;
  void (*unload)(Kernel *);
  const char *(*error)(const Kernel *);

private:
  template <class Function> void find(Function &function, const char *name);
  void *library_;
};

} // namespace launcher_test
