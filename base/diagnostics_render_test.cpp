#include "base/diagnostics_render.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace attrib {
namespace {

TEST_CASE("a diagnostic shows its place, line, range, notes and hints") {
  SourceMap sources;
  const SourceId a = sources.add("a.rules", "first\n  let x = zzz\n");
  const SourceId b = sources.add("b.rules", "other\n");
  DiagnosticSink sink;
  sink.emit<diag::SyntaxError>({a, 16, 19}, "a value")
      .note({b, 0, 5}, "declared here")
      .hint("write one");
  CHECK(render_diagnostics(sink, sources, false) ==
        "a.rules:2:11: error[RL0101]: expected a value\n"
        "    let x = zzz\n"
        "            ^~~\n"
        "b.rules:1:1: note: declared here\n"
        "  other\n"
        "  ^~~~~\n"
        "  hint: write one\n"
        "1 error\n");
}

TEST_CASE("a note without a place is one line") {
  SourceMap sources;
  const SourceId a = sources.add("a", "x");
  Diagnostic diagnostic(diag::SyntaxError::kInfo, {a, 0, 1}, "expected y");
  diagnostic.notes.push_back({std::nullopt, "by the way"});
  CHECK(render_diagnostic(diagnostic, sources, false) ==
        "a:1:1: error[RL0101]: expected y\n  x\n  ^\n  note: by the way\n");
}

TEST_CASE("the caret stands below its character also after tabs and characters of several bytes") {
  SourceMap sources;
  const SourceId a = sources.add("a", "\t\xC3\xA9\xE2\x82\xAC x\r\n");
  Diagnostic diagnostic(diag::SyntaxError::kInfo, {a, 7, 8}, "m");
  CHECK(render_diagnostic(diagnostic, sources, false) ==
        "a:1:8: error[RL0101]: m\n   \xC3\xA9\xE2\x82\xAC x\n      ^\n");
}

TEST_CASE(
    "a range over several lines ends with its first, and one at the end of the file still has a "
    "caret") {
  SourceMap sources;
  const SourceId a = sources.add("a", "ab\ncd");
  CHECK(render_diagnostic({diag::SyntaxError::kInfo, {a, 1, 5}, "m"}, sources, false) ==
        "a:1:2: error[RL0101]: m\n  ab\n   ^\n");
  CHECK(render_diagnostic({diag::SyntaxError::kInfo, {a, 5, 5}, "m"}, sources, false) ==
        "a:2:3: error[RL0101]: m\n  cd\n    ^\n");
}

TEST_CASE("a long line is cut around the caret") {
  SourceMap sources;
  const SourceId a =
      sources.add("a", std::string(1'000'000, 'x') + "!" + std::string(1'000'000, 'y'));
  const std::string shown =
      render_diagnostic({diag::SyntaxError::kInfo, {a, 1'000'000, 1'000'001}, "m"}, sources, false);
  CHECK(shown.size() < 500);
  CHECK(shown.find("...xxx") != std::string::npos);
  CHECK(shown.find("!yyy") != std::string::npos);
  CHECK(shown.find("yyy...") != std::string::npos);
}

TEST_CASE("a long line of stray continuation bytes is cut around the caret") {
  SourceMap sources;
  const SourceId a = sources.add("a", std::string(1000, '\x80'));
  Diagnostic diagnostic(diag::SyntaxError::kInfo, {a, 600, 601}, "m");
  const std::string shown = render_diagnostic(diagnostic, sources, false);
  CHECK(shown.starts_with("a:1:601: error[RL0101]: m\n  ...\\x80"));
  CHECK(shown.ends_with("^~~~\n"));
}

TEST_CASE("totals count errors and warnings apart, and nothing wrong prints nothing") {
  SourceMap sources;
  const SourceId a = sources.add("a", "x");
  DiagnosticSink sink;
  CHECK(render_diagnostics(sink, sources, false) == "");
  for (std::size_t i = 0; i < DiagnosticSink::kMaxKept + 2; ++i)
    sink.emit<diag::SyntaxError>({a, 0, 1}, "y");
  const std::string all = render_diagnostics(sink, sources, false);
  CHECK(all.ends_with("2 more not shown\n1002 errors\n"));
}

TEST_CASE("color adds escapes and leaves the text as it is") {
  SourceMap sources;
  const SourceId a = sources.add("a", "x");
  const Diagnostic diagnostic(diag::SyntaxError::kInfo, {a, 0, 1}, "m");
  const std::string colored = render_diagnostic(diagnostic, sources, true);
  CHECK(colored.find("\x1b[1;31merror[RL0101]\x1b[0m: m\n") != std::string::npos);
  CHECK(render_diagnostic(diagnostic, sources, false).find('\x1b') == std::string::npos);
}

TEST_CASE("JSON holds the same fields, and bytes that are not UTF-8 do no harm") {
  SourceMap sources;
  const SourceId a = sources.add("a\xff", "one\ntwo");
  DiagnosticSink sink;
  sink.emit<diag::SyntaxError>({a, 4, 7}, "\xfe").note({a, 0, 3}, "n").hint("h");
  const auto json = nlohmann::json::parse(render_diagnostics_json(sink, sources));
  REQUIRE(json.size() == 1);
  CHECK(json[0]["id"] == "RL0101");
  CHECK(json[0]["severity"] == "error");
  CHECK(json[0]["message"] == "expected \\xFE");
  CHECK(json[0]["path"] == "a\\xFF");
  CHECK(json[0]["line"] == 2);
  CHECK(json[0]["column"] == 1);
  CHECK(json[0]["end_line"] == 2);
  CHECK(json[0]["end_column"] == 4);
  CHECK(json[0]["notes"][0]["line"] == 1);
  CHECK(json[0]["hints"][0] == "h");
}

}  // namespace
}  // namespace attrib
