// Limits of rule sources: what is at the limit compiles and is a program that verifies; one past it
// is refused with RL0501, which names the number.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <functional>

#include "compiler/limits.h"
#include "tests/fuzz/sample.h"

namespace attrib {
namespace {

constexpr std::string_view kHeader = "pack t 1.0.0\nlanguage 1\n";

// `one(i)` for 0 .. n-1, joined.
std::string repeat(std::size_t n, std::string_view between,
                   const std::function<std::string(std::size_t)>& one) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) out += between;
    out += one(i);
  }
  return out;
}

using Make = std::function<fuzz::RuleInput(std::size_t)>;

fuzz::RuleInput with_header(const std::string& text, std::string csv = {}) {
  return {std::string(kHeader) + text, std::move(csv)};
}

void check_limit(std::size_t limit, const Make& make, std::string_view code = "RL0501") {
  std::string why;
  auto compiled = fuzz::compile(make(limit), &why);
  REQUIRE_MESSAGE(compiled.has_value(), why);
  const auto verified = program::verify(std::move(*compiled));
  REQUIRE_MESSAGE(verified.ok(), verified.error().message);
  CHECK_FALSE(fuzz::compile(make(limit + 1), &why).has_value());
  CHECK_MESSAGE(why.find(code) != std::string::npos, why);
}

std::string extract(const std::string& clauses) {
  return "event E on Node { code u32? }\nextract e from kernel as E {\n" + clauses + "\n}\n";
}

const std::string kSymptom =
    "event E on Node { code u32? }\nsymptom s.s on Node { code u32?  role origin  domain host }\n";

TEST_CASE("words of a type") {
  check_limit(compiler::kMaxWords, [](std::size_t n) {
    return with_header("event E on Node { w (" +
                       repeat(n, " | ", [](std::size_t i) { return fmt::format("w{}", i); }) +
                       ") }\n");
  });
}

TEST_CASE("rules of all kinds together") {
  check_limit(compiler::kMaxRules, [](std::size_t n) {
    return with_header(kSymptom + repeat(n, "\n", [](std::size_t i) {
                         return fmt::format("decode d{} {{ on x: E emit s.s at x.node {{}} }}", i);
                       }));
  });
}

TEST_CASE("alternatives of an extract") {
  check_limit(compiler::kMaxAlternatives, [](std::size_t n) {
    return with_header(extract(repeat(n, "\n", [](std::size_t i) {
      return fmt::format("line \"failure_{:04} {{code}}\"\nsample \"failure_{:04} 7\"", i, i);
    })));
  });
}

TEST_CASE("lines of a record") {
  check_limit(compiler::kMaxLinesOfRecord, [](std::size_t n) {
    const std::string more =
        repeat(n - 1, " ", [](std::size_t i) { return fmt::format("next \"detail_{}\"", i); });
    return with_header(extract(
        fmt::format("line \"failure\" {} within 100 lines\nsample \"failure\" {}", more, more)));
  });
}

TEST_CASE("how far apart the lines of a record may stand") {
  check_limit(compiler::kMaxWithinLines, [](std::size_t n) {
    return with_header(extract(fmt::format(
        "line \"failure\" next \"detail\" within {} lines\nsample \"failure\" next \"detail\"",
        n)));
  });
}

TEST_CASE("bytes of a line template") {
  check_limit(compiler::kMaxTemplateBytes, [](std::size_t n) {
    const std::string text(n, 'x');
    return with_header(extract("line \"" + text + "\"\nsample \"" + text + "\""));
  });
}

TEST_CASE("variables of a rule") {
  check_limit(compiler::kMaxVariables, [](std::size_t n) {
    return with_header(kSymptom + "symptom r.r on Node { role relay  domain host }\ninfer i {\n" +
                       repeat(n, "\n",
                              [](std::size_t i) {
                                return fmt::format(
                                    "each x{0}: s.s where has x{0}.code and x{0}.code == {0}", i);
                              }) +
                       "\nemit r.r at x0.node {}\n}\n");
  });
}

fuzz::RuleInput table(std::size_t keys, std::size_t results) {
  const auto columns = [](std::size_t n, std::string_view name, std::string_view type) {
    return repeat(n, ", ", [&](std::size_t i) { return fmt::format("{}{} {}", name, i, type); });
  };
  const auto cells = [](std::size_t n) {
    return repeat(n, " | ", [](std::size_t) { return std::string("1"); });
  };
  return with_header(
      fmt::format("table t ({}) -> ({}) {{\n match unique\n | {} => {}\n default => {}\n}}\n",
                  columns(keys, "k", "u32"), columns(results, "r", "u32"), cells(keys),
                  cells(results), cells(results)));
}

TEST_CASE("columns of a table") {
  check_limit(compiler::kMaxKeyColumns, [](std::size_t n) { return table(n, 1); });
  check_limit(compiler::kMaxResultColumns, [](std::size_t n) { return table(1, n); });
}

fuzz::RuleInput csv_table(std::string csv) {
  return with_header(
      "table t (k u32) -> (v text) {\n match unique\n from \"t.csv\"\n default => \"\"\n}\n",
      "k,v\n" + std::move(csv));
}

TEST_CASE("rows of a table") {
  check_limit(compiler::kMaxTableRows, [](std::size_t n) {
    return csv_table(repeat(n, "", [](std::size_t i) { return fmt::format("{},x\n", i); }));
  });
}

TEST_CASE("bytes of a cell and of a data file") {
  // A text of 1024 bytes is the longest that its reader takes; a cell of blanks is cut by nothing
  // else.
  std::string why;
  fuzz::compile(csv_table("1," + std::string(compiler::kMaxCellBytes, 'x') + "\n"), &why);
  CHECK(why.find("RL0501") == std::string::npos);
  fuzz::compile(csv_table("1," + std::string(compiler::kMaxCellBytes + 1, 'x') + "\n"), &why);
  CHECK(why.find("RL0501") != std::string::npos);

  const std::string row(1000, 'x');
  std::string file;
  for (std::size_t i = 0; file.size() + 1020 < compiler::kMaxCsvBytes; ++i)
    file += fmt::format("{},{}\n", i, row);
  file += std::string(compiler::kMaxCsvBytes - file.size() - 4, '\n');
  fuzz::compile(csv_table(file), &why);
  CHECK(why.find("a data file") == std::string::npos);
  fuzz::compile(csv_table(file + "\n"), &why);
  CHECK(why.find("RL0501") != std::string::npos);
  CHECK(why.find("a data file") != std::string::npos);
}

TEST_CASE("holes of a message") {
  check_limit(compiler::kMaxMessageHoles, [](std::size_t n) {
    return with_header(
        fmt::format("ambiguous a {{ among a, b: root of job when tied(a, b) verdict undecided "
                    "report \"{}\" }}\n",
                    repeat(n, " ", [](std::size_t) { return std::string("{a}"); })));
  });
}

}  // namespace
}  // namespace attrib
