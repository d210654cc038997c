// algctl rank: bounds on the bilinear rank, with an algorithm, and the search for a better one.
#include "compiler/tools/commands.h"

#include "algebras/facts.h"
#include "algebras/rank/algorithm_json.h"
#include "algebras/rank/bounds.h"
#include "algebras/rank/recognition.h"
#include "algebras/rank/search/search.h"
#include "compiler/spec/integer_option.h"
#include "compiler/spec/spec_options.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/output_file.h"
#include "runtime/support/standard_streams.h"

#include <CLI/CLI.hpp>
#include <atomic>
#include <cmath>
#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace compiler {
namespace {

using algebras::BilinearAlgorithm;
using algebras::Facts;

// Longer algorithms are written out and verified only where a file or a search asks for them.
constexpr int64_t verified_unasked = int64_t{1} << 18;
constexpr double longest_search = 1e7; // seconds

struct RankCommand {
  SpecOptions spec;
  double search = 0;
  int64_t seed = 1, threads = 2;
  std::string algorithm, output;
  bool json = false, from_table = false;
};

// What is known in the end.
struct Report {
  Facts facts;
  std::optional<int64_t> given;               // products of the user's algorithm
  std::optional<BilinearAlgorithm> algorithm; // verified; nothing where it would be too long
  std::string upper_rule;
  int64_t upper = 0;
  bool searched = false;
  std::string not_searched; // the reason, where a search was asked for and cannot be
  algebras::SearchResult search;
};

bool isExact(const Report &report) { return report.facts.rank_lower == report.upper; }

std::atomic<int> interrupts = 0;
static_assert(std::atomic<int>::is_always_lock_free);

// While it lives, an interrupt ends the search and not the program; the third one ends that too.
class InterruptGuard {
public:
  InterruptGuard() {
    interrupts = 0;
    before_ = std::signal(SIGINT, [](int) {
      if (++interrupts == 2)
        std::signal(SIGINT, SIG_DFL);
    });
  }
  ~InterruptGuard() { std::signal(SIGINT, before_); }
  InterruptGuard(const InterruptGuard &) = delete;
  InterruptGuard &operator=(const InterruptGuard &) = delete;

private:
  void (*before_)(int);
};

algebras::AlgorithmFile readGiven(const std::string &path, const algebras::Algebra &algebra) {
  algebras::AlgorithmFile file = algebras::readAlgorithmFile(path);
  if (file.dimension != algebra.dimension())
    throw algebras::InputError(fmt::format("{}: an algorithm for dimension {}, but {} has {}", path,
                                           file.dimension, algebra.name(), algebra.dimension()));
  if (file.field == algebra.field())
    return file;
  if (!file.field.isRationals())
    throw algebras::InputError(fmt::format("{}: an algorithm over {}, but {} is over {}", path,
                                           file.field.name(), algebra.name(), algebra.field().name()))
        .hint("algorithms over Q are taken modulo p, where p divides no denominator");
  for (algebras::BilinearProduct &product : file.products)
    for (algebras::SparseVector *vector : {&product.alpha, &product.beta, &product.gamma}) {
      for (auto &[index, value] : *vector)
        value = algebra.field().reduce(value);
      std::erase_if(*vector, [](const auto &entry) { return entry.second.isZero(); });
    }
  file.field = algebra.field();
  return file;
}

// The coefficient of b_k in b_i b_j by the algorithm, and by the table.
std::string describeMismatch(const algebras::Table &table, const BilinearAlgorithm &algorithm,
                             const algebras::Mismatch &mismatch) {
  auto entry = [](const algebras::SparseVector &vector, int64_t index) {
    for (const auto &[own, value] : vector)
      if (own == index)
        return value;
    return algebras::Rational();
  };
  algebras::Rational computed, expected;
  for (const algebras::BilinearProduct &product : algorithm)
    computed =
        table.field().add(computed, entry(product.alpha, mismatch.i) * entry(product.beta, mismatch.j) *
                                        entry(product.gamma, mismatch.k));
  for (const algebras::Constant &constant : table.row(mismatch.i))
    if (constant.j == mismatch.j && constant.k == mismatch.k)
      expected = constant.value;
  return fmt::format("the coefficient of b{} in b{} b{} is {}, the algorithm gives {}", mismatch.k,
                     mismatch.i, mismatch.j, expected.toString(), computed.toString());
}

// The user's algorithm, when it is right and shorter than what is known.
bool addGiven(const RankCommand &options, const algebras::Algebra &algebra, const algebras::Table &table,
              Report &report) {
  algebras::AlgorithmFile file = readGiven(options.algorithm, algebra);
  if (std::optional<algebras::Mismatch> mismatch = algebras::findMismatch(file.products, table)) {
    printError(fmt::format("{} is no algorithm for {}: {}", options.algorithm, algebra.name(),
                           describeMismatch(table, file.products, *mismatch)));
    return false;
  }
  report.given = static_cast<int64_t>(file.products.size());
  if (*report.given < report.upper) {
    report.upper = *report.given;
    report.upper_rule = fmt::format("the algorithm of {}", options.algorithm);
    report.algorithm = std::move(file.products);
  }
  return true;
}

// By construction or by recognition, or the table's own products where nothing else is wanted; verified
// before it is claimed.
void addKnown(const RankCommand &options, const algebras::Algebra &algebra, const algebras::Table &table,
              Report &report) {
  if (options.from_table) {
    report.algorithm = algebras::ownProducts(table);
    report.upper = static_cast<int64_t>(report.algorithm->size());
    report.upper_rule = "the table's own products";
    if (algebras::findMismatch(*report.algorithm, table))
      throw std::logic_error("the products of a table are not its own");
    return;
  }
  report.algorithm = algebras::constructedAlgorithm(algebra);
  if (!report.algorithm)
    throw algebras::InputError(fmt::format("{}: an algorithm of {} products is too long to be written out",
                                           algebra.name(), report.upper));
  std::string rule = algebras::rankUpper(algebra).rule;
  const Facts &facts = report.facts;
  if (!algebra.isMatrixLike() && facts.associative.value_or(false) && facts.identity) {
    algebras::RecognisedAlgorithm own = algebras::recognisedAlgorithm(
        table, *facts.identity, facts.decomposition ? &*facts.decomposition : nullptr);
    if (own.products.size() < report.algorithm->size()) {
      report.algorithm = std::move(own.products);
      rule = own.rule;
    }
  }
  if (algebras::findMismatch(*report.algorithm, table))
    throw std::logic_error(fmt::format("the algorithm for {} is wrong: {}", algebra.name(), rule));
  report.upper = static_cast<int64_t>(report.algorithm->size());
  report.upper_rule = rule;
}

void search(const RankCommand &options, const algebras::Table &table, Report &report) {
  report.not_searched = algebras::whyNotSearched(table);
  if (!report.not_searched.empty() || isExact(report))
    return;
  algebras::SearchOptions how;
  how.seconds = options.search;
  how.seed = static_cast<uint64_t>(options.seed);
  how.threads = static_cast<int>(options.threads);
  how.lower = report.facts.rank_lower.value_or(1);
  how.interrupted = [] { return interrupts > 0; };
  how.progress = [](const algebras::SearchProgress &progress) {
    algrt::writeDiagnostic(
        fmt::format("{:7.1f} s  {} products  {}\n", progress.seconds, progress.least, progress.what));
  };
  InterruptGuard guard;
  report.search = algebras::searchAlgorithm(table, *report.algorithm, how);
  report.searched = true;
  if (!report.search.improved)
    return;
  if (algebras::findMismatch(report.search.algorithm, table))
    throw std::logic_error("a search returned a wrong algorithm");
  report.algorithm = report.search.algorithm;
  report.upper = static_cast<int64_t>(report.algorithm->size());
  report.upper_rule = fmt::format("search: {}", report.search.method);
}

nlohmann::ordered_json toJson(const RankCommand &options, const Report &report) {
  auto or_null = [](const auto &value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  const Facts &facts = report.facts;
  nlohmann::ordered_json json;
  json["name"] = facts.name;
  json["field"] = facts.field.name();
  json["dimension"] = facts.dimension;
  json["alder_strassen"] = or_null(facts.alder_strassen);
  json["rank_lower"] = or_null(facts.rank_lower);
  json["rank_lower_rule"] =
      facts.rank_lower ? nlohmann::ordered_json(facts.rank_lower_rule) : nlohmann::ordered_json(nullptr);
  json["rank_upper"] = report.upper;
  json["rank_upper_rule"] = report.upper_rule;
  json["rank_exact"] = isExact(report);
  json["verified"] = report.algorithm.has_value();
  json["given_products"] = or_null(report.given);
  json["search"] = nullptr;
  if (report.searched)
    json["search"] = {{"seconds", options.search},
                      {"seed", options.seed},
                      {"improved", report.search.improved},
                      {"notes", report.search.notes}};
  return json;
}

std::string readable(const RankCommand &options, const Report &report) {
  const Facts &facts = report.facts;
  std::string text =
      fmt::format("{} over {}: dimension {}\n", facts.name, facts.field.name(), facts.dimension);
  auto line = [&](const std::string &label, const std::string &value, const std::string &reason) {
    text += fmt::format("  {:<32}{}\n", label, value);
    if (!reason.empty())
      text += fmt::format("  {:<32}  {}\n", "", reason);
  };
  if (facts.alder_strassen)
    line("Alder-Strassen", fmt::format("{}", *facts.alder_strassen), "");
  std::string lower = facts.rank_lower ? fmt::format("{}", *facts.rank_lower) : "not known";
  if (isExact(report)) {
    line("bilinear rank", lower + ", exactly",
         fmt::format("at least: {}; at most: {}", facts.rank_lower_rule, report.upper_rule));
  } else {
    line("bilinear rank, at least", lower, facts.rank_lower_rule);
    line("bilinear rank, at most", fmt::format("{}", report.upper), report.upper_rule);
  }
  line("algorithm",
       report.algorithm ? fmt::format("{} products, verified", report.algorithm->size())
                        : fmt::format("{} products by the rule; not written out", report.upper),
       "");
  if (report.given)
    line("the given algorithm", fmt::format("{} products, verified", *report.given), "");
  if (!report.not_searched.empty())
    line("search", "none", report.not_searched);
  else if (options.search > 0 && !report.searched)
    line("search", "none", "the rank is known already");
  for (const std::string &note : report.search.notes)
    if (!note.empty())
      line("search", note, "");
  return text;
}

int rank(const RankCommand &options) {
  if (!(options.search >= 0) || options.search > longest_search)
    throw UsageError(fmt::format("--search takes seconds, from 0 to {:.0f}", longest_search));
  if (options.seed < 0)
    throw UsageError("--seed takes a number from 0 on");
  if (options.threads < 1 || options.threads > 256)
    throw UsageError("--threads takes a number from 1 to 256");
  if (options.json && namesStandardOutput(options.output))
    throw UsageError("--json and the algorithm cannot both go to standard output");
  std::unique_ptr<OutputFile> file;
  if (!options.output.empty())
    file = std::make_unique<OutputFile>(options.output);
  Spec spec = loadSpec(options.spec);
  const algebras::Algebra &algebra = requireAlgebra(spec);
  Report report;
  report.facts = algebras::deriveFacts(algebra);
  report.upper = report.facts.rank_upper.value();
  report.upper_rule = report.facts.rank_upper_rule;
  bool asked = file || options.search > 0 || options.from_table || !options.algorithm.empty();
  bool recognisable = !algebra.isMatrixLike() && algebra.dimension() <= algebras::largest_recognised;
  if (asked || recognisable || (report.upper <= verified_unasked && algebra.nonzeros() <= verified_unasked)) {
    algebras::Table table = algebra.expand();
    addKnown(options, algebra, table, report);
    if (!options.algorithm.empty() && !addGiven(options, algebra, table, report))
      return ExitCode::VerificationFailed;
    if (options.search > 0)
      search(options, table, report);
  }
  if (file)
    file->commit(algebras::printAlgorithm(
        {report.facts.name, report.upper_rule, algebra.field(), algebra.dimension(), *report.algorithm}));
  if (options.json)
    printJson(toJson(options, report));
  else if (file && file->isStandardOutput())
    algrt::writeDiagnostic(readable(options, report));
  else
    printText(readable(options, report));
  return ExitCode::Done;
}

} // namespace

void addRank(CLI::App &app, Session &session) {
  auto options = std::make_shared<RankCommand>();
  CLI::App *command =
      app.add_subcommand("rank", "Bound the bilinear rank, and search for shorter algorithms");
  addSpecOptions(*command, options->spec);
  command->add_flag("--json", options->json, "print one JSON object");
  command
      ->add_option("--algorithm", options->algorithm,
                   "an algorithm to verify and to start from (docs/rank.md)")
      ->type_name("FILE");
  outputFile(command->add_option("-o,--output", options->output,
                                 "write the best algorithm to a JSON file; - for standard output, where the "
                                 "report goes to standard error"));
  const std::string group = "Search";
  command->add_option("--search", options->search, "search for shorter algorithms for so long")
      ->type_name("SECONDS")
      ->group(group);
  command
      ->add_flag("--from-table", options->from_table,
                 "start from the table's own products, as if nothing better were known")
      ->group(group);
  wholeNumber(command->add_option("--seed", options->seed, "of the random choices"))
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  wholeNumber(command->add_option("--threads", options->threads, "searchers side by side"))
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  command->footer(
      R"help(The interval comes with the rules that gave it, and with an algorithm that was verified exactly. An interrupt ends a
search with what it found. Exit code 3 when the given algorithm is wrong.

Examples:
  algctl rank "M(3)"                                      the interval [19, 23]
  algctl rank "Q(2)^2" --search 60                        is there something below 36?
  algctl rank "M(3)" --field "GF(2)" --from-table --search 10 -o m3.json
  algctl rank quaternions.json --algorithm mine.json      verify an algorithm of one's own)help");
  command->callback([&session, options] { session.run = [options] { return rank(*options); }; });
}

} // namespace compiler
