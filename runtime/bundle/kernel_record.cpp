#include "runtime/bundle/kernel_record.h"

#include "runtime/bundle/fusion.h"
#include "runtime/gpu_kernel_abi.h"
#include "runtime/kernel_abi.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <span>

namespace algrt {

namespace {

constexpr size_t word = sizeof(uint64_t);

// How a word of a record is called in a sentence, and its values, where they have names.
struct WordText {
  const char *name; // null of a hash
  std::span<const char *const> values = {};
  const char *hashed = nullptr; // that hashes are others
};

constexpr const char *maps[] = {"forward", "dx", "dw", "pack", "group_rows", "elementwise"};
constexpr const char *lifts[] = {"rows", "slots"};
constexpr const char *element_types[] = {"f32", "bf16"};
constexpr const char *row_types[] = {"cyclic", "interval", "explicit"};
constexpr const char *answers[] = {"false", "true"};
constexpr const char *forms[] = {"packed", "copied", "direct"};
constexpr const char *copies[] = {"engine", "threads"};

constexpr WordText head_texts[] = {{"magic"},
                                   {"version"},
                                   {"words"},
                                   {"map", maps},
                                   {"layer.lift", lifts},
                                   {"layer.dtype", element_types},
                                   {"layer.bias", answers},
                                   {"layer.k"},
                                   {"layer.n"},
                                   {"layer.types"},
                                   {"layer.row_types.kind", row_types},
                                   {"layer.row_types.width"},
                                   {nullptr},
                                   {nullptr},
                                   {nullptr}};
constexpr size_t head_words = std::size(head_texts), groups_word = head_words - 3,
                 support_word = head_words - 2, fusion_word = head_words - 1;
static_assert(sizeof(algrt_record_head) == head_words * word);

constexpr WordText features_text = {
    nullptr, {}, "the features of the manifest's entry are others than those that its code was compiled for"};
constexpr WordText parameters_text = {
    nullptr, {}, "the parameters of the manifest's entry are others than those that its code takes"};

constexpr WordText cpu_texts[] = {
    features_text,      {"weights", forms}, {"output", element_types}, {"row_lists", answers},
    {"types_per_task"}, {"rows_per_task"},  {"scratch_bytes"},         {"pack_tasks"},
    {"packed_bytes"},   {"tasks"}};
static_assert(sizeof(algrt_cpu_record) == (head_words + std::size(cpu_texts)) * word);

constexpr WordText gpu_texts[] = {{"target"},
                                  {"target"},
                                  {"output", element_types},
                                  {"threads"},
                                  {"cluster"},
                                  {"shared_bytes"},
                                  {"dependent_launch", answers},
                                  {"terms", answers},
                                  {"scaled", answers},
                                  {"rows: listed", answers},
                                  {"groups"},
                                  {"copies", copies},
                                  {"vector"},
                                  {"warps[0]"},
                                  {"warps[1]"},
                                  {"slices"},
                                  {"tile.rows"},
                                  {"tile.columns"},
                                  {"tile.depth"},
                                  {"tile.stages"},
                                  {"tile.consumers"},
                                  {"tile.cluster_rows"},
                                  {"tile.cluster_columns"},
                                  {"tile.types"},
                                  {"tile.held_groups"},
                                  {"tile.split"},
                                  {"tile.long_groups"},
                                  {"boxes.x.columns"},
                                  {"boxes.x.rows"},
                                  {"boxes.x.swizzle"},
                                  {"boxes.w.columns"},
                                  {"boxes.w.rows"},
                                  {"boxes.w.swizzle"},
                                  {"boxes.y.columns"},
                                  {"boxes.y.rows"},
                                  {"boxes.y.swizzle"},
                                  {"boxes.next_w.columns"},
                                  {"boxes.next_w.rows"},
                                  {"boxes.next_w.swizzle"},
                                  parameters_text};
static_assert(sizeof(algrt_gpu_record) == (head_words + std::size(gpu_texts)) * word);

constexpr WordText elementwise_texts[] = {
    {nullptr,
     {},
     "domain or operands of the manifest's entry are others than those that its code was compiled for"},
    {"rows_per_task"},
    {"columns_per_task"},
    features_text,
    {"architecture"},
    {"exact_architecture"},
    {"threads"},
    parameters_text};
static_assert(sizeof(algrt_elementwise_record) == (head_words + std::size(elementwise_texts)) * word);
static_assert(std::size(elementwise_texts) != std::size(cpu_texts));

// Records count values as their types do.
static_assert(int(SupportKind::Complete) == 0 && int(SupportKind::Triangular) == 1 &&
              int(SupportKind::Diagonal) == 2 && int(SupportKind::Full) == 3 && int(SupportKind::Table) == 4);
static_assert(int(ElementType::F32) == algrt_records_f32 && int(ElementType::Bf16) == algrt_records_bf16);
static_assert(int(Map::Forward) == algrt_records_forward && int(Map::Dx) == algrt_records_dx &&
              int(Map::Dw) == algrt_records_dw);
static_assert(int(RowTypesKind::Cyclic) == algrt_records_cyclic &&
              int(RowTypesKind::Interval) == algrt_records_interval &&
              int(RowTypesKind::ExplicitTypes) == algrt_records_explicit);
static_assert(int(WeightsForm::Packed) == 0 && int(WeightsForm::Copied) == 1 &&
              int(WeightsForm::Direct) == 2);

uint64_t hashed(uint64_t hash, const std::vector<int64_t> &numbers) {
  hash = algrt_record_hash(hash, numbers.size());
  for (const int64_t number : numbers)
    hash = algrt_record_hash(hash, uint64_t(number));
  return hash;
}

// Of the factors, whose product may have far more terms than they have themselves.
uint64_t hashOfSupport(std::span<const FactorTerms> factors) {
  if (factors.size() == 1 && factors.front().kind() == SupportKind::Complete)
    return 0;
  uint64_t hash = algrt_record_hash(algrt_record_hash_begin, factors.size());
  for (const FactorTerms &factor : factors) {
    hash = algrt_record_hash(hash, uint64_t(int64_t(factor.kind())));
    hash = algrt_record_hash(hash, uint64_t(factor.groups()));
    if (!factor.isTable())
      continue;
    for (int64_t type = 0; type < factor.types(); ++type)
      for (int64_t group = 0; group < factor.groups(); ++group) {
        const std::span<const Term> terms = factor.slot(type, group);
        hash = algrt_record_hash(hash, terms.size());
        for (const Term &term : terms)
          for (const uint64_t number : {uint64_t(term.input_group), uint64_t(term.weight_row),
                                        std::bit_cast<uint64_t>(term.coefficient)})
            hash = algrt_record_hash(hash, number);
      }
  }
  return hash;
}

template <typename Record> Record begun(int64_t map) {
  Record record{};
  record.head.magic = algrt_record_magic;
  record.head.version = algrt_record_version;
  record.head.words = sizeof(Record) / word;
  record.head.map = map;
  return record;
}

template <typename Record> Record begun(int64_t map, const RecordedLayer &recorded, bool listed) {
  auto record = begun<Record>(map);
  algrt_record_head &head = record.head;
  const Layer &layer = recorded.layer;
  head.lift = layer.lift == Lift::Rows ? algrt_records_rows : algrt_records_slots;
  head.dtype = int64_t(layer.dtype);
  head.bias = layer.bias;
  head.k = layer.k;
  head.n = layer.n;
  head.types = layer.types;
  head.row_types = int64_t(listed ? RowTypesKind::ExplicitTypes : layer.row_types);
  head.row_type_width = listed ? 0 : layer.row_type_width;
  head.groups = recorded.groups;
  head.support = recorded.support;
  head.fusion = layer.fusion ? hashOfFusion(*layer.fusion) : 0;
  return record;
}

template <typename Record> KernelRecord finished(const std::string &symbol, const Record &record) {
  KernelRecord result{symbol, std::vector<uint64_t>(sizeof(record) / word)};
  std::memcpy(result.words.data(), &record, sizeof(record));
  return result;
}

std::vector<KernelRecord> cpuRecords(const Kernel &kernel, const RecordedLayer &layer) {
  const Map map = *mapNamed(kernel.map);
  auto record = begun<algrt_cpu_record>(int64_t(map), layer, /*listed=*/false);
  record.features = hashOfTexts(kernel.features);
  record.row_lists = kernel.row_lists;
  record.scratch_bytes = kernel.scratch_bytes;
  if (map == Map::Dw) {
    record.output = int64_t(kernel.output);
    record.tasks = kernel.tasks;
    return {finished(kernel.symbol, record)};
  }
  record.weights = int64_t(kernel.weights);
  record.types_per_task = kernel.types_per_task;
  record.rows_per_task = kernel.rows_per_task;
  if (kernel.weights != WeightsForm::Packed)
    return {finished(kernel.symbol, record)};
  record.pack_tasks = kernel.packing.front().tasks;
  record.packed_bytes = kernel.packing.front().bytes;
  std::vector<KernelRecord> records = {finished(kernel.symbol, record)};
  for (const Packing &packing : kernel.packing) {
    const bool first = &packing == &kernel.packing.front();
    const Layer next = first ? Layer{} : layerOfWeight(layer.layer, layer.layer.fusion->weights);
    const RecordedLayer own = first ? layer : RecordedLayer(next, layer.support);
    auto pack = begun<algrt_cpu_record>(algrt_records_pack, own, /*listed=*/false);
    pack.features = record.features;
    pack.weights = record.weights;
    pack.pack_tasks = packing.tasks;
    pack.packed_bytes = packing.bytes;
    records.push_back(finished(packing.symbol, pack));
  }
  return records;
}

KernelRecord gpuRecord(const GpuKernel &kernel, const RecordedLayer &layer) {
  auto record = begun<algrt_gpu_record>(int64_t(kernel.map), layer, kernel.listed);
  record.architecture = kernel.architecture;
  record.exact_architecture = kernel.exact_architecture;
  record.output = int64_t(kernel.output);
  record.threads = kernel.threads;
  record.cluster = kernel.cluster;
  record.shared_bytes = kernel.shared_bytes;
  record.dependent_launch = kernel.dependent_launch;
  record.terms = kernel.terms;
  record.scaled = kernel.scaled;
  record.listed = kernel.listed;
  record.groups = kernel.groups;
  record.copies = kernel.copies == GpuCopies::Threads;
  record.vector = kernel.vector;
  record.warp_rows = kernel.warp_rows;
  record.warp_columns = kernel.warp_columns;
  record.slices = kernel.slices;
  const GpuTile &tile = kernel.tile;
  record.tile_rows = tile.rows;
  record.tile_columns = tile.columns;
  record.tile_depth = tile.depth;
  record.tile_stages = tile.stages;
  record.tile_consumers = tile.consumers;
  record.tile_cluster_rows = tile.cluster_rows;
  record.tile_cluster_columns = tile.cluster_columns;
  record.tile_types = tile.types;
  record.tile_held_groups = tile.stationary_groups;
  record.tile_split = tile.split_k;
  record.tile_long_groups = tile.longest_first;
  record.x_columns = kernel.x.columns;
  record.x_rows = kernel.x.rows;
  record.x_swizzle = kernel.x.swizzle;
  record.w_columns = kernel.w.columns;
  record.w_rows = kernel.w.rows;
  record.w_swizzle = kernel.w.swizzle;
  record.y_columns = kernel.y.columns;
  record.y_rows = kernel.y.rows;
  record.y_swizzle = kernel.y.swizzle;
  record.next_w_columns = kernel.next_w.columns;
  record.next_w_rows = kernel.next_w.rows;
  record.next_w_swizzle = kernel.next_w.swizzle;
  record.parameters = kernel.parameters.hash();
  return finished(kernel.symbol, record);
}

std::string valueText(const WordText &text, uint64_t value) {
  return value < text.values.size() ? text.values[size_t(value)] : std::to_string(int64_t(value));
}

// Records of different kinds have different numbers of words.
std::span<const WordText> textsOf(size_t words) {
  if (words == sizeof(algrt_gpu_record) / word)
    return gpu_texts;
  if (words == sizeof(algrt_elementwise_record) / word)
    return elementwise_texts;
  return cpu_texts;
}

// `at` is a word of the records, which have so many.
std::string difference(size_t at, uint64_t expected, uint64_t found, size_t words) {
  if (at == groups_word)
    return "the groups of the manifest's layer are others than those that its code was compiled for";
  if (at == support_word)
    return "the bundle's terms are others than those that its code was compiled for";
  if (at == fusion_word)
    return "what the manifest's layer is fused with is something else than its code was compiled for";
  const WordText &text = at < head_words ? head_texts[at] : textsOf(words)[at - head_words];
  if (text.hashed != nullptr)
    return text.hashed;
  return std::string(text.name) + " is " + valueText(text, expected) + " in the manifest, " +
         valueText(text, found) + " in its code";
}

std::string findDifference(const KernelRecord &expected, const CodeSymbols &code,
                           const std::string &section) {
  const auto entry = code.records.find(expected.symbol);
  const std::vector<uint64_t> none;
  const std::vector<uint64_t> &found = entry == code.records.end() ? none : entry->second;
  constexpr size_t version_word = offsetof(algrt_record_head, version) / word,
                   words_word = offsetof(algrt_record_head, words) / word;
  if (found.empty() && !code.kernels.contains(expected.symbol))
    return "section '" + section + "' has no symbol '" + expected.symbol + "'";
  if (found.size() <= words_word || found[0] != algrt_record_magic)
    return "its code in section '" + section + "' does not say what '" + expected.symbol +
           "' is: it was compiled before code did, compile the bundle again";
  if (found[version_word] != algrt_record_version)
    return "what its code says of '" + expected.symbol + "' is of version " +
           std::to_string(int64_t(found[version_word])) + ", this runtime reads version " +
           std::to_string(int(algrt_record_version)) + ": compile the bundle again, or update the runtime";
  // A record of another target's kernels has another length.
  if (found.size() != expected.words.size() || found[words_word] != expected.words[words_word])
    return "what its code says of '" + expected.symbol + "' is not of a kernel for this target";
  for (size_t at = 0; at < found.size(); ++at)
    if (found[at] != expected.words[at])
      return difference(at, expected.words[at], found[at], found.size());
  return "";
}

} // namespace

uint64_t hashOfTexts(const std::vector<std::string> &texts) {
  uint64_t hash = algrt_record_hash_begin;
  for (const std::string &text : texts) {
    hash = algrt_record_hash(hash, text.size());
    for (const char c : text)
      hash = algrt_record_hash(hash, uint8_t(c));
  }
  return hash;
}

RecordedLayer::RecordedLayer(const Layer &layer, uint64_t support)
    : layer(layer), groups(hashed(hashed(hashed(algrt_record_hash_begin, layer.in_groups), layer.out_groups),
                                  layer.weight_rows)),
      support(support) {}

RecordedLayer::RecordedLayer(const Layer &layer, const Support &support)
    : RecordedLayer(layer, hashOfSupport(support.factors())) {}

std::vector<KernelRecord> recordsOf(const Kernel &kernel, const RecordedLayer &layer) {
  if (kernel.known)
    return cpuRecords(kernel, layer);
  if (kernel.gpu)
    return {gpuRecord(*kernel.gpu, layer)};
  if (kernel.group_rows)
    return {groupRowsRecordOf(kernel)};
  return {};
}

KernelRecord groupRowsRecordOf(const Kernel &kernel) {
  const GpuCode &code = *kernel.group_rows;
  auto record = begun<algrt_gpu_record>(algrt_records_group_rows);
  record.architecture = code.architecture;
  record.exact_architecture = code.exact_architecture;
  record.threads = code.threads;
  record.parameters = code.parameters.hash();
  return finished(code.symbol, record);
}

std::string findDifference(const std::vector<KernelRecord> &expected, const CodeSymbols &code,
                           const std::string &section) {
  for (const KernelRecord &record : expected)
    if (std::string difference = findDifference(record, code, section); !difference.empty())
      return difference;
  return "";
}

} // namespace algrt
