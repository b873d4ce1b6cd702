#include "service/rulesets.h"

#include <doctest/doctest.h>

#include "base/test_folder.h"
#include "program/codec.h"
#include "program/test_program.h"

namespace attrib::service {
namespace {

std::string program_bytes(const std::string& because = "the fault is what is suspected") {
  program::Program made = program::test_program();
  made.rules.back().because = because;
  return program::encode(made);
}

TEST_CASE("a reload swaps what changed and keeps what is refused, and says which") {
  const TestFolder folder;
  const std::string first = folder.write("a.rbc", program_bytes());
  const std::string second = folder.write("b.rbc", program_bytes());
  auto opened = Rulesets::open({{"default", first}, {"slow", second}});
  REQUIRE(opened.ok());
  Rulesets& rulesets = *opened.value();
  const auto held = rulesets.find("default");
  REQUIRE(held != nullptr);
  CHECK(held->digest.starts_with("sha256:"));
  CHECK(rulesets.find("none") == nullptr);
  CHECK(rulesets.all().size() == 2);

  folder.write("a.rbc", program_bytes("another reason"));
  folder.write("b.rbc", "not a program");
  const auto loads = rulesets.reload();
  REQUIRE(loads.size() == 2);
  CHECK(loads[0].name == "default");
  CHECK(loads[0].error.empty());
  CHECK(loads[0].before == held->digest);
  CHECK(loads[0].after != loads[0].before);
  CHECK(rulesets.find("default")->digest == loads[0].after);
  CHECK(held->digest == loads[0].before);  // A verdict that runs keeps its program.
  CHECK(loads[1].name == "slow");
  CHECK(loads[1].error.starts_with(second + ": "));
  CHECK(loads[1].after == loads[1].before);
  CHECK(rulesets.find("slow")->digest == loads[1].before);
}

TEST_CASE("a program that did not change stays the same object") {
  const TestFolder folder;
  auto opened = Rulesets::open({{"default", folder.write("a.rbc", program_bytes())}});
  REQUIRE(opened.ok());
  const auto before = opened.value()->find("default");
  const auto loads = opened.value()->reload();
  CHECK(loads[0].before == loads[0].after);
  CHECK(opened.value()->find("default") == before);
}

TEST_CASE("opening names every file that is refused") {
  const TestFolder folder;
  const std::string good = folder.write("good.rbc", program_bytes());
  const std::string cut = folder.write("cut.rbc", program_bytes().substr(0, 100));
  const auto opened =
      Rulesets::open({{"default", good}, {"x", cut}, {"y", folder / "none.rbc"}});
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().message.find(cut + ": ") != std::string::npos);
  CHECK(opened.error().message.find("none.rbc: cannot open") != std::string::npos);
  CHECK(opened.error().message.find(good) == std::string::npos);
  CHECK_FALSE(Rulesets::open({{"other", good}}).ok());
  CHECK_FALSE(Rulesets::open({{"default", folder / ""}}).ok());  // A folder.
}

}  // namespace
}  // namespace attrib::service
