#include "model/value.h"

#include <doctest/doctest.h>
#include <re2/re2.h>

#include <limits>

#include "model/time.h"

namespace attrib::model {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t number(Reader reader, std::string_view text) {
  return read_value(reader, text).number;
}
std::string text(Reader reader, std::string_view text) { return read_value(reader, text).text; }

Type type_of(Reader reader) {
  Type type;
  type.kind = info(reader).kind;
  type.reader = reader;
  return type;
}
Type entity(EntityKind kind) {
  Type type;
  type.kind = ValueKind::Entity;
  type.reader = Reader::Entity;
  type.entity = kind;
  return type;
}

TEST_CASE("integers saturate at the range of their reader") {
  CHECK(number(Reader::U8, "255") == 255);
  CHECK(number(Reader::U8, "256") == 255);
  CHECK(number(Reader::U16, "65536") == 65535);
  CHECK(number(Reader::U32, "4294967296") == 4294967295);
  CHECK(number(Reader::U64, "18446744073709551615") == kMost);
  CHECK(number(Reader::U64, std::string(5000, '9')) == kMost);
  CHECK(number(Reader::U64, "00000000000000000000000000000007") == 7);
  CHECK(number(Reader::I16, "-40000") == -32768);
  CHECK(number(Reader::I32, "+2147483648") == 2147483647);
  CHECK(number(Reader::I64, "-99999999999999999999") == -kMost);
  CHECK(number(Reader::I64, "9223372036854775807") == kMost);
  CHECK(number(Reader::U8, "-3") == 0);
  CHECK(read_value(Reader::U8, "7").kind == ValueKind::Int);
}

TEST_CASE("hexadecimal words saturate at their width") {
  CHECK(number(Reader::Bits32, "0x004505c6") == 0x004505c6);
  CHECK(number(Reader::Bits32, "0XFFFFFFFF") == 0xFFFFFFFF);
  CHECK(number(Reader::Bits32, "0x100000000") == 0xFFFFFFFF);
  CHECK(number(Reader::Hex, "ff") == 255);
  CHECK(number(Reader::Hex, "0xff") == 255);
  CHECK(number(Reader::Hex, "ffffffffffffffff") == kMost);
}

TEST_CASE("decimals count millionths, cut toward zero, with exponents, and saturate") {
  CHECK(number(Reader::Dec, "12.5") == 12'500'000);
  CHECK(number(Reader::Dec, "-12.5") == -12'500'000);
  CHECK(number(Reader::Dec, "0.9999999") == 999'999);
  CHECK(number(Reader::Dec, "-0.9999999") == -999'999);
  CHECK(number(Reader::Dec, "1e3") == 1'000'000'000);
  CHECK(number(Reader::Dec, "2.5E-3") == 2'500);
  CHECK(number(Reader::Dec, "1e-7") == 0);
  CHECK(number(Reader::Dec, "1e99") == kMost);
  CHECK(number(Reader::Dec, "-1e999") == -kMost);
  CHECK(number(Reader::Dec, "0e999") == 0);
  CHECK(number(Reader::Dec, "1e-999") == 0);
  CHECK(number(Reader::Dec, "0.000001") == 1);
  CHECK(number(Reader::Dec, "1." + std::string(3000, '3')) == 1'333'333);
  CHECK(read_value(Reader::Dec, "5").kind == ValueKind::Decimal);
}

TEST_CASE("durations read their unit and saturate") {
  CHECK(number(Reader::Ms, "600028") == 600'028 * kMillisecond);
  CHECK(number(Reader::Ms, "0.5") == 500'000);
  CHECK(number(Reader::Sec, "1.000000001") == kSecond + 1);
  CHECK(number(Reader::Sec, "1.0000000019") == kSecond + 1);
  CHECK(number(Reader::Usec, "7") == 7000);
  CHECK(number(Reader::Clock, "02:03") == 123 * kSecond);
  CHECK(number(Reader::Clock, "01:02:03") == kHour + 2 * kMinute + 3 * kSecond);
  CHECK(number(Reader::Clock, "2-01:02:03.5") ==
        49 * kHour + 2 * kMinute + 3 * kSecond + 500 * kMillisecond);
  CHECK(number(Reader::Length, "10m") == 10 * kMinute);
  CHECK(number(Reader::Length, "250ms") == 250 * kMillisecond);
  CHECK(number(Reader::Length, "3us") == 3000);
  CHECK(number(Reader::Length, "9ns") == 9);
  CHECK(number(Reader::Length, "1.5h") == 90 * kMinute);
  CHECK(number(Reader::Length, "2d") == 48 * kHour);
  CHECK(number(Reader::Length, "99999999999999999999d") == kForever);
  CHECK(number(Reader::Sec, "4000000001") == kForever);
  CHECK(number(Reader::Clock, "99999999999-00:00:00") == kForever);
}

TEST_CASE("a PCI address is kept as dddd:bb:dd in lower case without its function") {
  CHECK(text(Reader::Pci, "0000:04:00") == "0000:04:00");
  CHECK(text(Reader::Pci, "00000000:1B:00.0") == "0000:1b:00");
  CHECK(text(Reader::Pci, "1B:00.0") == "0000:1b:00");
  CHECK(text(Reader::Pci, "0008:01:00.0") == "0008:01:00");
  CHECK(text(Reader::Pci, "00012345:01:00") == "12345:01:00");
  CHECK(text(Reader::Pci, "0000:1b") == "0000:1b:00");
  CHECK(read_value(entity(EntityKind::Gpu), Reader::Entity, "00000000:1B:00.0").text ==
        "0000:1b:00");
}

TEST_CASE("strings are cut at their longest, never inside a UTF-8 sequence") {
  CHECK(text(Reader::Word, std::string(300, 'a')).size() == 256);
  CHECK(text(Reader::Word, std::string(256, 'a')).size() == 256);
  CHECK(text(Reader::Addr, std::string(129, 'a')).size() == 128);
  CHECK(text(Reader::Host, std::string(254, 'a')).size() == 253);
  CHECK(text(Reader::Token, std::string(1025, 'a')).size() == 1024);
  CHECK(text(Reader::Word, std::string(255, 'a') + "\xC3\xA9z") == std::string(255, 'a'));
}

TEST_CASE("ranks are named by their number, other entities by their text") {
  CHECK(read_value(entity(EntityKind::Rank), Reader::Entity, "007").text == "7");
  CHECK(read_value(entity(EntityKind::Rank), Reader::U32, "3") == text_constant("3"));
  CHECK(read_value(entity(EntityKind::Node), Reader::Entity, "Node-07").text == "Node-07");
}

TEST_CASE("text that is no number gives Null") {
  CHECK(read_value(Reader::U16, "abc").kind == ValueKind::Null);
  CHECK(read_value(Reader::U16, "").kind == ValueKind::Null);
  CHECK(read_value(Reader::Dec, "1.2.3").kind == ValueKind::Null);
  CHECK(read_value(Reader::Length, "10").kind == ValueKind::Null);
  CHECK(read_value(Reader::Clock, "10").kind == ValueKind::Null);
  CHECK(read_value(Reader::Bool, "maybe").kind == ValueKind::Null);
}

TEST_CASE("strict reading refuses what is out of form or range") {
  CHECK(read_strict(type_of(Reader::U8), "255") == int_constant(255));
  CHECK_FALSE(read_strict(type_of(Reader::U8), "256"));
  CHECK_FALSE(read_strict(type_of(Reader::U8), " 5"));
  CHECK_FALSE(read_strict(type_of(Reader::U8), "-1"));
  CHECK_FALSE(read_strict(type_of(Reader::U64), "9223372036854775808"));
  CHECK_FALSE(read_strict(type_of(Reader::Bits32), "0x100000000"));
  CHECK_FALSE(read_strict(type_of(Reader::Word), ""));
  CHECK_FALSE(read_strict(type_of(Reader::Word), "two words"));
  CHECK_FALSE(read_strict(type_of(Reader::Word), std::string(257, 'a')));
  CHECK(read_strict(type_of(Reader::Word), std::string(256, 'a')));
  CHECK(read_strict(type_of(Reader::Text), "two words, or \"more\"") ==
        text_constant("two words, or \"more\""));
  CHECK(read_strict(type_of(Reader::Text), "") == text_constant(""));
  CHECK_FALSE(read_strict(type_of(Reader::Text), "two\nlines"));
  CHECK(read_strict(type_of(Reader::Bool), "yes") == truth_constant(true));
  CHECK_FALSE(read_strict(type_of(Reader::Length), "99999999999999999999d"));
  CHECK_FALSE(read_strict(type_of(Reader::Dec), "1e99"));
  CHECK(read_strict(entity(EntityKind::Gpu), "0000:1B:00.0") == text_constant("0000:1b:00"));
  CHECK_FALSE(read_strict(entity(EntityKind::Gpu), "gpu zero"));
  CHECK(read_strict(entity(EntityKind::Rank), "03") == text_constant("3"));
  Type choice = type_of(Reader::Choice);
  choice.words = {"Fatal", "Nonfatal"};
  CHECK(read_strict(choice, "Fatal") == text_constant("Fatal"));
  CHECK_FALSE(read_strict(choice, "fatal"));
}

TEST_CASE("printed constants read back as themselves") {
  CHECK(to_text(int_constant(149)) == "149");
  CHECK(to_text(int_constant(0x4505c6), Reader::Bits32) == "0x004505c6");
  CHECK(to_text(decimal_constant(12'500'000)) == "12.5");
  CHECK(to_text(decimal_constant(-1)) == "-0.000001");
  CHECK(to_text(decimal_constant(3'000'000)) == "3");
  CHECK(to_text(duration_constant(10 * kMinute)) == "10m");
  CHECK(to_text(duration_constant(90 * kSecond)) == "90s");
  CHECK(to_text(duration_constant(1'400 * kMillisecond)) == "1400ms");
  CHECK(to_text(duration_constant(0)) == "0s");
  CHECK(to_text(truth_constant(true)) == "true");
  CHECK(to_text(null_constant()) == "null");
  for (const std::int64_t n :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{999'999},
        std::int64_t{1'000'000}, std::int64_t{-123'456'789}, kMost, -kMost}) {
    CHECK(read_strict(type_of(Reader::I64), to_text(int_constant(n))) == int_constant(n));
    CHECK(read_value(Reader::Dec, to_text(decimal_constant(n))) == decimal_constant(n));
    if (n < 0 || n > kForever) continue;
    CHECK(read_strict(type_of(Reader::Length), to_text(duration_constant(n))) ==
          duration_constant(n));
  }
}

TEST_CASE("every reader's pattern compiles, also when a line has many of them") {
  std::string all;
  for (std::size_t i = 0; i < reader_count(); ++i) {
    all += "(" + std::string(info(static_cast<Reader>(i)).pattern) + ") ";
  }
  std::string four = all + all + all + all;
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_max_mem(1 << 20);
  CHECK(re2::RE2(four, options).ok());
}

}  // namespace
}  // namespace attrib::model
