#include "python/operators/program.h"

#include "python/operators/errors.h"

#include <algorithm>
#include <deque>

namespace algctl_torch {
namespace {

// Whether an operand is a matrix with a row for each row of the batch.
bool hasRows(const Operand *operand) { return operand->shape.size() == 2 && operand->symbols[0] == "M"; }

// Whether it is a vector with a number for each row, which has all dimensions of a batch but the features.
bool hasNumbers(const Operand &operand) { return operand.shape.size() == 1 && operand.symbols[0] == "M"; }

// A tensor as the runtime sees the operand, apart from matrices of rows.
Tensor flattened(const Tensor &tensor, const Operand &operand) {
  return hasNumbers(operand) ? torch::stable::reshape(tensor, {tensor.numel()}) : tensor;
}

// Whether rows follow one another in sequences: where a row is says nothing where types are explicit.
bool hasPositions(const Program &program) {
  return std::ranges::any_of(program.operands,
                             [](const Operand &operand) { return operand.name == "positions"; });
}

// Sizes of a result of M rows. Of the first operand that has M rows it takes all dimensions but the last.
std::vector<int64_t> sizesOf(const Operand &operand, const std::vector<int64_t> &leading) {
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < operand.shape.size(); ++i) {
    if (operand.symbols[i].empty()) {
      sizes.push_back(operand.shape[i]);
      continue;
    }
    require(operand.symbols[i] == "M" && i == 0, "the result ", operand.name, " has a size of ",
            operand.symbols[i], "; the operator knows results of M rows");
    sizes.insert(sizes.end(), leading.begin(), leading.end());
  }
  return sizes;
}

// Of a call whose rows are divided among experts: where those of each begin, and the list that this divides.
struct Experts {
  std::optional<Tensor> starts = std::nullopt, rows = std::nullopt;
};

// A program with the rows of one network, or of experts.
std::vector<Tensor> runRows(const std::vector<Tensor> &operands, const Experts &experts,
                            const std::optional<Tensor> &positions, int64_t p0, const std::string &name,
                            const std::string &program_name) {
  const Bundle &bundle = bundleNamed(name);
  const Program *program = nullptr;
  for (const Program &candidate : bundle.programs)
    if (candidate.name == program_name)
      program = &candidate;
  require(program != nullptr, "the bundle has no program ", program_name);

  // What the call is given. The first of M rows says how many there are, and where everything else has to be.
  std::vector<const Operand *> inputs;
  for (const Operand &operand : program->operands)
    if (operand.role != ALGRT_ROLE_OUTPUT && !operand.optional)
      inputs.push_back(&operand);
  require(inputs.size() == operands.size(), "the program ", program_name, " takes ", inputs.size(),
          " operands, ", operands.size(), " are given");
  const size_t by_rows = size_t(std::find_if(inputs.begin(), inputs.end(), hasRows) - inputs.begin());
  require(by_rows < inputs.size(), "the program ", program_name, " has no operand of M rows");
  const Tensor &first = operands[by_rows];

  std::vector<algrt_named_tensor> tensors;
  std::deque<Matrix> matrices; // deques, since views point into them
  std::deque<Dense> others;
  std::vector<int64_t> leading;
  int64_t rows = -1, sequence_rows = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Operand &operand = *inputs[i];
    const Tensor &given = operands[i];
    const char *argument = operand.name.c_str();
    if (!operand.host)
      requireSameDevice(given, argument, first, inputs[by_rows]->name.c_str());
    bool listed = false;
    for (ScalarType type : operand.types)
      listed = listed || type == given.scalar_type();
    require(listed || (operand.role == ALGRT_ROLE_WEIGHT && given.scalar_type() == ScalarType::Float),
            argument, " is of ", nameOf(given.scalar_type()), ", the program computes on ",
            nameOf(operand.types.front()));
    Tensor tensor = listed ? given : converted(given, operand.types.front());
    if (hasRows(&operand)) {
      Matrix &matrix = matrices.emplace_back(tensor, argument);
      if (rows < 0) {
        Extents extents(tensor);
        leading.assign(extents.sizes, extents.sizes + extents.dimensions - 1);
        rows = matrix.rows();
        sequence_rows = extents.dimensions > 2 ? extents.back(2) : 0;
        require(!experts.starts || extents.dimensions == 2, argument, " has ", extents.dimensions,
                " dimensions: rows that are divided among experts are those of a matrix");
      }
      tensors.push_back({argument, matrix.get(), nullptr});
    } else {
      tensors.push_back({argument, others.emplace_back(flattened(tensor, operand), argument).get(), nullptr});
    }
  }
  // Rows of results.
  const int64_t computed = experts.rows ? experts.rows->numel() : rows;
  if (experts.rows)
    leading = {computed};
  std::vector<Tensor> results;
  for (const Operand &operand : program->operands) {
    if (operand.role != ALGRT_ROLE_OUTPUT)
      continue;
    Tensor &result = results.emplace_back(emptyLike(first, sizesOf(operand, leading), operand.types.front()));
    const DLTensor *view = hasRows(&operand)
                               ? matrices.emplace_back(result, operand.name.c_str()).get()
                               : others.emplace_back(flattened(result, operand), operand.name.c_str()).get();
    tensors.push_back({operand.name.c_str(), view, nullptr});
  }

  algrt_run_options options = algrt_run_options_init();
  options.p0 = p0;
  options.stream = streamOf(first);
  options.threads = threads();
  if (positions) {
    require(p0 == 0, "p0 is ", p0, " beside positions, which say where every row is");
    requireSameDevice(*positions, "positions", first, "x");
    require(positions->numel() == rows, "positions has ", positions->numel(), " numbers for ", rows, " rows");
    tensors.push_back({"positions",
                       others.emplace_back(torch::stable::reshape(*positions, {rows}), "positions").get(),
                       nullptr});
  } else if (!experts.starts && hasPositions(*program)) {
    options.sequence_rows = sequence_rows;
  }
  const auto vector = [&](const std::optional<Tensor> &given, const char *argument) -> const DLTensor * {
    if (!given)
      return nullptr;
    requireSameDevice(*given, argument, first, inputs[by_rows]->name.c_str());
    return others.emplace_back(*given, argument).get();
  };
  options.expert_starts = vector(experts.starts, "expert_starts");
  options.expert_rows = vector(experts.rows, "expert_rows");
  const int64_t networks = experts.starts ? std::max<int64_t>(experts.starts->numel() - 1, 0) : 0;
  check(algrt_program_experts_workspace_size(bundle.handle, program_name.c_str(), computed, networks,
                                             options.threads, &options.workspace_bytes));
  std::optional<Tensor> workspace;
  if (options.workspace_bytes > 0) {
    workspace = emptyLike(first, {int64_t(options.workspace_bytes)}, ScalarType::Byte);
    options.workspace = workspace->mutable_data_ptr();
  }
  check(algrt_run(bundle.handle, program_name.c_str(), tensors.data(), int64_t(tensors.size()), &options));
  return results;
}

} // namespace

std::vector<Tensor> runProgram(std::vector<Tensor> operands, std::optional<Tensor> positions, int64_t p0,
                               std::string bundle, std::string program) {
  return runRows(operands, {}, positions, p0, bundle, program);
}

std::vector<Tensor> runExperts(std::vector<Tensor> operands, Tensor expert_starts,
                               std::optional<Tensor> positions, int64_t p0, std::string bundle,
                               std::string program, std::optional<Tensor> expert_rows) {
  return runRows(operands, {expert_starts, expert_rows}, positions, p0, bundle, program);
}

} // namespace algctl_torch
