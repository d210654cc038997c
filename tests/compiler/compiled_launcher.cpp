#include "tests/compiler/compiled_launcher.h"

#include "runtime/gpu_kernel_abi.h"
#include "tests/runtime/usual_parameters.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <stdexcept>

namespace launcher_test {

using namespace algrt;
using compiler::CudaProgram;
using compiler::launcherNames;

// The first shape as other kernels see it: several types in a tile, stationary rows, blocks that share a
// tile.
static Shape cyclic(const char *name) {
  return {name, Lift::Rows, RowTypesKind::Cyclic, 5, 1, 5, 64, 96, ElementType::Bf16, 1, {}};
}

static Shape pairs(const char *name, int64_t stationary_groups) {
  Shape shape = cyclic(name);
  shape.tile_types = 2;
  shape.stationary_groups = stationary_groups;
  return shape;
}

static Shape triples() {
  Shape shape = {
      "IntervalTriples", Lift::Rows, RowTypesKind::Interval, 3, 7, 3, 32, 64, ElementType::F32, 1, {}};
  shape.tile_types = 3;
  return shape;
}

static Shape joined(const char *name, int64_t vector, Map map = Map::Forward) {
  Shape shape = {name, Lift::Rows, RowTypesKind::Interval, 5, 4, 5, 64, 96, ElementType::Bf16, 1, {}, vector};
  shape.map = map;
  shape.joined = true;
  return shape;
}

static Shape split() {
  Shape shape = cyclic("CyclicSplit");
  shape.cluster = 4;
  shape.split = true;
  return shape;
}

const std::vector<Shape> shapes = {
    cyclic("Cyclic"),
    pairs("CyclicPairs", 0),
    triples(),
    pairs("CyclicHeld", 3),
    joined("Joined", 0),
    joined("JoinedPlain", 8),
    split(),
    {"OneType", Lift::Rows, RowTypesKind::Cyclic, 1, 1, 1, 64, 32, ElementType::F32, 1, {}},
    {"Interval", Lift::Rows, RowTypesKind::Interval, 3, 7, 3, 32, 64, ElementType::F32, 2, {}},
    {"Slots",
     Lift::Slots,
     RowTypesKind::Cyclic,
     1,
     1,
     4,
     32,
     32,
     ElementType::Bf16,
     4,
     {0, 1, 2, INT32_MIN, -3, 7}},
    {"PlainOdd", Lift::Rows, RowTypesKind::Cyclic, 5, 1, 5, 13, 7, ElementType::Bf16, 1, {}, 1},
    {"PlainInterval", Lift::Rows, RowTypesKind::Interval, 3, 7, 3, 32, 64, ElementType::F32, 1, {}, 8},
    {"PlainOneType", Lift::Rows, RowTypesKind::Cyclic, 1, 1, 1, 6, 10, ElementType::F32, 1, {}, 2},
    {"PlainSlots",
     Lift::Slots,
     RowTypesKind::Cyclic,
     1,
     1,
     4,
     12,
     20,
     ElementType::Bf16,
     1,
     {0, 1, 0, 3, 0x3f000000, INT32_MIN},
     4,
     true},
};

static Shape gradient(const char *name, Map map, RowTypesKind kind, int64_t vector) {
  const bool interval = kind == RowTypesKind::Interval;
  Shape shape = {name, Lift::Rows,   kind,  5, interval ? 7 : 1, 5, 64, 96, ElementType::F32,
                 1,    {0, 1, 2, 3}, vector};
  shape.map = map;
  return shape;
}

static std::vector<Shape> furtherShapes() {
  std::vector<Shape> all = {gradient("Dx", Map::Dx, RowTypesKind::Cyclic, 0),
                            gradient("DxIntervalPlain", Map::Dx, RowTypesKind::Interval, 8),
                            gradient("Dw", Map::Dw, RowTypesKind::Cyclic, 0),
                            gradient("DwIntervalPlain", Map::Dw, RowTypesKind::Interval, 4),
                            joined("DxJoined", 0, Map::Dx),
                            joined("DwJoined", 0, Map::Dw),
                            joined("DwJoinedPlain", 4, Map::Dw)};
  for (const int64_t vector : {0, 2}) {
    Shape bias = cyclic(vector == 0 ? "Bias" : "BiasPlain");
    bias.bias = true;
    bias.vector = vector;
    all.push_back(bias);
  }
  for (const Map map : {Map::Forward, Map::Dx, Map::Dw}) {
    Shape unequal = gradient(map == Map::Forward ? "Unequal"
                             : map == Map::Dx    ? "UnequalDx"
                                                 : "UnequalDw",
                             map, RowTypesKind::Cyclic, 8);
    unequal.unequal = true;
    all.push_back(unequal);
  }
  return all;
}

const std::vector<Shape> further_shapes = furtherShapes();

static Shape fused(const char *name, int64_t vector) {
  Shape shape = cyclic(name);
  shape.vector = vector;
  shape.fused = true;
  return shape;
}

const std::vector<Shape> fused_shapes = {fused("Engine", 0), fused("Threads", 8)};

std::string emptyKernel(const Shape &shape) {
  const bool plain = shape.vector > 0;
  std::string parameters;
  int64_t maps_end = 0;
  int number = 0;
  const KernelParameters list = programOf(shape, "up-1.c").kernel.parameters;
  for (const KernelParameter &parameter : list)
    if (parameter.isMap())
      maps_end = parameter.end();
    else
      parameters += fmt::format(", .param .u{} p{}", 8 * parameterBytes(parameter.type), number++);
  return fmt::format(".version 8.0\n.target {}\n.address_size 64\n.visible .entry product(\n"
                     ".param .align {} .b8 maps[{}]{})\n.maxntid {}, 1, 1\n{{ ret; }}\n",
                     plain ? "sm_80" : "sm_90a", plain ? 8 : 64, maps_end, parameters, plain ? 128 : 384);
}

CudaProgram programOf(const Shape &shape, const std::string &path, const std::string &ptx,
                      const std::string &cubin) {
  CudaProgram program{};
  program.names = launcherNames(path);
  program.title = "a test */ of comments";
  Layer &layer = program.layer;
  layer.lift = shape.lift;
  layer.dtype = ElementType::Bf16;
  layer.k = shape.groups * shape.in;
  layer.n = shape.groups * shape.out;
  layer.types = shape.types;
  layer.row_types = shape.kind;
  layer.row_type_width = shape.run;
  layer.in_groups.assign(size_t(shape.groups), shape.in);
  layer.out_groups.assign(size_t(shape.groups), shape.out);
  if (shape.unequal) {
    constexpr int64_t wider = 32;
    layer.in_groups[1] += wider;
    layer.out_groups[2] += wider;
    layer.k += wider;
    layer.n += wider;
  }
  layer.weight_rows = layer.in_groups;
  layer.bias = shape.bias;
  if (shape.fused)
    layer.fusion = {2,
                    {{"scale", FusedOperand::Per::Column, ElementType::Bf16},
                     {"factor", FusedOperand::Per::Row, ElementType::F32},
                     {"residual", FusedOperand::Per::Element, ElementType::Bf16},
                     {"alpha", FusedOperand::Per::Call, ElementType::F32}},
                    {ElementType::Bf16, ElementType::F32}};
  GpuKernel &kernel = program.kernel;
  kernel.map = shape.map;
  kernel.joins_runs = shape.joined;
  kernel.architecture = 90;
  kernel.exact_architecture = true;
  kernel.output = shape.output;
  kernel.symbol = "product";
  kernel.threads = 384;
  kernel.cluster = shape.cluster;
  kernel.shared_bytes = 200000;
  kernel.tile = {16,
                 32,
                 32,
                 4,
                 2,
                 shape.split ? 1 : std::min<int64_t>(shape.cluster, 2),
                 shape.cluster > 2 && !shape.split ? 2 : 1,
                 shape.tile_types,
                 shape.stationary_groups,
                 shape.split ? shape.cluster : 1};
  if (shape.map == Map::Dw)
    kernel.tile.depth = 4;
  kernel.x = {32, 16, 64};
  kernel.w = {16, 32, 32};
  kernel.y = {32, 16, shape.output == ElementType::F32 ? 128 : 64};
  kernel.dependent_launch = shape.cluster > 1;
  kernel.terms = !shape.terms.empty();
  if (shape.vector > 0) {
    kernel.architecture = 80;
    kernel.exact_architecture = false;
    kernel.threads = 128;
    kernel.shared_bytes = 90000;
    kernel.copies = GpuCopies::Threads;
    kernel.vector = shape.vector;
    kernel.scaled = shape.scaled;
    kernel.warp_rows = kernel.warp_columns = 2;
  }
  kernel.parameters = test::usualParameters(kernel, layer);
  program.ptx = ptx;
  program.cubin = cubin;
  program.terms = shape.terms;
  return program;
}

template <class Function> void Launcher::find(Function &function, const char *name) {
  function = reinterpret_cast<Function>(dlsym(library_, name));
  if (!function)
    throw std::runtime_error(std::string("no function ") + name);
}

Launcher::Launcher(const TemporaryFolder &folder, const Shape &shape, const std::string &c_compiler,
                   const std::string &ptx, const std::string &cubin) {
  const std::string text = ptx.empty() ? emptyKernel(shape) : ptx;
  const CudaProgram program = programOf(shape, folder.path("up-1.c"), text, cubin);
  const compiler::LauncherFiles files = compiler::cudaLauncher(program);
  folder.write("up-1.c", files.source);
  folder.write("up-1.h", files.header);
  const std::string command =
      fmt::format("{} -std=c99 -pedantic -Wall -Wextra -Werror -O1 -shared -fPIC -o '{}' '{}'", c_compiler,
                  folder.path("up.so"), folder.path("up-1.c"));
  if (std::system(command.c_str()) != 0)
    throw std::runtime_error("does not compile: " + command);
  library_ = dlopen(folder.path("up.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_)
    throw std::runtime_error(dlerror());
  find(load_from, "up_1_load_from");
  find(load, "up_1_load");
  find(launch, "up_1_launch");
  find(launch_with_bias, "up_1_launch");
  find(launch_with_beta, "up_1_launch");
  find(launch_fused, "up_1_launch");
  find(launch_dependent, "up_1_launch_dependent");
  find(unload, "up_1_unload");
  find(error, "up_1_error");
}

Launcher::~Launcher() { dlclose(library_); }

int Launcher::loadFromStandIn(Kernel &kernel, int device) const {
  return load_from(
      &kernel, device,
      [](const char *name, void *) { return reinterpret_cast<Symbol>(dlsym(RTLD_DEFAULT, name)); }, nullptr);
}

} // namespace launcher_test
