#include "compiler/possible_types.h"

#include "compiler/testing.h"

namespace attrib::compiler {
namespace {

const std::string kTypes =
    "event E on Rank { code u16 }\n"
    "symptom a.gpu on Rank { role origin domain gpu tags [fatal, wait] }\n"
    "symptom b.host on Rank { role origin domain host }\n"
    "symptom c.wait on Rank { role victim domain application tags [wait] }\n"
    "symptom d.moody on Rank { role victim domain application }\n"
    "decode moods { on x: E emit d.moody at x.rank {} role origin }\n";

// The names of the types that a cause with this condition may have.
std::string causes(const std::string& where) {
  Checked checked;
  check_files(&checked,
              {{"t.rules", "pack t 1.0.0\nlanguage 1\n" + kTypes +
                               "demote r {\n  cause c: any where " + where +
                               "\n  effect e: c.wait\n  within 0s..1m from c.begin to e.begin\n"
                               "  because \"test\"\n}\n"}});
  REQUIRE_MESSAGE(checked.module, checked.report());
  for (const Rule& rule : checked.module->rules) {
    if (rule.kind != RuleKind::Demote) continue;
    std::string out;
    for (const std::uint32_t type : possible_types(*checked.module, rule, VarId{0})) {
      out += (out.empty() ? "" : " ") + checked.module->symptoms[type].name;
    }
    return out;
  }
  return "no demote rule";
}

TEST_CASE("a tag leaves the types that have it") {
  CHECK(causes("c.tags has wait") == "a.gpu c.wait");
  CHECK(causes("c.tags has wait and not c.tags has fatal") == "c.wait");
  CHECK(causes("c.tags has fatal or c.domain == host") == "a.gpu b.host");
}

TEST_CASE("a role that an emission may change is left to each fact") {
  CHECK(causes("c.role == victim") == "c.wait d.moody");
  CHECK(causes("c.role != victim") == "a.gpu b.host d.moody");
  CHECK(causes("c.domain in [gpu, host]") == "a.gpu b.host");
}

TEST_CASE("what the type does not say leaves every type") {
  CHECK(causes("c.count >= 2") == "a.gpu b.host c.wait d.moody");
  CHECK(causes("c.count >= 2 or c.tags has fatal") == "a.gpu b.host c.wait d.moody");
}

}  // namespace
}  // namespace attrib::compiler
