#include "tests/runtime/lies.h"

#include "runtime/bundle/format.h"
#include "runtime/bundle/hash.h"
#include "runtime/reference/compare.h"
#include "runtime/reference/reference.h"
#include "runtime/support/error.h"
#include "tests/runtime/cpu_product.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>

namespace algrt::test {

namespace {

using Json = nlohmann::json;

constexpr int64_t rows = 9;

template <typename Integer> Integer readAt(const std::string &bytes, size_t offset) {
  Integer value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

std::vector<Json> otherNumbers(int64_t number) {
  std::vector<Json> others;
  for (const int64_t other : {number + 1, number - 1, 2 * number, int64_t(0), int64_t(-1), int64_t(1) << 16,
                              int64_t(1) << 32, INT64_MAX})
    if (other != number)
      others.emplace_back(other);
  others.push_back(number + 0.5);
  return others;
}

// All that could stand in a leaf's place.
std::vector<Json> othersFor(const Json &leaf, const std::set<std::string> &names) {
  std::vector<Json> others = {nullptr, Json::array(), Json::object()};
  if (leaf.is_boolean())
    others.insert(others.end(), {!leaf.get<bool>(), 1});
  else if (leaf.is_number_integer()) {
    const std::vector<Json> numbers = otherNumbers(leaf.get<int64_t>());
    others.insert(others.end(), numbers.begin(), numbers.end());
  } else if (leaf.is_string())
    for (const std::string &name : names)
      if (name != leaf.get_ref<const std::string &>())
        others.emplace_back(name);
  others.emplace_back("");
  others.emplace_back("nonsense");
  return others;
}

// The last name on a path: indices are of lists. Symbols are all of one kind.
std::string keyOf(Json::json_pointer path) {
  while (!path.empty() && std::ranges::all_of(path.back(), [](char c) { return c >= '0' && c <= '9'; }))
    path.pop_back();
  const std::string key = path.empty() ? "" : path.back();
  return key == "pack_symbol" ? "symbol" : key;
}

void collect(const Json &value, const Json::json_pointer &path, std::vector<Json::json_pointer> &leaves) {
  if (value.is_object() && !value.empty())
    for (const auto &[key, inner] : value.items())
      collect(inner, path / key, leaves);
  else if (value.is_array() && !value.empty())
    for (size_t i = 0; i < value.size(); ++i)
      collect(value[i], path / i, leaves);
  else
    leaves.push_back(path);
}

// What the operands of all maps are, for the layer of a bundle; and what their results have to be.
struct Problem {
  explicit Problem(const std::string &bundle)
      : parsed(Bundle::parse(bundle)), bfloat16(layer().dtype == ElementType::Bf16),
        x(rows, layer().k, layer().k, bfloat16),
        w(layer().k, layer().weightColumns(), layer().weightColumns(), bfloat16),
        dy(rows, layer().n, layer().n, bfloat16) {
    x.fill(1, 1);
    w.fill(2, 1);
    dy.fill(3, 1);
    for (int64_t row = 0; row < rows; ++row)
      types.push_back(int32_t(row % layer().types));
    const std::vector<float> xs = x.values(), ws = w.values(), dys = dy.values();
    const Support *support = &parsed.support();
    const int64_t k = layer().k, n = layer().n, columns = layer().weightColumns();
    y = referenceForward({&layer(), support, rows, xs.data(), k, ws.data(), columns, 0, givenTypes()});
    dx = referenceDx({&layer(), support, rows, dys.data(), n, ws.data(), columns, 0, givenTypes()});
    dw = referenceDw({&layer(), support, rows, xs.data(), k, dys.data(), n, 0, givenTypes()});
  }
  const Layer &layer() const { return parsed.layer(); }
  const int32_t *givenTypes() const {
    return layer().row_types == RowTypesKind::ExplicitTypes ? types.data() : nullptr;
  }

  Bundle parsed;
  bool bfloat16;
  GuardedMatrix x, w, dy;
  std::vector<int32_t> types;
  std::vector<double> y, dx, dw;
};

void expectSentenceOr(int status, const GuardedMatrix &result, const std::vector<double> &expected,
                      const std::string &what) {
  if (status != ALGRT_OK) {
    EXPECT_GT(std::strlen(algrt_last_error()), 10u) << what;
    EXPECT_NE(status, ALGRT_INTERNAL) << what << ": " << algrt_last_error();
    return;
  }
  const Comparison comparison = compare(result.values(), expected);
  EXPECT_TRUE(comparison.within(tolerance(result.bfloat16))) << what << ": " << comparison.relative_l2;
}

void expectRight(const Problem &problem, const BundleHandle &bundle, const std::string &what) {
  const Layer &layer = problem.layer();
  int64_t rows_shape = rows;
  std::vector<int32_t> type_values = problem.types;
  const DLTensor types{type_values.data(), {kDLCPU, 0}, 1, {kDLInt, 32, 1}, &rows_shape, nullptr, 0};
  const DLTensor *given = problem.givenTypes() == nullptr ? nullptr : &types;
  {
    GuardedMatrix y(rows, layer.n, layer.n, problem.bfloat16);
    algrt_forward_args args = algrt_forward_args_init();
    args.x = &problem.x.tensor;
    args.w = &problem.w.tensor;
    args.y = &y.tensor;
    args.types = given;
    const int status = algrt_forward(bundle.get(), &args);
    expectSentenceOr(status, y, problem.y, what + ", forward");
    algrt_weights *packed = nullptr;
    const int pack_status = algrt_weights_pack(bundle.get(), &problem.w.tensor, 0, &packed);
    const WeightsHandle weights(packed);
    if (pack_status == ALGRT_OK) {
      args.w = nullptr;
      args.weights = packed;
      expectSentenceOr(algrt_forward(bundle.get(), &args), y, problem.y, what + ", packed");
    }
  }
  {
    GuardedMatrix dx(rows, layer.k, layer.k, problem.bfloat16);
    algrt_dx_args args = algrt_dx_args_init();
    args.dy = &problem.dy.tensor;
    args.w = &problem.w.tensor;
    args.dx = &dx.tensor;
    args.types = given;
    expectSentenceOr(algrt_dx(bundle.get(), &args), dx, problem.dx, what + ", dx");
  }
  for (const bool narrow : {false, true}) {
    GuardedMatrix dw(layer.k, layer.weightColumns(), layer.weightColumns(), narrow);
    algrt_dw_args args = algrt_dw_args_init();
    args.x = &problem.x.tensor;
    args.dy = &problem.dy.tensor;
    args.dw = &dw.tensor;
    args.types = given;
    expectSentenceOr(algrt_dw(bundle.get(), &args), dw, problem.dw, what + ", dw");
  }
}

// With a hash that is wrong.
std::string withManifestAlone(const std::string &bundle, const Json &manifest) {
  const uint64_t begin =
      format::alignUp(format::header_size + readAt<uint64_t>(bundle, format::manifest_size_offset));
  const std::string text = manifest.dump();
  if (format::header_size + text.size() > begin)
    throw std::logic_error("no room for the manifest");
  // Blanks behind it, so that the sections begin where they did.
  const uint64_t padded = begin - format::header_size;
  std::string bytes = bundle;
  std::fill_n(bytes.begin() + ptrdiff_t(format::header_size), padded, ' ');
  text.copy(bytes.data() + format::header_size, text.size());
  std::memcpy(bytes.data() + format::manifest_size_offset, &padded, sizeof(padded));
  return bytes;
}

} // namespace

std::string withManifest(const std::string &bundle, const Json &manifest) {
  std::string bytes = withManifestAlone(bundle, manifest);
  const Sha256Digest digest = bundleHash(bytes);
  std::memcpy(bytes.data() + format::hash_offset, digest.data(), digest.size());
  return bytes;
}

void forEachLie(const std::string &bundle, const std::function<void(const Lie &)> &visit) {
  const Json manifest = Json::parse(Bundle::parse(bundle).manifestText());
  std::vector<Json::json_pointer> leaves;
  std::map<std::string, std::set<std::string>> names; // by key
  for (const char *part : {"format", "layer", "support", "kernels", "programs", "sections"})
    collect(manifest[part], Json::json_pointer() / part, leaves);
  for (const Json::json_pointer &leaf : leaves)
    if (manifest[leaf].is_string())
      names[keyOf(leaf)].insert(manifest[leaf].get<std::string>());
  Json lie = manifest;
  for (const Json::json_pointer &leaf : leaves) {
    for (const Json &other : othersFor(manifest[leaf], names[keyOf(leaf)])) {
      lie[leaf] = other;
      visit({leaf, leaf.to_string() + " = " + other.dump(), lie});
    }
    lie[leaf] = manifest[leaf];
    Json without = manifest;
    Json &parent = without[leaf.parent_pointer()];
    if (parent.is_array())
      parent.erase(size_t(std::stoul(leaf.back())));
    else
      parent.erase(leaf.back());
    visit({leaf, "without " + leaf.to_string(), without});
  }
}

std::optional<size_t> kernelLiedAbout(const Lie &lie) {
  std::vector<std::string> names;
  for (Json::json_pointer rest = lie.path; !rest.empty(); rest.pop_back())
    names.insert(names.begin(), rest.back());
  if (names.size() < 3 || names[0] != "kernels")
    return std::nullopt;
  // How it is called by people, and what decides which of several kernels is taken.
  const std::set<std::string> harmless = {"name",      "level",    "register_tile", "direct_rows",
                                          "registers", "schedule", "best_for_rows"};
  if (harmless.contains(names[2]))
    return std::nullopt;
  return std::stoul(names[1]);
}

bool wouldRun(const std::string &bundle, const Json &manifest, size_t kernel) {
  try {
    const Bundle parsed = Bundle::parse(withManifestAlone(bundle, manifest), Bundle::HashCheck::Skip);
    const Kernel &described = parsed.manifest().kernels.at(kernel);
    // What is of no map or target that this runtime knows is passed over.
    return (described.known || described.gpuCode() != nullptr) && parsed.fault(kernel).empty();
  } catch (const Error &) {
    return false;
  }
}

void expectRefusedOrRight(const std::string &good, const std::string &bytes, const std::string &what) {
  static std::string last;
  static std::unique_ptr<const Problem> problem; // the same for all lies about a bundle
  if (last != good || !problem) {
    problem = std::make_unique<const Problem>(good);
    last = good;
  }
  algrt_bundle *opened = nullptr;
  const int status = algrt_bundle_open_memory(bytes.data(), bytes.size(), &opened);
  const BundleHandle bundle(opened);
  if (status != ALGRT_OK) {
    EXPECT_GT(std::strlen(algrt_last_error()), 10u) << what;
    EXPECT_NE(status, ALGRT_INTERNAL) << what << ": " << algrt_last_error();
    return;
  }
  EXPECT_NE(algrt_bundle_describe_kernels(bundle.get()), nullptr) << what;
  algrt_bundle_info info = algrt_bundle_info_init();
  EXPECT_EQ(algrt_bundle_get_info(bundle.get(), &info), ALGRT_OK) << what;
  expectRight(*problem, bundle, what);
}

} // namespace algrt::test
