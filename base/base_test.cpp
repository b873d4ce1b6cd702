#include <doctest/doctest.h>

#include "base/diagnostics.h"
#include "base/digest.h"
#include "base/random.h"
#include "base/result.h"
#include "base/source.h"
#include "base/text.h"

namespace attrib {
namespace {

TEST_CASE("random digits are as many as asked for, and never the same") {
  CHECK(random_hex(16).size() == 32);
  CHECK(random_hex(0).empty());
  CHECK(random_hex(32).find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(random_hex(16) != random_hex(16));
}

TEST_CASE("a text does not move when others are added") {
  SourceMap sources;
  const SourceId first = sources.add("a", "short");
  const std::string_view seen = sources.text(first);
  for (int i = 0; i < 100; ++i) sources.add("b", "other");
  CHECK(sources.text(first).data() == seen.data());
}

TEST_CASE("places count lines and columns from one, in bytes") {
  SourceMap sources;
  const SourceId id = sources.add("f.rules", "one\r\ntwo\n\nfour");
  CHECK(sources.place({id, 0, 1}) == "f.rules:1:1");
  CHECK(sources.place({id, 5, 6}) == "f.rules:2:1");
  CHECK(sources.place({id, 7, 8}) == "f.rules:2:3");
  CHECK(sources.place({id, 10, 14}) == "f.rules:4:1");
  CHECK(sources.line_at(id, 1) == "one");
  CHECK(sources.line_at(id, 9) == "");
  CHECK(sources.line_at(id, 12) == "four");
  CHECK(sources.text(Span{id, 5, 8}) == "two");
  CHECK(sources.text(Span{id, 12, 900}) == "ur");
}

TEST_CASE("diagnostics come in the order of files and places, and are counted by severity") {
  SourceMap sources;
  const SourceId b = sources.add("b", "xxxxxxxxxx");
  const SourceId a = sources.add("a", "xxxxxxxxxx");
  DiagnosticSink sink;
  sink.emit<diag::SyntaxError>({b, 1, 2}, "third");
  sink.emit<diag::SyntaxError>({a, 5, 6}, "second").note({b, 0, 1}, "see").hint("do");
  sink.emit<diag::SyntaxError>({a, 2, 3}, "first");
  const auto sorted = sink.sorted(sources);
  REQUIRE(sorted.size() == 3);
  CHECK(sorted[0]->message == "expected first");
  CHECK(sorted[1]->notes.size() == 1);
  CHECK(sorted[1]->hints.size() == 1);
  CHECK(sorted[2]->message == "expected third");
  CHECK(sink.error_count() == 3);
  CHECK(sink.warning_count() == 0);
}

TEST_CASE("the greatest number of diagnostics is kept, the next one is only counted") {
  SourceMap sources;
  const SourceId id = sources.add("a", "");
  DiagnosticSink sink;
  for (std::size_t i = 0; i < DiagnosticSink::kMaxKept; ++i)
    sink.emit<diag::SyntaxError>({id, 0, 0}, "x");
  CHECK(sink.dropped() == 0);
  sink.emit<diag::SyntaxError>({id, 0, 0}, "x").note({id, 0, 0}, "may be called on a dropped one");
  CHECK(sink.dropped() == 1);
  CHECK(sink.sorted(sources).size() == DiagnosticSink::kMaxKept);
  CHECK(sink.error_count() == DiagnosticSink::kMaxKept + 1);
}

TEST_CASE("ids of the catalogue are unique and found") {
  for (const DiagnosticInfo& row : diagnostic_catalogue()) CHECK(find_diagnostic(row.id) == &row);
  CHECK(find_diagnostic(65535) == nullptr);
  CHECK(diagnostic_code(101) == "RL0101");
}

TEST_CASE("the nearest name is a slip of the keyboard away, the first of equals") {
  const std::vector<std::string> names = {"confidence", "because", "before", "cause"};
  CHECK(nearest("confidnece", names) == "confidence");
  CHECK(nearest("becuase", names) == "because");
  CHECK_FALSE(nearest("nothing", names));
  CHECK_FALSE(nearest("", names));
  CHECK(nearest("ab", std::vector<std::string>{"ac", "ad"}) == "ac");
  const std::string longest(100, 'a');
  CHECK(nearest(longest, std::vector<std::string>{std::string(99, 'a') + 'b'}));
  CHECK_FALSE(nearest(longest + "a", std::vector<std::string>{longest + "b"}));
}

TEST_CASE("bytes that are not UTF-8 become text, valid sequences stay") {
  std::size_t escaped = 0;
  CHECK(escape_invalid_utf8("a\xFFz", &escaped) == "a\\xFFz");
  CHECK(escaped == 1);
  CHECK(escape_invalid_utf8("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80") ==
        "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  CHECK(escape_invalid_utf8("\xED\xA0\x80") == "\\xED\\xA0\\x80");  // A surrogate.
  CHECK(escape_invalid_utf8("\xC0\x80") == "\\xC0\\x80");           // Longer than needed.
  CHECK(escape_invalid_utf8("\xF4\x90\x80\x80") == "\\xF4\\x90\\x80\\x80");
  CHECK(escape_invalid_utf8("\xE2\x82") == "\\xE2\\x82");
}

TEST_CASE("lengths of time read as people write them") {
  CHECK(human_duration(250'000'000) == "250ms");
  CHECK(human_duration(1'400'000'000) == "1.4s");
  CHECK(human_duration(595'000'000'000) == "9m55s");
  CHECK(human_duration(3'720'000'000'000) == "1h02m");
  CHECK(human_duration(-60'000'000'000) == "-1m");
  CHECK(human_duration(90'000'000'000'000) == "1d01h");
  CHECK(human_duration(INT64_MIN).starts_with("-"));
}

TEST_CASE("a digest is that of FIPS 180-4") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

Result<int> half(int n) {
  if (n % 2 != 0) return Error{"odd"};
  return n / 2;
}
Result<int> quarter(int n) {
  ATTRIB_TRY(const int h, half(n));
  return half(h);
}

TEST_CASE("a result carries its value or its error") {
  CHECK(quarter(8).value() == 2);
  CHECK(quarter(6).error().message == "odd");
  CHECK(quarter(3).error().message == "odd");
}

}  // namespace
}  // namespace attrib
