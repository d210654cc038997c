#include "tests/runtime/cuda_stand_in/image.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <map>
#include <regex>

namespace algrt::cuda_stand_in {

namespace {

constexpr unsigned int any_threads = 1024;

template <typename T> T readAt(const char *bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes + offset, sizeof(value));
  return value;
}

// Attributes of a kernel in its section .nv.info.NAME: records of a format, an attribute and 16 bits that are
// a value or, for format 4, the length of what follows.
void readInfo(const char *info, size_t size, ImageKernel &kernel) {
  constexpr uint8_t sized = 4, max_threads = 0x05, parameter = 0x17;
  std::map<uint16_t, size_t> sizes; // by ordinal
  for (size_t at = 0; at + 4 <= size;) {
    const uint8_t format = uint8_t(info[at]), attribute = uint8_t(info[at + 1]);
    const uint16_t value = readAt<uint16_t>(info, at + 2);
    at += 4;
    if (format != sized)
      continue;
    if (attribute == parameter)
      sizes[readAt<uint16_t>(info, at + 4)] = readAt<uint32_t>(info, at + 8) >> 18;
    if (attribute == max_threads)
      kernel.most_threads =
          readAt<uint32_t>(info, at) * readAt<uint32_t>(info, at + 4) * readAt<uint32_t>(info, at + 8);
    at += value;
  }
  for (const auto &[ordinal, bytes] : sizes)
    kernel.parameters.push_back(bytes);
}

// Where the last thing ends that the headers speak of.
size_t elfBytes(const Elf64_Ehdr &header, const std::vector<Elf64_Shdr> &sections) {
  size_t end = std::max(header.e_shoff + header.e_shnum * size_t(header.e_shentsize),
                        header.e_phoff + header.e_phnum * size_t(header.e_phentsize));
  for (const Elf64_Shdr &section : sections)
    if (section.sh_type != SHT_NOBITS)
      end = std::max(end, section.sh_offset + section.sh_size);
  return end;
}

std::optional<Image> readCubin(const char *bytes) {
  constexpr Elf64_Half em_cuda = 190;
  constexpr unsigned char cuda13_abi = 0x41;
  const auto header = readAt<Elf64_Ehdr>(bytes, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != em_cuda)
    return std::nullopt;
  Image image{};
  image.architecture = int(header.e_flags >> (header.e_ident[EI_OSABI] == cuda13_abi ? 8 : 0) & 0xff);
  std::vector<Elf64_Shdr> sections;
  for (size_t i = 0; i < header.e_shnum; ++i)
    sections.push_back(readAt<Elf64_Shdr>(bytes, header.e_shoff + i * header.e_shentsize));
  if (header.e_shstrndx >= sections.size())
    return std::nullopt;
  image.bytes.assign(bytes, elfBytes(header, sections));
  const char *names = bytes + sections[header.e_shstrndx].sh_offset;
  constexpr std::string_view prefix = ".nv.info.";
  for (const Elf64_Shdr &section : sections) {
    const std::string name = names + section.sh_name;
    if (!name.starts_with(prefix))
      continue;
    ImageKernel kernel{name.substr(prefix.size()), {}, any_threads};
    readInfo(bytes + section.sh_offset, section.sh_size, kernel);
    image.kernels.push_back(kernel);
  }
  return image;
}

size_t typeBytes(const std::string &type) { return std::stoul(type.substr(1)) / 8; }

std::optional<Image> readPtx(const std::string &text) {
  std::smatch match;
  if (!std::regex_search(text, std::regex(R"(\.version\s+\d+\.\d+)")) ||
      !std::regex_search(text, match, std::regex(R"(\.target\s+sm_(\d+)(a?))")))
    return std::nullopt;
  Image image{};
  image.ptx = true;
  image.bytes = text;
  image.architecture = std::stoi(match[1]);
  image.exact = match[2].length() > 0;
  const std::regex entry(R"(\.entry\s+([\w$]+)\s*\(([^)]*)\)([^{]*)\{)"),
      parameter(
          R"(\.param\s+(?:\.align\s+\d+\s+)?\.([busf]\d+)(?:\s+\.ptr(?:\s+\.\w+)*\s+\d+)?\s+[\w$]+(?:\[(\d+)\])?)"),
      threads(R"(\.(?:maxntid|reqntid)\s+(\d+))");
  for (std::sregex_iterator it(text.begin(), text.end(), entry), end; it != end; ++it) {
    ImageKernel kernel{(*it)[1], {}, any_threads};
    const std::string parameters = (*it)[2], directives = (*it)[3];
    for (std::sregex_iterator p(parameters.begin(), parameters.end(), parameter); p != end; ++p)
      kernel.parameters.push_back(typeBytes((*p)[1]) * ((*p)[2].matched ? std::stoul((*p)[2]) : 1));
    // A parameter that is not understood would be passed over, and the next read as it.
    const std::regex any(R"(\.param\s)");
    if (std::distance(std::sregex_iterator(parameters.begin(), parameters.end(), any), end) !=
        ptrdiff_t(kernel.parameters.size()))
      return std::nullopt;
    if (std::regex_search(directives, match, threads))
      kernel.most_threads = unsigned(std::stoul(match[1]));
    image.kernels.push_back(kernel);
  }
  return image;
}

} // namespace

std::optional<Image> readImage(const void *image) {
  const char *bytes = static_cast<const char *>(image);
  if (std::strncmp(bytes, ELFMAG, SELFMAG) == 0)
    return readCubin(bytes);
  return readPtx(bytes);
}

} // namespace algrt::cuda_stand_in
