#include "compiler/bundle/assemble.h"

#include "algebras/certificate/certificate.h"
#include "algebras/error.h"
#include "algebras/facts.h"
#include "algebras/facts_json.h"
#include "compiler/bundle/kernel_description.h"
#include "compiler/bundle/layer_description.h"
#include "dialects/tile/tile.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/program.h"
#include "runtime/bundle/writer.h"
#include "runtime/support/error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace compiler {

/// The name of a function as C finds it.
static std::string symbolOf(mlir::func::FuncOp function) {
  return "_mlir_ciface_" + function.getSymName().str();
}

static int64_t numberOf(mlir::func::FuncOp function, llvm::StringRef attribute) {
  return function->getAttrOfType<mlir::IntegerAttr>(attribute).getInt();
}

/// A packing kernel takes four arguments, those of products more (runtime/kernel_abi.h).
static bool packs(mlir::func::FuncOp function) { return function.getNumArguments() == 4; }

static algrt::WeightsForm weightsOf(tile::ScheduleAttr schedule) {
  const std::string form = tile::stringifyWeightAccess(schedule.getWeights()).str();
  for (const algrt::WeightsForm known :
       {algrt::WeightsForm::Packed, algrt::WeightsForm::Copied, algrt::WeightsForm::Direct})
    if (form == algrt::name(known))
      return known;
  throw std::logic_error("a kernel that reads the weight matrix in a way that the runtime does not know: " +
                         form);
}

static algrt::Kernel cpuKernel(mlir::func::FuncOp function, tile::ScheduleAttr schedule,
                               tile::LayoutAttr layout, const CpuLevel &level) {
  algrt::Kernel kernel;
  kernel.name = function.getSymName().str();
  kernel.map = algrt::name(layout.isWeightGradient() ? algrt::Map::Dw
                           : layout.isTransposed()   ? algrt::Map::Dx
                                                     : algrt::Map::Forward);
  kernel.target = "cpu";
  kernel.level = level.name;
  kernel.features = level.features;
  kernel.known = true;
  kernel.symbol = symbolOf(function);
  kernel.register_rows = schedule.getRegisterRows();
  kernel.register_columns = schedule.getRegisterColumns();
  kernel.scratch_bytes = numberOf(function, "tile.scratch_bytes");
  kernel.row_lists = true;
  if (layout.isWeightGradient()) { // which reads no weight matrix
    kernel.tasks = numberOf(function, "tile.tasks");
    const bool f32 = function->getAttrOfType<mlir::TypeAttr>("tile.output").getValue().isF32();
    kernel.output = f32 ? algrt::ElementType::F32 : algrt::ElementType::Bf16;
    return kernel;
  }
  kernel.weights = weightsOf(schedule);
  kernel.types_per_task = schedule.getTypes();
  kernel.rows_per_task = schedule.getRows();
  return kernel;
}

std::vector<algrt::Kernel> cpuKernels(mlir::ModuleOp module, const CpuLevel &level) {
  std::vector<algrt::Kernel> kernels;
  std::vector<mlir::func::FuncOp> packing; // of one layer after another
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    auto schedule = function->getAttrOfType<tile::ScheduleAttr>("tile.schedule");
    auto layout = function->getAttrOfType<tile::LayoutAttr>("tile.layout");
    if (!schedule || !layout)
      continue;
    if (packs(function))
      packing.push_back(function);
    else
      kernels.push_back(cpuKernel(function, schedule, layout, level));
  }
  // What goes with others of the level.
  const auto direct = std::ranges::find_if(kernels, [](const algrt::Kernel &kernel) {
    return kernel.map == "forward" && kernel.weights == algrt::WeightsForm::Direct;
  });
  for (algrt::Kernel &kernel : kernels) {
    if (kernel.map != "forward")
      continue;
    if (kernel.weights == algrt::WeightsForm::Packed) {
      for (mlir::func::FuncOp function : packing)
        kernel.packing.push_back(
            {symbolOf(function),
             function->getAttrOfType<tile::LayoutAttr>("tile.layout").getWeights().getCount(),
             numberOf(function, "tile.packed_bytes")});
    }
    // Up to one register tile of rows, a copy of the weight matrix would be used once: reading in place is
    // cheaper.
    if (kernel.weights == algrt::WeightsForm::Copied && direct != kernels.end())
      kernel.direct_rows = direct->register_rows;
  }
  return kernels;
}

static nlohmann::ordered_json cpuKernelJson(const algrt::Kernel &kernel, const std::string &section,
                                            const algrt::Layer &layer) {
  nlohmann::ordered_json entry;
  entry["name"] = kernel.name;
  entry["map"] = kernel.map;
  entry["target"] = kernel.target;
  entry["level"] = kernel.level;
  entry["features"] = kernel.features;
  const bool weight_gradient = kernel.tasks > 0;
  if (weight_gradient)
    entry["output"] = algrt::name(kernel.output);
  else
    entry["weights"] = algrt::name(kernel.weights);
  entry["section"] = section;
  entry["symbol"] = kernel.symbol;
  entry["operands"] = algrt::cpuOperands(*algrt::mapNamed(kernel.map), layer);
  if (weight_gradient) {
    entry["tasks"] = kernel.tasks;
  } else {
    entry["types_per_task"] = kernel.types_per_task;
    entry["rows_per_task"] = kernel.rows_per_task;
  }
  entry["register_tile"] = {kernel.register_rows, kernel.register_columns};
  entry["scratch_bytes"] = kernel.scratch_bytes;
  entry["row_lists"] = kernel.row_lists;
  for (const auto &[number, packing] : llvm::enumerate(kernel.packing)) {
    nlohmann::ordered_json &of_layer = number == 0 ? entry : entry["next"];
    of_layer["pack_symbol"] = packing.symbol;
    of_layer["pack_tasks"] = packing.tasks;
    of_layer["packed_bytes"] = packing.bytes;
  }
  if (kernel.direct_rows > 0)
    entry["direct_rows"] = kernel.direct_rows;
  return entry;
}

void BundleParts::addCpu(const std::string &projection, const std::string &level,
                         const std::vector<algrt::Kernel> &kernels, std::string shared_object) {
  parts_.push_back({projection, level, kernels, std::move(shared_object)});
}

void BundleParts::addGpu(const std::string &projection, const algrt::Kernel &kernel, std::string ptx,
                         std::string cubin) {
  gpu_parts_.push_back({projection, kernel, std::move(ptx), std::move(cubin)});
}

void BundleParts::addElementwise(const std::string &function, algrt::ElementwiseKernel kernel,
                                 std::vector<algrt::SectionContent> sections) {
  elementwise_parts_.push_back({function, std::move(kernel), std::move(sections)});
}

std::vector<algrt::Program> BundleParts::programsOfMaps(const algrt::Layer &layer) const {
  std::vector<algrt::Program> programs;
  for (const algrt::Map map : {algrt::Map::Forward, algrt::Map::Dx, algrt::Map::Dw}) {
    // What its kernels write; those of forward and dx for the CPU, the layer's type.
    std::vector<algrt::OperandType> results;
    const auto add = [&](algrt::ElementType type) {
      if (llvm::find(results, algrt::operandType(type)) == results.end())
        results.push_back(algrt::operandType(type));
    };
    for (const CpuPart &part : parts_)
      for (const algrt::Kernel &kernel : part.kernels)
        if (kernel.map == algrt::name(map))
          add(map == algrt::Map::Dw ? kernel.output : layer.dtype);
    for (const GpuPart &part : gpu_parts_)
      if (part.kernel.gpu && part.kernel.gpu->map == map)
        add(part.kernel.gpu->output);
    if (!results.empty())
      programs.push_back(algrt::projectionProgram(layer, map, results));
  }
  return programs;
}

/// The manifest and the sections that it names, while they are put together.
class BundleParts::Writer {
public:
  Writer(const BundleParts &bundle, const BundleContents &contents) : bundle_(bundle), contents_(contents) {}
  std::string encode();

private:
  using Json = nlohmann::ordered_json;
  /// The manifest's entry for a certificate, in a section of that name.
  Json certificate(const algebras::Algebra &algebra, const std::string &name);
  /// The support of a projection; of tables that several have there is one section.
  Json support(const BundleProjection &projection);
  Json kernels(const std::string &projection, const algrt::Layer &layer);
  Json gpuKernel(const GpuPart &part, const std::string &prefix);
  void addElementwise();
  void addPrograms();

  const BundleParts &bundle_;
  const BundleContents &contents_;
  Json manifest_;
  std::vector<algrt::SectionContent> sections_;
  std::vector<algrt::Layer> layers_;
};

nlohmann::ordered_json BundleParts::Writer::certificate(const algebras::Algebra &algebra,
                                                        const std::string &name) {
  try {
    const std::string text =
        algebras::certify(algebra).json.dump(-1, ' ', false, Json::error_handler_t::replace);
    sections_.push_back({name, "certificate", text + "\n"});
    return {{"section", name}};
  } catch (const algebras::InputError &error) { // too large for one; the kernels do not need it
    return {{"missing", error.what()}};
  }
}

nlohmann::ordered_json BundleParts::Writer::support(const BundleProjection &projection) {
  EncodedSupport support = encodeSupport(projection.layer.lift);
  std::map<std::string, std::string> renamed;
  for (algrt::SectionContent &section : support.sections) {
    const std::string name = section.name;
    const auto same = llvm::find_if(
        sections_, [&](const auto &one) { return one.kind == section.kind && one.bytes == section.bytes; });
    if (same != sections_.end()) {
      renamed[name] = same->name;
      continue;
    }
    if (!projection.name.empty())
      section.name = projection.name + "-" + name;
    renamed[name] = section.name;
    sections_.push_back(std::move(section));
  }
  const auto rename = [&](Json &entry) {
    if (entry.contains("section"))
      entry["section"] = renamed.at(entry["section"].get<std::string>());
  };
  rename(support.json);
  if (support.json.contains("factors"))
    for (Json &factor : support.json["factors"])
      rename(factor);
  return support.json;
}

nlohmann::ordered_json BundleParts::Writer::gpuKernel(const GpuPart &part, const std::string &prefix) {
  Json entry = part.kernel.group_rows ? groupRowsJson(part.kernel) : gpuKernelJson(part.kernel);
  Json images = Json::array();
  const auto add = [&](algrt::ImageKind kind, const std::string &image) {
    if (image.empty())
      return;
    const std::string section =
        prefix + part.kernel.target + "-" + part.kernel.name + "-" + algrt::name(kind);
    images.push_back({{"kind", algrt::name(kind)}, {"section", section}});
    sections_.push_back({section, algrt::name(kind), image});
  };
  add(algrt::ImageKind::Cubin, part.cubin);
  add(algrt::ImageKind::Ptx, part.ptx);
  entry["images"] = images;
  return entry;
}

nlohmann::ordered_json BundleParts::Writer::kernels(const std::string &projection,
                                                    const algrt::Layer &layer) {
  const std::string prefix = projection.empty() ? "" : projection + "-";
  Json kernels = Json::array();
  for (const CpuPart &part : bundle_.parts_) {
    if (part.projection != projection)
      continue;
    const std::string section = prefix + "cpu-" + part.level;
    sections_.push_back({section, "shared-object", part.shared_object});
    for (const algrt::Kernel &kernel : part.kernels)
      kernels.push_back(cpuKernelJson(kernel, section, layer));
  }
  for (const GpuPart &part : bundle_.gpu_parts_)
    if (part.projection == projection)
      kernels.push_back(gpuKernel(part, prefix));
  return kernels;
}

void BundleParts::Writer::addElementwise() {
  for (algrt::Elementwise function : contents_.elementwise) {
    for (const ElementwisePart &part : bundle_.elementwise_parts_)
      if (part.function == function.name) {
        function.kernels.push_back(part.kernel);
        sections_.insert(sections_.end(), part.sections.begin(), part.sections.end());
      }
    manifest_["elementwise"].push_back(algrt::elementwiseJson(function));
  }
}

void BundleParts::Writer::addPrograms() {
  std::vector<algrt::NamedLayer> named;
  for (const auto &[projection, layer] : llvm::zip_equal(contents_.projections, layers_))
    named.push_back({projection.name, &layer});
  std::vector<algrt::NamedFunction> functions;
  for (const algrt::Elementwise &function : contents_.elementwise)
    functions.push_back({function.name, algrt::operandsOf(function)});
  const bool own = !named.empty() && named.front().name.empty();
  Json programs = Json::array();
  for (const algrt::Program &program : own ? bundle_.programsOfMaps(layers_.front()) : contents_.programs)
    programs.push_back(algrt::programJson(program, {named, functions}));
  manifest_["programs"] = programs;
}

std::string BundleParts::Writer::encode() {
  manifest_["compiler"] = "algctl " ALGCTL_VERSION;
  for (const auto &[number, algebra] : llvm::enumerate(contents_.algebras)) {
    Json facts = algebras::toJson(algebras::deriveFacts(algebra));
    if (number == 0) {
      manifest_["algebra"] = facts;
      manifest_["certificate"] = certificate(algebra, "certificate");
    } else {
      facts["certificate"] = certificate(algebra, "certificate-" + std::to_string(number + 1));
      manifest_["further_algebras"].push_back(facts);
    }
  }
  for (const BundleProjection &projection : contents_.projections)
    layers_.push_back(runtimeLayer(projection.layer, projection.fusion));
  for (const auto &[projection, layer] : llvm::zip_equal(contents_.projections, layers_)) {
    Json entry;
    if (!projection.name.empty())
      entry["name"] = projection.name;
    entry["layer"] = layerJson(projection.layer, projection.fusion);
    entry["support"] = support(projection);
    entry["kernels"] = kernels(projection.name, layer);
    if (projection.name.empty())
      manifest_.update(entry);
    else
      manifest_["projections"].push_back(entry);
  }
  addElementwise();
  addPrograms();
  if (!contents_.text.empty())
    sections_.push_back({"program", "program", contents_.text});
  return algrt::encodeBundle(manifest_, sections_);
}

/// Throws where code does not say of itself what the manifest does.
static void requireFaultless(const algrt::Bundle &bundle) {
  for (size_t kernel = 0; kernel < bundle.manifest().kernels.size(); ++kernel)
    bundle.requireFaultless(kernel);
}

std::string BundleParts::encode(const BundleContents &contents) const {
  std::string bytes = Writer(*this, contents).encode();
  const algrt::Bundle written = algrt::Bundle::parse(bytes);
  requireFaultless(written);
  for (const algrt::Bundle &further : written.further())
    requireFaultless(further);
  for (size_t function = 0; function < contents.elementwise.size(); ++function)
    for (size_t kernel = 0; kernel < written.manifest().elementwise[function].kernels.size(); ++kernel)
      if (const std::string &fault = written.elementwiseFault(function, kernel); !fault.empty())
        throw algrt::Error(ALGRT_BAD_BUNDLE, fault);
  return bytes;
}

} // namespace compiler
