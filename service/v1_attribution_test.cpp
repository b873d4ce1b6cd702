#include "service/v1_attribution.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "service/json.h"

namespace attrib::service {
namespace {

verdict::Symptom fault(const std::string& node) {
  verdict::Symptom out;
  out.symptom = "gpu.fault";
  out.title = "GPU fault";
  out.state = verdict::SymptomState::Root;
  out.accuses = true;
  out.entity = {model::EntityKind::Gpu, node + "/0000:04:00"};
  out.node = node;
  out.proof.rule = "demo.gpu";
  return out;
}

verdict::Verdict attributed(const std::vector<std::string>& nodes) {
  verdict::Verdict out;
  out.status = model::VerdictStatus::Attributed;
  out.outcome = model::Outcome::Failed;
  out.confidence = model::Band::Likely;
  for (const std::string& node : nodes) {
    out.root_causes.push_back(static_cast<std::uint32_t>(out.symptoms.size()));
    out.symptoms.push_back(fault(node));
  }
  out.affected_nodes = nodes;
  return out;
}

Json printed(const verdict::Verdict& verdict) {
  return Json::parse(v1_attribution(verdict))["attributions"];
}

TEST_CASE("an accused node has its causes, and nobody else is listed") {
  verdict::Verdict v = attributed({"node-b"});
  v.root_causes.push_back(1);
  v.symptoms.push_back(fault("node-c"));  // A root cause that does not accuse its node.
  v.symptoms[1].accuses = false;
  const Json out = printed(v);
  REQUIRE(out.size() == 2);
  CHECK(out[0]["type"] == "NodeAttribution");
  CHECK(out[0]["node"] == "node-b");
  REQUIRE(out[0]["attributions"].size() == 1);
  CHECK(out[0]["attributions"][0]["symptom"] == "gpu.fault");
  CHECK(out[0]["attributions"][0]["rule"] == "demo.gpu");
  CHECK(out[0]["attributions"][0]["first"].is_null());  // Its time is not known.
  CHECK(out[1]["type"] == "JobAttribution");
  CHECK(out[1]["status"] == "attributed");
}

TEST_CASE("a verdict without an accused node has the job's entry alone") {
  verdict::Verdict v = attributed({"node-b"});
  v.affected_nodes.clear();
  v.status = model::VerdictStatus::Ambiguous;
  const Json out = printed(v);
  REQUIRE(out.size() == 1);
  CHECK(out[0]["type"] == "JobAttribution");
  CHECK(out[0]["accused_nodes"] == 0);
}

TEST_CASE("a node that no single symptom accuses still has what is said of the whole") {
  verdict::Verdict v = attributed({"node-b"});
  v.affected_nodes = {"node-x"};
  const Json out = printed(v);
  CHECK(out[0]["node"] == "node-x");
  CHECK(out[0]["attributions"][0]["type"] == "VerdictAttribution");
}

TEST_CASE("the answer is bounded and says how many there are") {
  std::vector<std::string> nodes;
  for (int i = 0; i < 1100; ++i) nodes.push_back(fmt::format("n{:04}", i));
  verdict::Verdict v = attributed(nodes);
  for (int i = 0; i < 20; ++i) {
    v.root_causes.push_back(static_cast<std::uint32_t>(v.symptoms.size()));
    v.symptoms.push_back(fault("n0000"));
  }
  const Json out = printed(v);
  CHECK(out.size() == kMaxV1Nodes + 1);
  CHECK(out[0]["attributions"].size() == kMaxV1Causes);
  CHECK(out.back()["accused_nodes"] == 1100);
}

TEST_CASE("when it was seen first is one time, or the bounds of it") {
  verdict::Verdict v = attributed({"node-b"});
  constexpr model::Nanos kAt = 1'779'107'465'120'000'000;
  v.symptoms[0].begin = model::moment_at(kAt, 250 * model::kMillisecond);
  Json cause = printed(v)[0]["attributions"][0];
  CHECK(cause["first"] == "2026-05-18T12:31:05.12Z");
  CHECK(cause["first_until"].is_null());
  v.symptoms[0].begin.hi += 60 * model::kSecond;
  cause = printed(v)[0]["attributions"][0];
  CHECK(cause["first"] == "2026-05-18T12:31:05.12Z");
  CHECK(cause["first_until"] == "2026-05-18T12:32:05.12Z");
}

}  // namespace
}  // namespace attrib::service
