#include "python/operators/bundles.h"

#include "python/operators/errors.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace algctl_torch {
namespace {

// Bundles stay open until the process ends: graphs and modules name them at any time. They are not closed
// then, since the CUDA driver may be gone before.
struct Registry {
  std::shared_mutex mutex;
  std::filesystem::path folder;
  std::unordered_map<std::string, std::unique_ptr<Bundle>> bundles;
};

Registry &registry() {
  static auto *all = new Registry;
  return *all;
}

Program describeProgram(const algrt_bundle *bundle, const char *name) {
  Program program{name, {}};
  int64_t count = 0;
  check(algrt_program_operand_count(bundle, name, &count));
  for (int64_t i = 0; i < count; ++i) {
    algrt_operand_info info = algrt_operand_info_init();
    check(algrt_program_get_operand(bundle, name, i, &info));
    Operand operand{info.name, info.role, info.optional != 0, info.host != 0, {}, {}, {}};
    for (int32_t k = 0; k < info.dtype_count; ++k)
      operand.types.push_back(scalarTypeOf(info.dtypes[k]));
    for (int32_t k = 0; k < info.ndim; ++k) {
      operand.shape.push_back(info.shape[k]);
      operand.symbols.emplace_back(info.symbols[k] == nullptr ? "" : info.symbols[k]);
    }
    program.operands.push_back(std::move(operand));
  }
  return program;
}

struct CloseBundle {
  void operator()(algrt_bundle *handle) const { algrt_bundle_close(handle); }
};

// Keeps the bundle and returns its name. A bundle that cannot be described is closed again, and so is one
// whose contents are open already.
std::string enter(std::unique_ptr<algrt_bundle, CloseBundle> opened) {
  algrt_bundle *handle = opened.get();
  auto bundle = std::make_unique<Bundle>();
  bundle->handle = handle;
  int status = algrt_bundle_get_info(handle, &bundle->info);
  bundle->projection = status == ALGRT_OK;
  if (status != ALGRT_UNSUPPORTED) // which says that it holds programs alone
    check(status);
  bundle->name = algrt_bundle_hash(handle);
  for (int64_t i = 0; i < algrt_program_count(handle); ++i)
    bundle->programs.push_back(describeProgram(handle, algrt_program_name(handle, i)));

  std::unique_lock lock(registry().mutex);
  auto [place, fresh] = registry().bundles.try_emplace(bundle->name, nullptr);
  if (fresh) {
    place->second = std::move(bundle);
    (void)opened.release();
  }
  return place->first;
}

// The hash that a bundle's file begins with (docs/bundle.md), in hexadecimal digits; "" for another file.
std::string storedHash(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  unsigned char header[64];
  if (!file.read(reinterpret_cast<char *>(header), sizeof(header)))
    return "";
  std::string digits;
  for (size_t i = 32; i < sizeof(header); ++i)
    for (int part : {header[i] >> 4, header[i] & 15})
      digits += "0123456789abcdef"[part];
  return digits;
}

nlohmann::json describeOperand(const Operand &operand) {
  nlohmann::json types = nlohmann::json::array(), shape = nlohmann::json::array();
  for (ScalarType type : operand.types)
    types.push_back(nameOf(type));
  for (size_t i = 0; i < operand.shape.size(); ++i)
    operand.symbols[i].empty() ? shape.push_back(operand.shape[i]) : shape.push_back(operand.symbols[i]);
  static const char *const ROLES[] = {"input", "weight", "output"};
  return {{"name", operand.name},
          {"role", ROLES[operand.role]},
          {"optional", operand.optional},
          {"host", operand.host},
          {"types", types},
          {"shape", shape}};
}

} // namespace

ScalarType Bundle::type() const {
  require(projection, "the bundle ", name.substr(0, 12), " holds programs, not one projection");
  return scalarTypeOf(info.dtype);
}

std::string openBundle(std::string path) {
  algrt_bundle *handle = nullptr;
  check(algrt_bundle_open(path.c_str(), &handle));
  return enter(std::unique_ptr<algrt_bundle, CloseBundle>(handle));
}

std::string openBundleBytes(Tensor bytes) {
  algrt_bundle *handle = nullptr;
  check(algrt_bundle_open_memory(bytes.const_data_ptr(), size_t(bytes.numel()), &handle));
  return enter(std::unique_ptr<algrt_bundle, CloseBundle>(handle));
}

const Bundle &bundleNamed(const std::string &name) {
  auto open = [&]() -> const Bundle * {
    std::shared_lock lock(registry().mutex);
    auto found = registry().bundles.find(name);
    return found == registry().bundles.end() ? nullptr : found->second.get();
  };
  if (const Bundle *bundle = open())
    return *bundle;
  std::filesystem::path folder;
  {
    std::shared_lock lock(registry().mutex);
    folder = registry().folder;
  }
  std::error_code none; // a folder that is not there has no bundles
  for (const auto &entry : std::filesystem::directory_iterator(folder, none))
    if (entry.path().extension() == ".alg" && storedHash(entry.path()) == name) {
      openBundle(entry.path().string());
      if (const Bundle *bundle = open())
        return *bundle;
    }
  fail("the bundle ", name, " is neither open nor in ", folder.string(),
       ": open it with algctl.Bundle(path)");
}

void setFolder(std::string folder) {
  std::unique_lock lock(registry().mutex);
  registry().folder = std::move(folder);
}

std::string describe(std::string name) {
  const Bundle &bundle = bundleNamed(name);
  nlohmann::json all = {
      {"name", bundle.name}, {"projection", nullptr}, {"programs", nlohmann::json::object()}};
  for (const Program &program : bundle.programs) {
    nlohmann::json operands = nlohmann::json::array();
    for (const Operand &operand : program.operands)
      operands.push_back(describeOperand(operand));
    all["programs"][program.name] = operands;
  }
  all["manifest"] = nlohmann::json::parse(algrt_bundle_manifest(bundle.handle));
  const char *kernels = algrt_bundle_describe_kernels(bundle.handle);
  all["kernels"] = kernels == nullptr ? nlohmann::json::array() : nlohmann::json::parse(kernels);
  if (bundle.projection) {
    const algrt_bundle_info &info = bundle.info;
    static const char *const ROW_TYPES[] = {"cyclic", "interval", "explicit"};
    all["projection"] = {
        {"in_features", info.k},
        {"out_features", info.n},
        {"types", info.types},
        {"row_types", ROW_TYPES[info.row_types]},
        {"row_type_width", info.row_type_width},
        {"lift", info.lift == ALGRT_LIFT_ROWS ? "rows" : "slots"},
        {"dtype", nameOf(bundle.type())},
        {"in_groups", std::vector<int64_t>(info.in_groups, info.in_groups + info.in_group_count)},
        {"out_groups", std::vector<int64_t>(info.out_groups, info.out_groups + info.out_group_count)},
        {"weight_shape", std::vector<int64_t>(info.bank_shape, info.bank_shape + info.bank_ndim)},
        {"packed_bytes", info.packed_bytes},
        {"bias", info.bias != 0}};
  }
  return all.dump();
}

std::tuple<Tensor, Tensor> terms(std::string name) {
  const Bundle &bundle = bundleNamed(name);
  bundle.type();
  std::vector<int64_t> places;
  std::vector<double> coefficients;
  std::vector<algrt_term> block;
  for (int64_t type = 0; type < bundle.info.types; ++type)
    for (int64_t group = 0; group < bundle.info.out_group_count; ++group) {
      int64_t count = 0;
      check(algrt_bundle_get_terms(bundle.handle, type, group, nullptr, 0, &count));
      block.resize(size_t(count));
      check(algrt_bundle_get_terms(bundle.handle, type, group, block.data(), count, &count));
      for (const algrt_term &term : block) {
        places.insert(places.end(), {type, group, term.input_group, term.bank_row});
        coefficients.push_back(term.coefficient);
      }
    }
  int64_t count = int64_t(coefficients.size());
  Tensor place_tensor = torch::stable::empty({count, 4}, ScalarType::Long);
  Tensor coefficient_tensor = torch::stable::empty({count}, ScalarType::Double);
  std::copy(places.begin(), places.end(), static_cast<int64_t *>(place_tensor.mutable_data_ptr()));
  std::copy(coefficients.begin(), coefficients.end(),
            static_cast<double *>(coefficient_tensor.mutable_data_ptr()));
  return {place_tensor, coefficient_tensor};
}

void prepare(std::string name, int64_t device) {
  check(algrt_bundle_prepare(bundleNamed(name).handle, int32_t(device)));
}

} // namespace algctl_torch
