#include "runtime/numpy/npy.h"

#include "runtime/support/error.h"
#include "runtime/support/file.h"

#include <gtest/gtest.h>

namespace algrt {
namespace {

std::string file(const char *name) { return testing::TempDir() + "algrt_" + name + ".npy"; }

std::string npy(const std::string &header, const std::string &data, char version = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  bytes += char(header.size() & 0xff);
  bytes += char(header.size() >> 8);
  if (version > 1)
    bytes += std::string(2, '\0');
  return bytes + header + data;
}

TEST(Npy, ReadsBackWhatItWrites) {
  const std::vector<std::vector<int64_t>> shapes_of_six = {{6}, {2, 3}, {1, 6, 1}};
  const std::vector<float> values = {1, -2.5f, 0, 1e30f, 4, 5};
  for (const std::vector<int64_t> &shape : shapes_of_six) {
    writeNpy(file("round"), shape, values);
    const NpyArray<float> array = readNpyFloat32(file("round"));
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.values, values);
  }
  writeNpy(file("empty"), std::vector<int64_t>{0, 5}, std::span<const float>());
  EXPECT_EQ(readNpyFloat32(file("empty")).shape, (std::vector<int64_t>{0, 5}));
  writeNpy(file("int"), std::vector<int64_t>{2}, std::vector<int32_t>{-7, 9});
  EXPECT_EQ(readNpyInt32(file("int")).values, (std::vector<int32_t>{-7, 9}));
  EXPECT_EQ(readNpyIntegers(file("int")).values, (std::vector<int64_t>{-7, 9}));
  EXPECT_EQ(readFile(file("int")).size() % 64, 8u) << "data must begin at a multiple of 64";
}

TEST(Npy, IntegersAreOfEitherWidth) {
  writeNpy(file("wide"), std::vector<int64_t>{2}, std::vector<int64_t>{-7, int64_t(1) << 40});
  const NpyArray<int64_t> wide = readNpyIntegers(file("wide"));
  EXPECT_EQ(wide.shape, (std::vector<int64_t>{2}));
  EXPECT_EQ(wide.values, (std::vector<int64_t>{-7, int64_t(1) << 40}));
  EXPECT_THROW(readNpyInt32(file("wide")), Error);
  writeNpy(file("float"), std::vector<int64_t>{1}, std::vector<float>{1});
  EXPECT_THROW(readNpyIntegers(file("float")), Error);
}

// A file as numpy.save writes it.
TEST(Npy, ReadsWhatNumpyWrites) {
  const std::string data("\0\0\x80\x3f\0\0\0\x40", 8);
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }          \n";
  for (char version : {1, 2, 3}) {
    writeFileByRename(file("numpy"), npy(header, data, version));
    EXPECT_EQ(readNpyFloat32(file("numpy")).values, (std::vector<float>{1, 2}));
  }
}

TEST(Npy, RefusesEverythingElseWithAReason) {
  const std::string data(8, '\0');
  const auto message = [](const std::string &bytes) -> std::string {
    writeFileByRename(file("wrong"), bytes);
    try {
      readNpyFloat32(file("wrong"));
    } catch (const Error &error) {
      return error.what();
    }
    return "accepted";
  };
  const std::pair<std::string, const char *> wrong[] = {
      {"", "not a .npy"},
      {"PK\x03\x04 something long enough", "not a .npy"},
      {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", data), "astype(numpy.float32)"},
      {npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", data), ">f4"},
      {npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", data), "records"},
      {npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }", data), "ascontiguousarray"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", data), "(3,) needs 12"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", data), "8 bytes"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", data), "64 bits"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", data), "64 bits"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", data), "malformed"},
      {npy("{'descr': '<f4', 'fortran_order': False, }", data), "malformed"},
      {npy("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }", data), "malformed"},
      {npy("{'descr': '<f4', 'colour': 'red', 'shape': (2,), }", data), "colour"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), } x", data), "malformed"},
      {npy("{'descr", data), "malformed"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", data, 4), "version 4"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "").substr(0, 30), "truncated"},
  };
  for (const auto &[bytes, word] : wrong)
    EXPECT_NE(message(bytes).find(word), std::string::npos) << message(bytes) << " lacks " << word;
  EXPECT_THROW(readNpyFloat32(file("absent")), Error);
}

} // namespace
} // namespace algrt
