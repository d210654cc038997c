#include "compiler/tools/cost_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace compiler {
namespace {

constexpr size_t shown_types = 8;
constexpr size_t shown_blocks = 8;

// 12884901888 as "12,884,901,888".
std::string grouped(int64_t value) {
  std::string digits = fmt::format("{}", value);
  size_t first = digits[0] == '-' ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string line(const char *label, const std::string &value, const std::string &remark = {}) {
  return remark.empty() ? fmt::format("  {:<30}{:>22}\n", label, value)
                        : fmt::format("  {:<30}{:>22}  {}\n", label, value, remark);
}

std::string share(int64_t part, int64_t whole) {
  return whole == 0 ? ""
                    : fmt::format("{:.4g} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string rowTypes(const algebras::cost::CostReport &report) {
  std::string text = fmt::format("  {:>6} {:>16} {:>22}\n", "type", "rows", "MACs of one row");
  size_t shown = std::min(report.rows_of_type.size(), shown_types);
  for (size_t type = 0; type < shown; ++type)
    text += fmt::format("  {:>6} {:>16} {:>22}\n", type, grouped(report.rows_of_type[type]),
                        grouped(report.row_macs[type]));
  if (shown < report.rows_of_type.size())
    text += fmt::format("  {:>6} {} more (--json lists them)\n", "...", report.rows_of_type.size() - shown);
  return text;
}

std::string weights(const algebras::cost::CostReport &report) {
  const algebras::cost::Reach &reach = report.reach;
  std::string text = "Weight matrix\n";
  text += line("parameters", grouped(reach.parameters), fmt::format("{} blocks", grouped(reach.blocks)));
  text += line("live", grouped(reach.live_parameters),
               fmt::format("{} blocks that some type uses", grouped(reach.live_blocks)));
  text += line("reached by this batch", grouped(reach.reached_parameters),
               fmt::format("{} blocks", grouped(reach.reached_blocks)));
  if (!report.unreached.empty()) {
    std::vector<std::string> blocks;
    for (const auto &block : report.unreached) {
      if (blocks.size() == shown_blocks)
        break;
      blocks.push_back(report.lift == "slots"
                           ? fmt::format("{}", block.weight_row)
                           : fmt::format("({}, {})", block.weight_row, block.output_group));
    }
    int64_t missing = reach.live_blocks - reach.reached_blocks;
    text += fmt::format("  no row of the batch uses {} blocks: {}{}\n", grouped(missing),
                        fmt::join(blocks, " "), missing > static_cast<int64_t>(blocks.size()) ? " ..." : "");
  }
  if (!report.weight_identity_is_identity)
    text +=
        "  a weight matrix of identity blocks is not the identity map here: some outputs are always zero\n";
  return text;
}

} // namespace

std::string costText(const algebras::cost::CostReport &report) {
  std::string text = fmt::format(
      "{} as a projection {} -> {}, {}, lift {}, {} row types, M = {} from position {}\n", report.algebra,
      report.k, report.n, report.dtype, report.lift, report.row_types, report.m, report.p0);
  if (!report.note.empty())
    text += fmt::format("Note: {}\n", report.note);
  text += fmt::format("\nMultiply-accumulates\n");
  text += line("dense", grouped(report.dense_macs));
  text += line("active", grouped(report.active_macs),
               fmt::format("{} of dense = {:.4g}", report.fraction.toString(), report.fraction.toDouble()));
  text += line("padded to the tile", grouped(report.padded_macs),
               fmt::format("tile {} x {} x {}, {} of dense", report.tile.rows, report.tile.columns,
                           report.tile.depth, share(report.padded_macs, report.dense_macs)));
  text += line("training, dense", grouped(report.training_dense_macs), "forward, dX and dW");
  text += line("training, active", grouped(report.training_active_macs));
  text += line("one token, least", grouped(report.decode_row_macs_least), "over the row types");
  text += line("one token, most", grouped(report.decode_row_macs_most));

  text += fmt::format("\nAlgebra\n");
  text += line("row types, groups", fmt::format("{}, {}", report.types, report.groups));
  text += line("block products, all types", grouped(report.terms));
  text +=
      line("active share", report.equal_fraction.toString(), "with equal groups and equally frequent types");
  text += line("break-even rate", fmt::format("{:.4g}", report.break_even_rate.toDouble()),
               "of the dense kernel's, above which this layer is the faster one");
  text += line("most groups worth having", fmt::format("{}", report.largest_efficient_groups),
               "for these M, K, N and the least efficient block");

  text += "\nRow types\n" + rowTypes(report) + "\n" + weights(report);
  text += fmt::format("\nCompulsory traffic, bytes\n");
  text += line("activations, X and Y", grouped(report.activation_bytes));
  text += line("weights that are reached", grouped(report.live_weight_bytes));
  return text;
}

} // namespace compiler
