#include "compiler/tools/measured_call.h"

#include "compiler/tools/checked_outputs.h"
#include "runtime/bench/active_work.h"
#include "runtime/bundle/fusion.h"

#include <algorithm>
#include <map>

namespace compiler {

using algrt::OperandRole;

MeasuredCall::MeasuredCall(const std::string &bundle, const std::string &program, int64_t m, int threads,
                           int64_t experts)
    : bundle_(algrt::Bundle::open(bundle)), program_(program), rows_(m), threads_(threads),
      division_(experts > 0 ? evenDivision(m, experts) : ExpertDivision()), opened_(openBundle(bundle)) {
  addRandomOperands(bundle_, description(), m, /*seed=*/1, arrays_, experts);
  for (const algrt::ProgramOperand &operand : description().operands)
    if (operand.role == OperandRole::Output)
      arrays_[operand.name] = makeOperand(operand, m);
  for (const algrt::ProgramOperand &operand : description().operands)
    if (!operand.optional)
      give(operand, arrays_.at(operand.name)->tensor);
  if (experts > 0) {
    starts_ = std::make_unique<ProgramArray>(algrt::OperandType::I32, std::vector<int64_t>{experts + 1});
    std::ranges::copy(division_.starts, starts_->as<int32_t>());
  }
  makeWorkspace();
}

MeasuredCall::MeasuredCall(const std::string &bundle, const MeasuredCall &all, int64_t expert)
    : bundle_(algrt::Bundle::open(bundle)), program_(all.program_), rows_(all.division_.rows(expert)),
      first_row_(all.division_.first(expert)), threads_(all.threads_), opened_(openBundle(bundle)) {
  for (const algrt::ProgramOperand &operand : description().operands) {
    if (operand.optional)
      continue;
    if (operand.role == OperandRole::Output) {
      arrays_[operand.name] = makeOperand(operand, rows_);
      give(operand, arrays_.at(operand.name)->tensor);
      continue;
    }
    const ProgramArray &whole = *all.arrays_.at(operand.name);
    Part &part = parts_.emplace_back(Part{whole.shape, whole.tensor});
    if (operand.role == OperandRole::Weight) {
      const uint64_t own = whole.bytes.size() / static_cast<uint64_t>(all.division_.experts());
      part.shape.erase(part.shape.begin());
      part.tensor.byte_offset = static_cast<uint64_t>(expert) * own;
    } else if (!operand.shape[0].symbol.empty()) {
      part.shape[0] = rows_;
      part.tensor.byte_offset =
          whole.bytes.size() / static_cast<uint64_t>(all.rows_) * static_cast<uint64_t>(first_row_);
    }
    part.tensor.ndim = static_cast<int32_t>(part.shape.size());
    part.tensor.shape = part.shape.data();
    give(operand, part.tensor);
  }
  makeWorkspace();
}

void MeasuredCall::give(const algrt::ProgramOperand &operand, const DLTensor &tensor) {
  const algrt_weights *weights = nullptr;
  if (operand.role == OperandRole::Weight) {
    algrt_weights *made = nullptr;
    const int status = algrt_program_weights_pack(opened_.get(), program_.c_str(), operand.name.c_str(),
                                                  &tensor, threads_, &made);
    if (status != ALGRT_UNSUPPORTED) { // steps read it as it is
      requireDone(status);
      packed_.emplace_back(made);
      weights = made;
    }
  }
  tensors_.push_back({operand.name.c_str(), weights ? nullptr : &tensor, weights});
}

void MeasuredCall::makeWorkspace() {
  size_t bytes = 0;
  requireDone(algrt_program_experts_workspace_size(opened_.get(), program_.c_str(), rows_,
                                                   division_.experts(), threads_, &bytes));
  workspace_.resize(bytes);
}

void MeasuredCall::run() {
  algrt_run_options options = algrt_run_options_init();
  options.threads = threads_;
  options.p0 = first_row_;
  options.expert_starts = starts_ ? &starts_->tensor : nullptr;
  options.workspace = workspace_.data();
  options.workspace_bytes = workspace_.size();
  requireDone(algrt_run(opened_.get(), program_.c_str(), tensors_.data(),
                        static_cast<int64_t>(tensors_.size()), &options));
}

double MeasuredCall::compare(const ProgramTools &tools) {
  run();
  const std::vector<CheckedOutput> checked =
      checkOutputs(bundle_, description(), arrays_,
                   expectedOutputs(bundle_, description(), arrays_, /*p0=*/0, tools, division_), /*p0=*/0,
                   tools, division_);
  requireRight(checked);
  double worst = 0;
  for (const CheckedOutput &output : checked)
    worst = std::max(worst, output.comparison.relative_l2);
  return worst;
}

ReferenceArrays MeasuredCall::outputs() const {
  ReferenceArrays outputs;
  for (const algrt::ProgramOperand &operand : description().operands)
    if (operand.role == OperandRole::Output)
      outputs[operand.name] = arrays_.at(operand.name)->reference();
  return outputs;
}

void MeasuredCall::compare(const MeasuredCall &other) const {
  requireRight(compareOutputs(description(), arrays_, other.outputs(), layersOfSteps(bundle_)));
}

void MeasuredCall::compareExpert(const ReferenceArrays &outputs, const ExpertDivision &division,
                                 int64_t expert) const {
  ReferenceArrays expected;
  for (const auto &[name, array] : outputs) {
    ReferenceArray &own =
        expected[name] = {array.shape, partOfExpert(description(), name, array.values, division, expert)};
    own.shape[0] = rows_;
  }
  requireRight(compareOutputs(description(), arrays_, expected, layersOfSteps(bundle_)));
}

MeasuredCall::Work MeasuredCall::work() const {
  std::map<int64_t, int64_t> networks; // with so many rows
  if (division_.experts() == 0)
    networks[rows_] = 1;
  for (int64_t expert = 0; expert < division_.experts(); ++expert)
    ++networks[division_.rows(expert)];
  networks.erase(0);
  Work work;
  std::map<std::string, int64_t> weight_bytes; // of what steps multiply by
  for (const auto &[rows, count] : networks) {
    std::map<std::string, int64_t> of_one;
    for (const algrt::ProgramStep &step : description().steps) {
      if (step.elementwise)
        continue;
      const algrt::Bundle &projection = bundle_.projection(step.projection);
      // Explicit types of a call without any are all the first; others follow from positions.
      const std::vector<int32_t> first(static_cast<size_t>(rows));
      const bool given = projection.layer().row_types == algrt::RowTypesKind::ExplicitTypes;
      const char *name = algrt::operandNames(step.map).w;
      const int64_t weights = algrt::fusionOf(projection.layer(), step.map).allWeights();
      for (int64_t i = 0; i < weights; ++i) {
        const algrt::Layer layer = algrt::layerOfWeight(projection.layer(), i);
        const algrt::ActiveWork once =
            algrt::averageWork(layer, projection.support(), step.rows.value_or(rows),
                               given ? first.data() : nullptr, /*rotates=*/false);
        work.macs += count * once.macs;
        if (step.map == algrt::Map::Dw)
          continue;
        int64_t &bytes = of_one[step.operands.at(algrt::numberedName(name, i))];
        bytes = std::max(bytes, once.weight_elements * algrt::elementBytes(layer.dtype));
      }
    }
    for (const auto &[name, bytes] : of_one)
      weight_bytes[name] += count * bytes;
  }
  for (const algrt::ProgramOperand &operand : description().operands)
    if (!operand.optional)
      work.bytes += weight_bytes.contains(operand.name)
                        ? weight_bytes[operand.name]
                        : static_cast<int64_t>(arrays_.at(operand.name)->bytes.size());
  return work;
}

} // namespace compiler
