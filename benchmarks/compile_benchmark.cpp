// How long the stages of the compiler take on a projection of public dimensions.
#include "compiler/pipeline/pipeline.h"

#include "algebras/expression.h"
#include "algebras/layer.h"

#include <benchmark/benchmark.h>

using namespace compiler;

static Spec projection(const char *expression, int64_t k, int64_t n) {
  algebras::Algebra algebra = algebras::parseExpression(expression);
  return {algebra, algebras::makeLayer(algebras::Lift::rows(algebra), k, n, algebras::DataType::F32), false,
          expression};
}

static void stage(benchmark::State &state, Stage stage, const char *expression) {
  const Spec spec = projection(expression, 2048, 6144);
  CompileOptions options;
  options.cpu_levels = {"x86-64-v4"};
  for (auto _ : state)
    benchmark::DoNotOptimize(emitStage(spec, stage, options));
}
BENCHMARK_CAPTURE(stage, tile_Q32, Stage::Tile, "Q(32)")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stage, vector_Q32, Stage::Vector, "Q(32)")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stage, object_Q32, Stage::Object, "Q(32)")->Unit(benchmark::kMillisecond);
// The code does not grow with the algebra: a table of 6^4 terms costs what Q(32)'s arithmetic does.
BENCHMARK_CAPTURE(stage, object_Q2_to_the_4, Stage::Object, "Q(2)^4")->Unit(benchmark::kMillisecond);
