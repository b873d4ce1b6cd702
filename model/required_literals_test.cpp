#include "model/required_literals.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace attrib::model {
namespace {

using Texts = std::vector<std::string>;

// "a b{}c": blanks are blanks, `{}` a hole, `[` and `]` around an optional part.
LineTemplate line(std::string_view text) {
  LineTemplate out;
  const auto add = [&out](PartKind kind) { out.parts.push_back({kind, {}, 0, Reader::U32}); };
  for (const char c : text) {
    if (c == ' ') {
      add(PartKind::Blank);
    } else if (c == '{') {
      add(PartKind::Hole);
    } else if (c == '[') {
      add(PartKind::OptionalBegin);
    } else if (c == ']') {
      add(PartKind::OptionalEnd);
    } else if (c != '}') {
      if (out.parts.empty() || out.parts.back().kind != PartKind::Literal) add(PartKind::Literal);
      out.parts.back().text += c;
    }
  }
  return out;
}

TEST_CASE("the rarest text of a template is required") {
  CHECK(required_literals(line("Channel{}oom-kill:constraint")).any_of ==
        Texts{"oom-kill:constraint"});
  CHECK(required_literals(line("ab[oom-kill:constraint]cd")).any_of.size() == 1);
  CHECK(required_literals(line("ab[oom-kill:constraint]cd")).any_of[0].size() == 2);
}

// Does each of `lines` hold one of `texts`?
bool all_hold(const std::vector<std::string>& lines, const Texts& texts) {
  return std::all_of(lines.begin(), lines.end(), [&](const std::string& each) {
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
      return each.find(text) != std::string::npos;
    });
  });
}

TEST_CASE("words with a blank between are required together, or the blank is longer") {
  bool joined = false;
  for (const RequiredLiterals& each : literal_choices(line("{} cg kill"))) {
    joined =
        joined || std::find(each.any_of.begin(), each.any_of.end(), "cg kill") != each.any_of.end();
    CHECK(all_hold({"1 cg kill", "1\tcg  kill", "1  cg\tkill", "1 \tcg \tkill", "1 cg   kill"},
                   each.any_of));
  }
  CHECK(joined);
}

TEST_CASE("the blanks round a short word make it long enough") {
  const Texts texts = required_literals(line("{} lozz: {}")).any_of;
  CHECK(texts == Texts{"\tlozz:\t", "\tlozz: ", " lozz:\t", " lozz: "});
}

TEST_CASE("every choice is proved, and no other set") {
  for (const auto* const text :
       {"step: {} loss: {}", "a b c d e f{}[ g h] i", "{} x", "one{}two ", "NVRM: Xid (PCI:{}",
        "Panic#{}", "iter {}: loss {}", "] SDES {}"}) {
    const LineTemplate made = line(text);
    const auto choices = literal_choices(made);
    CHECK(!choices.empty());
    for (const RequiredLiterals& each : choices) {
      CAPTURE(each.any_of.front());
      CHECK(requires_one_of(made, each.any_of));
      if (each.any_of.size() == 1) continue;
      for (std::size_t i = 0; i < each.any_of.size(); ++i) {
        Texts fewer = each.any_of;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        CHECK_FALSE(requires_one_of(made, fewer));
      }
    }
  }
  CHECK(requires_one_of(line("Memory cgroup"), {"cgroup"}));
  CHECK(requires_one_of(line("Memory cgroup"), {"roup"}));
  CHECK(requires_one_of(line("Memory cgroup"), {"Memory\t", "ory  ", "y \t", "Memory c"}));
  CHECK_FALSE(requires_one_of(line("Memory cgroup"), {"Memory\t\t", "ory  ", "y \t", "Memory c"}));
  LineTemplate tabbed = line("Memory cgroup");
  tabbed.parts[0].text += '\t';  // As no rule says it, but bytes of a program may.
  CHECK(requires_one_of(tabbed, {"y\t\t", "y\t "}));
  CHECK_FALSE(requires_one_of(tabbed, {"y\t\t\t", "y\t "}));
  CHECK_FALSE(requires_one_of(line("Memory cgroup"), {"Memory cgroup"}));
  CHECK_FALSE(requires_one_of(line("a[ optional]"), {"optional"}));
  CHECK_FALSE(requires_one_of(line("Memory"), {""}));
  CHECK_FALSE(requires_one_of(line("Memory"), {}));
}

LineTemplate regex(std::string text) {
  LineTemplate out;
  out.regex = std::move(text);
  return out;
}

TEST_CASE("texts that no way through a regex avoids are required") {
  const auto of = [](std::string text) { return required_literals(regex(std::move(text))).any_of; };
  CHECK(of("went down: \\((?P<a>Computer:[a-z]+)\\)x") == Texts{"went down: (Computer:"});
  CHECK(of("(?:abcdefgh)?[a-z]+failure") == Texts{"failure"});
  CHECK(of("(?P<reason>BackoffLimit|PodFailurePolicy|Failed(?:Soon)?Indexes)") ==
        Texts{"BackoffLimit", "Indexes", "PodFailurePolicy"});
  CHECK(of("(?:BackoffLimit|PodFailurePolicy|)") == Texts{});
  CHECK(of("BackoffLimit|[a-z]+") == Texts{});
  CHECK(of("a(?:BackoffLimit|(?:b|c)ffffffff)?") == Texts{"a"});
  CHECK(of("(?s)failure") == Texts{});
  CHECK(of("^\\bfailure\\b$") == Texts{"failure"});
  CHECK(of("[[:alpha:]\\]]failure\\d+[]x]") == Texts{"failure"});
  CHECK(of("[a\\]bcdefgh]x") == Texts{"x"});
  CHECK(of("a(?:failure){2}b") == Texts{"failure"});
  CHECK(of("(?:failure)+x") == Texts{"failure"});
  CHECK(of("(?:failure)*x") == Texts{"x"});
  CHECK(of("(?:failure){0,2}?x") == Texts{"x"});
  CHECK(requires_one_of(regex("a+failure"), {"fail"}));
  CHECK_FALSE(requires_one_of(regex("b+failure"), {"b"}));
}

TEST_CASE("texts that stand in any case are required in any") {
  const auto of = [](std::string text) { return required_literals(regex(std::move(text))); };
  CHECK(of("(?i)Stale (?:NFS )?File").any_of == Texts{"stale "});
  CHECK(of("(?i)Stale (?:NFS )?File").any_case);
  CHECK(of("(?i:brokenpipe)").any_of == Texts{"brokenpipe"});
  CHECK_FALSE(of("(?i:a)BrokenPipe").any_case);
  CHECK(of("(?i:a)BrokenPipe").any_of == Texts{"BrokenPipe"});
  // One branch in any case: so are all.
  CHECK(of("(?:BrokenPipe|(?i)RotorBlade)").any_of == Texts{"brokenpipe", "rotorblade"});
  CHECK(of("(?:BrokenPipe|(?i)RotorBlade)").any_case);
  // Letters beyond ASCII have another case that is another byte.
  CHECK(of("(?i)RotorBlades\xe9x").any_of == Texts{"rotorblades"});
  CHECK(requires_one_of(regex("(?i)a+Failure"), {"fail"}, true));
  CHECK_FALSE(requires_one_of(regex("(?i)a+Failure"), {"fail"}));
  CHECK_FALSE(requires_one_of(regex("(?i)a+Failure"), {"Fail"}));
  CHECK(requires_one_of(regex("a+Failure"), {"fail"}, true));
  CHECK_FALSE(requires_one_of(line("Failure"), {"failure"}, true));
}

TEST_CASE("a line of holes requires nothing") {
  CHECK(required_literals(line("{} {}")).any_of.empty());
  CHECK(required_literals(regex("a+")).any_of.empty());
}

TEST_CASE("long literals are long, and proved") {
  for (const std::string& text : std::vector<std::string>{"step: {} loss: {}", "NVRM: Xid (PCI:{}", "Memory cgroup", "{} lozz: {}"}) {
    const LineTemplate made = line(text);
    const RequiredLiterals found = long_literals(made);
    CAPTURE(text);
    CHECK(!found.any_of.empty());
    CHECK(requires_one_of(made, found.any_of));
    for (const std::string& each : found.any_of) CHECK(each.size() >= kMinFilterLiteral);
  }
  CHECK(long_literals(line("Memory cgroup")).any_of == Texts{"Memory\t", "Memory "});
  CHECK(long_literals(line("ab cd")).any_of.empty());
  CHECK(long_literals(regex("a+failure")).any_of == Texts{"failure"});
  CHECK(long_literals(regex("(?i)a+Failure")).any_case);
  CHECK(long_literals(regex("a+fail")).any_of.empty());
  CHECK(long_literals(line("{}ab{}")).any_of.empty());
}

}  // namespace
}  // namespace attrib::model
