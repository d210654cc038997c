// What manifests say of code beside what the code says of itself.
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/code_symbols.h"
#include "runtime/bundle/kernel_record.h"
#include "runtime/bundle/writer.h"
#include "runtime/kernel_abi.h"
#include "runtime/kernel_record.h"
#include "runtime/support/elf.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"
#include "tests/runtime/cpu_product.h"
#include "tests/runtime/lies.h"
#include "tests/runtime/usual_parameters.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace algrt {
namespace {

using test::openBytes;
using Json = nlohmann::ordered_json;

std::string codeOf(const std::string &shape) {
  return readFile(std::string(ALGRT_TEST_KERNELS) + "/kernels_" + shape + ".so");
}

// The bundle of a shape with one word of one record changed.
std::string withWord(const std::string &shape, const std::string &symbol, size_t word, uint64_t value) {
  std::string bytes = test::bundleOf(test::shape(shape));
  const Bundle bundle = Bundle::parse(bytes);
  const std::string_view code = bundle.section(*bundle.manifest().findSection("code"));
  const size_t section = bytes.find(code);
  Elf::read(code).value().forEachSymbol([&](std::string_view name, std::string_view contents) {
    if (name == symbol + ALGRT_RECORD_SUFFIX)
      std::memcpy(bytes.data() + section + (contents.data() - code.data()) + word * sizeof(value), &value,
                  sizeof(value));
  });
  return test::withManifest(bytes, nlohmann::json::parse(bundle.manifestText()));
}

constexpr size_t wordAt(size_t offset) { return offset / sizeof(uint64_t); }

TEST(KernelRecord, TrueManifestsHaveNoFault) {
  for (const test::Shape &shape : test::shapes()) {
    const Bundle bundle = Bundle::parse(test::bundleOf(shape));
    for (size_t i = 0; i < bundle.manifest().kernels.size(); ++i)
      EXPECT_EQ(bundle.fault(i), "") << shape.name;
  }
}

TEST(KernelRecord, WhateverAManifestSaysOfAKernelIsCompared) {
  for (const char *shape : {"cyclic_f32", "slots_f32"}) {
    const std::string bundle = test::bundleOf(test::shape(shape));
    test::forEachLie(bundle, [&](const test::Lie &lie) {
      if (const auto kernel = test::kernelLiedAbout(lie))
        EXPECT_FALSE(test::wouldRun(bundle, lie.manifest, *kernel)) << shape << ": " << lie.what;
    });
  }
}

TEST(KernelRecord, LiesAreRefusedOrDoNoHarm) {
  for (const char *shape : {"cyclic_bf16", "explicit_f32", "slots_f32"}) {
    const std::string good = test::bundleOf(test::shape(shape));
    test::forEachLie(good, [&](const test::Lie &lie) {
      test::expectRefusedOrRight(good, test::withManifest(good, lie.manifest), shape + (": " + lie.what));
    });
  }
}

// Several fields at a time, so that they agree with one another.
TEST(KernelRecord, LiesThatAgreeWithOneAnotherAreRefused) {
  const std::string good = test::bundleOf(test::shape("cyclic_f32"));
  const auto truth = nlohmann::json::parse(Bundle::parse(good).manifestText());
  const auto refusal = [&](const auto &change) {
    nlohmann::json lie = truth;
    change(lie);
    // Programs that fit the layer that it says there is.
    lie.erase("programs");
    for (auto &kernel : lie["kernels"])
      kernel.erase("operands");
    lie = test::withPrograms(nlohmann::ordered_json(lie));
    const std::string bytes = test::withManifest(good, lie);
    test::expectRefusedOrRight(good, bytes, lie["layer"].dump());
    EXPECT_FALSE(test::wouldRun(good, lie, 0));
    return Bundle::parse(bytes).fault(0);
  };
  EXPECT_EQ(refusal([](auto &lie) { lie["layer"]["dtype"] = "bf16"; }),
            "layer.dtype is bf16 in the manifest, f32 in its code");
  EXPECT_EQ(refusal([](auto &lie) { lie["layer"]["bias"] = true; }),
            "layer.bias is true in the manifest, false in its code");
  EXPECT_EQ(refusal([](auto &lie) {
              lie["layer"]["n"] = 60;
              lie["layer"]["out_groups"] = {12, 12, 12, 12, 12};
              lie["kernels"][0]["packed_bytes"] = 60 * 21 * 4;
            }),
            "layer.n is 60 in the manifest, 30 in its code");
  EXPECT_EQ(refusal([](auto &lie) { lie["layer"]["out_groups"] = {5, 7, 6, 6, 6}; }),
            "the groups of the manifest's layer are others than those that its code was compiled for");
  EXPECT_EQ(refusal([](auto &lie) { lie["kernels"][0]["packed_bytes"] = 4096; }),
            "packed_bytes is 4096 in the manifest, 2520 in its code");
  EXPECT_EQ(refusal([](auto &lie) { lie["kernels"][0]["symbol"] = "forward_direct"; }),
            "weights is packed in the manifest, direct in its code");
  EXPECT_EQ(refusal([](auto &lie) { lie["kernels"][0]["pack_symbol"] = "forward_packed"; }),
            "map is pack in the manifest, forward in its code");
  EXPECT_EQ(refusal([](auto &lie) { lie["kernels"][0]["symbol"] = "backward"; }),
            "section 'code' has no symbol 'backward'");
  EXPECT_EQ(refusal([](auto &lie) { lie["kernels"][0]["features"] = {"sse2", "sse"}; }),
            "the features of the manifest's entry are others than those that its code was compiled for");
}

TEST(KernelRecord, TermsAreCompared) {
  const test::Shape &shape = test::shape("slots_f32");
  std::vector<std::vector<Term>> terms = test::quaternionTerms();
  terms[2][1].coefficient = 2;
  const std::string bytes = encodeBundle(
      test::withPrograms(test::manifestOf(shape)),
      {{"code", "shared-object", codeOf(shape.name)}, {"terms", "terms", encodeTerms(1, 4, terms)}});
  EXPECT_EQ(Bundle::parse(bytes).fault(1),
            "the bundle's terms are others than those that its code was compiled for");
}

TEST(KernelRecord, TasksAndLeastSizesFollowFromTheLayer) {
  const test::Shape &shape = test::shape("cyclic_f32");
  const auto message = [&](const char *key, int64_t value) -> std::string {
    Json manifest = test::manifestOf(shape);
    manifest["kernels"][0][key] = value;
    try {
      test::bundleOf(shape, manifest);
    } catch (const Error &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("pack_tasks", 100),
            "manifest: kernels[0].pack_tasks is 100, but the weight matrix has 5 row groups, of which "
            "each task packs as many");
  EXPECT_EQ(message("packed_bytes", 4),
            "manifest: kernels[0].packed_bytes is 4, less than the 2400 of the weight matrix");
}

TEST(KernelRecord, CodeWithoutRecordsIsRefused) {
  const std::string old =
      withWord("cyclic_f32", "forward_copied", wordAt(offsetof(algrt_record_head, magic)), 0);
  EXPECT_EQ(
      Bundle::parse(old).fault(1),
      "its code in section 'code' does not say what 'forward_copied' is: it was compiled before code did, "
      "compile the bundle again");
  EXPECT_EQ(Bundle::parse(old).fault(2), "");
  const std::string newer = withWord("cyclic_f32", "pack", wordAt(offsetof(algrt_record_head, version)), 6);
  EXPECT_EQ(Bundle::parse(newer).fault(0), "what its code says of 'pack' is of version 6, this runtime reads "
                                           "version 5: compile the bundle again, or "
                                           "update the runtime");
  const std::string longer = withWord("cyclic_f32", "pack", wordAt(offsetof(algrt_record_head, words)), 50);
  EXPECT_EQ(Bundle::parse(longer).fault(0),
            "what its code says of 'pack' is not of a kernel for this target");
}

TEST(KernelRecord, RefusalsNameTheKernelAndDescriptionsSayWhy) {
  const test::Shape &shape = test::shape("cyclic_f32");
  Json manifest = test::manifestOf(shape);
  manifest["kernels"][1]["rows_per_task"] = 50;
  const std::string sentence = "rows_per_task is 50 in the manifest, 3 in its code";
  test::CpuProduct product(shape, 20); // more rows than direct_rows
  product.bundle = openBytes(test::bundleOf(shape, manifest));
  EXPECT_EQ(product.run(), ALGRT_BAD_BUNDLE);
  EXPECT_EQ(algrt_last_error(), "kernel forward-copied: " + sentence);
  // Others of the bundle are what they are said to be.
  const test::WeightsHandle weights = test::packWeights(product.bundle, product.w.tensor);
  product.args.w = nullptr;
  product.args.weights = weights.get();
  product.expectCorrect("packed");
  const auto described = nlohmann::json::parse(algrt_bundle_describe_kernels(product.bundle.get()));
  EXPECT_EQ(described[1]["usable"], false);
  EXPECT_EQ(described[1]["reason"], sentence);
  EXPECT_EQ(described[0]["usable"], true);
}

// In a process of its own: the limit stays.
TEST(KernelRecord, ScratchBeyondTheMemoryIsRefusedBeforeItIsAllocated) {
  const test::Shape &shape = test::shape("cyclic_f32");
  Json manifest = test::manifestOf(shape);
  for (Json &kernel : manifest["kernels"])
    kernel["scratch_bytes"] = int64_t(1) << 32;
  test::CpuProduct product(shape, 20);
  product.bundle = openBytes(test::agreeingBundleOf(shape, manifest));
  product.args.threads = 1;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Half of what is asked for more than there is: sanitizers take terabytes.
    std::ifstream sizes("/proc/self/statm");
    uint64_t pages = 0; // the sixth number: data and stack
    for (int field = 0; field < 6; ++field)
      sizes >> pages;
    const uint64_t most = pages * uint64_t(::sysconf(_SC_PAGESIZE)) + (uint64_t(1) << 31);
    const struct rlimit limit{most, most};
    const bool refused =
        pages != 0 && ::setrlimit(RLIMIT_DATA, &limit) == 0 && product.run() == ALGRT_OUT_OF_MEMORY &&
        std::string(algrt_last_error())
            .starts_with("the workspace, 4294967296 bytes (4.0 GiB) of scratch for each of 1 thread, "
                         "takes 4294967");
    ::_exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(CodeSymbols, OfASharedObject) {
  const std::string code = codeOf("cyclic_f32");
  const CodeSymbols symbols = readSymbols(code);
  for (const char *name : {"forward_packed", "forward_copied", "forward_direct", "pack"}) {
    EXPECT_TRUE(symbols.kernels.contains(name)) << name;
    ASSERT_TRUE(symbols.records.contains(name)) << name;
    EXPECT_EQ(symbols.records.at(name).size(), sizeof(algrt_cpu_record) / sizeof(uint64_t));
    EXPECT_EQ(symbols.records.at(name)[0], algrt_record_magic);
  }
}

TEST(CodeSymbols, OfPtx) {
  const std::string ptx = ".visible .const .align 8 .b8 one_record[16] = {65, 76, 0, 0, 0, 0, 0, 0, 1};\n"
                          ".visible .const .align 8 .b8 long_record[5000] = {1};\n"
                          ".visible .const .align 8 .b8 more_record[8] = {1, 2, 3, 4, 5, 6, 7, 8, 9};\n"
                          ".visible .const .align 8 .b8 large_record[8] = {256};\n"
                          ".visible .const .align 8 .b8 open_record[8] = {1, 2\n"
                          ".visible .entry one(\n)\n";
  const CodeSymbols symbols = readSymbols(ptx);
  EXPECT_EQ(symbols.kernels.size(), 1u);
  EXPECT_TRUE(symbols.kernels.contains("one"));
  ASSERT_EQ(symbols.records.size(), 1u);
  EXPECT_EQ(symbols.records.at("one"), (std::vector<uint64_t>{65 + 76 * 256, 1}));
}

// Headers that lie: what is read lies in the file, whatever they say.
TEST(CodeSymbols, OfDamagedFiles) {
  const std::string code = codeOf("cyclic_f32");
  const CodeSymbols whole = readSymbols(code);
  for (size_t size = 0; size < code.size(); size += 41)
    (void)readSymbols(std::string(code, 0, size));
  const auto header = [&] {
    Elf64_Ehdr header;
    std::memcpy(&header, code.data(), sizeof(header));
    return header;
  }();
  // Every byte of the headers in turn.
  const auto spoil = [&](size_t at) {
    for (const char value : {'\0', '\x01', '\x7f', '\xff'}) {
      std::string damaged = code;
      damaged[at] = value;
      (void)readSymbols(damaged);
      if (const auto elf = Elf::read(damaged))
        (void)elf->holdsItsSegments();
    }
  };
  for (size_t at = 0; at < sizeof(Elf64_Ehdr) + header.e_phnum * sizeof(Elf64_Phdr); ++at)
    spoil(at);
  for (size_t at = 0; at < header.e_shnum * sizeof(Elf64_Shdr); ++at)
    spoil(header.e_shoff + at);
  EXPECT_TRUE(Elf::read(code)->holdsItsSegments());
  EXPECT_EQ(readSymbols(code).records, whole.records);
}

} // namespace
} // namespace algrt
