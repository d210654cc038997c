#include "runtime/api/boundary.h"
#include "runtime/api/handles.h"
#include "runtime/api/tensor.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace algrt;

namespace {

// `projection` is the name of a further one, empty for the bundle's own.
void describeKernels(const LoadedProjection &bundle, const std::string &projection,
                     nlohmann::ordered_json &list) {
  const std::vector<Kernel> &kernels = bundle.bundle.manifest().kernels;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const Kernel &kernel = kernels[i];
    const std::string reason = kernel.gpuCode() ? bundle.gpu_kernels.unusable(i) : bundle.kernels.unusable(i);
    nlohmann::ordered_json entry = {
        {"name", kernel.name}, {"map", kernel.map}, {"target", kernel.target}, {"level", kernel.level}};
    if (!projection.empty())
      entry["projection"] = projection;
    const bool weight_gradient = kernel.known && kernel.map == name(Map::Dw);
    entry["weights"] = nullptr;
    if (kernel.known && !weight_gradient)
      entry["weights"] = name(kernel.weights);
    entry["features"] = kernel.features;
    if (weight_gradient)
      entry["output"] = name(kernel.output);
    if (kernel.gpu) {
      entry["output"] = name(kernel.gpu->output);
      if (kernel.gpu->copies == GpuCopies::Threads)
        entry["vector"] = kernel.gpu->vector;
      if (const RowRange rows = kernel.gpu->best_for_rows; rows.to > 0)
        entry["best_for_rows"] = {rows.from, rows.to};
    }
    entry["usable"] = reason.empty();
    if (!reason.empty())
      entry["reason"] = reason;
    list.push_back(std::move(entry));
  }
}

std::string describeKernels(const algrt_bundle &bundle) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (size_t i = 0; i < bundle.bundle.projectionCount(); ++i)
    describeKernels(bundle.projection(i), bundle.bundle.projectionName(i), list);
  const std::vector<Elementwise> &functions = bundle.bundle.manifest().elementwise;
  for (size_t i = 0; i < functions.size(); ++i)
    for (size_t kernel = 0; kernel < functions[i].kernels.size(); ++kernel) {
      const ElementwiseKernel &described = functions[i].kernels[kernel];
      const std::string reason = bundle.elementwise.unusable(i, kernel);
      nlohmann::ordered_json &entry = list.emplace_back();
      entry = {{"name", functions[i].name}, {"map", "elementwise"}, {"target", described.target},
               {"level", described.level},  {"weights", nullptr},   {"features", described.features},
               {"usable", reason.empty()}};
      if (!reason.empty())
        entry["reason"] = reason;
    }
  return list.dump();
}

int adopt(algrt_bundle **bundle, auto &&open) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    *bundle = nullptr;
    *bundle = new algrt_bundle(open());
  });
}

// Of the kernel that algrt_weights_pack takes, whether or not it finds a fault in it.
int64_t packedBytes(const algrt_bundle &bundle) {
  const std::vector<Kernel> &kernels = bundle.bundle.manifest().kernels;
  for (size_t i = 0; i < kernels.size(); ++i)
    if (bundle.kernels.lacking(i).empty() && kernels[i].weights == WeightsForm::Packed)
      return kernels[i].packing.front().bytes;
  return 0;
}

algrt_row_types rowTypesOf(const Layer &layer) {
  switch (layer.row_types) {
  case RowTypesKind::Cyclic:
    return ALGRT_ROW_TYPES_CYCLIC;
  case RowTypesKind::Interval:
    return ALGRT_ROW_TYPES_INTERVAL;
  case RowTypesKind::ExplicitTypes:
    break;
  }
  return ALGRT_ROW_TYPES_EXPLICIT;
}

} // namespace

algrt_bundle::algrt_bundle(Bundle opened) : LoadedProjection(std::move(opened), 0) {
  const size_t first = bundle.hasProjection() ? 1 : 0;
  for (size_t i = 0; i < bundle.further().size(); ++i)
    further.push_back(std::make_unique<const LoadedProjection>(bundle.further()[i], first + i));
  for (const Program &program : bundle.manifest().programs)
    for (const ProgramOperand &operand : program.operands)
      for (const Extent &extent : operand.shape)
        if (!extent.symbol.empty())
          extent_texts[&extent] = extent.text();
}

int algrt_bundle_open(const char *path, algrt_bundle **bundle) {
  return adopt(bundle, [&] {
    requireNotNull(path, "path");
    return Bundle::open(path);
  });
}

int algrt_bundle_open_memory(const void *bytes, size_t size, algrt_bundle **bundle) {
  return adopt(bundle, [&] {
    requireNotNull(bytes, "bytes");
    return Bundle::openMemory(std::string(static_cast<const char *>(bytes), size), "");
  });
}

int algrt_bundle_open_signed_memory(const void *bytes, size_t size, const void *signature,
                                    size_t signature_size, algrt_bundle **bundle) {
  return adopt(bundle, [&] {
    requireNotNull(bytes, "bytes");
    requireNotNull(signature, "signature");
    return Bundle::openMemory(std::string(static_cast<const char *>(bytes), size),
                              std::string_view(static_cast<const char *>(signature), signature_size));
  });
}

int algrt_set_public_key(const char *public_key) {
  return guarded([&] {
    try {
      setPublicKey(public_key == nullptr ? std::nullopt : std::optional<std::string>(public_key));
    } catch (const Error &error) {
      throw Error(error.status(), std::string("public_key: ") + error.what());
    }
  });
}

void algrt_bundle_close(algrt_bundle *bundle) { delete bundle; }

const char *algrt_bundle_hash(const algrt_bundle *bundle) {
  return bundle == nullptr ? nullptr : bundle->bundle.hash().c_str();
}

const char *algrt_bundle_manifest(const algrt_bundle *bundle) {
  return bundle == nullptr ? nullptr : bundle->bundle.manifestText().c_str();
}

const char *algrt_bundle_describe_kernels(const algrt_bundle *bundle) {
  const char *text = nullptr;
  guarded([&] {
    requireNotNull(bundle, "bundle");
    const std::lock_guard lock(bundle->descriptions_mutex);
    if (!bundle->kernel_descriptions)
      bundle->kernel_descriptions = describeKernels(*bundle);
    text = bundle->kernel_descriptions->c_str();
  });
  return text;
}

int algrt_bundle_get_info(const algrt_bundle *bundle, algrt_bundle_info *info) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    requireNotNull(info, "info");
    const size_t size = info->struct_size;
    if (size < sizeof(size_t))
      throw Error(ALGRT_INVALID_ARGUMENT,
                  "info: struct_size is not set; start from algrt_bundle_info_init()");
    const Layer &layer = bundle->bundle.layer();
    algrt_bundle_info filled = algrt_bundle_info_init();
    filled.struct_size = size;
    filled.k = layer.k;
    filled.n = layer.n;
    filled.types = layer.types;
    filled.row_types = rowTypesOf(layer);
    filled.row_type_width = layer.row_type_width;
    filled.lift = layer.lift == Lift::Rows ? ALGRT_LIFT_ROWS : ALGRT_LIFT_SLOTS;
    filled.dtype = dlpackType(layer.dtype);
    filled.in_group_count = int64_t(layer.in_groups.size());
    filled.out_group_count = int64_t(layer.out_groups.size());
    filled.in_groups = layer.in_groups.data();
    filled.out_groups = layer.out_groups.data();
    if (layer.lift == Lift::Rows) {
      filled.bank_ndim = 2;
      filled.bank_shape[0] = layer.k;
      filled.bank_shape[1] = layer.n;
    } else {
      const int64_t slots = int64_t(layer.weight_rows.size());
      filled.bank_ndim = 3;
      filled.bank_shape[0] = slots;
      filled.bank_shape[1] = layer.k / slots;
      filled.bank_shape[2] = layer.weightColumns();
    }
    filled.packed_bytes = packedBytes(*bundle);
    filled.runs_here = bundle->kernels.anyUsable(Map::Forward) ? 1 : 0;
    filled.bias = layer.bias ? 1 : 0;
    std::memcpy(info, &filled, std::min(size, sizeof(filled)));
  });
}

int algrt_bundle_get_terms(const algrt_bundle *bundle, int64_t type, int64_t output_group, algrt_term *terms,
                           int64_t capacity, int64_t *count) {
  return guarded([&] {
    requireNotNull(bundle, "bundle");
    requireNotNull(count, "count");
    const Layer &layer = bundle->bundle.layer();
    const int64_t groups = int64_t(layer.out_groups.size());
    if (type < 0 || type >= layer.types)
      throw Error(ALGRT_INVALID_ARGUMENT, "type is " + std::to_string(type) +
                                              ", the layer's types are 0 to " +
                                              std::to_string(layer.types - 1));
    if (output_group < 0 || output_group >= groups)
      throw Error(ALGRT_INVALID_ARGUMENT, "output_group is " + std::to_string(output_group) +
                                              ", the layer's groups are 0 to " + std::to_string(groups - 1));
    if (capacity < 0)
      throw Error(ALGRT_INVALID_ARGUMENT, "capacity is " + std::to_string(capacity) + ", needs 0 or more");
    if (capacity > 0)
      requireNotNull(terms, "terms");
    TermStorage storage;
    const std::span<const Term> found = bundle->bundle.support().terms(type, output_group, storage);
    *count = int64_t(found.size());
    for (int64_t i = 0; i < std::min(capacity, *count); ++i)
      terms[i] = {found[size_t(i)].input_group, found[size_t(i)].weight_row, found[size_t(i)].coefficient};
  });
}
