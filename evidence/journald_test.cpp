#include "evidence/journald.h"

#include <doctest/doctest.h>

namespace attrib::evidence {
namespace {

std::string binary_field(const std::string& name, const std::string& value) {
  std::string out = name + "\n";
  for (std::size_t i = 0; i < 8; ++i) out += static_cast<char>(value.size() >> (8 * i) & 0xFFU);
  return out + value + "\n";
}

TEST_CASE("an export is cut into entries, with text and binary fields") {
  const std::string text =
      "__CURSOR=a\n__REALTIME_TIMESTAMP=1779093065123456\nMESSAGE=one\n\n__CURSOR=b\n" +
      binary_field("MESSAGE", "two\nlines") + "PRIORITY=3\n\n";
  CHECK(is_journal_export(text));
  ExportReader reader(text);
  const auto one = reader.next();
  REQUIRE(one);
  CHECK(one->line == 1);
  CHECK(one->fields.at("MESSAGE") == "one");
  const auto two = reader.next();
  REQUIRE(two);
  CHECK(two->line == 5);
  CHECK(two->fields.at("MESSAGE") == "two\nlines");
  CHECK(two->fields.at("PRIORITY") == "3");
  CHECK_FALSE(two->torn);
  CHECK_FALSE(reader.next());
}

TEST_CASE("a torn export says so and ends") {
  const std::string text = "__CURSOR=b\n" + binary_field("MESSAGE", "two\nlines");
  for (std::size_t n = 1; n < text.size(); ++n) {
    ExportReader reader(std::string_view(text).substr(0, n));
    std::size_t entries = 0;
    while (reader.next()) ++entries;
    CHECK(entries == 1);
  }
  ExportReader reader(std::string_view(text).substr(0, text.size() - 3));
  CHECK(reader.next()->torn);
}

TEST_CASE("an entry's sender stamp goes before the journal's") {
  Frame frame;
  read_journal_entry({{"MESSAGE", "m"},
                      {"__REALTIME_TIMESTAMP", "1779093065000002"},
                      {"_SOURCE_REALTIME_TIMESTAMP", "1779093065000001"}},
                     frame);
  REQUIRE(frame.stamp);
  CHECK(frame.stamp->at == 1'779'093'065'000'001'000);
  CHECK(frame.stamp->resolution == 1000);
}

}  // namespace
}  // namespace attrib::evidence
