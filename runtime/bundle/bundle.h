// Reading a bundle: the container around manifest and sections.
#pragma once

#include "runtime/bundle/manifest.h"
#include "runtime/bundle/support.h"
#include "runtime/bundle/trust.h"

#include <memory>

namespace algrt {

class Bundle {
public:
  // Throws Error: ALGRT_IO_ERROR, ALGRT_BAD_BUNDLE (not a bundle, truncated, damaged, malformed) or
  // ALGRT_NEWER_FORMAT; ALGRT_UNTRUSTED where a public key is configured that did not sign it, before
  // anything of it is believed (trust.h). The message begins with the path.
  static Bundle open(const std::string &path);
  // The same from memory, with the content of a signature's file, or nothing.
  static Bundle openMemory(std::string bytes, std::string_view signature);

  enum class HashCheck { Verify, Skip };
  // Whoever made it. `skip` believes the hash: for fuzzing what lies behind it.
  static Bundle parse(std::string bytes, HashCheck check = HashCheck::Verify);

  const Manifest &manifest() const { return manifest_; }
  // Of the bundle's own projection. Throw Error(ALGRT_UNSUPPORTED) where it holds programs alone.
  const Layer &layer() const;
  const Support &support() const;
  bool hasProjection() const { return manifest_.layer.has_value(); }
  // The further projections of the manifest that steps of programs name, each as a bundle of that projection
  // alone.
  const std::vector<Bundle> &further() const { return further_; }
  // All that steps can name (ProgramStep::projection), and what they are called: the bundle's own first,
  // where it has one, whose name is empty.
  size_t projectionCount() const { return further_.size() + (hasProjection() ? 1 : 0); }
  const Bundle &projection(size_t number) const;
  const std::string &projectionName(size_t number) const;
  const std::string &manifestText() const { return manifest_text_; }
  // The bytes of a section of the manifest.
  std::string_view section(const SectionEntry &entry) const;
  // The proof of what the manifest says about the algebra, JSON for algcheck. Throws Error ALGRT_BAD_BUNDLE
  // where the bundle has none.
  std::string_view certificate() const;
  // Why the code of a kernel of the manifest is not what the manifest says of it, by the records that code
  // carries (runtime/kernel_record.h); empty if it is. A kernel with a fault must not be called or launched.
  const std::string &fault(size_t kernel) const { return faults_[kernel]; }
  // Throws Error ALGRT_BAD_BUNDLE with the kernel's name where it has a fault.
  void requireFaultless(size_t kernel) const;
  // The same of a kernel of an element-wise function.
  const std::string &elementwiseFault(size_t function, size_t kernel) const {
    return elementwise_faults_[function][kernel];
  }
  // Lower-case hexadecimal SHA-256 as stored in the header.
  const std::string &hash() const { return hash_; }
  // Nothing where no key was configured when it was opened.
  const std::optional<VerifiedSignature> &signature() const { return signature_; }

private:
  void requireProjection() const;
  // Support and faults of what the manifest's layer and kernels are.
  void readProjection();
  std::vector<std::string> findFaults() const;
  std::vector<std::vector<std::string>> findElementwiseFaults() const;

  std::shared_ptr<const std::string> bytes_;
  std::string manifest_text_;
  std::string hash_;
  std::optional<VerifiedSignature> signature_;
  Manifest manifest_;
  Support support_;
  std::vector<std::string> faults_;                          // of each kernel
  std::vector<std::vector<std::string>> elementwise_faults_; // of each function's kernels
  std::vector<Bundle> further_;
};

} // namespace algrt
