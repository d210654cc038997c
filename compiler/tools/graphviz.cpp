#include "compiler/tools/graphviz.h"

#include "compiler/process/child_process.h"
#include "compiler/process/failure.h"
#include "compiler/process/temporary_file.h"

#include <fmt/format.h>
#include <regex>

namespace compiler {

static std::string reason(std::string said, int status) {
  said.erase(said.find_last_not_of('\n') + 1);
  return said.empty() ? fmt::format("dot ended with status {} and said nothing", status) : said;
}

std::optional<std::string> drawByGraphviz(const std::string &dot) {
  constexpr int not_found = 127; // what env(1) answers where PATH has no such program
  const TemporaryFile graph("dot"), picture("svg"), messages("txt");
  graph.write(dot);
  const int status =
      runProgram("/usr/bin/env", {"dot", "-Tsvg", graph.name()}, {picture.name(), messages.name()});
  if (status == not_found)
    return std::nullopt;
  const std::string svg = picture.read();
  const size_t element = svg.find("<svg");
  if (status != 0 || element == std::string::npos)
    throw Failure("Graphviz draws no picture: " + reason(messages.read(), status));
  static const std::regex identifier(" id=\"[^\"]*\"");
  return std::regex_replace(svg.substr(element), identifier, "");
}

} // namespace compiler
