#include "model/required_literals.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace attrib::model {
namespace {

using Texts = std::vector<std::string>;

// "a b{}c": blanks are blanks, `{}` a hole, `[` and `]` around an optional part.
LineTemplate line(std::string_view text) {
  LineTemplate out;
  const auto add = [&out](PartKind kind) { out.parts.push_back({kind, {}, 0, Reader::Word}); };
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

TEST_CASE("words with a blank between are required together, or the blank is longer") {
  const Texts texts = required_literals(line("Memory cgroup")).any_of;
  CHECK(std::find(texts.begin(), texts.end(), "Memory cgroup") != texts.end());
  for (const std::string longer :
       {"Memory  cgroup", "Memory\tcgroup", "Memory \tcgroup", "Memory   cgroup"}) {
    CAPTURE(longer);
    CHECK(std::any_of(texts.begin(), texts.end(), [&](const std::string& each) {
      return longer.find(each) != std::string::npos;
    }));
  }
}

TEST_CASE("a line of holes, and a regex, require nothing") {
  CHECK(required_literals(line("{} {}")).any_of.empty());
  LineTemplate regex;
  regex.regex = "a+";
  CHECK(required_literals(regex).any_of.empty());
}

}  // namespace
}  // namespace attrib::model
