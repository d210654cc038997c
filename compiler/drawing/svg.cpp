#include "compiler/drawing/svg.h"

#include "compiler/drawing/palette.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <set>

namespace compiler {
namespace {

struct Point {
  double x = 0, y = 0;
};
Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
Point operator*(double s, Point a) { return {s * a.x, s * a.y}; }
double length(Point a) { return std::hypot(a.x, a.y); }

// A quadratic Bezier curve.
struct Curve {
  Point begin, bend, end;
  Point at(double t) const { return ((1 - t) * (1 - t)) * begin + (2 * t * (1 - t)) * bend + (t * t) * end; }
  // The piece between two parameters, exactly.
  Curve piece(double from, double to) const {
    Point first = at(from), last = at(to);
    Point tangent = (1 - from) * (bend - begin) + from * (end - bend);
    return {first, first + (to - from) * tangent, last};
  }
};

// The parameter at which the curve leaves a disc around its beginning.
double leaves(const Curve &curve, double radius) {
  double inside = 0, outside = 1;
  for (int step = 0; step < 40; ++step) {
    double middle = (inside + outside) / 2;
    (length(curve.at(middle) - curve.begin) < radius ? inside : outside) = middle;
  }
  return outside;
}

Curve reversed(const Curve &curve) { return {curve.end, curve.bend, curve.begin}; }

struct Layout {
  double size, ring, vertex, stroke, head;
  std::vector<Point> centres;
};

// Vertices shrink, and the page grows, with their number, so that neighbours keep a gap of a vertex's width.
Layout layOut(std::int64_t count, bool has_loops) {
  Layout layout{};
  layout.vertex = count <= 12 ? 22 : count <= 32 ? 15 : 9;
  double needed = count * layout.vertex * 3.2 / (2 * std::numbers::pi);
  layout.ring = count == 1 ? 0 : std::max(count <= 3 ? 95.0 : 150.0, needed);
  layout.stroke = count <= 6 ? 2 : count <= 12 ? 1.5 : count <= 32 ? 1.0 : 0.7;
  layout.head = count <= 12 ? 10 : count <= 32 ? 7 : 5;
  layout.size = 2 * (layout.ring + layout.vertex + 34 + (has_loops ? 0.6 * layout.vertex : 0));
  for (std::int64_t i = 0; i < count; ++i) {
    // Two vertices lie side by side, more begin at the top.
    double angle = 2 * std::numbers::pi * i / count - (count == 2 ? std::numbers::pi : std::numbers::pi / 2);
    layout.centres.push_back(
        {layout.size / 2 + layout.ring * std::cos(angle), layout.size / 2 + layout.ring * std::sin(angle)});
  }
  return layout;
}

std::string headAt(Point tip, Point direction, double size, const std::string &colour) {
  Point along = (1 / std::max(length(direction), 1e-9)) * direction;
  Point across{-along.y, along.x};
  Point back = tip - size * along;
  Point left = back + (0.42 * size) * across, right = back - (0.42 * size) * across;
  return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}Z\" fill=\"{}\"/>\n", tip.x, tip.y,
                     left.x, left.y, right.x, right.y, colour);
}

// One arrow, or a plain line for a pair of opposite ones.
std::string drawArrow(const Curve &curve, const Layout &layout, const std::string &colour, double opacity,
                      bool head) {
  double margin = layout.vertex + (head ? 3 : 0);
  // The line ends inside the head, or its blunt end would show beside the tip.
  double from = leaves(curve, margin),
         to = 1 - leaves(reversed(curve), margin + (head ? 0.6 * layout.head : 0));
  if (from >= to)
    return {};
  Curve line = curve.piece(from, to);
  std::string svg =
      fmt::format("<g opacity=\"{}\"><path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" "
                  "stroke=\"{}\" stroke-width=\"{}\"/>\n",
                  opacity, line.begin.x, line.begin.y, line.bend.x, line.bend.y, line.end.x, line.end.y,
                  colour, layout.stroke);
  if (head) {
    Curve tip = curve.piece(from, 1 - leaves(reversed(curve), margin));
    svg += headAt(tip.end, tip.end - tip.bend, layout.head, colour);
  }
  return svg + "</g>\n";
}

// Away from the middle of the page; upwards for a vertex that is there.
Point outward(const Layout &layout, std::int64_t vertex) {
  Point out = layout.centres[vertex] - Point{layout.size / 2, layout.size / 2};
  double far = length(out);
  return far < 1 ? Point{0, -1} : (1 / far) * out;
}

Point loopTop(const Layout &layout, std::int64_t vertex) {
  return layout.centres[vertex] + (2.35 * layout.vertex) * outward(layout, vertex);
}

// From the vertex outside, around and back.
std::string drawLoop(const Layout &layout, std::int64_t vertex, const std::string &colour, double opacity) {
  Point out = outward(layout, vertex), across{-out.y, out.x}, at = layout.centres[vertex];
  auto point = [&](double outwards, double aside) {
    return at + (outwards * layout.vertex) * out + (aside * layout.vertex) * across;
  };
  Point begin = point(0.9, -0.5), end = point(1.05, 0.55);
  Point first = point(2.7, -1.3), second = point(2.7, 1.3);
  return fmt::format("<g opacity=\"{}\"><path d=\"M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" "
                     "fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
                     opacity, begin.x, begin.y, first.x, first.y, second.x, second.y, end.x, end.y, colour,
                     layout.stroke) +
         headAt(point(0.95, 0.45), end - second, layout.head, colour) + "</g>\n";
}

std::string drawCount(Point where, std::int64_t count, const std::string &colour) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" dy=\"0.35em\" class=\"count\" fill=\"{}\">{}</text>\n",
                     where.x, where.y, colour, count);
}

// One size for all labels, so that the longest fits into its circle; 0 when that would be too small to read.
double labelSize(const Quiver &quiver, double radius) {
  constexpr double kWidth = 0.7, kLeast = 7.5; // of a bold letter in ems; in pixels
  std::size_t longest = 1;
  for (const std::string &label : quiver.labels)
    longest = std::max(longest, label.size());
  double size = std::min(radius * 0.8, (2 * radius - 4) / (kWidth * static_cast<double>(longest)));
  return size >= kLeast ? size : 0;
}

std::string drawVertex(const Quiver &quiver, std::int64_t vertex, const Layout &layout,
                       const TypeColours &colours, double label_size) {
  Point at = layout.centres[vertex];
  std::string label = escapeMarkup(quiver.labels[vertex]);
  std::string svg = fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"{}\" "
                                "stroke-width=\"{}\"/>\n",
                                at.x, at.y, layout.vertex, colours.pale, colours.strong, layout.stroke + 0.5);
  if (label_size > 0)
    return svg + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" dy=\"0.35em\" class=\"vertex\" "
                             "font-size=\"{:.1f}\">{}</text>\n",
                             at.x, at.y, label_size, label);
  // Outside, away from the centre.
  Point out = at - Point{layout.size / 2, layout.size / 2};
  Point where = at + ((layout.vertex + 8) / std::max(length(out), 1.0)) * out;
  const char *anchor = out.x > 1 ? "start" : out.x < -1 ? "end" : "middle";
  return svg + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" dy=\"0.35em\" class=\"outside\" "
                           "text-anchor=\"{}\">{}</text>\n",
                           where.x, where.y, anchor, label);
}

} // namespace

std::string escapeMarkup(const std::string &text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += c;
    }
  }
  return result;
}

std::string toSvg(const Quiver &quiver, const std::string &title) {
  std::int64_t count = static_cast<std::int64_t>(quiver.labels.size());
  bool has_loops = std::any_of(quiver.arrows.begin(), quiver.arrows.end(),
                               [](const Arrow &arrow) { return arrow.from == arrow.to; });
  Layout layout = layOut(count, has_loops);
  std::int64_t types =
      quiver.row_types.empty() ? 0 : *std::max_element(quiver.row_types.begin(), quiver.row_types.end()) + 1;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {0:.0f}\" width=\"{0:.0f}\" "
      "height=\"{0:.0f}\" role=\"img\">\n"
      "<title>{1}</title>\n"
      "<style>text{{font-family:ui-sans-serif,system-ui,Helvetica,Arial,sans-serif;dominant-baseline:central}"
      "}"
      ".vertex{{text-anchor:middle;fill:#1b2430;font-weight:600}}.outside{{font-size:10px;fill:#5b6675}}"
      ".count{{font-size:11px;text-anchor:middle;font-weight:600;paint-order:stroke;stroke:#fff;stroke-width:"
      "3px}}</style>\n",
      layout.size, escapeMarkup(title));

  std::set<std::pair<std::int64_t, std::int64_t>> present;
  for (const Arrow &arrow : quiver.arrows)
    present.insert({arrow.from, arrow.to});
  bool bend_pairs = count <= kMostBentPairs;
  bool label = count <= 8;
  double opacity = count <= 12 ? 1 : count <= 32 ? 0.55 : 0.35;
  std::string labels;
  for (const Arrow &arrow : quiver.arrows) {
    const std::string &colour = typeColours(quiver.row_types[arrow.from], types).strong;
    bool is_labelled = label && arrow.products != quiver.unlabelled;
    if (arrow.from == arrow.to) {
      svg += drawLoop(layout, arrow.from, colour, opacity);
      if (is_labelled)
        labels += drawCount(loopTop(layout, arrow.from), arrow.products, colour);
      continue;
    }
    bool paired = present.contains({arrow.to, arrow.from});
    if (paired && !bend_pairs && arrow.from > arrow.to)
      continue;
    Point begin = layout.centres[arrow.from], end = layout.centres[arrow.to];
    Point chord = end - begin, middle = 0.5 * (begin + end);
    double bend = paired && bend_pairs ? (count == 2 ? 0.22 : 0.11) : 0;
    Curve curve{begin, middle + bend * Point{chord.y, -chord.x}, end};
    svg += drawArrow(curve, layout, colour, opacity, !paired || bend_pairs);
    if (is_labelled)
      labels += drawCount(curve.at(0.34), arrow.products, colour);
  }
  svg += labels;
  double label_size = labelSize(quiver, layout.vertex);
  for (std::int64_t vertex = 0; vertex < count; ++vertex)
    svg += drawVertex(quiver, vertex, layout, typeColours(quiver.row_types[vertex], types), label_size);
  return svg + "</svg>\n";
}

} // namespace compiler
