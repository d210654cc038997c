// Code by hand, made to say what a manifest says of it.
#pragma once

#include "runtime/bundle/writer.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace algrt::test {

// The sections with the records that the manifest's kernels need (runtime/kernel_record.h): in shared objects
// in the place of those that are there, in text, PTX, behind the rest, once for each symbol. Cubins are left
// as they are. For tests of kernels that say one thing and compute another, and of PTX by hand. Throws
// std::logic_error for a shared object without such a record.
std::vector<SectionContent> withRecords(const nlohmann::ordered_json &manifest,
                                        std::vector<SectionContent> sections);

} // namespace algrt::test
