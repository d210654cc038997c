// Any bytes as a TOML spec: an algebra and a layer, or an InputError, and nothing else.
#include "algebras/error.h"
#include "compiler/spec/build_layer.h"
#include "compiler/spec/build_program.h"
#include "compiler/spec/toml_spec.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  compiler::TomlSpecOptions options;
  // Nothing on the machine may decide what the fuzzer finds.
  options.base_directory = "/nonexistent";
  try {
    compiler::TomlSpec spec =
        compiler::parseTomlSpec(std::string_view(reinterpret_cast<const char *>(data), size), options);
    if (spec.layer.where)
      compiler::buildLayer(*spec.algebra, spec.layer);
    if (spec.program && !spec.program->file)
      compiler::buildSwigluProgram(*spec.algebra, *spec.program);
  } catch (const algebras::InputError &error) {
    // Finds the line and the caret.
    error.render();
  }
  return 0;
}
