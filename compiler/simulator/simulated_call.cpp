#include "compiler/simulator/simulated_call.h"

#include "compiler/process/failure.h"
#include "compiler/simulator/model/tensor_map.h"
#include "runtime/cuda/row_list.h"
#include "runtime/reference/reference.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <span>

namespace compiler {
namespace {

simulator::Swizzle swizzleOf(int32_t bytes) {
  switch (bytes) {
  case 32:
    return simulator::Swizzle::B32;
  case 64:
    return simulator::Swizzle::B64;
  case 128:
    return simulator::Swizzle::B128;
  default:
    return simulator::Swizzle::None;
  }
}

simulator::TensorMap encode(const algrt::cuda::TensorMap &map) {
  simulator::TensorMapFields fields;
  fields.base = reinterpret_cast<const void *>(map.address);
  fields.element =
      map.element == algrt::ElementType::F32 ? simulator::Element::F32 : simulator::Element::BF16;
  fields.rank = map.rank;
  std::copy(map.extents.begin(), map.extents.end(), fields.extents);
  std::copy(map.strides.begin(), map.strides.end(), fields.strides);
  std::copy(map.box.begin(), map.box.end(), fields.box);
  fields.swizzle = swizzleOf(map.swizzle);
  simulator::TensorMap result{};
  if (std::string refusal = simulator::encodeTensorMap(fields, result); !refusal.empty())
    throw Failure("the driver would refuse a tensor map of this launch: " + refusal);
  return result;
}

} // namespace

SimulatedCall::SimulatedCall(const HostKernel &code, const algrt::GpuKernel &kernel,
                             const ProductOperands &product, const SimulationSettings &settings)
    : code_(code), kernel_(kernel), product_(product), settings_(settings), layer_(*product.layer),
      shape_(algrt::cuda::kernelShape(layer_, kernel, product.experts())),
      takes_bias_(!layer_.fusion &&
                  kernel.parameters.find(algrt::ParameterValue::Operand, "bias") != nullptr),
      adds_(shape_.isWeightGradient() && product.beta != 0), reads_early_(kernel.isReduction()),
      x_(matrixOfX()), w_(matrixOfW()), y_(matrixOfY()),
      // The numbers of a bias may lie at any multiple of their size.
      bias_(1, biasSize(), 0, 1, algrt::ElementType::Bf16), further_(layer_, kernel, product, settings, w_),
      narrow_positions_(product.positions.begin(), product.positions.end()), block_(kernel.parameters) {
  requireSuits();
  x_.set(product.x);
  w_.set(product.w);
  if (adds_)
    y_.set(product.held);
  if (takes_bias_)
    bias_.set(product.bias);
}

DeviceMatrix SimulatedCall::matrix(int64_t rows, int64_t columns, int64_t padding, int64_t shift,
                                   algrt::ElementType element) const {
  const int64_t widest = 16 / algrt::elementBytes(element);
  const int64_t unit = kernel_.copies == algrt::GpuCopies::Engine ? widest : std::min(kernel_.vector, widest);
  return DeviceMatrix(rows, columns, unit * padding, unit * shift, element);
}

DeviceMatrix SimulatedCall::matrixOfX() const {
  return matrix(product_.rowsOfX(), shape_.k(), settings_.x_padding, settings_.x_shift,
                algrt::ElementType::Bf16);
}

DeviceMatrix SimulatedCall::matrixOfW() const {
  const bool weight_gradient = shape_.isWeightGradient();
  const int64_t rows = weight_gradient ? product_.m : product_.networks() * layer_.k,
                columns = weight_gradient ? layer_.n : layer_.weightColumns();
  return matrix(rows, columns, settings_.w_padding, settings_.w_shift, algrt::ElementType::Bf16);
}

DeviceMatrix SimulatedCall::matrixOfY() const {
  const bool weight_gradient = shape_.isWeightGradient();
  const int64_t rows = weight_gradient ? layer_.k : product_.m,
                columns = weight_gradient ? layer_.weightColumns() : shape_.n();
  return matrix(rows, columns, settings_.y_padding, settings_.y_shift, kernel_.output);
}

void SimulatedCall::requireSuits() const {
  if (layer_.bias && shape_.map == algrt::Map::Forward && !takes_bias_)
    throw Failure("the layer has a bias, and the kernel takes none: it is the kernel of another layer");
  if (takes_bias_ && !(layer_.bias && product_.bias.size() == static_cast<size_t>(biasSize())))
    throw Failure("the kernel adds a bias, and the layer has none: it is the kernel of another layer");
  if (!product_.positions.empty() && !kernel_.isReduction() && !findsRowsOfExperts())
    throw Failure("the kernel reads no positions: give it a schedule of vector reductions, as reduce=32");
  if (!product_.positions.empty() &&
      product_.positions.size() != static_cast<size_t>(product_.positionCount()))
    throw Failure(fmt::format("there are {} positions for {} rows", product_.positions.size(),
                              product_.positionCount()));
}

uint64_t SimulatedCall::readOnly(const char *name, const void *data, size_t bytes, bool independent) {
  memory_.registerGlobal(name, data, static_cast<int64_t>(bytes), simulator::Access::Read, independent);
  return reinterpret_cast<uint64_t>(data);
}

void SimulatedCall::makeLists() {
  const auto words = [this](const char *name, const std::vector<int32_t> &list, bool independent = false) {
    return readOnly(name, list.data(), list.size() * sizeof(int32_t), independent);
  };
  if (kernel_.terms) {
    terms_ = algrt::cuda::termsTable(layer_, kernel_, *product_.support);
    lists_.terms = words("the terms table", terms_, reads_early_);
  }
  if (findsRowsOfExperts()) {
    lists_of_experts_ = expertLists(product_);
    lists_.rows = words("the row list", lists_of_experts_.of_y);
    if (hasListOfX())
      lists_.rows_of_x = words("the row list of X", lists_of_experts_.of_x);
  } else if (kernel_.listed) {
    const int32_t *types = product_.types.empty() ? nullptr : product_.types.data();
    row_list_ = algrt::cuda::rowList(layer_.types, algrt::rowTypes(layer_, product_.m, product_.p0, types));
    lists_.rows = words("the row list", row_list_);
  }
}

algrt::cuda::LaunchPlan SimulatedCall::plan() const {
  return algrt::cuda::planLaunch(layer_, kernel_,
                                 {{x_.address(), x_.leading()},
                                  {w_.address(), w_.leading()},
                                  {y_.address(), y_.leading()},
                                  further_.operands(),
                                  product_.experts(),
                                  hasListOfX() ? product_.batch_rows : 0},
                                 product_.m, kernel_.listed ? 0 : product_.p0, settings_.blocks, lists_);
}

void SimulatedCall::registerMatrices() {
  using simulator::Access;
  const bool has_rows = product_.m > 0, weight_gradient = shape_.isWeightGradient();
  if (has_rows)
    x_.registerWith(memory_, shape_.map == algrt::Map::Dx ? "dY" : "X", Access::Read);
  if (has_rows || !weight_gradient)
    w_.registerWith(memory_, weight_gradient ? "dY" : "W", Access::Read, reads_early_);
  y_.registerWith(memory_, resultName(shape_.map), adds_ ? Access::ReadWrite : Access::Write);
  further_.registerWith(memory_, has_rows, reads_early_);
  if (takes_bias_)
    bias_.registerWith(memory_, "the bias", Access::Read);
}

void SimulatedCall::registerPlaces() {
  if (!product_.positions.empty() && product_.wide_positions)
    positions_ = product_.positions.data();
  else if (!product_.positions.empty())
    positions_ = narrow_positions_.data();
  if (positions_)
    readOnly("the positions", positions_,
             static_cast<size_t>(product_.positionCount()) * (product_.wide_positions ? 8 : 4));
  if (!product_.expert_starts.empty())
    readOnly("the starts of experts", product_.expert_starts.data(), product_.expert_starts.size_bytes());
  if (product_.hasList())
    readOnly("the rows of experts", product_.expert_rows.data(), product_.expert_rows.size_bytes());
}

void SimulatedCall::setParameters(const algrt::cuda::LaunchPlan &plan) {
  const auto list = reinterpret_cast<uint64_t>(product_.expert_rows.data());
  algrt::cuda::setProduct(
      block_, kernel_.parameters, plan,
      {plan.rows, plan.offset, lists_.terms, product_.beta, takes_bias_ ? bias_.address() : 0,
       reinterpret_cast<uint64_t>(positions_), product_.wide_positions ? 8 : 4,
       layer_.fusion ? &*layer_.fusion : nullptr, further_.operands(), further_.numbers(),
       reinterpret_cast<uint64_t>(product_.expert_starts.data()), static_cast<int32_t>(product_.experts()),
       hasListOfX() ? list : 0, product_.hasList() ? list : 0, static_cast<int32_t>(product_.batch_rows)},
      [](const algrt::cuda::TensorMap &map, std::byte *to) {
        const simulator::TensorMap encoded = encode(map);
        static_assert(sizeof(encoded) == algrt_tensor_map_bytes);
        std::memcpy(to, &encoded, sizeof(encoded));
      });
  if (const std::span<const std::byte> plain_maps = block_.plainMaps(); !plain_maps.empty())
    readOnly("the maps", plain_maps.data(), plain_maps.size(), /*independent=*/true);
}

simulator::Launch SimulatedCall::launchOf(const algrt::cuda::LaunchPlan &plan, double result_bytes) {
  simulator::Launch launch;
  launch.kernel = [this, arguments = block_.pointers()] { code_.call(arguments.data()); };
  launch.grid = plan.grid;
  launch.cluster = static_cast<int32_t>(plan.cluster);
  launch.threads = static_cast<int32_t>(plan.threads);
  launch.shared_bytes = plan.shared_bytes;
  launch.registers = registersAtEntry(plan.threads);
  launch.seed = settings_.seed;
  launch.dependent_launch = kernel_.dependent_launch;
  if (settings_.most_steps > 0)
    launch.most_steps = settings_.most_steps;
  if (settings_.progress)
    launch.progress = [this, result_bytes](int64_t written) {
      settings_.progress(static_cast<double>(written) / result_bytes);
    };
  return launch;
}

Simulation SimulatedCall::run() {
  makeLists();
  const algrt::cuda::LaunchPlan planned = plan();
  registerMatrices();
  registerPlaces();
  setParameters(planned);
  Simulation simulation;
  simulation.grid = planned.grid;
  simulation.tiles = planned.tiles;
  simulation.report = simulator::run(launchOf(planned, static_cast<double>(y_.bytes())), memory_);
  simulation.unwritten = y_.unwritten(memory_);
  simulation.y = y_.values();
  further_.collect(simulation, memory_);
  return simulation;
}

} // namespace compiler
