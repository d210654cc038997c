#include "tests/device/network_bundles.h"

#include "algebras/expression.h"

namespace device_test {

using compiler::CompileOptions;
using compiler::Fusing;

namespace {

constexpr const char *activation_text = R"(
!h = !alg.slots<?x256xbf16, plain(1)>
func.func @forward(%gate: tensor<?x256xbf16>, %up: tensor<?x256xbf16>) -> tensor<?x256xbf16> {
  %gates = alg.slots %gate plain(1) : tensor<?x256xbf16>
  %ups = alg.slots %up plain(1) : tensor<?x256xbf16>
  %hs = alg.map %gates, %ups : (!h, !h) -> !h {
  ^bb0(%g: bf16, %u: bf16):
    %gate_sum = arith.extf %g : bf16 to f32
    %up_sum = arith.extf %u : bf16 to f32
    %negative = arith.negf %gate_sum : f32
    %exponential = math.exp %negative : f32
    %one = arith.constant 1.0 : f32
    %denominator = arith.addf %one, %exponential : f32
    %activated = arith.divf %gate_sum, %denominator : f32
    %product = arith.mulf %activated, %up_sum : f32
    %rounded = arith.truncf %product : f32 to bf16
    alg.yield %rounded : bf16
  }
  %h = alg.gather %hs : !h
  return %h : tensor<?x256xbf16>
}
)";
static_assert(network_hidden == 256, "the text has that width");

class Writer {
public:
  Writer(const std::string &folder, const std::string &name) : stem_(folder + "/" + name) {}
  void write(const char *suffix, const compiler::Spec &spec, const CompileOptions &options) {
    paths.push_back(stem_ + suffix + ".alg");
    compiler::compileBundle(spec, paths.back(), options);
  }
  void writeActivation() {
    compiler::Spec spec;
    spec.source_name = "the activation";
    spec.program = compiler::ProgramFile{"activation.mlir", activation_text};
    write("-activation", spec, networkOptions());
  }
  std::vector<std::string> paths;

private:
  std::string stem_;
};

} // namespace

compiler::Spec networkSpec(bool bias) {
  const algebras::Groups features = algebras::Groups::equal(network_types, network_width / network_types);
  compiler::Spec spec;
  spec.source_name = "network";
  spec.program =
      compiler::Swiglu{.lift = algebras::Lift::rows(algebras::parseExpression("Q(4)")),
                       .in = features,
                       .hidden = algebras::Groups::equal(network_types, network_hidden / network_types),
                       .out = features,
                       .row_types = algebras::RowTypes::cyclic(network_types),
                       .bias = bias};
  return spec;
}

CompileOptions networkOptions(Fusing fusing, const std::vector<std::string> &schedules, int64_t experts) {
  CompileOptions options;
  options.targets = {compiler::Target::Sm90a};
  options.rows = 18;
  options.fusing = fusing;
  options.experts = experts;
  if (!schedules.empty()) {
    options.schedule = schedules.front();
    options.further_schedules = {schedules.begin() + 1, schedules.end()};
  }
  return options;
}

std::vector<std::string> writeNetwork(const std::string &folder, const std::string &name) {
  Writer writer(folder, name);
  writer.write("", networkSpec(),
               networkOptions(Fusing::Layers, {"rows=64,hidden=32,depth=32,stages=4x2,stationary=2",
                                               "rows=64,hidden=16,depth=32,stages=4x2,stationary=2"}));
  writer.write("-steps", networkSpec(), networkOptions(Fusing::Products));
  writer.write("-apart", networkSpec(), networkOptions(Fusing::Nothing));
  writer.writeActivation();
  return writer.paths;
}

std::vector<std::string> writeExperts(const std::string &folder, const std::string &name) {
  const std::string few_rows = "reduce=16,rows=4,hidden=64,columns=64,vector=8";
  Writer writer(folder, name);
  writer.write("", networkSpec(),
               networkOptions(Fusing::Layers, {few_rows, "reduce=32,rows=2,hidden=64,columns=64,vector=8"},
                              /*experts=*/3));
  writer.write("-steps", networkSpec(), networkOptions(Fusing::Products, {}, /*experts=*/3));
  // Its kernels take rows as they lie, of any number.
  writer.write("-each", networkSpec(), networkOptions(Fusing::Layers, {few_rows}));
  writer.writeActivation();
  return writer.paths;
}

} // namespace device_test
