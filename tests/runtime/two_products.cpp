#include "tests/runtime/two_products.h"

#include "runtime/support/file.h"
#include "tests/runtime/records.h"
#include "tests/runtime/usual_parameters.h"

namespace algrt::test {

using Json = nlohmann::ordered_json;

std::string codeOf(const std::string &shape) {
  return readFile(std::string(ALGRT_TEST_KERNELS) + "/kernels_" + shape + ".so");
}

Json bothManifest(const std::string &type) {
  Json down = withPrograms(manifestOf(shape("down_" + type)));
  for (Json &kernel : down["kernels"])
    kernel["section"] = "down-code";
  return twoSteps(manifestOf(shape("cyclic_" + type)), down);
}

std::string bothBundle(const Json &manifest, const std::string &type) {
  return encodeBundle(manifest, {{"code", "shared-object", codeOf("cyclic_" + type)},
                                 {"down-code", "shared-object", codeOf("down_" + type)}});
}

} // namespace algrt::test
