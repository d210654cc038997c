// Shapes of tensors, whose extents may depend on a call, as manifests have them.
#include "runtime/bundle/json_fields.h"
#include "runtime/bundle/program.h"

#include <nlohmann/json.hpp>
#include <variant>

namespace algrt {

static constexpr size_t most_dimensions = 8;

Shape parseShape(const JsonFields &fields, const char *key) {
  Shape shape;
  for (const JsonFields::Scalar &entry : fields.scalars(key)) {
    std::optional<Extent> extent;
    if (const auto *number = std::get_if<int64_t>(&entry); number != nullptr && *number >= 1)
      extent = Extent::number(*number);
    else if (const auto *text = std::get_if<std::string>(&entry))
      extent = Extent::parse(*text);
    if (!extent)
      fields.fail(key, "has an extent that is neither a number above 0 nor as 'M', '4*M' or 'S + 1'");
    shape.push_back(*extent);
  }
  if (shape.empty() || shape.size() > most_dimensions)
    fields.fail(key, "has " + std::to_string(shape.size()) + " dimensions, not 1 to " +
                         std::to_string(most_dimensions));
  return shape;
}

nlohmann::ordered_json shapeJson(const Shape &shape) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Extent &extent : shape)
    list.push_back(extent.symbol.empty() ? nlohmann::ordered_json(extent.constant)
                                         : nlohmann::ordered_json(extent.text()));
  return list;
}

} // namespace algrt
