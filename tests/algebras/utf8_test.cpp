#include "algebras/utf8.h"

#include "algebras/error.h"

#include <gtest/gtest.h>

namespace algebras {
namespace {

TEST(Utf8, CharactersHaveTheirLength) {
  EXPECT_EQ(utf8Length("a", 0), 1u);
  EXPECT_EQ(utf8Length("\xc3\xa9", 0), 2u);
  EXPECT_EQ(utf8Length("\xe2\x86\x92", 0), 3u);
  EXPECT_EQ(utf8Length("\xf4\x8f\xbf\xbf", 0), 4u); // the last there is
}

TEST(Utf8, OtherBytesHaveNone) {
  for (const char *bytes : {"\x80", "\xff", "\xc3", "\xc3(", "\xc0\xaf", "\xe0\x9f\xbf", "\xed\xa0\x80",
                            "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80"})
    EXPECT_EQ(utf8Length(bytes, 0), 0u) << bytes;
}

TEST(Utf8, TheFirstWrongByteIsShown) {
  EXPECT_NO_THROW(requireUtf8("\xc3\xa9", "file"));
  try {
    requireUtf8("one\n\xc3\xa9\x1b two\xff\n", "file");
    FAIL() << "accepted";
  } catch (const InputError &error) {
    ASSERT_TRUE(error.where());
    EXPECT_EQ(error.where()->line, 2);
    EXPECT_EQ(error.where()->column, 8);
    // Every character one column, the escape among them.
    EXPECT_TRUE(error.render().starts_with(
        "file:2:8: error: byte 0xff is not UTF-8\n\xc3\xa9  two?\n      ^\nhint: "))
        << error.render();
  }
}

} // namespace
} // namespace algebras
