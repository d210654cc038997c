#include "tests/gates/main_loop.h"

#include <algorithm>
#include <map>
#include <regex>
#include <sstream>

namespace gates {

std::vector<MainLoop> mainLoops(const std::string &sass) {
  static const std::regex label(R"(^\s*(\.L_\w+):)"), instruction(R"(^\s*/\*[0-9a-f]+\*/\s+(\S.*);)"),
      branch(R"(\bBRA\b.*`\((\.L_\w+)\))");
  struct Range {
    size_t first, last;
  };
  std::map<std::string, size_t> labels;       // the instruction behind each
  std::vector<bool> multiplies, maps, rounds; // of each instruction
  std::vector<Range> loops;
  std::istringstream lines(sass);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_search(line, found, label)) {
      labels[found[1]] = multiplies.size();
    } else if (std::regex_search(line, found, instruction)) {
      const std::string text = found[1];
      // A loop goes round under a condition. Without one the waits that took long, which stand behind the
      // kernel, come back into the middle of it.
      if (std::smatch target; text.starts_with("@") && std::regex_search(text, target, branch))
        if (const auto start = labels.find(target[1]); start != labels.end())
          loops.push_back({start->second, multiplies.size()});
      multiplies.push_back(text.find("HGMMA") != std::string::npos);
      maps.push_back(text.find("MUFU") != std::string::npos);
      rounds.push_back(text.find("F2FP") != std::string::npos);
    }
  }
  const auto count = [](const std::vector<bool> &which, const Range &loop) {
    return std::count(which.begin() + static_cast<ptrdiff_t>(loop.first),
                      which.begin() + static_cast<ptrdiff_t>(loop.last) + 1, true);
  };
  const auto products = [&](const Range &loop) { return count(multiplies, loop); };
  std::erase_if(loops, [&](const Range &loop) { return products(loop) == 0; });
  std::vector<MainLoop> innermost;
  for (const Range &loop : loops)
    if (std::none_of(loops.begin(), loops.end(), [&](const Range &other) {
          return other.last - other.first < loop.last - loop.first && other.first >= loop.first &&
                 other.last <= loop.last;
        }))
      innermost.push_back({static_cast<int64_t>(loop.last - loop.first) + 1, products(loop),
                           count(maps, loop), count(rounds, loop)});
  return innermost;
}

} // namespace gates
