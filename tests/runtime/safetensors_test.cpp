#include "runtime/safetensors/safetensors.h"

#include "runtime/numeric/float16.h"
#include "runtime/support/error.h"
#include "runtime/support/file.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

namespace algrt {
namespace {

std::string content(const std::string &header, const std::string &data, uint64_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i)
    bytes += char(length >> (8 * i));
  return bytes + header + data;
}

std::string content(const std::string &header, const std::string &data) {
  return content(header, data, header.size());
}

template <typename Element> std::string bytesOf(std::initializer_list<Element> values) {
  return std::string(reinterpret_cast<const char *>(values.begin()), values.size() * sizeof(Element));
}

Safetensors inMemory(const std::string &bytes) {
  return Safetensors("model", bytes.size(),
                     [bytes](uint64_t offset, uint64_t size) { return bytes.substr(offset, size); });
}

// The data are in another order than the header, and none begins where its elements would be aligned.
const std::string four_tensors = content(
    R"({"__metadata__": {"format": "pt"},
        "types": {"dtype": "I32", "shape": [2], "data_offsets": [17, 25]},
        "single": {"dtype": "F32", "shape": [2, 2], "data_offsets": [1, 17]},
        "flag": {"dtype": "BOOL", "shape": [], "data_offsets": [0, 1]},
        "brain": {"dtype": "BF16", "shape": [3, 1], "data_offsets": [25, 31]},
        "empty": {"dtype": "F32", "shape": [0, 7], "data_offsets": [31, 31]},
        "half": {"dtype": "F16", "shape": [2], "data_offsets": [31, 35]},
        "new": {"dtype": "F5_FUTURE", "shape": [9], "data_offsets": [35, 37]}}     )",
    "\x01" + bytesOf<float>({1, -2.5f, 1e30f, -0.0f}) + bytesOf<int32_t>({-7, 1 << 30}) +
        bytesOf<uint16_t>({0x3f80, 0xc000, 0x7f80}) + bytesOf<uint16_t>({0x3c00, 0xfbff}) + "??");

TEST(Safetensors, ReadsEveryTensorFromItsPlace) {
  const std::string path = testing::TempDir() + "algrt_model.safetensors";
  writeFileByRename(path, four_tensors);
  const Safetensors file = Safetensors::open(path);
  EXPECT_EQ(file.tensors().size(), 7u);
  EXPECT_EQ(file.find("single").shape, (std::vector<int64_t>{2, 2}));
  const std::vector<float> single = file.readFloat32(file.find("single"));
  EXPECT_EQ(single, (std::vector<float>{1, -2.5f, 1e30f, 0}));
  EXPECT_TRUE(std::signbit(single[3]));
  EXPECT_EQ(file.readFloat32(file.find("brain")), (std::vector<float>{1, -2, INFINITY}));
  EXPECT_EQ(file.readFloat32(file.find("half")), (std::vector<float>{1, -65504}));
  EXPECT_EQ(file.readInt32(file.find("types")), (std::vector<int32_t>{-7, 1 << 30}));
  EXPECT_EQ(file.readIntegers(file.find("types")), (std::vector<int64_t>{-7, 1 << 30}));
  EXPECT_TRUE(file.readFloat32(file.find("empty")).empty());
  EXPECT_TRUE(file.find("flag").shape.empty());
  EXPECT_EQ(file.find("flag").elements(), 1);
}

TEST(Safetensors, OnlyTheTensorThatIsAskedForIsRead) {
  uint64_t read = 0;
  const Safetensors file("model", four_tensors.size(), [&](uint64_t offset, uint64_t size) {
    read += size;
    return four_tensors.substr(offset, size);
  });
  read = 0;
  file.readFloat32(file.find("half"));
  EXPECT_EQ(read, 4u);
}

TEST(Safetensors, TheNameMayBeLeftOutWhereThereIsOneTensor) {
  const Safetensors one = inMemory(
      content(R"({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})", bytesOf<float>({3})));
  EXPECT_EQ(one.find("").name, "w");
  EXPECT_EQ(one.readFloat32(one.find("w")), std::vector<float>{3});
}

std::string messageOf(const std::function<void()> &action) {
  try {
    action();
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), ALGRT_INVALID_ARGUMENT);
    return error.what();
  }
  return "accepted";
}

TEST(Safetensors, AMissingNameListsWhatThereIs) {
  const Safetensors file = inMemory(four_tensors);
  for (const char *name : {"", "hafl"}) {
    const std::string message = messageOf([&] { file.find(name); });
    EXPECT_NE(message.find("\"half\" F16 (2,)"), std::string::npos) << message;
    EXPECT_NE(message.find("\"single\" F32 (2, 2)"), std::string::npos) << message;
    EXPECT_NE(message.find(name), std::string::npos) << message;
  }
  EXPECT_NE(messageOf([] { inMemory(content("{}", "")).find(""); }).find("no tensors"), std::string::npos);
}

TEST(Safetensors, AnotherTypeIsNamedWithTheOneThatIsNeeded) {
  const Safetensors file = inMemory(four_tensors);
  EXPECT_EQ(messageOf([&] { file.readFloat32(file.find("types")); }),
            "model: tensor \"types\" holds elements of type I32, needs F32, BF16 or F16: convert it with "
            "tensor.to(torch.float32)");
  EXPECT_NE(messageOf([&] { file.readInt32(file.find("half")); }).find("type F16, needs I32"),
            std::string::npos);
  EXPECT_NE(messageOf([&] { file.readFloat32(file.find("new")); }).find("F5_FUTURE"), std::string::npos);
}

std::string oneTensor(const std::string &dtype, const std::string &shape, const std::string &offsets) {
  return R"({"w": {"dtype": )" + dtype + R"(, "shape": )" + shape + R"(, "data_offsets": )" + offsets + "}}";
}

TEST(Safetensors, RefusesWhatIsMalformedWithAReason) {
  const std::string data(8, '\0');
  const auto two = [](const char *first, const char *second) {
    return std::string(R"({"a": {"dtype": "U8", "shape": [4], "data_offsets": )") + first +
           R"(}, "b": {"dtype": "U8", "shape": [4], "data_offsets": )" + second + "}}";
  };
  const std::string names = R"({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},)"
                            R"( "w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})";
  const std::pair<std::string, const char *> wrong[] = {
      {"", "0 bytes"},
      {content("{}", "", 3), "truncated"},
      {content("{}", "", UINT64_MAX), "are the most"},
      {content("{}", "", most_safetensors_header_bytes + 1), "are the most"},
      {content("{}", "x"), "has 1 bytes of data, its tensors are 0"},
      {content("{", ""), "not JSON"},
      {content(std::string("{\"\xff\": 1}"), ""), "not in UTF-8: see byte 3 of it"},
      {content("{\"w\": 1e999}", ""), "too large"},
      {content(std::string("{}\0x", 4), ""), "zero byte"},
      {content("[]", ""), "header is not an object"},
      {content("{} {}", ""), "not JSON"},
      {content(std::string(100000, '['), ""), "nested too deeply"},
      {content(R"({"w": {"x": {"y": 1}}})", ""), "nested too deeply"},
      {content(R"({"w": 3})", data), "tensor \"w\": is not an object"},
      {content(R"({"__metadata__": {"format": 3}})", ""), "__metadata__"},
      {content(R"({"w": {"dtype": "F32", "shape": [2]}})", data), "has no data_offsets"},
      {content(names, data), "\"w\" twice"},
      {content(R"({"w": {"dtype": "F32", "dtype": "F32"}})", data), "\"dtype\" twice"},
      {content(oneTensor("32", "[2]", "[0, 8]"), data), "dtype is not a string"},
      {content(oneTensor(R"("\u001b[31m")", "[2]", "[0, 8]"), data), "not the name of a type"},
      {content(oneTensor(R"("F32")", "2", "[0, 8]"), data), "shape is not a list"},
      {content(oneTensor(R"("F32")", "[-2]", "[0, 8]"), data), "has -2"},
      {content(oneTensor(R"("F32")", "[2.0]", "[0, 8]"), data), "has 2.0"},
      {content(oneTensor(R"("F32")", "[[2]]", "[0, 8]"), data), "nested too deeply"},
      {content(oneTensor(R"("F32")", "[18446744073709551615]", "[0, 8]"), data), "does not fit 64 bits"},
      {content(oneTensor(R"("F32")", "[4294967296, 4294967296]", "[0, 8]"), data), "does not fit 64 bits"},
      {content(oneTensor(R"("F64")", "[4611686018427387904]", "[0, 8]"), data), "does not fit 64 bits"},
      {content(oneTensor(R"("F32")", "[3]", "[0, 8]"), data),
       "has 8 bytes of data, its 3 elements of type F32 need 12"},
      {content(oneTensor(R"("F4")", "[15]", "[0, 8]"), data), "need 8"},
      {content(oneTensor(R"("F32")", "[2]", "[0]"), data), "1 numbers, not 2"},
      {content(oneTensor(R"("F32")", "[2]", "[8, 0]"), data), "end before they begin"},
      {content(oneTensor(R"("F32")", "[2]", "[1, 9]"), data), "truncated"},
      {content(oneTensor(R"("F32")", "[1]", "[0, 4]"), data), "has 8 bytes of data, its tensors are 4"},
      {content(oneTensor(R"("F32")", "[1]", "[4, 8]"), data), "bytes 0 to 4"},
      {content(two("[0, 4]", "[3, 7]"), data.substr(1)), "\"a\" and \"b\" overlap"},
      {content(two("[4, 8]", "[4, 8]"), data), "bytes 0 to 4"},
  };
  for (const auto &[bytes, words] : wrong) {
    const std::string message = messageOf([&bytes = bytes] { inMemory(bytes); });
    EXPECT_NE(message.find(words), std::string::npos) << message << " lacks " << words;
    EXPECT_TRUE(message.starts_with("model: ")) << message;
  }
  std::string long_shape = "[1";
  for (int i = 0; i < 40; ++i)
    long_shape += ",1";
  EXPECT_NE(messageOf([&] {
              inMemory(content(oneTensor(R"("U64")", long_shape + "]", "[0, 8]"), data));
            }).find("more than 32"),
            std::string::npos);
  EXPECT_THROW(Safetensors::open(testing::TempDir() + "algrt_absent.safetensors"), Error);
}

// So many that a reader whose time grows with the square would be noticed.
TEST(Safetensors, HundredsOfThousandsOfTensorsAreRead) {
  std::string header = "{";
  constexpr int tensors = 300'000;
  for (int i = 0; i < tensors; ++i)
    header += (i == 0 ? "\"t" : ",\"t") + std::to_string(i) +
              R"(": {"dtype": "U8", "shape": [1], "data_offsets": [)" + std::to_string(i) + "," +
              std::to_string(i + 1) + "]}";
  const std::vector<SafetensorsEntry> entries = parseSafetensorsHeader(header + "}", tensors, "model");
  ASSERT_EQ(entries.size(), size_t(tensors));
  EXPECT_EQ(entries.back().name, "t299999");
}

// Sign, exponent and mantissa by their definition.
TEST(Float16, EveryValueIsExact) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = fromFloat16(uint16_t(bits));
    const int exponent = int(bits >> 10) & 31, mantissa = int(bits) & 1023;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
    if (exponent == 31) {
      ASSERT_EQ(std::isnan(value), mantissa != 0) << bits;
      ASSERT_EQ(std::isinf(value), mantissa == 0) << bits;
    } else if (exponent == 0) {
      ASSERT_EQ(std::fabs(value), std::ldexp(double(mantissa), -24)) << bits;
    } else {
      ASSERT_EQ(std::fabs(value), std::ldexp(1 + mantissa / 1024.0, exponent - 15)) << bits;
    }
  }
}

} // namespace
} // namespace algrt
