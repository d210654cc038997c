#include "runtime/support/elf.h"

#include <cstring>
#include <elf.h>
#include <utility>

namespace algrt {

namespace {

// Nothing where that does not lie in the bytes.
std::optional<std::string_view> part(std::string_view bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    return std::nullopt;
  return bytes.substr(size_t(offset), size_t(size));
}

template <typename Entry> size_t count(std::string_view table) { return table.size() / sizeof(Entry); }

template <typename Entry> Entry entryOf(std::string_view table, size_t index) {
  Entry entry;
  std::memcpy(&entry, table.data() + index * sizeof(Entry), sizeof(entry));
  return entry;
}

// Far above every name: a table of symbols that all had one endless name would take forever.
constexpr size_t most_name_bytes = 4096;

// Up to the zero that ends it; nothing where none does.
std::optional<std::string_view> nameAt(std::string_view strings, uint64_t offset) {
  if (offset >= strings.size())
    return std::nullopt;
  const std::string_view rest = strings.substr(size_t(offset), most_name_bytes);
  const size_t end = rest.find('\0');
  if (end == std::string_view::npos)
    return std::nullopt;
  return rest.substr(0, end);
}

} // namespace

std::optional<Elf> Elf::read(std::string_view bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr) || bytes.substr(0, SELFMAG) != std::string_view(ELFMAG, SELFMAG))
    return std::nullopt;
  const auto header = entryOf<Elf64_Ehdr>(bytes, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return std::nullopt;
  if ((header.e_phnum != 0 && header.e_phentsize != sizeof(Elf64_Phdr)) ||
      (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf64_Shdr)))
    return std::nullopt;
  const auto segments = part(bytes, header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
  const auto sections = part(bytes, header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr));
  if (!segments || !sections)
    return std::nullopt;
  Elf elf;
  elf.bytes_ = bytes;
  elf.machine_ = header.e_machine;
  elf.segments_ = *segments;
  elf.sections_ = *sections;
  return elf;
}

bool Elf::holdsItsSegments() const {
  for (size_t i = 0; i < count<Elf64_Phdr>(segments_); ++i) {
    const auto segment = entryOf<Elf64_Phdr>(segments_, i);
    if (segment.p_type == PT_LOAD && !part(bytes_, segment.p_offset, segment.p_filesz))
      return false;
  }
  return true;
}

void Elf::forEachSymbol(const std::function<void(std::string_view, std::string_view)> &visit) const {
  const size_t sections = count<Elf64_Shdr>(sections_);
  const auto section = [&](size_t index) { return entryOf<Elf64_Shdr>(sections_, index); };
  const auto contents_of = [&](const Elf64_Sym &symbol) -> std::string_view {
    if (symbol.st_shndx >= sections)
      return {};
    const Elf64_Shdr home = section(symbol.st_shndx);
    // Of a linked file values are addresses, of a cubin, whose sections have none, offsets.
    if (home.sh_type == SHT_NOBITS || symbol.st_value < home.sh_addr)
      return {};
    const auto all = part(bytes_, home.sh_offset, home.sh_size);
    return all ? part(*all, symbol.st_value - home.sh_addr, symbol.st_size).value_or("") : "";
  };
  // A file has at most one table of either kind.
  bool seen_dynamic = false, seen_all = false;
  for (size_t i = 0; i < sections; ++i) {
    const Elf64_Shdr table = section(i);
    if ((table.sh_type != SHT_DYNSYM && table.sh_type != SHT_SYMTAB) || table.sh_link >= sections)
      continue;
    bool &seen = table.sh_type == SHT_DYNSYM ? seen_dynamic : seen_all;
    if (std::exchange(seen, true))
      continue;
    const Elf64_Shdr names = section(table.sh_link);
    const auto symbols = part(bytes_, table.sh_offset, table.sh_size);
    const auto strings = part(bytes_, names.sh_offset, names.sh_size);
    if (!symbols || !strings || names.sh_type != SHT_STRTAB)
      continue;
    for (size_t s = 0; s < count<Elf64_Sym>(*symbols); ++s) {
      const auto symbol = entryOf<Elf64_Sym>(*symbols, s);
      if (symbol.st_shndx == SHN_UNDEF)
        continue;
      if (const auto name = nameAt(*strings, symbol.st_name); name && !name->empty())
        visit(*name, contents_of(symbol));
    }
  }
}

} // namespace algrt
