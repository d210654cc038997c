// Steps of programs on the CPU: what they hand on to each other, what they may overlap, which kernels they
// take.
#include "tests/runtime/records.h"
#include "tests/runtime/two_products.h"
#include "tests/runtime/usual_parameters.h"

#include <algorithm>
#include <gmock/gmock.h>

namespace algrt::test {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Programs, StepsHandOnWhatTheyCompute) {
  for (const char *type : {"f32", "bf16"})
    for (const int64_t m : {0, 1, 5, 40})
      for (const int64_t p0 : {0, 3}) {
        Both both(type, m);
        both.options.p0 = p0;
        const std::string what = std::string(type) + ", m " + std::to_string(m);
        both.expectRuns(what);
        // In a workspace at any address, of as many bytes as it says and no fewer.
        size_t bytes = 0;
        ASSERT_EQ(algrt_program_workspace_size(both.bundle.get(), "both", m, 1, &bytes), ALGRT_OK);
        std::vector<std::byte> memory(bytes + 64, std::byte(0x5a));
        for (const size_t shift : {0, 1, 40}) {
          both.options.workspace = memory.data() + shift;
          both.options.workspace_bytes = bytes;
          both.options.threads = 1;
          both.expectRuns(what + ", with a workspace");
          EXPECT_TRUE(std::all_of(memory.begin() + ptrdiff_t(shift + bytes), memory.end(),
                                  [](std::byte byte) { return byte == std::byte(0x5a); }));
        }
        // Too few for the buffers, or for a step: the message has the bytes of all. No rows take no steps.
        for (const size_t fewer : {size_t(100), m == 0 ? size_t(0) : bytes - 1}) {
          both.options.workspace_bytes = fewer;
          EXPECT_EQ(both.run(), ALGRT_WORKSPACE_TOO_SMALL);
          EXPECT_THAT(algrt_last_error(),
                      HasSubstr("workspace has " + std::to_string(fewer) + " bytes, program both needs " +
                                std::to_string(bytes) + " bytes for " + std::to_string(m) +
                                (m == 1 ? " row:" : " rows:")));
        }
      }
}

// What a program hands on may be a result of it: the caller has h, and the step behind goes on with it.
TEST(Programs, StepsGoOnWithResults) {
  for (const char *type : {"f32", "bf16"}) {
    Json manifest = bothManifest(type);
    Json &program = manifest["programs"][1];
    Json h = program["operands"].back();
    h["name"] = "h";
    constexpr int64_t m = 7;
    Both both(type, m);
    const int64_t columns = both.up.n();
    h["shape"][1] = columns;
    program["operands"].push_back(h);
    program.erase("buffers");
    both.bundle = openBytes(bothBundle(manifest, type));
    GuardedMatrix between(m, columns, columns + 3, both.up.bfloat16);
    both.tensors.push_back({"h", &between.tensor, nullptr});
    both.expectRuns(type);
    EXPECT_EQ(between.values(), both.h.values()) << type;
    EXPECT_TRUE(between.paddingUntouched()) << type;
    both.tensors.back().tensor = &both.y.tensor;
    EXPECT_EQ(both.run(), ALGRT_INVALID_ARGUMENT);
  }
}

TEST(Programs, DescribeKernelsOfAllProjections) {
  const Both both("f32", 1);
  const Json list = Json::parse(algrt_bundle_describe_kernels(both.bundle.get()));
  ASSERT_EQ(list.size(), 6u);
  EXPECT_FALSE(list[0].contains("projection"));
  EXPECT_EQ(list[3]["projection"], "down");
  EXPECT_EQ(list[3]["usable"], true);
}

// A program of two steps that have nothing to do with each other: g = x up, y = z down.
TEST(Programs, OutputsOverlapTensorsOfNoStep) {
  Json manifest = bothManifest();
  Json apart = manifest["programs"][1];
  apart["name"] = "apart";
  apart.erase("buffers");
  Json z = apart["operands"][0], g = apart["operands"][3];
  z["name"] = "z";
  g["name"] = "g";
  z["shape"][1] = g["shape"][1] = 30;
  apart["operands"].push_back(z);
  apart["operands"].push_back(g);
  apart["steps"][0]["operands"]["y"] = "g";
  apart["steps"][1]["operands"]["x"] = "z";
  manifest["programs"].push_back(apart);
  constexpr int64_t m = 5;
  Both both("f32", m);
  both.bundle = openBytes(bothBundle(manifest));
  GuardedMatrix &result = both.h, input(m, 30, 31, false), joint(m, 50, 50, false);
  input.fill(4, 1);
  both.tensors.push_back({"z", &input.tensor, nullptr});
  both.tensors.push_back({"g", &result.tensor, nullptr});
  algrt_run_options of_one_expert = algrt_run_options_init();
  int32_t starts[] = {0, m};
  int64_t starts_shape[] = {2};
  const DLTensor starts_tensor{starts, {kDLCPU, 0}, 1, {kDLInt, 32, 1}, starts_shape, nullptr, 0};
  of_one_expert.expert_starts = &starts_tensor;
  const auto run = [&](const algrt_run_options *options = nullptr) {
    return algrt_run(both.bundle.get(), "apart", both.tensors.data(), int64_t(both.tensors.size()), options);
  };
  const auto refused = [&](const char *sentence) {
    for (const algrt_run_options *options : {static_cast<algrt_run_options *>(nullptr), &of_one_expert}) {
      EXPECT_EQ(run(options), ALGRT_INVALID_ARGUMENT);
      EXPECT_THAT(algrt_last_error(), HasSubstr(sentence));
    }
  };
  ASSERT_EQ(run(), ALGRT_OK) << algrt_last_error();
  const std::vector<float> g_values = result.values(), y_values = both.y.values();
  void *const own = result.tensor.data;
  result.tensor.data = both.w_down.tensor.data;
  refused("g: overlaps down: it is written while down is still being read");
  result.tensor.data = both.y.tensor.data;
  refused("y: overlaps g: both are written");
  result.tensor.data = own;
  void *const own_y = both.y.tensor.data;
  both.y.tensor.data = both.x.tensor.data; // that the step before has read
  refused("y: overlaps x: ");
  both.y.tensor.data = own_y;
  int64_t apart_strides[] = {1, 21};
  DLTensor transposed = both.w_down.tensor;
  transposed.strides = apart_strides;
  both.tensors[3].tensor = &transposed;
  refused("down: has stride 21 inside a row, needs 1");
  both.tensors[3].tensor = &both.w_down.tensor;
  // Columns of one matrix.
  DLTensor left = joint.tensor, right = joint.tensor;
  int64_t left_shape[] = {m, 30}, right_shape[] = {m, 20};
  left.shape = left_shape;
  right.shape = right_shape;
  right.byte_offset = 30 * sizeof(float);
  both.tensors[0].tensor = &right;
  both.tensors[5].tensor = &left;
  ASSERT_EQ(run(), ALGRT_OK) << algrt_last_error();
  for (int64_t r = 0; r < m; ++r)
    for (int64_t c = 0; c < 50; ++c)
      EXPECT_EQ(joint.at(r, c), c < 30 ? g_values[size_t(r * 30 + c)] : y_values[size_t(r * 20 + c - 30)]);
  right.byte_offset -= sizeof(float);
  refused("y: overlaps g: both are written");
}

// Numbers of kernels are those of the list that describes them, of all projections.
TEST(Programs, OfOneStepRunTheKernelAskedFor) {
  Json manifest = bothManifest();
  for (Json &kernel : manifest["projections"][0]["kernels"])
    kernel["name"] = "down-" + kernel["name"].get<std::string>();
  Json down = manifest["programs"][0];
  down["name"] = "down";
  for (Json &operand : down["operands"])
    if (operand["name"] == "x" || operand["name"] == "y")
      operand["shape"][1] = operand["name"] == "x" ? 30 : 20;
    else if (operand["name"] == "w")
      operand["shape"] = {30, 20};
  down["steps"][0]["projection"] = "down";
  manifest["programs"].push_back(down);
  Both both("f32", 5);
  both.bundle = openBytes(bothBundle(manifest));
  both.compute(); // what h and the result are
  both.tensors = {
      {"x", &both.h.tensor, nullptr}, {"w", &both.w_down.tensor, nullptr}, {"y", &both.y.tensor, nullptr}};
  const auto run = [&](const char *program, int32_t kernel) {
    both.options.kernel = kernel;
    const int status = algrt_run(both.bundle.get(), program, both.tensors.data(), 3, &both.options);
    return std::pair(status, status == ALGRT_OK ? "" : std::string(algrt_last_error()));
  };
  const Json list = Json::parse(algrt_bundle_describe_kernels(both.bundle.get()));
  for (const int32_t kernel : {5, 6}) {
    EXPECT_EQ(list[size_t(kernel) - 1]["projection"], "down");
    both.y.poison();
    EXPECT_EQ(run("down", kernel).second, "");
    EXPECT_TRUE(
        compare(both.y.values(), std::vector<double>(both.expected.wide.begin(), both.expected.wide.end()))
            .within(tolerance(false)));
  }
  EXPECT_THAT(run("down", 4).second, HasSubstr("kernel down-forward-packed takes packed weights, not w"));
  for (const int32_t kernel : {1, 3, 7})
    EXPECT_THAT(run("down", kernel).second,
                HasSubstr("kernel is " + std::to_string(kernel) +
                          ", but program down is a step of projection down, whose kernels are 4 to 6"));
  EXPECT_EQ(run("down", -1).second, "kernel is -1, needs 0 or more");
  both.tensors = {
      {"x", &both.x.tensor, nullptr}, {"w", &both.w_up.tensor, nullptr}, {"y", &both.h.tensor, nullptr}};
  EXPECT_EQ(run("forward", 2).second, "");
  EXPECT_THAT(run("forward", 4).second,
              HasSubstr("forward is a step of the bundle's own projection, whose kernels are 1 to 3"));
}

// What a gradient is added to has to be there: a buffer holds nothing before it is written.
TEST(Programs, AddToNoBuffer) {
  Json manifest = manifestOf(shape("cyclic_f32"));
  const Json x = {{"name", "x"}, {"role", "input"}, {"types", {"f32"}}, {"shape", {"M", 20}}};
  Json dy = x, y = x;
  dy["name"] = "dy";
  y["name"] = "y";
  y["role"] = "output";
  dy["shape"][1] = y["shape"][1] = 30;
  manifest = withPrograms(manifest);
  manifest["programs"].push_back(
      {{"name", "chain"},
       {"operands", {x, dy, y}},
       {"buffers", {{{"name", "g"}, {"type", "f32"}, {"shape", {20, 30}}}}},
       {"steps",
        {{{"map", "dw"}, {"operands", {{"x", "x"}, {"dy", "dy"}, {"dw", "g"}}}},
         {{"map", "forward"}, {"operands", {{"x", "x"}, {"w", "g"}, {"y", "y"}}}}}}});
  const BundleHandle bundle = openBytes(bundleOf(shape("cyclic_f32"), manifest));
  GuardedMatrix rows(4, 20, 20, false), gradient(4, 30, 30, false), result(4, 30, 30, false);
  const algrt_named_tensor tensors[] = {
      {"x", &rows.tensor, nullptr}, {"dy", &gradient.tensor, nullptr}, {"y", &result.tensor, nullptr}};
  algrt_run_options options = algrt_run_options_init();
  options.beta = 0.5;
  EXPECT_EQ(algrt_run(bundle.get(), "chain", tensors, 3, &options), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(),
              HasSubstr("beta is set, but step 1 of program chain writes dw to its buffer g, which holds "
                        "nothing yet: pass 0"));
  options.beta = 0; // the kernels by hand are none of dw
  EXPECT_EQ(algrt_run(bundle.get(), "chain", tensors, 3, &options), ALGRT_UNSUPPORTED);
  EXPECT_THAT(algrt_last_error(),
              HasSubstr("step 1 (dw: x is x, dy is dy, dw is g): the bundle has no kernel"));
}

// Messages of a step say what it calls otherwise than the program, and nothing where they are about what both
// call the same.
TEST(Programs, ErrorsSayWhatIsCalledOtherwise) {
  Json manifest = bothManifest();
  Json &program = manifest["programs"][1];
  Json positions = {{"name", "positions"},
                    {"role", "input"},
                    {"optional", true},
                    {"types", {"i32", "i64"}},
                    {"shape", {"M"}}};
  program["operands"].push_back(positions);
  for (Json &step : program["steps"])
    step["operands"]["positions"] = "positions";
  constexpr int64_t m = 3;
  Both both("f32", m);
  both.bundle = openBytes(bothBundle(manifest));
  both.options.sequence_rows = 2;
  EXPECT_EQ(both.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), StartsWith("sequence_rows is 2: 3 rows are no whole number"));
  both.options.sequence_rows = 0;

  int64_t numbers[] = {-5, 0, 1}, shape[] = {m};
  const DLTensor tensor{numbers, {kDLCPU, 0}, 1, {kDLInt, 64, 1}, shape, nullptr, 0};
  both.tensors.push_back({"positions", &tensor, nullptr});
  EXPECT_EQ(both.run(), ALGRT_INVALID_ARGUMENT);
  EXPECT_THAT(algrt_last_error(), StartsWith("positions: element 0 is -5"));
  numbers[0] = 5;
  manifest["projections"][0]["kernels"][2]["scratch_bytes"] = 4096; // for few rows
  both.bundle = openBytes(bothBundle(manifest));
  EXPECT_EQ(both.run(), ALGRT_BAD_BUNDLE);
  EXPECT_THAT(algrt_last_error(), StartsWith("step 2 (forward: x is h, w is down, y is y): kernel "));
}

// A fault in a further projection's code is found as one in the bundle's own.
TEST(Programs, CodeOfFurtherProjectionsSaysWhatItIs) {
  Json manifest = bothManifest();
  manifest["projections"][0]["kernels"][2]["scratch_bytes"] = 4096; // for few rows
  Both both("f32", 3);
  both.bundle = openBytes(bothBundle(manifest));
  EXPECT_EQ(both.run(), ALGRT_BAD_BUNDLE);
  EXPECT_THAT(algrt_last_error(), HasSubstr("step 2 (forward: x is h, w is down, y is y): kernel "));
  EXPECT_THAT(algrt_last_error(), HasSubstr("scratch_bytes is 4096 in the manifest"));
}

} // namespace
} // namespace algrt::test
