// The container: what is written is read back, and nothing that is damaged or inconsistent is.
#include "runtime/bundle/bundle.h"

#include "runtime/bundle/format.h"
#include "runtime/bundle/hash.h"
#include "runtime/bundle/writer.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"
#include "tests/runtime/shapes.h"
#include "tests/runtime/usual_parameters.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace algrt {
namespace {

using test::bundleOf;
using test::manifestOf;
using test::shape;
using Json = nlohmann::ordered_json;

// Status and message of a refusal; fails the test if there is none.
std::pair<algrt_status, std::string> refusal(const std::function<void()> &action) {
  try {
    action();
  } catch (const Error &error) {
    return {error.status(), error.what()};
  }
  ADD_FAILURE() << "accepted";
  return {ALGRT_OK, ""};
}

TEST(Bundle, ReadsBackWhatWasWritten) {
  const std::string bytes = bundleOf(shape("slots_f32"));
  const Bundle bundle = Bundle::parse(bytes);
  EXPECT_EQ(bundle.layer().k, 12);
  EXPECT_EQ(bundle.layer().n, 20);
  EXPECT_EQ(bundle.layer().weightColumns(), 5);
  EXPECT_EQ(bundle.manifest().algebra, "quaternions");
  ASSERT_EQ(bundle.manifest().kernels.size(), 3u);
  EXPECT_EQ(bundle.manifest().kernels[1].direct_rows, 2);
  TermStorage storage;
  const std::vector<std::vector<Term>> expected = test::quaternionTerms();
  for (int64_t group = 0; group < 4; ++group) {
    const std::span<const Term> terms = bundle.support().terms(0, group, storage);
    ASSERT_EQ(terms.size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(terms[i].input_group, expected[size_t(group)][i].input_group);
      EXPECT_EQ(terms[i].weight_row, expected[size_t(group)][i].weight_row);
      EXPECT_EQ(terms[i].coefficient, expected[size_t(group)][i].coefficient);
    }
  }
  EXPECT_EQ(bundle.support().rowMacs(bundle.layer(), 0), 16 * 3 * 5);
  for (const SectionEntry &section : bundle.manifest().sections)
    EXPECT_EQ(section.offset % 64, 0u);
}

TEST(Bundle, CompleteSupportIsDiagonalPlusRow) {
  const Support support = Support::complete(4);
  TermStorage storage;
  for (int64_t type = 0; type < 4; ++type)
    for (int64_t group = 0; group < 4; ++group) {
      const std::span<const Term> terms = support.terms(type, group, storage);
      EXPECT_EQ(terms.size(), type == group ? 1u : 2u);
      EXPECT_EQ(terms.front().input_group, std::min(type, group));
      EXPECT_EQ(terms.back().input_group, std::max(type, group));
    }
  // (2q - 1) / q^2 of the dense MACs, for blocks of 4 x 6.
  EXPECT_EQ(Support::complete(5).rowMacs(Bundle::parse(bundleOf(shape("cyclic_f32"))).layer(), 3), 9 * 24);
}

TEST(Bundle, ManifestsThatAreNotJsonAreRefused) {
  for (const char *text : {"", "{", "{\"format\": 1e999}", "[[[["})
    EXPECT_EQ(refusal([&] { parseManifest(text, 640, 1280); }).first, ALGRT_BAD_BUNDLE) << text;
}

// What is accepted is printed and copied by recursion; what is refused is not repeated.
TEST(Bundle, ManifestsAreJsonOfBoundedDepthInUtf8) {
  const auto message = [](const std::string &text) {
    return refusal([&] { parseManifest(text, 640, 1280); }).second;
  };
  const auto nested = [](int depth) {
    return R"({"format": 2, "newer": )" + std::string(size_t(depth), '[') + std::string(size_t(depth), ']') +
           "}";
  };
  EXPECT_EQ(message(nested(63)), "manifest: sections is missing");
  EXPECT_EQ(message(nested(64)), "manifest: is nested more than 64 deep");
  EXPECT_EQ(message(nested(1000000)), "manifest: is nested more than 64 deep");
  EXPECT_EQ(message("{\"format\": 2, \"na\xefme\": 2}"), "manifest: is not in UTF-8: see byte 19 of it");
  EXPECT_EQ(message("{\"format\": \x1b[31m"), "manifest: is not JSON: see byte 12 of it");
  EXPECT_EQ(message("{\"format\": 1e999}"), "manifest: has a number that is too large: see byte 16 of it");
  EXPECT_EQ(message(std::string("{}\0{", 4)), "manifest: is not JSON: it has a zero byte");
}

TEST(Bundle, NamesThatAreNotUtf8AreNotWritten) {
  Json manifest = manifestOf(shape("cyclic_f32"));
  manifest["algebra"]["name"] = "caf\xe9";
  const auto [status, message] = refusal([&] { bundleOf(shape("cyclic_f32"), manifest); });
  EXPECT_EQ(status, ALGRT_INVALID_ARGUMENT);
  EXPECT_EQ(message, "manifest: algebra.name is not in UTF-8");
}

TEST(Bundle, EveryFlippedBitIsFound) {
  const std::string bytes = bundleOf(shape("cyclic_f32"));
  // Every bit of header and manifest, and a bit in every 61st byte of the sections and the padding.
  const size_t manifest_end = format::header_size + Bundle::parse(bytes).manifestText().size();
  for (size_t at = 0; at < bytes.size(); at += at < manifest_end + 64 ? 1 : 61)
    for (int bit = 0; bit < 8; bit += at < format::header_size ? 1 : 3) {
      std::string damaged = bytes;
      damaged[at] = char(damaged[at] ^ (1 << bit));
      const auto [status, message] = refusal([&] { Bundle::parse(damaged); });
      ASSERT_EQ(status, ALGRT_BAD_BUNDLE) << "byte " << at << " bit " << bit << ": " << message;
    }
}

TEST(Bundle, EveryTruncationIsFound) {
  const std::string bytes = bundleOf(shape("cyclic_f32"));
  for (size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 331) {
    const auto [status, message] = refusal([&] { Bundle::parse(bytes.substr(0, size)); });
    ASSERT_EQ(status, ALGRT_BAD_BUNDLE) << size;
    if (size >= format::header_size) {
      EXPECT_NE(message.find("truncated"), std::string::npos) << message;
    }
  }
  EXPECT_NE(refusal([&] { Bundle::parse(bytes + "x"); }).second.find("after its end"), std::string::npos);
}

void rehash(std::string &bytes) {
  const Sha256Digest digest = bundleHash(bytes);
  std::copy(digest.begin(), digest.end(), bytes.begin() + format::hash_offset);
}

TEST(Bundle, ForeignAndNewerFilesAreToldApart) {
  EXPECT_NE(refusal([] { Bundle::parse(std::string(200, 'x')); }).second.find("not a bundle"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              Bundle::parse("\x7f"
                            "ELF");
            }).second.find("not a bundle"),
            std::string::npos);
  std::string newer = bundleOf(shape("cyclic_f32"));
  newer[format::version_offset] = 3;
  rehash(newer);
  EXPECT_EQ(refusal([&] { Bundle::parse(newer); }).first, ALGRT_NEWER_FORMAT);
  std::string older = bundleOf(shape("cyclic_f32"));
  older[format::version_offset] = 1;
  rehash(older);
  const auto [status, message] = refusal([&] { Bundle::parse(older); });
  EXPECT_EQ(status, ALGRT_BAD_BUNDLE);
  EXPECT_EQ(message, "has format 1, made by an earlier algctl: compile the spec again");
}

TEST(Bundle, FilesAppearWholeOrNotAtAll) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "algrt_writer";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = folder / "layer.alg";
  std::ofstream(path) << "old";
  writeBundle(path, test::withPrograms(manifestOf(shape("cyclic_f32"))),
              {{"code", "shared-object", std::string(1000, 'c')}}); // contents are not looked at here
  EXPECT_EQ(Bundle::open(path).layer().k, 20);
  Json broken = manifestOf(shape("cyclic_f32"));
  broken["layer"]["k"] = 21;
  const std::string before = readFile(path);
  EXPECT_EQ(refusal([&] { writeBundle(path, broken, {{"code", "shared-object", "c"}}); }).first,
            ALGRT_BAD_BUNDLE);
  EXPECT_EQ(readFile(path), before);
  EXPECT_EQ(refusal([&] {
              writeBundle(folder / "no/such.alg", test::withPrograms(manifestOf(shape("cyclic_f32"))),
                          {{"code", "shared-object", "c"}});
            }).first,
            ALGRT_IO_ERROR);
  size_t files = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder))
    ++files;
  EXPECT_EQ(files, 1u) << "temporary files are left";
  EXPECT_EQ(refusal([&] { Bundle::open(folder); }).first, ALGRT_IO_ERROR);
  EXPECT_EQ(refusal([&] { Bundle::open(folder / "absent.alg"); }).first, ALGRT_IO_ERROR);
}

// A change to the manifest and a word that the refusal must contain.
struct Spoiled {
  const char *what;
  std::function<void(Json &)> change;
  const char *word;
};

// The answer to a file that is none does not need the rest of it: this one has more than fits into memory.
TEST(Bundle, TheBeginningOfAFileIsLookedAtBeforeItsRest) {
  const std::string path = testing::TempDir() + "algrt_long_file";
  const auto message = [&](const std::string &beginning, uint64_t size) {
    std::ofstream(path, std::ios::binary) << beginning;
    std::filesystem::resize_file(path, size);
    const std::string text = refusal([&] { Bundle::open(path); }).second;
    std::filesystem::remove(path);
    return text;
  };
  const uint64_t terabyte = uint64_t(1) << 40;
  const std::string header = bundleOf(shape("cyclic_f32")).substr(0, format::header_size);
  EXPECT_EQ(message("", terabyte),
            path + ": is not a bundle: it does not begin with the bundles' magic number");
  const std::string longer = message(header, terabyte);
  EXPECT_NE(longer.find("bytes after its end"), std::string::npos) << longer;
}

TEST(Bundle, PipesAndDevicesAreNotWaitedFor) {
  const std::string path = testing::TempDir() + "algrt_pipe";
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(refusal([&] { Bundle::open(path); }),
            std::pair(ALGRT_IO_ERROR, path + ": is a pipe, not a regular file"));
  std::filesystem::remove(path);
  EXPECT_EQ(refusal([] { Bundle::open("/dev/zero"); }).second, "/dev/zero: is a device, not a regular file");
  EXPECT_EQ(refusal([] { Bundle::open("/"); }).second, "/: is a folder, not a regular file");
}

TEST(Bundle, InconsistentManifestsAreRefused) {
  const Spoiled cases[] = {
      {"group sum", [](Json &m) { m["layer"]["in_groups"][0] = 5; }, "layer.in_groups add up"},
      {"zero group", [](Json &m) { m["layer"]["out_groups"][0] = 0; }, "layer.out_groups[0]"},
      {"overflowing sum", [](Json &m) { m["layer"]["in_groups"] = {INT64_MAX, INT64_MAX}; }, "64 bits"},
      {"overflowing weight matrix",
       [](Json &m) {
         m["layer"]["k"] = int64_t(1) << 40;
         m["layer"]["n"] = int64_t(1) << 40;
         for (const char *key : {"in_groups", "out_groups", "bank_rows"})
           m["layer"][key] = {int64_t(1) << 40};
       },
       "64 bits"},
      {"fraction", [](Json &m) { m["layer"]["k"] = 20.0; }, "layer.k"},
      {"string", [](Json &m) { m["layer"]["k"] = "20"; }, "layer.k"},
      {"beyond int64", [](Json &m) { m["layer"]["k"] = UINT64_MAX; }, "layer.k"},
      {"negative", [](Json &m) { m["layer"]["n"] = -1; }, "layer.n"},
      {"missing", [](Json &m) { m["layer"].erase("types"); }, "layer.types is missing"},
      {"no layer", [](Json &m) { m.erase("layer"); }, "layer is missing"},
      {"dtype", [](Json &m) { m["layer"]["dtype"] = "f16"; }, "f16"},
      {"lift", [](Json &m) { m["layer"]["lift"] = "columns"; }, "columns"},
      {"bias", [](Json &m) { m["layer"]["bias"] = "f32"; }, "layer.bias"},
      {"kind", [](Json &m) { m["layer"]["kind"] = "attention"; }, "attention"},
      {"types", [](Json &m) { m["layer"]["types"] = 4; }, "support"},
      {"cyclic width", [](Json &m) { m["layer"]["row_types"]["width"] = 2; }, "width"},
      {"interval overflow",
       [](Json &m) { m["layer"]["row_types"] = {{"kind", "interval"}, {"width", INT64_MAX}}; }, "64 bits"},
      {"weights", [](Json &m) { m["kernels"][0]["weights"] = "folded"; }, "folded"},
      {"section", [](Json &m) { m["kernels"][1]["section"] = "nowhere"; }, "nowhere"},
      {"tasks", [](Json &m) { m["kernels"][0]["types_per_task"] = 0; }, "kernels[0].types_per_task"},
      {"scratch", [](Json &m) { m["kernels"][0]["scratch_bytes"] = int64_t(1) << 50; }, "scratch_bytes"},
      {"register tile", [](Json &m) { m["kernels"][0]["register_tile"] = {8}; }, "register_tile"},
      {"no registers", [](Json &m) { m["kernels"][0]["register_tile"] = {8, 0}; }, "register_tile"},
      {"pack", [](Json &m) { m["kernels"][0].erase("pack_symbol"); }, "pack_symbol"},
      {"packed bytes", [](Json &m) { m["kernels"][0]["packed_bytes"] = 7; }, "packed_bytes"},
      {"support", [](Json &m) { m["support"] = {{"kind", "table"}, {"section", "code"}}; }, "terms"},
      {"kernels", [](Json &m) { m["kernels"] = "many"; }, "kernels"},
  };
  for (const Spoiled &spoiled : cases) {
    Json manifest = manifestOf(shape("cyclic_f32"));
    spoiled.change(manifest);
    const std::string message = refusal([&] { bundleOf(shape("cyclic_f32"), manifest); }).second;
    EXPECT_NE(message.find(spoiled.word), std::string::npos) << spoiled.what << ": " << message;
  }
}

TEST(Bundle, SectionsMustLieInsideAndApart) {
  const auto parse = [](const char *sections) {
    Json manifest = test::withPrograms(manifestOf(shape("cyclic_f32")));
    manifest["format"] = 2;
    manifest["sections"] = Json::parse(sections);
    return parseManifest(manifest.dump(), 640, 1280);
  };
  const std::string one = R"([{"name":"code","kind":"shared-object","offset":640,"size":640}])";
  EXPECT_EQ(parse(one.c_str()).sections.size(), 1u);
  const std::pair<const char *, const char *> wrong[] = {
      {R"([{"name":"code","kind":"shared-object","offset":576,"size":64}])", "inside header"},
      {R"([{"name":"code","kind":"shared-object","offset":650,"size":64}])", "multiple of 64"},
      {R"([{"name":"code","kind":"shared-object","offset":640,"size":641}])", "beyond"},
      {R"([{"name":"code","kind":"shared-object","offset":9223372036854775744,"size":9223372036854775807}])",
       "beyond"},
      {R"([{"name":"code","kind":"shared-object","offset":640,"size":-1}])", "size"},
      {R"([{"name":"code","kind":"shared-object","offset":640,"size":65},
           {"name":"more","kind":"terms","offset":704,"size":8}])",
       "overlap"},
      {R"([{"name":"code","kind":"shared-object","offset":640,"size":64},
           {"name":"code","kind":"terms","offset":704,"size":8}])",
       "twice"},
  };
  for (const auto &[sections, word] : wrong) {
    const std::string message = refusal([&] { parse(sections); }).second;
    EXPECT_NE(message.find(word), std::string::npos) << message;
  }
}

// So many that a comparison of each with each would be noticed.
TEST(Bundle, SectionsMayBeMany) {
  constexpr uint64_t count = 30'000;
  Json manifest = test::withPrograms(manifestOf(shape("cyclic_f32")));
  const Json kernel = manifest["kernels"][0];
  manifest["kernels"] = Json::array();
  manifest["format"] = 2;
  for (uint64_t i = 0; i < count; ++i) {
    manifest["sections"].push_back({{"name", "s" + std::to_string(i)},
                                    {"kind", "shared-object"},
                                    {"offset", 640 + 64 * i},
                                    {"size", 64}});
    manifest["kernels"].push_back(kernel);
    manifest["kernels"][i]["section"] = "s" + std::to_string(i);
  }
  EXPECT_EQ(parseManifest(manifest.dump(), 640, 640 + 64 * count).sections.size(), count);
  manifest["sections"][count - 1]["name"] = "s7";
  EXPECT_NE(refusal([&] {
              parseManifest(manifest.dump(), 640, 640 + 64 * count);
            }).second.find("'s7' is used twice"),
            std::string::npos);
}

TEST(Bundle, TermsMustFitTheLayer) {
  const Layer layer = Bundle::parse(bundleOf(shape("slots_f32"))).layer();
  const auto message = [&](std::string bytes) {
    return refusal([&] { Support::parseTable(bytes, layer); }).second;
  };
  const auto encoded = [](Term term) {
    std::vector<std::vector<Term>> terms = test::quaternionTerms();
    terms[2][1] = term;
    return encodeTerms(1, 4, terms);
  };
  EXPECT_NE(message(encoded({4, 0, 1})).find("input group 4"), std::string::npos);
  EXPECT_NE(message(encoded({0, -1, 1})).find("weight row group -1"), std::string::npos);
  EXPECT_NE(message(encoded({0, 0, NAN})).find("finite"), std::string::npos);
  const std::string good = encodeTerms(1, 4, test::quaternionTerms());
  EXPECT_NE(message(good.substr(0, 20)).find("shorter"), std::string::npos);
  EXPECT_NE(message(good + "12345678").find("bytes"), std::string::npos);
  std::string counts = good;
  counts[16 + 7] = '\x7f'; // a count near 2^63
  EXPECT_NE(message(counts).find("64 bits"), std::string::npos);
  std::string offsets = good;
  offsets[24 + 8] = 100; // the second offset beyond the third
  EXPECT_NE(message(offsets).find("rise"), std::string::npos);
  EXPECT_NE(message(encodeTerms(2, 2, test::quaternionTerms())).find("types"), std::string::npos);
  Layer uneven = layer;
  uneven.weight_rows = {2, 3, 3, 4};
  EXPECT_NE(refusal([&] { Support::parseTable(good, uneven); }).second.find("columns of x"),
            std::string::npos);
}

} // namespace
} // namespace algrt
