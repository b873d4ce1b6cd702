#include "service/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "base/random.h"

namespace attrib::service {
namespace {

// An observation that is kept takes so many times the bytes of its text.
constexpr std::uint64_t kExactFactor = 8;
// And beside it so much, with what the run makes of it.
constexpr std::uint64_t kObservationBytes = 3000;

std::string verdict_key(const std::string& session, std::uint64_t revision,
                        const std::string& digest) {
  return fmt::format("{}/{}/{}", session, revision, digest);
}

std::string shaped(const std::string& key, Shape shape) {
  return fmt::format("{}/{}{}", key, word(shape.format), shape.explain ? "/explain" : "");
}

// A revision is a number of its session alone, so the session need not be in it.
std::string etag_of(const std::string& start, std::uint64_t revision, const std::string& digest,
                    Shape shape) {
  constexpr std::string_view kPrefix = "sha256:";
  constexpr std::size_t kDigits = 16;
  const std::string_view all = digest;
  const std::size_t from = all.starts_with(kPrefix) ? kPrefix.size() : 0;
  return fmt::format("\"{}-{}-{}-{}{}\"", start, revision, all.substr(from, kDigits), word(shape.format),
                     shape.explain ? "-explain" : "");
}

// If-None-Match: tags with commas between them, weak or not, or `*`.
bool is_among(std::string_view known, const std::string& etag) {
  if (known == "*") return true;
  for (std::size_t at = known.find(etag); at != std::string_view::npos;
       at = known.find(etag, at + 1)) {
    const std::string_view before = known.substr(0, at);
    if (before.empty() || before.ends_with(' ') || before.ends_with(',') || before.ends_with("W/"))
      return true;
  }
  return false;
}

}  // namespace

Verdicts::Verdicts(Api::Parts parts, const ApiOptions& options, Workers* workers)
    : parts_(std::move(parts)), options_(options), workers_(workers), cache_(options.cache_bytes),
      start_(random_hex(8)) {}

bool Verdicts::exact(const Flight& flight) const {
  return flight.bytes <= options_.verdict_bytes / kExactFactor &&
         flight.observations <= options_.observations;
}

// Small ones always have a quarter of the budget to themselves.
bool Verdicts::big(const Flight& flight) const {
  return charge(flight) > std::max<std::uint64_t>(options_.verdict_bytes / 4, 1);
}

bool Verdicts::take_bytes(const Flight& flight) {
  const std::uint64_t bytes = charge(flight);
  const std::uint64_t all = options_.verdict_bytes;
  if (bytes_ > 0 && bytes_ + bytes > all) return false;
  if (big(flight)) {
    if (big_bytes_ > 0 && big_bytes_ + bytes > all - all / 4) return false;
    big_bytes_ += bytes;
  }
  bytes_ += bytes;
  return true;
}

Problem Verdicts::too_many() const {
  return {413, fmt::format("the evidence has more than {} observations that a verdict would keep, "
                           "which is the limit (setting limits.observations)",
                           options_.observations)};
}

std::uint64_t Verdicts::charge(const Flight& flight) const {
  const std::uint64_t kept = std::min<std::uint64_t>(flight.observations, options_.observations);
  const std::uint64_t bytes =
      (exact(flight) ? flight.bytes * kExactFactor : flight.bytes) + kept * kObservationBytes;
  const std::uint64_t all = options_.verdict_bytes;
  return std::clamp<std::uint64_t>(bytes, 1, std::max<std::uint64_t>(all - all / 4, 1));
}

void Verdicts::of_session(const std::string& id, Shape shape, const std::string& known, Then then) {
  const auto found = parts_.store->session(id);
  if (const auto* failure = std::get_if<store::Failure>(&found)) return then(from_store(*failure));
  const auto& session = std::get<store::Session>(found);
  const auto ruleset = parts_.rulesets->find(session.ruleset);
  if (ruleset == nullptr)
    return then(Problem{503, "the attributor's ruleset is no longer served here", "ruleset"});
  parts_.store->touch(id);
  Printed out{nullptr, etag_of(start_, session.revision, ruleset->digest, shape), ruleset->digest};
  if (is_among(known, out.etag)) return then(std::move(out));
  const std::string key = verdict_key(id, session.revision, ruleset->digest);
  if (auto text = cache_.find(shaped(key, shape))) {
    parts_.metrics->add(Metric::VerdictsCached);
    out.text = std::move(text);
    return then(std::move(out));
  }
  const auto observations = parts_.store->observations(id);
  if (const auto* failure = std::get_if<store::Failure>(&observations))
    return then(from_store(*failure));
  auto flight = std::make_shared<Flight>();
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = flights_.find(key); at != flights_.end()) {
      at->second->waiters.push_back({shape, std::move(then)});
      return;
    }
    flight->key = key;
    flight->session = id;
    flight->ruleset = ruleset;
    flight->bytes = session.bytes + session.header.size();
    flight->observations = std::get<std::uint64_t>(observations);
    flight->waiters.push_back({shape, std::move(then)});
    flights_[key] = flight;
  }
  start(std::move(flight));
}

void Verdicts::of_texts(std::shared_ptr<const Ruleset> ruleset, std::string header,
                        std::string content, std::uint64_t observations, Shape shape,
                        Then then) {
  auto flight = std::make_shared<Flight>();
  flight->ruleset = std::move(ruleset);
  flight->bytes = header.size() + content.size();
  flight->observations = observations;
  flight->header = std::move(header);
  flight->content = std::move(content);
  flight->waiters.push_back({shape, std::move(then)});
  start(std::move(flight));
}

void Verdicts::start(FlightPtr flight) {
  std::vector<Waiter> refused;
  {
    const std::lock_guard lock(mutex_);
    std::deque<FlightPtr>& waiting = big(*flight) ? big_waiting_ : waiting_;
    if (!waiting.empty() || !take_bytes(*flight)) {
      // Texts that are not stored wait in memory: past a bound they are asked to come again.
      const std::uint64_t text = flight->session.empty() ? flight->bytes : 0;
      const bool fits = text == 0 || text_bytes_ + text <= options_.verdict_bytes;
      if (fits && waiting_.size() + big_waiting_.size() < options_.waiting) {
        text_bytes_ += text;
        waiting.push_back(std::move(flight));
        return;
      }
      refused.swap(flight->waiters);
      flights_.erase(flight->key);
    }
  }
  for (const Waiter& each : refused) each.then(busy("too many verdicts are being made (setting limits.verdicts)"));
  if (refused.empty()) go(flight);
}

void Verdicts::run(const FlightPtr& flight) {
  const auto began = std::chrono::steady_clock::now();
  {
    const auto judged = judge(*flight);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    try {
      if (const auto* done = std::get_if<Judged>(&judged))
        count(*flight, *done->judgement, took.count());
    } catch (const std::exception&) {
      failed(*flight);  // To count it: it is answered all the same.
    }
    answer(flight, judged);
  }
  release(flight);
}

std::variant<Verdicts::Judged, Problem> Verdicts::judge(const Flight& flight) {
  try {
    auto out = gathered(flight);
    if (auto* judged = std::get_if<Judged>(&out)) {
      const Status status = judged->judgement->judge();
      if (!status) return about_text(409, status.error().message);
    }
    return out;
  } catch (const std::exception&) {  // No memory is left.
    failed(flight);
    return Problem{500, "the verdict could not be made"};
  }
}

std::variant<Verdicts::Judged, Problem> Verdicts::gathered(const Flight& flight) {
  Judged out{std::make_unique<Judgement>(flight.ruleset, exact(flight), options_.observations),
             0};
  if (flight.session.empty()) {
    Status status = out.judgement->add("body", flight.content);
    if (status) status = out.judgement->add("header", flight.header);
    if (!status && out.judgement->full()) return too_many();
    if (!status) return about_text(422, status.error().message);
    return out;
  }
  Status status = Done{};
  const auto read =
      parts_.store->contents(flight.session, [&](const store::PostInfo& post, std::string content) {
        if (status) status = out.judgement->add(post.id, std::move(content));
      });
  if (const auto* failure = std::get_if<store::Failure>(&read)) return from_store(*failure);
  const auto& session = std::get<store::Session>(read);
  if (status) status = out.judgement->add("header", session.header);
  if (!status && out.judgement->full()) return too_many();
  // What was stored was read before: it is not the client who is wrong.
  if (!status) {
    parts_.log->event(Level::Error, "stored_evidence_unreadable", {{"attributor", flight.session}});
    return Problem{500, "the stored evidence cannot be read"};
  }
  out.revision = session.revision;
  return out;
}

void Verdicts::count(const Flight& flight, const Judgement& judgement, double seconds) {
  const std::string& ruleset = flight.ruleset->name;
  const std::string_view status = model::word(judgement.verdict().status);
  parts_.metrics->add(Metric::Verdicts, 1, {ruleset, status});
  parts_.metrics->observe(Metric::VerdictSeconds, seconds, {ruleset});
  parts_.log->event(Level::Info, "verdict",
                    {{"attributor", flight.session},
                     {"ruleset", ruleset},
                     {"program", flight.ruleset->digest},
                     {"status", std::string(status)},
                     {"lines", judgement.counters().lines},
                     {"seconds", seconds}});
}

std::vector<Verdicts::Waiter> Verdicts::take_waiters(const FlightPtr& flight) {
  const std::lock_guard lock(mutex_);
  std::vector<Waiter> out;
  out.swap(flight->waiters);
  if (out.empty() && !flight->key.empty()) flights_.erase(flight->key);
  return out;
}

// Others may join while the first are answered.
void Verdicts::answer(const FlightPtr& flight, const std::variant<Judged, Problem>& judged) {
  std::map<Shape, Printed> printed;
  for (auto waiters = take_waiters(flight); !waiters.empty(); waiters = take_waiters(flight)) {
    for (Waiter& each : waiters) {
      try {
        each.then(answer_of(*flight, judged, each.shape, &printed));
      } catch (const std::exception&) {  // No memory is left for this one; others may do with less.
        failed(*flight);
      }
      each.then = nullptr;  // A reply that was not given is one, once nobody holds it.
    }
  }
}

PrintedOrProblem Verdicts::answer_of(const Flight& flight, const std::variant<Judged, Problem>& judged, Shape shape,
                                     std::map<Shape, Printed>* printed) {
  if (const auto* problem = std::get_if<Problem>(&judged)) return *problem;
  if (const auto at = printed->find(shape); at != printed->end()) return at->second;
  const auto& done = std::get<Judged>(judged);
  const std::string& digest = flight.ruleset->digest;
  Printed out{std::make_shared<const std::string>(done.judgement->printed(shape)),
              etag_of(start_, done.revision, digest, shape), digest};
  if (!flight.session.empty())
    cache_.put(shaped(verdict_key(flight.session, done.revision, digest), shape), out.text);
  printed->emplace(shape, out);
  return out;
}

void Verdicts::failed(const Flight& flight) {
  try {
    parts_.log->event(Level::Error, "verdict_failed", {{"attributor", flight.session}});
  } catch (const std::exception&) {
    // Nor for a line of the log.
  }
}

void Verdicts::release(const FlightPtr& flight) {
  std::vector<FlightPtr> next;
  {
    const std::lock_guard lock(mutex_);
    bytes_ -= charge(*flight);
    if (big(*flight)) big_bytes_ -= charge(*flight);
    for (std::deque<FlightPtr>* const waiting : {&waiting_, &big_waiting_}) {
      while (!waiting->empty() && take_bytes(*waiting->front())) {
        if (waiting->front()->session.empty()) text_bytes_ -= waiting->front()->bytes;
        next.push_back(std::move(waiting->front()));
        waiting->pop_front();
      }
    }
  }
  for (const FlightPtr& each : next) go(each);
}

void Verdicts::go(const FlightPtr& flight) {
  workers_->go_on(
      big(*flight) ? Workers::Lane::Big : Workers::Lane::Verdict, [this, flight] { run(flight); },
      charge(*flight) >= Workers::kLarge);
}

}  // namespace attrib::service
