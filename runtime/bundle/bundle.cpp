#include "runtime/bundle/bundle.h"

#include "runtime/bundle/elementwise_record.h"
#include "runtime/bundle/format.h"
#include "runtime/bundle/hash.h"
#include "runtime/bundle/kernel_record.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace algrt {

namespace {

[[noreturn]] void refuseBundle(const std::string &what) { throw Error(ALGRT_BAD_BUNDLE, what); }

template <typename Integer> Integer readAt(std::string_view bytes, size_t offset) {
  Integer value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

void checkHash(std::string_view bytes) {
  if (std::memcmp(bundleHash(bytes).data(), bytes.data() + format::hash_offset, sizeof(Sha256Digest)) != 0)
    refuseBundle("is damaged: its hash does not match its contents; compile it or copy it again");
}

// What the first bytes say of a file of that size, before the rest of it is read.
void checkBeginning(std::string_view header, uint64_t size) {
  if (size == 0)
    refuseBundle("is empty");
  const size_t compared = std::min(header.size(), format::magic.size());
  if (header.substr(0, compared) != format::magic.substr(0, compared))
    refuseBundle("is not a bundle: it does not begin with the bundles' magic number");
  if (size < format::header_size)
    refuseBundle("is truncated: " + std::to_string(size) + " bytes, less than a header");
  if (readAt<uint32_t>(header, format::version_offset) > format::version)
    return; // only the hash can tell whether it is
  const uint64_t needed = readAt<uint64_t>(header, format::file_size_offset);
  if (size < needed)
    refuseBundle("is truncated: " + std::to_string(size) + " of " + std::to_string(needed) + " bytes");
  if (size > needed)
    refuseBundle("has " + std::to_string(size - needed) + " bytes after its end");
}

void checkHeader(std::string_view bytes, Bundle::HashCheck check) {
  checkBeginning(bytes, bytes.size());
  const uint32_t version = readAt<uint32_t>(bytes, format::version_offset);
  if (version > format::version) {
    // A flipped bit in the version is damage, not news from the future. Only the hash can tell.
    if (check == Bundle::HashCheck::Verify)
      checkHash(bytes);
    throw Error(ALGRT_NEWER_FORMAT, "has format " + std::to_string(version) + ", this runtime reads up to " +
                                        std::to_string(format::version) + ": update the runtime");
  }
  if (check == Bundle::HashCheck::Verify)
    checkHash(bytes);
  if (version == 0 || readAt<uint32_t>(bytes, format::reserved_offset) != 0)
    refuseBundle("has a malformed header");
  if (version < format::version)
    refuseBundle("has format " + std::to_string(version) +
                 ", made by an earlier algctl: compile the spec again");
}

} // namespace

Bundle Bundle::open(const std::string &path) {
  const InputFile file(path);
  const auto naming = [&](auto &&action) {
    try {
      return action();
    } catch (const Error &error) {
      throw Error(error.status(), path + ": " + error.what());
    }
  };
  const std::string header = file.read(0, std::min(file.size(), uint64_t(format::header_size)));
  naming([&] { checkBeginning(header, file.size()); });
  std::string bytes = file.read(0, file.size());
  return naming([&] {
    std::optional<VerifiedSignature> signature = requireTrustOfFile(bytes, path);
    Bundle bundle = parse(std::move(bytes));
    bundle.signature_ = std::move(signature);
    return bundle;
  });
}

Bundle Bundle::openMemory(std::string bytes, std::string_view signature) {
  std::optional<VerifiedSignature> verified = requireTrust(bytes, signature);
  Bundle bundle = parse(std::move(bytes));
  bundle.signature_ = std::move(verified);
  return bundle;
}

Bundle Bundle::parse(std::string content, HashCheck check) {
  Bundle bundle;
  bundle.bytes_ = std::make_shared<const std::string>(std::move(content));
  const std::string_view bytes = *bundle.bytes_;
  checkHeader(bytes, check);
  const uint64_t manifest_size = readAt<uint64_t>(bytes, format::manifest_size_offset);
  if (manifest_size > bytes.size() - format::header_size)
    refuseBundle("its manifest reaches beyond its end");
  Sha256Digest stored;
  std::memcpy(stored.data(), bytes.data() + format::hash_offset, stored.size());
  bundle.hash_ = toHex(stored);
  bundle.manifest_text_ = bytes.substr(format::header_size, size_t(manifest_size));
  const uint64_t sections_begin = format::alignUp(format::header_size + manifest_size);
  bundle.manifest_ = parseManifest(bundle.manifest_text_, sections_begin, bytes.size());
  if (bundle.hasProjection())
    bundle.readProjection();
  bundle.elementwise_faults_ = bundle.findElementwiseFaults();
  // What every part has of the bundle. A manifest's text, kernels and programs can be long, and parts many.
  Bundle bare;
  bare.bytes_ = bundle.bytes_;
  bare.hash_ = bundle.hash_;
  bare.manifest_.compiler = bundle.manifest_.compiler;
  bare.manifest_.algebra = bundle.manifest_.algebra;
  bare.manifest_.sections = bundle.manifest_.sections;
  bundle.further_.reserve(bundle.manifest_.further.size());
  for (const Projection &further : bundle.manifest_.further) {
    Bundle &part = bundle.further_.emplace_back(bare);
    part.manifest_.layer = further.layer;
    part.manifest_.support = further.support;
    part.manifest_.kernels = further.kernels;
    part.readProjection();
  }
  return bundle;
}

const Layer &Bundle::layer() const {
  requireProjection();
  return *manifest_.layer;
}

const Support &Bundle::support() const {
  requireProjection();
  return support_;
}

void Bundle::requireProjection() const {
  if (!hasProjection())
    throw Error(ALGRT_UNSUPPORTED, "this bundle holds programs, not one projection: call algrt_run");
}

const Bundle &Bundle::projection(size_t number) const {
  if (hasProjection())
    return number == 0 ? *this : further_[number - 1];
  return further_[number];
}

const std::string &Bundle::projectionName(size_t number) const {
  static const std::string own;
  if (hasProjection())
    return number == 0 ? own : manifest_.further[number - 1].name;
  return manifest_.further[number].name;
}

void Bundle::readProjection() {
  support_ = Support::parse(
      manifest_.support, [&](const std::string &name) { return section(*manifest_.findSection(name)); },
      *manifest_.layer);
  faults_ = findFaults();
}

std::vector<std::string> Bundle::findFaults() const {
  const RecordedLayer layer(*manifest_.layer, support_);
  std::map<std::string, CodeSymbols> read; // by section, of which kernels may share one
  const auto symbols_of = [&](const std::string &name) -> const CodeSymbols & {
    const auto [entry, added] = read.try_emplace(name);
    if (added)
      entry->second = readSymbols(section(*manifest_.findSection(name)));
    return entry->second;
  };
  std::vector<std::string> faults;
  for (const Kernel &kernel : manifest_.kernels) {
    const std::vector<KernelRecord> records = recordsOf(kernel, layer);
    std::string &fault = faults.emplace_back();
    if (kernel.known)
      fault = findDifference(records, symbols_of(kernel.section), kernel.section);
    if (const GpuCode *code = kernel.gpuCode())
      for (const GpuImage &image : code->images)
        if (fault.empty())
          fault = findDifference(records, symbols_of(image.section), image.section);
  }
  return faults;
}

std::vector<std::vector<std::string>> Bundle::findElementwiseFaults() const {
  const auto difference = [&](const KernelRecord &record, const std::string &name) {
    return findDifference({record}, readSymbols(section(*manifest_.findSection(name))), name);
  };
  std::vector<std::vector<std::string>> faults;
  for (const Elementwise &function : manifest_.elementwise) {
    faults.emplace_back();
    for (const ElementwiseKernel &kernel : function.kernels) {
      std::string &fault = faults.back().emplace_back();
      if (kernel.known && !kernel.gpu)
        fault = difference(recordOf(function, kernel), kernel.section);
      if (kernel.gpu)
        for (const GpuImage &image : kernel.gpu->images)
          if (fault.empty())
            fault = difference(recordOf(function, kernel), image.section);
    }
  }
  return faults;
}

void Bundle::requireFaultless(size_t kernel) const {
  if (!faults_[kernel].empty())
    throw Error(ALGRT_BAD_BUNDLE, "kernel " + manifest_.kernels[kernel].name + ": " + faults_[kernel]);
}

std::string_view Bundle::certificate() const {
  for (const SectionEntry &entry : manifest_.sections)
    if (entry.kind == "certificate")
      return section(entry);
  refuseBundle(
      "holds no certificate: it is older than those, or its algebra is too large for one; compile it again");
}

std::string_view Bundle::section(const SectionEntry &entry) const {
  return std::string_view(*bytes_).substr(size_t(entry.offset), size_t(entry.size));
}

} // namespace algrt
