#include "compiler/bundle/assemble.h"

#include "algebras/certificate/certificate.h"
#include "algebras/error.h"
#include "algebras/facts.h"
#include "algebras/facts_json.h"
#include "compiler/bundle/layer_description.h"
#include "dialects/tile/tile.h"
#include "runtime/bundle/support.h"
#include "runtime/bundle/writer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace compiler {

std::vector<KernelRecord> recordKernels(mlir::ModuleOp module) {
  std::vector<KernelRecord> records;
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    auto schedule = function->getAttrOfType<tile::ScheduleAttr>("tile.schedule");
    auto layout = function->getAttrOfType<tile::LayoutAttr>("tile.layout");
    if (!schedule || !layout)
      continue;
    KernelRecord record;
    record.function = function.getSymName().str();
    record.map = algrt::name(layout.isBankGradient() ? algrt::Map::dw
                             : layout.isTransposed() ? algrt::Map::dx
                                                     : algrt::Map::forward);
    record.types_per_task = schedule.getTypes();
    record.rows_per_task = schedule.getRows();
    record.register_rows = schedule.getRegisterRows();
    record.register_columns = schedule.getRegisterColumns();
    record.scratch_bytes = function->getAttrOfType<mlir::IntegerAttr>("tile.scratch_bytes").getInt();
    if (!layout.isBankGradient()) // which reads no bank
      record.weights = tile::stringifyBankAccess(schedule.getBank()).str();
    if (layout.isBankGradient()) {
      record.tasks = function->getAttrOfType<mlir::IntegerAttr>("tile.tasks").getInt();
      const bool f32 = function->getAttrOfType<mlir::TypeAttr>("tile.output").getValue().isF32();
      record.output = algrt::name(f32 ? algrt::ElementType::f32 : algrt::ElementType::bf16);
    }
    // A product's kernel takes eleven operands, or twelve with a bias, a packing kernel four
    // (runtime/kernel_abi.h).
    if (function.getNumArguments() == 4) {
      record.weights = "pack";
      record.packed_bytes = function->getAttrOfType<mlir::IntegerAttr>("tile.packed_bytes").getInt();
      record.pack_tasks = layout.getBank().getCount();
    }
    records.push_back(record);
  }
  return records;
}

/// The manifest's entry of a CPU kernel. `kernels` are all of its level, those that go with it included.
static nlohmann::ordered_json cpuKernelJson(const KernelRecord &kernel, const CpuLevel &level,
                                            const std::string &section,
                                            const std::vector<KernelRecord> &kernels) {
  auto find = [&](const char *weights) {
    auto found = std::ranges::find(kernels, weights, &KernelRecord::weights);
    return found == kernels.end() ? nullptr : &*found;
  };
  nlohmann::ordered_json entry;
  entry["name"] = kernel.function;
  entry["map"] = kernel.map;
  entry["target"] = "cpu";
  entry["level"] = level.name;
  entry["features"] = level.features;
  const bool bank_gradient = kernel.tasks > 0;
  if (bank_gradient)
    entry["output"] = kernel.output;
  else
    entry["weights"] = kernel.weights;
  entry["section"] = section;
  entry["symbol"] = "_mlir_ciface_" + kernel.function;
  if (bank_gradient) {
    entry["tasks"] = kernel.tasks;
  } else {
    entry["types_per_task"] = kernel.types_per_task;
    entry["rows_per_task"] = kernel.rows_per_task;
  }
  entry["register_tile"] = {kernel.register_rows, kernel.register_columns};
  entry["scratch_bytes"] = kernel.scratch_bytes;
  entry["row_lists"] = true;
  if (const KernelRecord *pack = find("pack"); pack && kernel.weights == "packed") {
    entry["pack_symbol"] = "_mlir_ciface_" + pack->function;
    entry["pack_tasks"] = pack->pack_tasks;
    entry["packed_bytes"] = pack->packed_bytes;
  }
  // Up to one register tile of rows, a copy of the bank would be used once: reading in place is cheaper.
  const KernelRecord *direct =
      kernel.map == "forward" && kernel.weights == "copied" ? find("direct") : nullptr;
  if (direct)
    entry["direct_rows"] = direct->register_rows;
  return entry;
}

void BundleParts::addCpu(const CpuLevel &level, const std::vector<KernelRecord> &kernels,
                         std::string shared_object) {
  parts.push_back({level, kernels, std::move(shared_object)});
}

void BundleParts::addGpu(const algrt::Kernel &kernel, std::string ptx, std::string cubin) {
  gpu_parts.push_back({kernel, std::move(ptx), std::move(cubin)});
}

static nlohmann::ordered_json auxiliaryJson(const algrt::Kernel &kernel) {
  return {{"name", kernel.name},
          {"map", kernel.map},
          {"target", kernel.target},
          {"symbol", kernel.auxiliary()->symbol},
          {"threads", kernel.auxiliary()->threads}};
}

static nlohmann::ordered_json gpuKernelJson(const algrt::Kernel &kernel) {
  const algrt::GpuKernel &gpu = *kernel.gpu;
  auto box = [](const algrt::GpuBox &box) {
    return nlohmann::ordered_json{{"columns", box.columns}, {"rows", box.rows}, {"swizzle", box.swizzle}};
  };
  nlohmann::ordered_json entry;
  entry["name"] = kernel.name;
  entry["map"] = kernel.map;
  entry["target"] = kernel.target;
  entry["output"] = algrt::name(gpu.output);
  entry["symbol"] = gpu.symbol;
  entry["threads"] = gpu.threads;
  entry["cluster"] = gpu.cluster;
  entry["shared_bytes"] = gpu.shared_bytes;
  entry["dependent_launch"] = gpu.dependent_launch;
  if (gpu.copies == algrt::GpuCopies::threads) {
    entry["copies"] = algrt::name(gpu.copies);
    entry["vector"] = gpu.vector;
    if (gpu.isReduction())
      entry["slices"] = gpu.slices;
    else
      entry["warps"] = {gpu.warp_rows, gpu.warp_columns};
  }
  if (gpu.best_for_rows.to > 0)
    entry["best_for_rows"] = {gpu.best_for_rows.from, gpu.best_for_rows.to};
  if (gpu.registers > 0)
    entry["registers"] = gpu.registers;
  entry["terms"] = gpu.terms;
  if (gpu.scaled)
    entry["scaled"] = true;
  if (gpu.listed)
    entry["rows"] = "listed";
  if (gpu.groups > 0)
    entry["groups"] = gpu.groups;
  if (!gpu.schedule.empty())
    entry["schedule"] = gpu.schedule;
  entry["tile"] = {{"rows", gpu.tile.rows},
                   {"columns", gpu.tile.columns},
                   {"depth", gpu.tile.depth},
                   {"stages", gpu.tile.stages},
                   {"consumers", gpu.tile.consumers}};
  if (gpu.cluster > 1) {
    entry["tile"]["cluster_rows"] = gpu.tile.cluster_rows;
    entry["tile"]["cluster_columns"] = gpu.tile.cluster_columns;
    if (gpu.tile.split > 1)
      entry["tile"]["split"] = gpu.tile.split;
  }
  if (gpu.tile.types > 1)
    entry["tile"]["types"] = gpu.tile.types;
  if (gpu.tile.long_groups > 0)
    entry["tile"]["long_groups"] = gpu.tile.long_groups;
  if (gpu.tile.held_groups > 0)
    entry["tile"]["held_groups"] = gpu.tile.held_groups;
  entry["boxes"] = {{"x", box(gpu.x)}, {"w", box(gpu.w)}, {"y", box(gpu.y)}};
  return entry;
}

void BundleParts::write(const std::string &path, const Spec &spec) const {
  const algebras::Layer &layer = requireLayer(spec);
  nlohmann::ordered_json manifest;
  manifest["compiler"] = "algctl " ALGCTL_VERSION;
  manifest["algebra"] = algebras::toJson(algebras::deriveFacts(spec.algebra));
  manifest["layer"] = layerJson(layer);

  std::vector<algrt::SectionContent> sections;
  try {
    sections.push_back({"certificate", "certificate", algebras::certify(spec.algebra).json.dump() + "\n"});
    manifest["certificate"] = {{"section", "certificate"}};
  } catch (const algebras::InputError &error) { // too large for one; the kernels do not need it
    manifest["certificate"] = {{"missing", error.what()}};
  }
  if (layer.lift.completeGraph()) {
    manifest["support"] = {{"kind", "complete"}};
  } else {
    manifest["support"] = {{"kind", "table"}, {"section", "terms"}};
    sections.push_back({"terms", "terms", encodeSupport(layer.lift)});
  }

  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const CpuPart &part : parts) {
    const std::string section = "cpu-" + part.level.name;
    sections.push_back({section, "shared-object", part.shared_object});
    for (const KernelRecord &kernel : part.kernels)
      if (kernel.weights != "pack")
        kernels.push_back(cpuKernelJson(kernel, part.level, section, part.kernels));
  }
  for (const GpuPart &part : gpu_parts) {
    nlohmann::ordered_json entry =
        part.kernel.auxiliary() ? auxiliaryJson(part.kernel) : gpuKernelJson(part.kernel);
    nlohmann::ordered_json images = nlohmann::ordered_json::array();
    auto add = [&](algrt::ImageKind kind, const std::string &image) {
      if (image.empty())
        return;
      const std::string section = part.kernel.target + "-" + part.kernel.name + "-" + algrt::name(kind);
      images.push_back({{"kind", algrt::name(kind)}, {"section", section}});
      sections.push_back({section, algrt::name(kind), image});
    };
    add(algrt::ImageKind::cubin, part.cubin);
    add(algrt::ImageKind::ptx, part.ptx);
    entry["images"] = images;
    kernels.push_back(entry);
  }
  manifest["kernels"] = kernels;
  algrt::writeBundle(path, manifest, sections);
}

} // namespace compiler
