#include "algebras/quiver/leading_words.h"

#include <algorithm>
#include <stdexcept>

namespace algebras {

void WordSet::insert(const Word &word, int64_t number) {
  if (word.empty())
    throw std::logic_error("an empty word is part of everything");
  int32_t node = 0;
  for (char32_t letter : word) {
    auto [child, is_new] = nodes_[node].children.try_emplace(letter, static_cast<int32_t>(nodes_.size()));
    node = child->second;
    if (is_new)
      nodes_.emplace_back();
  }
  nodes_[node].number = number;
}

void WordSet::erase(const Word &word) {
  int32_t node = 0;
  for (char32_t letter : word)
    node = nodes_[node].children.at(letter);
  nodes_[node].number = -1;
}

std::optional<WordSet::Match> WordSet::findIn(const Word &text, int64_t &looked) const {
  for (size_t offset = 0; offset < text.size(); ++offset) {
    int32_t node = 0;
    for (size_t place = offset; place < text.size(); ++place) {
      ++looked;
      auto child = nodes_[node].children.find(text[place]);
      if (child == nodes_[node].children.end())
        break;
      node = child->second;
      if (nodes_[node].number >= 0)
        return Match{offset, nodes_[node].number};
    }
  }
  return std::nullopt;
}

AvoidingPaths::AvoidingPaths(const Quiver &quiver, const WordSet &words, const std::vector<bool> &alive)
    : starts_(quiver.vertexCount(), -1) {
  // Links to the longest proper end of a node's word that is a node; breadth first, so that they exist in
  // time.
  const auto &trie = words.nodes_;
  std::vector<int32_t> links(trie.size(), 0), order{0};
  std::vector<bool> ends(trie.size(), false); // a word of the set ends here
  auto advance = [&](int32_t node, char32_t letter) {
    for (;;) {
      auto child = trie[node].children.find(letter);
      if (child != trie[node].children.end())
        return child->second;
      if (node == 0)
        return int32_t{0};
      node = links[node];
    }
  };
  for (size_t index = 0; index < order.size(); ++index) {
    int32_t node = order[index];
    ends[node] = trie[node].number >= 0 || (node != 0 && ends[links[node]]);
    for (auto [letter, child] : trie[node].children) {
      links[child] = node == 0 ? 0 : advance(links[node], letter);
      order.push_back(child);
    }
  }

  std::unordered_map<uint64_t, int32_t> numbers;
  std::vector<std::pair<int64_t, int32_t>> nodes; // (vertex, state)
  auto number = [&](int64_t vertex, int32_t state) {
    auto key = static_cast<uint64_t>(vertex) << 32 | static_cast<uint32_t>(state);
    auto [place, is_new] = numbers.try_emplace(key, static_cast<int32_t>(nodes.size()));
    if (is_new)
      nodes.emplace_back(vertex, state);
    return place->second;
  };
  for (int64_t vertex = 0; vertex < quiver.vertexCount(); ++vertex)
    if (alive[vertex])
      starts_[vertex] = number(vertex, 0);
  for (size_t node = 0; node < nodes.size(); ++node) {
    auto [vertex, state] = nodes[node];
    std::vector<Step> steps;
    for (int32_t arrow : quiver.leaving(vertex)) {
      int32_t next = advance(state, static_cast<char32_t>(arrow));
      if (!ends[next] && alive[quiver.arrow(arrow).target])
        steps.push_back({arrow, number(quiver.arrow(arrow).target, next)});
    }
    steps_.push_back(std::move(steps));
  }
}

namespace {

struct Visit {
  int32_t node;
  size_t next = 0; // the step to try
};

// A cycle has no beginning: named from its first arrow.
Word leastRotation(const Word &cycle) {
  constexpr size_t longest = 1000; // longer ones are not spelled out anyway
  Word least = cycle;
  for (size_t start = 1; cycle.size() <= longest && start < cycle.size(); ++start)
    least = std::min(least, cycle.substr(start) + cycle.substr(0, start));
  return least;
}

} // namespace

std::optional<Word> AvoidingPaths::findCycle() const {
  enum class Colour : char { White, Grey, Black };
  std::vector<Colour> colours(steps_.size(), Colour::White);
  std::vector<Visit> stack;
  for (size_t root = 0; root < steps_.size(); ++root) {
    if (colours[root] != Colour::White)
      continue;
    colours[root] = Colour::Grey;
    stack.push_back({static_cast<int32_t>(root)});
    while (!stack.empty()) {
      Visit &top = stack.back();
      if (top.next == steps_[top.node].size()) {
        colours[top.node] = Colour::Black;
        stack.pop_back();
        continue;
      }
      int32_t next = steps_[top.node][top.next++].node;
      if (colours[next] == Colour::Grey) {
        auto visit = std::find_if(stack.begin(), stack.end(), [&](const Visit &v) { return v.node == next; });
        Word cycle;
        for (; visit != stack.end(); ++visit)
          cycle.push_back(static_cast<char32_t>(steps_[visit->node][visit->next - 1].arrow));
        return leastRotation(cycle);
      }
      if (colours[next] == Colour::White) {
        colours[next] = Colour::Grey;
        stack.push_back({next});
      }
    }
  }
  return std::nullopt;
}

std::optional<int64_t> AvoidingPaths::count(int64_t limit) const {
  // Paths that begin at a node, the empty one included; children first.
  std::vector<int64_t> paths(steps_.size(), 0);
  std::vector<Visit> stack;
  int64_t total = 0;
  for (int32_t root : starts_) {
    if (root < 0)
      continue;
    if (paths[root] == 0)
      stack.push_back({root});
    while (!stack.empty()) {
      Visit &top = stack.back();
      const std::vector<Step> &steps = steps_[top.node];
      if (top.next < steps.size()) {
        int32_t next = steps[top.next++].node;
        if (paths[next] == 0)
          stack.push_back({next});
        continue;
      }
      int64_t sum = 1;
      for (const Step &step : steps)
        if ((sum += paths[step.node]) > limit)
          return std::nullopt;
      paths[top.node] = sum;
      stack.pop_back();
    }
    if ((total += paths[root]) > limit)
      return std::nullopt;
  }
  return total;
}

} // namespace algebras
