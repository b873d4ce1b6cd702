#include "evidence/json_plain.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "evidence/json_observation.h"
#include "evidence/json_value.h"

namespace attrib::evidence {
namespace {

// The general way.
std::optional<Draft> read_in_general(std::string_view text) {
  std::size_t escaped = 0;
  const auto object = parse_json(escape_json_bytes(text, &escaped));
  if (!object) return std::nullopt;
  std::vector<std::string> problems;
  auto draft = read_observation(object.value(), &problems);
  if (draft) draft->escaped = escaped > 0;
  return draft;
}

// Is read in one pass, and as in general.
bool is_plain(const std::string& text) {
  CAPTURE(text);
  const auto plain = std::make_unique<Draft>();
  if (!read_plain_observation(text, plain.get())) return false;
  const auto general = read_in_general(text);
  REQUIRE(general);
  CHECK(same_content(*plain, *general));
  CHECK(plain->observation.ids == general->observation.ids);
  CHECK(plain->raw_ts == general->raw_ts);
  CHECK(plain->json);
  CHECK_FALSE(general->escaped);
  return true;
}

TEST_CASE("the usual observation is read as in general") {
  CHECK(is_plain(R"({"message":""})"));
  CHECK(is_plain(R"( { "message" : "a" } )"));
  CHECK(is_plain(
      R"({"id":"x","ts":"2026-05-18T08:00:00.003Z","source":"kernel","node":"n1","rank":3,"pod":"p","container":"c","file":"f","seq":12,"message":"all"})"));
  CHECK(is_plain(R"({"message":"\" \\ \/ \b \f \n \r \t end","node":"\"","id":""})"));
  CHECK(is_plain("{\"message\":\"caf\xC3\xA9 \xE2\x96\x88\"}"));
  CHECK(is_plain(R"({"ts":1779105600,"message":"a","rank":0,"seq":9223372036854775807})"));
  CHECK(is_plain(R"({"ts":1779105600.250,"message":"a","rank":2147483647})"));
}

TEST_CASE("what is not usual or wrong is left to the general way") {
  for (const std::string& text :
       std::vector<std::string>{R"({})",
                                R"([])",
                                "",
                                R"({"message":"a")",
                                R"({"message":"a"}x)",
                                R"({"message":"a",})",
                                R"({"message":"a" "node":"b"})",
                                R"({"message":1})",
                                R"({"message":null})",
                                R"({"node":"n"})",
                                R"({"message":"\u0041"})",
                                R"({"message":"\x"})",
                                "{\"message\":\"\xFF\"}",
                                "{\"message\":\"\xC3\"}",
                                "{\"message\":\"\x01\"}",
                                "{\"message\":\"a\\",
                                "{\"message\":\"a",
                                R"({"message":"a","message":"b"})",
                                R"({"message":"a","rank":-1})",
                                R"({"message":"a","rank":01})",
                                R"({"message":"a","rank":1.0})",
                                R"({"message":"a","rank":1e3})",
                                R"({"message":"a","rank":2147483648})",
                                R"({"message":"a","rank":"1"})",
                                R"({"message":"a","rank":})",
                                R"({"message":"a","seq":9223372036854775808})",
                                R"({"message":"a","ts":"then"})",
                                R"({"message":"a","ts":1.})",
                                R"({"message":"a","ts":.5})",
                                R"({"message":"a","ts":null})",
                                R"({"message":"a","ts":1e9})",
                                R"({"message":"a","source":"ap"})",
                                R"({"message":"a","labels":{"a":"b"}})",
                                R"({"message":"a","name":"n","value":1})",
                                R"({"message":"a","record":{}})",
                                R"({"m\u0065ssage":"a"})",
                                R"({"message":"a","other":1})"})
    CHECK_FALSE(is_plain(text));
}

TEST_CASE("no text that is changed anywhere is read otherwise than in general") {
  const std::string good =
      R"({"ts":"2026-05-18T08:00:00.003Z","source":"app","node":"n1","rank":10,"seq":12,"message":"a \"b\" c"})";
  const std::string bytes = std::string("\0\x01\"\\{}[]:,.-+eE0a \n\t\xC3\xA9\xFF", 24);
  std::size_t plain = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char c : bytes) {
      std::string changed = good;
      changed[at] = c;
      plain += is_plain(changed) ? 1 : 0;
      plain += is_plain(good.substr(0, at) + c + good.substr(at)) ? 1 : 0;
    }
    is_plain(good.substr(0, at) + good.substr(at + 1));
  }
  CHECK(plain > 100);
}

}  // namespace
}  // namespace attrib::evidence
