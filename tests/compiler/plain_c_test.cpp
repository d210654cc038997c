// The plain C that `emit --stage=c` writes, compiled with the C compiler at hand and run.
#include "compiler/pipeline/pipeline.h"
#include "tests/compiler/compiled_layer.h"
#include "tests/compiler/layers.h"
#include "tests/tools/temporary_folder.h"

#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using namespace compiler_test;
using algebras::Layer;
using algebras::RowTypes;

// A shared object as long as it is open.
struct Library {
  explicit Library(const std::string &path) : handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    if (handle)
      dlclose(handle);
  }
  void *handle;
};

void expectAgreement(const compiler::Spec &spec, const std::string &c_compiler) {
  const Layer &layer = *spec.layer;
  TemporaryFolder folder;
  folder.write("layer.c", compiler::emitStage(spec, compiler::Stage::C, {}));
  const std::string command = c_compiler +
                              " -std=c99 -pedantic -Wall -Wextra -Werror -O1 -shared -fPIC -o '" +
                              folder.path("layer.so") + "' '" + folder.path("layer.c") + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  Library library(folder.path("layer.so"));
  ASSERT_TRUE(library.handle) << dlerror();
  void *symbol = dlsym(library.handle, "forward");
  ASSERT_TRUE(symbol);

  std::mt19937 random(5);
  Batch batch;
  batch.m = 41;
  const bool slots = layer.lift.kind() == algebras::Lift::Kind::Slots;
  const bool explicit_types = !slots && layer.row_types.kind() == RowTypes::Kind::Explicit;
  if (explicit_types)
    for (int64_t row = 0; row < batch.m; ++row)
      batch.types.push_back(static_cast<int32_t>(random() % layer.lift.types()));
  else
    batch.p0 = 123;
  PaddedMatrix x(batch.m, layer.in.total(), 2, layer.dtype),
      w(layer.in.total(), weightColumns(layer), 3, layer.dtype),
      y(batch.m, layer.out.total(), 4, layer.dtype);
  PaddedMatrix bias(1, layer.out.total(), 0, layer.dtype);
  x.fill(random);
  w.fill(random);
  bias.fill(random);
  auto call_with = [&](auto... third) {
    using Forward =
        void (*)(const void *, int64_t, const void *, int64_t, void *, int64_t, int64_t, decltype(third)...);
    reinterpret_cast<Forward>(symbol)(x.data(), x.leading(), w.data(), w.leading(), y.data(), y.leading(),
                                      batch.m, third...);
  };
  auto call = [&](auto... third) {
    if (layer.bias)
      call_with(third..., static_cast<const void *>(bias.data()));
    else
      call_with(third...);
  };
  if (slots)
    call();
  else if (explicit_types)
    call(batch.types.data());
  else
    call(batch.p0);

  const std::vector<double> actual = y.values();
  std::vector<double> expected = DenseProduct(layer, w.values()).multiply(batch, x.values());
  const std::vector<double> added = bias.values();
  for (size_t i = 0; layer.bias && i < expected.size(); ++i)
    expected[i] += added[i % added.size()];
  double error = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    error += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  EXPECT_TRUE(std::sqrt(error) <= (layer.dtype == algebras::DataType::F32 ? 1e-5 : 4e-3) * std::sqrt(norm))
      << std::sqrt(error / norm);
  EXPECT_TRUE(y.paddingIntact());
}

class PlainC : public testing::TestWithParam<std::string> {};

TEST_P(PlainC, AgreesWithDenseMatrices) {
  const std::string c_compiler = ALGCTL_TEST_C_COMPILER;
  if (access(c_compiler.c_str(), X_OK) != 0)
    GTEST_SKIP() << "NOT TESTED: the C compiler " << c_compiler << " is gone";
  for (bool biased : {false, true}) {
    compiler::Spec spec = makeSpec(layerCase(GetParam()));
    spec.layer->bias = biased;
    expectAgreement(spec, c_compiler);
  }
}

INSTANTIATE_TEST_SUITE_P(Layers, PlainC,
                         testing::Values("CompleteUnequal", "CompleteUnequalHalf", "CompleteManyTypes",
                                         "GraphHalf", "MatrixFactorUnequal", "QuaternionsHalf",
                                         "CliffordRational", "Lawless", "ZeroProduct"),
                         [](const testing::TestParamInfo<std::string> &info) { return info.param; });

} // namespace
