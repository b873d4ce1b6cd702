#include "service/verdicts.h"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "service/test_service.h"

namespace attrib::service {
namespace {

constexpr std::size_t kBudget = 4096;

// One observation.
std::string text_of(std::size_t bytes) {
  return R"({"ts":"2026-05-18T08:00:00Z","source":"kernel","node":"n1","message":")" + std::string(bytes, 'x') + "\"}\n";
}

// Verdicts of one worker, whose budget of bytes is enough for one big flight at a time.
class TestVerdicts {
 public:
  TestVerdicts() {
    std::ofstream(folder_ / "sample.rbc", std::ios::binary) << sample_program_bytes();
    auto rulesets = Rulesets::open({{"default", folder_ / "sample.rbc"}});
    REQUIRE(rulesets.ok());
    rulesets_ = std::move(rulesets).value();
    store_ = store::opened(folder_ / "a.db");
    options_.verdict_bytes = kBudget;
    verdicts_ = std::make_unique<Verdicts>(
        Api::Parts{store_.get(), rulesets_.get(), &tokens_, &metrics_, &log_, []() -> Status { return Done{}; }},
        options_, &workers_);
  }

  // The worker does nothing else until the promise is kept.
  std::promise<void> hold() {
    std::promise<void> out;
    workers_.go_on(Workers::Lane::Verdict, [until = std::make_shared<std::future<void>>(out.get_future())] { until->wait(); });
    return out;
  }

  std::string session() { return store::good(store::create(*store_)).id; }
  void ask(const std::string& session, Verdicts::Then then) { verdicts_->of_session(session, {}, "", std::move(then)); }
  void ask_of_text(Verdicts::Then then) {
    verdicts_->of_texts(rulesets_->find("default"), R"({"schema":"attrib.evidence/1"})", text_of(kBudget / 2), 1, {}, std::move(then));
  }
  [[nodiscard]] int failures() const { return failures_; }

 private:
  store::Folder folder_;
  std::unique_ptr<Rulesets> rulesets_;
  std::unique_ptr<store::Store> store_;
  Tokens tokens_;
  Metrics metrics_;
  int failures_ = 0;  // Written by the worker, read once it is idle.
  Log log_{Level::Error, true, [this](std::string_view line) { failures_ += line.find("verdict_failed") != std::string_view::npos; }};
  ApiOptions options_;
  std::unique_ptr<Verdicts> verdicts_;
  Workers workers_{1, 100};  // Ends first.
};

class Answered {
 public:
  Verdicts::Then then() {
    return [promise = promise_](const PrintedOrProblem& outcome) {
      const auto* problem = std::get_if<Problem>(&outcome);
      promise->set_value(problem == nullptr ? "" : problem->detail);
    };
  }
  // Empty: with a verdict.
  std::string problem() {
    auto future = promise_->get_future();
    REQUIRE(future.wait_for(std::chrono::seconds(60)) == std::future_status::ready);
    return future.get();
  }

 private:
  std::shared_ptr<std::promise<std::string>> promise_ = std::make_shared<std::promise<std::string>>();
};

void no_memory(const PrintedOrProblem& /*outcome*/) { throw std::bad_alloc(); }

}  // namespace

TEST_CASE("an answer that cannot be given fails alone: others who wait for the same verdict, or for its memory, have theirs") {
  TestVerdicts verdicts;
  const std::string session = verdicts.session();
  Answered same, later, again;
  auto held = verdicts.hold();
  verdicts.ask_of_text(no_memory);
  verdicts.ask(session, no_memory);
  verdicts.ask(session, same.then());
  verdicts.ask_of_text(later.then());
  held.set_value();
  CHECK(same.problem() == "");
  CHECK(later.problem() == "");
  verdicts.ask(session, again.then());
  CHECK(again.problem() == "");
  CHECK(verdicts.failures() == 2);
}

TEST_CASE("who is not answered lets go of the reply") {
  TestVerdicts verdicts;
  Answered later;
  auto reply = std::make_shared<int>(0);
  const std::weak_ptr<int> held_by_someone = reply;
  verdicts.ask_of_text([reply = std::move(reply)](const PrintedOrProblem& outcome) { no_memory(outcome); });
  verdicts.ask_of_text(later.then());
  CHECK(later.problem() == "");
  CHECK(held_by_someone.expired());
}

}  // namespace attrib::service
