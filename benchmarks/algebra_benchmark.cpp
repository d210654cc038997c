// Exact algebra: facts in closed form against the same facts checked on the expanded table.
#include "algebras/algebra.h"
#include "algebras/associativity.h"
#include "algebras/expression.h"
#include "algebras/facts.h"

#include <benchmark/benchmark.h>

using namespace algebras;

static void closedForm(benchmark::State &state, const char *expression) {
  for (auto _ : state)
    benchmark::DoNotOptimize(deriveFacts(parseExpression(expression)));
}
BENCHMARK_CAPTURE(closedForm, Q256, "Q(256)")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(closedForm, Q2_to_the_8, "Q(2)^8")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(closedForm, Q64_times_M4, "Q(64)*M(4)")->Unit(benchmark::kMicrosecond);

static void expandTable(benchmark::State &state, const char *expression) {
  const Algebra algebra = parseExpression(expression);
  for (auto _ : state)
    benchmark::DoNotOptimize(algebra.expand());
}
BENCHMARK_CAPTURE(expandTable, Q256, "Q(256)")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(expandTable, Q2_to_the_6, "Q(2)^6")->Unit(benchmark::kMillisecond);

// Every pair of nonzero constants that meet, in exact arithmetic.
static void associativity(benchmark::State &state, const char *expression) {
  const Table table = parseExpression(expression).expand();
  for (auto _ : state)
    benchmark::DoNotOptimize(findNonassociative(table));
}
BENCHMARK_CAPTURE(associativity, Q64, "Q(64)")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(associativity, Q256, "Q(256)")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(associativity, Q2_to_the_6, "Q(2)^6")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(associativity, M8, "M(8)")->Unit(benchmark::kMillisecond);
