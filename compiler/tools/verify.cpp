// algctl verify: what can be proved about an algebra, and what becomes of programs.
#include "compiler/tools/commands.h"

#include "algebras/bases_json.h"
#include "algebras/certificate/certificate.h"
#include "algebras/facts.h"
#include "algebras/facts_json.h"
#include "compiler/drawing/facts_text.h"
#include "compiler/spec/spec_options.h"
#include "compiler/spec/usage_error.h"
#include "compiler/tools/output_file.h"
#include "compiler/tools/program_options.h"
#include "compiler/tools/program_text.h"
#include "runtime/support/standard_streams.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace compiler {
namespace {

constexpr int64_t bases_shown = 16; // the largest dimension at which --json lists elements unasked

struct VerifyOptions {
  SpecOptions spec;
  bool json = false;
  bool bases = false;
  std::string certificate;
  std::optional<std::string> program_maps;
};

std::string readable(const algebras::Facts &facts) {
  std::string text = fmt::format("{} over {}: dimension {}, {} nonzero structure constants\n", facts.name,
                                 facts.field.name(), facts.dimension, facts.nonzeros);
  for (const FactLine &line : factLines(facts)) {
    text += fmt::format("  {:<32}{}\n", line.label, line.value);
    if (!line.reason.empty())
      text += fmt::format("  {:<32}  {}\n", "", line.reason);
    if (!line.proof.empty())
      text += fmt::format("  {:<32}  proof: {}\n", "", line.proof);
  }
  return text;
}

// A list of vectors: "3 b0 - b2".
std::string readableVectors(const nlohmann::ordered_json &vectors) {
  std::string text;
  for (const auto &vector : vectors) {
    std::string line;
    for (const auto &entry : vector) {
      std::string coefficient = entry[1].get<std::string>();
      bool negative = coefficient.starts_with("-");
      if (negative)
        coefficient.erase(0, 1);
      line += line.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
      line += (coefficient == "1" ? "" : coefficient + " ") + fmt::format("b{}", entry[0].get<int64_t>());
    }
    text += "    " + line + "\n";
  }
  return text;
}

std::string counted(size_t count) { return fmt::format("{} element{}", count, count == 1 ? "" : "s"); }

std::string readableBases(const nlohmann::ordered_json &bases) {
  if (bases.is_null())
    return "no bases: the algebra is not associative and unital, or too large\n";
  std::string text;
  for (auto [key, label] : {std::pair("center", "centre"), std::pair("radical", "radical"),
                            std::pair("primitive_idempotents", "primitive idempotents")})
    if (!bases[key].is_null())
      text += fmt::format("  {}: {}\n", label, counted(bases[key].size())) + readableVectors(bases[key]);
  for (const auto &component : bases["components"]) {
    text += fmt::format("  component of dimension {}, modulo the radical: idempotent\n",
                        component["dimension"].get<int64_t>());
    text += readableVectors(nlohmann::ordered_json::array({component["idempotent"]}));
    if (!component["matrix_units"].empty())
      text += "   its matrix units, row by row\n" + readableVectors(component["matrix_units"]);
  }
  return text;
}

// Compact: what is read by eye is `algcheck`, which checks it.
void writeCertificate(const algebras::Algebra &algebra, const algebras::Facts &facts, OutputFile &file) {
  algebras::Certificate certificate = algebras::certify(algebra);
  for (const std::vector<std::string> &omissions : {certificate.omissions, notClaimed(facts, certificate)})
    for (const std::string &omission : omissions)
      printNote(fmt::format("not in the certificate: {}", omission));
  file.commit(certificate.json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

// Of the first algebra that is not what products need; 0 where all are.
int verdict(const std::vector<algebras::Facts> &all) {
  for (const algebras::Facts &facts : all) {
    if (facts.associative.value_or(false) && facts.unital.value_or(false))
      continue;
    const char *fault = facts.associative.value_or(false) ? "has no identity"
                        : facts.unital.value_or(false)    ? "is not associative"
                                                          : "is neither associative nor unital";
    printError(fmt::format("{} {}", facts.name, fault));
    return ExitCode::VerificationFailed;
  }
  return ExitCode::Done;
}

// A program is right where it can be read; what it becomes is shown, and the algebras of its products.
int verifyProgram(const VerifyOptions &options, const Spec &spec, const ProgramTools &tools) {
  if (!tools.plan)
    throw AbsentError("this build has no compiler to read programs with");
  if (options.bases || !options.certificate.empty())
    throw UsageError(fmt::format("{} is for one algebra, and {} is a program",
                                 options.bases ? "--bases" : "--certificate", spec.source_name));
  CompileOptions compile;
  compile.program_maps = programMapsOf(options.program_maps);
  const ProgramPlan plan = tools.plan(spec, compile);
  std::vector<algebras::Facts> facts;
  for (const algebras::Algebra &algebra : plan.algebras)
    facts.push_back(algebras::deriveFacts(algebra));
  if (options.json) {
    nlohmann::ordered_json json{{"programs", programsJson(plan)},
                                {"algebras", nlohmann::ordered_json::array()}};
    for (const algebras::Facts &one : facts)
      json["algebras"].push_back(algebras::toOrderedJson(one));
    printJson(json);
  } else {
    std::string text = programsText(plan);
    for (const algebras::Facts &one : facts)
      text += "\n" + readable(one);
    printText(text);
  }
  return verdict(facts);
}

int verify(const VerifyOptions &options, const ProgramTools &tools) {
  if (options.json && namesStandardOutput(options.certificate))
    throw UsageError("--json and the certificate cannot both go to standard output");
  std::unique_ptr<OutputFile> file;
  if (!options.certificate.empty())
    file = std::make_unique<OutputFile>(options.certificate);
  Spec spec = loadSpec(options.spec);
  if (spec.program)
    return verifyProgram(options, spec, tools);
  if (options.program_maps)
    throw UsageError(fmt::format("--program-maps is for programs, and {} is none", options.spec.spec));
  const algebras::Algebra &algebra = requireAlgebra(spec);
  algebras::Facts facts = algebras::deriveFacts(algebra);
  nlohmann::ordered_json bases;
  if (options.bases || (options.json && facts.dimension <= bases_shown))
    bases = algebras::basesJson(algebra, facts);
  if (options.json) {
    nlohmann::ordered_json json = algebras::toOrderedJson(facts);
    if (!bases.is_null())
      json["bases"] = bases;
    printJson(json);
  } else {
    const std::string report = readable(facts) + (options.bases ? readableBases(bases) : "");
    if (file && file->isStandardOutput())
      algrt::writeDiagnostic(report);
    else
      printText(report);
  }
  if (file)
    writeCertificate(algebra, facts, *file);
  return verdict({facts});
}

} // namespace

void addVerify(CLI::App &app, Session &session, const ProgramTools &tools) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App *command =
      app.add_subcommand("verify", "Prove what can be proved about an algebra; show what a program becomes");
  addSpecOptions(*command, options->spec);
  command->add_flag("--json", options->json, "print one JSON object");
  command->add_flag(
      "--bases", options->bases,
      "list bases of the centre and of the radical, idempotents and matrix units; --json does so up to "
      "dimension 16");
  outputFile(command->add_option("--certificate", options->certificate,
                                 "write a proof that algcheck checks by itself, as JSON; - for standard "
                                 "output, where the report goes to standard error"));
  addProgramMaps(*command, options->program_maps);
  command->footer(R"help(Exit code 3 when the algebra is not associative and unital.

Examples:
  algctl verify "Q(32)"                         the complete graph on 32 vertices
  algctl verify "Q(2)^3 * M(4)" --json          a tensor product, for a machine to read
  algctl verify quaternions.json --bases        with the elements: radical, centre, idempotents
  algctl verify graph.dot --field "GF(7)"       the algebra of a graph, over a prime field
  algctl verify program.mlir                    the operands and steps of programs, and their algebras
  algctl verify quaternions.json --certificate quaternions.cert.json)help");
  command->callback(
      [&session, options, tools] { session.run = [options, tools] { return verify(*options, tools); }; });
}

} // namespace compiler
