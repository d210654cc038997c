// algctl show: the multiplication table, the terms and the quiver of an algebra.
#include "compiler/tools/commands.h"

#include "algebras/error.h"
#include "algebras/facts.h"
#include "compiler/drawing/describe.h"
#include "compiler/drawing/gabriel.h"
#include "compiler/drawing/html.h"
#include "compiler/drawing/quiver.h"
#include "compiler/process/failure.h"
#include "compiler/spec/spec_options.h"
#include "compiler/tools/graphviz.h"
#include "compiler/tools/output_file.h"
#include "runtime/support/json_text.h"
#include "runtime/support/memory.h"
#include "runtime/support/printable_text.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

namespace compiler {
namespace {

struct ShowOptions {
  SpecOptions spec;
  std::string format = "text";
  std::string output;
  bool full = false, rows = false;
};

Quiver drawnQuiver(const algebras::Algebra &algebra, bool rows) {
  Quiver quiver = rows ? quiverOf(algebra) : gabrielQuiverOf(algebra);
  if (!quiver.drawn())
    throw algebras::InputError(quiver.caption).hint("--format=text, json and html show the table");
  return quiver;
}

// Before a table is expanded: its constants, a copy for sorting them, and the lines that they become.
void requireMemoryOfTable(const algebras::Algebra &algebra) {
  constexpr uint64_t of_line = 64;
  const auto constants = static_cast<uint64_t>(algebra.nonzeros());
  if (algebra.nonzeros() <= algebras::Algebra::expansion_limit) // what is more is refused in any case
    algrt::requireMemory(constants * (2 * sizeof(algebras::Constant) + of_line),
                         fmt::format("the table of {} with its {} constants", algebra.name(), constants));
}

// Names may hold anything that a file can say; XML takes no control characters.
std::optional<std::string> drawGraph(const std::string &dot) { return drawByGraphviz(algrt::printable(dot)); }

std::string drawing(const algebras::Algebra &algebra, const ShowOptions &options) {
  if (options.format == "dot")
    return toDot(drawnQuiver(algebra, options.rows), algebra.name());
  if (options.format == "svg") {
    if (std::optional<std::string> svg = drawGraph(toDot(drawnQuiver(algebra, options.rows), algebra.name())))
      return std::move(*svg);
    throw AbsentError(
        "--format=svg needs Graphviz, whose program dot is not in PATH: install the package graphviz, or "
        "draw what --format=dot writes elsewhere");
  }
  if (options.format == "html")
    return toHtml(algebra, algebras::deriveFacts(algebra), drawGraph);
  return describeText(algebra, options.full);
}

// Names may hold anything that a file can say; a terminal and XML take no control characters.
std::string render(const algebras::Algebra &algebra, const ShowOptions &options) {
  if (options.format != "json")
    return algrt::printable(drawing(algebra, options));
  requireMemoryOfTable(algebra);
  return algrt::terminalSafeJson(describeJson(algebra));
}

int show(const ShowOptions &options) {
  OutputFile file(options.output.empty() ? "-" : options.output);
  const Spec spec = loadSpec(options.spec);
  file.commit(render(requireAlgebra(spec), options));
  return ExitCode::Done;
}

} // namespace

void addShow(CLI::App &app, Session &session) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App *command =
      app.add_subcommand("show", "Print the multiplication table and draw the Gabriel quiver");
  addSpecOptions(*command, options->spec);
  auto *format = command->add_option("--format", options->format, "text (default), json, dot, svg or html")
                     ->check(CLI::IsMember({"text", "json", "dot", "svg", "html"}))
                     ->type_name("FORMAT");
  command->add_flag_callback(
             "--json", [options] { options->format = "json"; }, "the same as --format=json")
      ->excludes(format);
  outputFile(command->add_option("-o,--output", options->output,
                                 "write to a file instead of standard output, which - names, too"));
  command->add_flag("--full", options->full, "do not cut long tables in the text form");
  command->add_flag("--rows", options->rows,
                    "dot and svg draw the positions of the row lift instead of the Gabriel quiver");
  command->footer(R"help(Examples:
  algctl show "Q(3)"                               table, terms and quiver as text
  algctl show "Q(2)^2" --format=html -o q22.html   one page with facts, picture and coloured table
  algctl show "path(5)" --format=svg -o path.svg      drawn by Graphviz, as the page's pictures are
  algctl show 'quiver("x:1->1, y:1->1", relations="x^2, y^2, x*y - y*x")'
  algctl show "Q(2)^2" --rows --format=dot         the groups that each row type reads
  algctl show "Q(4)" --format=dot | dot -Tpdf > q4.pdf)help");
  command->callback([&session, options] { session.run = [options] { return show(*options); }; });
}

} // namespace compiler
