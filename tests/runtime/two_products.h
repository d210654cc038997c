// The program y = (x up) down, in f32 20 -> 30 -> 20, of kernels by hand, with all that a call of it takes.
#pragma once

#include "tests/runtime/cpu_product.h"
#include "tests/runtime/two_steps.h"

#include <string>
#include <vector>

namespace algrt::test {

// By kernels of the shapes cyclic and down; the program is called "both", and hands h on.
nlohmann::ordered_json bothManifest(const std::string &type = "f32");
std::string bothBundle(const nlohmann::ordered_json &manifest, const std::string &type = "f32");
// Shared objects of the kernels for a shape.
std::string codeOf(const std::string &shape);

struct Both {
  Both(const std::string &type, int64_t m)
      : up(shape("cyclic_" + type)), down(shape("down_" + type)),
        bundle(openBytes(bothBundle(bothManifest(type), type))), x(m, up.k(), up.k() + 3, up.bfloat16),
        w_up(up.k(), up.n(), up.n(), up.bfloat16), w_down(down.k(), down.n(), down.n() + 1, up.bfloat16),
        y(m, down.n(), down.n() + 2, up.bfloat16), h(m, up.n(), up.n(), up.bfloat16),
        expected(m, down.n(), down.n(), up.bfloat16) {
    x.fill(1, 1);
    w_up.fill(2, 0.3);
    w_down.fill(3, 0.3);
    tensors = {{"y", &y.tensor, nullptr},
               {"up", &w_up.tensor, nullptr},
               {"x", &x.tensor, nullptr},
               {"down", &w_down.tensor, nullptr}};
  }
  int run() { return algrt_run(bundle.get(), "both", tensors.data(), int64_t(tensors.size()), &options); }
  // The two products by themselves.
  void compute() {
    const BundleHandle first = openBytes(bundleOf(up)), second = openBytes(bundleOf(down));
    const auto multiply = [&](const BundleHandle &bundle, const DLTensor &x, const DLTensor &w,
                              const DLTensor &y) {
      algrt_forward_args args = algrt_forward_args_init();
      args.x = &x;
      args.w = &w;
      args.y = &y;
      args.p0 = options.p0;
      EXPECT_EQ(algrt_forward(bundle.get(), &args), ALGRT_OK) << algrt_last_error();
    };
    multiply(first, x.tensor, w_up.tensor, h.tensor);
    multiply(second, h.tensor, w_down.tensor, expected.tensor);
  }
  void expectRuns(const std::string &what) {
    y.poison();
    ASSERT_EQ(run(), ALGRT_OK) << what << ": " << algrt_last_error();
    compute();
    EXPECT_EQ(y.values(), expected.values()) << what;
    EXPECT_TRUE(y.paddingUntouched()) << what;
  }

  Shape up, down;
  BundleHandle bundle;
  GuardedMatrix x, w_up, w_down, y, h, expected;
  std::vector<algrt_named_tensor> tensors;
  algrt_run_options options = algrt_run_options_init();
};

} // namespace algrt::test
