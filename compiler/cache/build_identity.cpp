#include "compiler/cache/build_identity.h"

#include <cstdint>
#include <cstring>
#include <link.h>
#include <set>
#include <string_view>

namespace compiler {
namespace {

/// The build identifier among the notes of one segment, in hexadecimal digits.
std::string buildIdentifier(const char *notes, size_t bytes) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const size_t name = (note.n_namesz + size_t{3}) & ~size_t{3};
    const size_t description = (note.n_descsz + size_t{3}) & ~size_t{3};
    const size_t size = sizeof note + name + description;
    if (size > bytes)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes + sizeof note, "GNU", 4) == 0) {
      std::string digits;
      for (size_t i = 0; i < note.n_descsz; ++i) {
        const auto byte = static_cast<uint8_t>(notes[sizeof note + name + i]);
        digits += "0123456789abcdef"[byte >> 4];
        digits += "0123456789abcdef"[byte & 15];
      }
      return digits;
    }
    notes += size;
    bytes -= size;
  }
  return {};
}

struct Identifiers {
  std::string program;
  std::set<std::string> libraries;
};

int visit(dl_phdr_info *object, size_t, void *result) {
  const std::string_view name = object->dlpi_name;
  const bool program = name.empty();
  if (!program && name.find("libLLVM") == name.npos && name.find("libMLIR") == name.npos)
    return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE)
      continue;
    const std::string digits =
        buildIdentifier(reinterpret_cast<const char *>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz);
    if (digits.empty())
      continue;
    auto &identifiers = *static_cast<Identifiers *>(result);
    if (program)
      identifiers.program = digits;
    else
      identifiers.libraries.insert(digits);
  }
  return 0;
}

std::string readIdentity() {
  Identifiers identifiers;
  dl_iterate_phdr(visit, &identifiers);
  if (identifiers.program.empty())
    return {};
  std::string identity = ALGCTL_VERSION " " + identifiers.program;
  for (const std::string &library : identifiers.libraries)
    identity += " " + library;
  return identity;
}

} // namespace

const std::string &buildIdentity() {
  static const std::string identity = readIdentity();
  return identity;
}

} // namespace compiler
