#include "verdict/narrate.h"

#include <doctest/doctest.h>

#include "verdict/samples_test.h"

using namespace attrib;
using namespace attrib::verdict;

namespace {
std::string summary(Verdict v) {
  narrate(v);
  return v.summary;
}
}  // namespace

TEST_CASE("an attributed verdict names the cause, its place and its lead") {
  CHECK(summary(samples::faulty_link()) ==
        "NVLink signal integrity fault on node-b (GPU 0000:04:00, link 8), 9m55s before the job "
        "failed");
}

TEST_CASE("without a known end the lead is left out") {
  Verdict v = samples::faulty_link();
  v.job_end.reset();
  CHECK(summary(v) == "NVLink signal integrity fault on node-b (GPU 0000:04:00, link 8)");
  Symptom end = v.symptoms[1];
  end.role = model::Role::End;
  end.begin = samples::at(32 * model::kMinute + 5 * model::kSecond);
  v.symptoms.push_back(end);
  CHECK(
      summary(v) ==
      "NVLink signal integrity fault on node-b (GPU 0000:04:00, link 8), 1m before the job failed");
}

TEST_CASE("a cause that began somewhere in a range has at most that lead") {
  Verdict v = samples::faulty_link();
  v.symptoms[0].begin = model::shifted(v.symptoms[0].begin, -10 * model::kMinute, 0);
  CHECK(summary(v).ends_with(", at most 19m55s before the job failed"));
}

TEST_CASE("an ambiguous verdict names what ties") {
  CHECK(summary(samples::tied()) ==
        "Two unrelated causes fit equally well: NVLink signal integrity fault on node-b (GPU "
        "0000:04:00, link 8), "
        "Lustre client evicted on node-d");
}

TEST_CASE("an unattributed verdict says so and gives the first sign") {
  Verdict v = samples::faulty_link();
  v.status = model::VerdictStatus::Unattributed;
  v.root_causes.clear();
  v.symptoms = {samples::victim(17, "node-c")};
  v.symptoms[0].state = SymptomState::Unexplained;
  v.symptoms[0].demoted_by.clear();
  CHECK(summary(v) ==
        "Not attributed: the job failed; first sign: NCCL watchdog time-out on rank 17 (node-c)");
  v.symptoms.clear();
  CHECK(summary(v) == "Not attributed: the job failed; nothing in the evidence says why");
}

TEST_CASE("a completed job is no failure, whatever was seen on the way") {
  Verdict v = samples::faulty_link();
  v.status = model::VerdictStatus::NoFailure;
  v.outcome = model::Outcome::Completed;
  v.root_causes.clear();
  CHECK(summary(v) == "The job completed; 2 symptoms seen on the way did not stop it");
  v.symptoms.clear();
  CHECK(summary(v) == "The job completed");
}

TEST_CASE("one fault told by many ranks is one thing to say") {
  Verdict v = samples::large_job(100, 8);
  v.root_causes.clear();
  for (std::uint32_t i = 1; i <= 100; ++i) v.root_causes.push_back(i);
  v.job_end.reset();
  CHECK(summary(v) == "NCCL watchdog time-out on 100 ranks of 13 nodes");
}
