#include "compiler/tools/program_contenders.h"

#include <algorithm>
#include <utility>

namespace compiler {

ProgramContenders::ProgramContenders(const ProgramBenchSource &source, ProgramBenchCase &made, int threads)
    : source_(source), made_(made), threads_(threads),
      fused_(source.bundle, made.program, made.m, threads, made.experts) {
  made.algebra = fused_.algebra();
  made.steps = fused_.description().steps.size();
  const MeasuredCall::Work work = fused_.work();
  made.active_macs = work.macs;
  made.bytes = work.bytes;
  fused_.run();
  add([this] { fused_.run(); });
}

size_t ProgramContenders::add(std::function<void()> run) {
  contenders_.push_back({std::move(run)});
  return contenders_.size() - 1;
}

void ProgramContenders::add(const std::string &bundle, Other &other) {
  if (bundle.empty())
    return;
  other.call.emplace(bundle, made_.program, made_.m, threads_, made_.experts);
  other.steps = other.call->description().steps.size();
  if (other.steps == made_.steps) {
    other.call.reset();
    return;
  }
  other.call->run();
  fused_.compare(*other.call);
  other.contender = add([&other] { other.call->run(); });
}

void ProgramContenders::addOtherSteps() {
  add(source_.steps, in_layers_);
  add(source_.apart, apart_);
  made_.steps_in_layers = in_layers_.steps;
  made_.steps_apart = apart_.steps;
}

void ProgramContenders::addEachExpert() {
  if (source_.each.empty())
    return;
  const ReferenceArrays outputs = fused_.outputs();
  for (int64_t expert = 0; expert < made_.experts; ++expert)
    if (fused_.division().rows(expert) > 0) {
      each_.emplace_back(source_.each, fused_, expert);
      each_.back().run();
      each_.back().compareExpert(outputs, fused_.division(), expert);
    }
  of_each_ = add([this] { std::ranges::for_each(each_, &MeasuredCall::run); });
}

std::string ProgramContenders::whyNoDense() const {
  if (source_.of_bundle)
    return "none: a bundle has no spec that says which ones";
  if (!source_.network || made_.program != "forward")
    return "of networks forward alone";
  return source_.network->bias ? "of networks without biases alone" : "";
}

void ProgramContenders::addDense(algrt::DenseLibraries &libraries) {
  made_.dense_library = whyNoDense();
  if (!made_.dense_library.empty())
    return;
  for (int64_t network = 0; network < std::max<int64_t>(1, made_.experts); ++network) {
    const int64_t rows = made_.experts > 0 ? fused_.division().rows(network) : made_.m;
    if (rows == 0)
      continue;
    dense_.emplace_back(*source_.network, rows, threads_, source_.activation, libraries);
    if (!dense_.back().exists()) {
      dense_.clear();
      break;
    }
    dense_.back().run();
    dense_.back().check();
  }
  made_.dense_library = !dense_.empty()   ? dense_.front().libraryName()
                        : libraries.any() ? "no library multiplies the type on this processor"
                                          : "no library found";
  if (!dense_.empty())
    of_dense_ = add([this] { std::ranges::for_each(dense_, &DenseNetwork::run); });
}

int64_t ProgramContenders::denseMacs() const {
  int64_t macs = 0;
  for (const DenseNetwork &one : dense_)
    macs += one.macs();
  return macs;
}

void ProgramContenders::race(int trials, algrt::CacheFlush &flush,
                             const std::function<void(double fraction)> &progress) {
  const std::vector<algrt::WarmAndFlushed> times = algrt::race(contenders_, trials, flush, progress);
  made_.algebra_us = times.front();
  if (in_layers_.call)
    made_.steps_us = times[in_layers_.contender];
  if (apart_.call)
    made_.apart_us = times[apart_.contender];
  if (!each_.empty())
    made_.each_us = times[of_each_];
  if (!dense_.empty())
    made_.dense_us = times[of_dense_];
}

} // namespace compiler
