#pragma once

// Verdicts of sessions: made when somebody asks, once for all who ask at the same time, and kept
// until something changes. What is read for them at once is bounded.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "service/api.h"
#include "service/attribution.h"
#include "service/cache.h"
#include "service/problem.h"
#include "service/workers.h"

namespace attrib::service {

struct Printed {
  std::shared_ptr<const std::string> text;  // Null: it is what the client has (If-None-Match).
  std::string etag;                         // With its quotes.
  std::string digest;                       // Of the program.
};
using PrintedOrProblem = std::variant<Printed, Problem>;

class Verdicts {
 public:
  using Then = std::function<void(PrintedOrProblem)>;

  Verdicts(Api::Parts parts, const ApiOptions& options, Workers* workers);

  // Called on a worker; answers on it or on another one. `known`: the client's If-None-Match, or
  // empty.
  void of_session(const std::string& id, Shape shape, const std::string& known, Then then);
  // Of evidence that is not stored: what ingest made of a body, so many observations.
  void of_texts(std::shared_ptr<const Ruleset> ruleset, std::string header, std::string content,
                std::uint64_t observations, Shape shape, Then then);

 private:
  struct Waiter {
    Shape shape;
    Then then;
  };
  // A verdict that is being made, and who waits for it.
  struct Flight {
    std::string key;
    std::string session;  // Empty: `header` and `content`.
    std::string header, content;
    std::shared_ptr<const Ruleset> ruleset;
    std::uint64_t bytes = 0;  // Of the evidence.
    std::uint64_t observations = 0;
    std::vector<Waiter> waiters;
  };
  using FlightPtr = std::shared_ptr<Flight>;
  struct Judged {
    std::unique_ptr<Judgement> judgement;
    std::uint64_t revision = 0;
  };

  [[nodiscard]] bool exact(const Flight& flight) const;
  [[nodiscard]] std::uint64_t charge(const Flight& flight) const;
  [[nodiscard]] bool big(const Flight& flight) const;
  // With the lock: may it run now? Then it is charged for.
  bool take_bytes(const Flight& flight);
  [[nodiscard]] Problem too_many() const;
  void start(FlightPtr flight);
  void go(const FlightPtr& flight);
  void run(const FlightPtr& flight);
  std::variant<Judged, Problem> judge(const Flight& flight);
  std::variant<Judged, Problem> gathered(const Flight& flight);
  void count(const Flight& flight, const Judgement& judgement, double seconds);
  void answer(const FlightPtr& flight, const std::variant<Judged, Problem>& judged);
  PrintedOrProblem answer_of(const Flight& flight, const std::variant<Judged, Problem>& judged, Shape shape,
                             std::map<Shape, Printed>* printed);
  void failed(const Flight& flight);
  std::vector<Waiter> take_waiters(const FlightPtr& flight);
  void release(const FlightPtr& flight);

  Api::Parts parts_;
  ApiOptions options_;
  Workers* workers_;
  Cache cache_;
  std::mutex mutex_;
  std::map<std::string, FlightPtr> flights_;
  std::deque<FlightPtr> waiting_, big_waiting_;  // For bytes.
  std::uint64_t bytes_ = 0, big_bytes_ = 0;      // Charged to flights that run; to the big of them.
  std::uint64_t text_bytes_ = 0;                 // Of texts that wait.
  const std::string start_;  // New at each start: a revision comes again when a backup is restored.
};

}  // namespace attrib::service
