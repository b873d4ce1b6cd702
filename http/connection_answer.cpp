#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include "http/connection.h"
#include "http/response.h"

namespace attrib::http {
namespace {

using boost::system::error_code;

// How much is thrown away after a closing answer: closing at once would reset the connection, and a client that still
// sends would see that instead of the answer.
constexpr std::chrono::milliseconds kLinger{5'000};
constexpr std::size_t kMostDiscarded = std::size_t{64} << 20U;
constexpr std::size_t kDiscardPiece = std::size_t{16} * 1024;

constexpr std::size_t kSmallAnswer = std::size_t{16} * 1024;  // Goes out in one piece with its head.
constexpr std::size_t kLongAnswer = std::size_t{64} * 1024;   // Counted while it waits for its client.

}  // namespace

void Connection::answer(std::uint64_t request, std::optional<Response> response) {
  boost::asio::post(timer_.get_executor(),
                    guarded([request, response = std::make_shared<std::optional<Response>>(std::move(response))](
                                Connection& self) { self.on_answer(request, std::move(*response)); }));
}

void Connection::on_answer(std::uint64_t request, std::optional<Response> response) {
  if (phase_ != Phase::Handling || request != request_) return;
  if (!response) response = refusal_response(*hub_, 500, "the request was dropped");
  out_share_ = BudgetShare(hub_->answers);
  const std::size_t size = response->body.size();
  if (size > kLongAnswer && !out_share_.grow(size, true)) {
    response = refusal_response(*hub_, 429, "too many long answers wait to be read (setting limits.bodies)");
  }
  write(std::move(*response), current_.keep_alive);
}

// The request is not gone through with: what follows it on the connection is not understood.
void Connection::refuse(unsigned status, const std::string& detail) {
  write(refusal_response(*hub_, status, detail), false);
}

void Connection::write(Response response, bool keep_alive) {
  phase_ = Phase::Writing;
  current_.body.reset();
  current_.keep_alive = keep_alive && !hub_->draining;
  set_deadline(hub_->options.write_time);
  out_head_ = head_of(response, current_.keep_alive, std::chrono::system_clock::now());
  out_body_.clear();
  const bool to_head_request = current_.head && current_.head->request.method == "HEAD";
  if (has_body(response.status) && !to_head_request) {
    if (response.body.size() <= kSmallAnswer) {
      out_head_ += response.body;
    } else {
      out_body_ = std::move(response.body);
    }
  }
  stream_->write({boost::asio::buffer(out_head_), boost::asio::buffer(out_body_)},
                 guarded([status = response.status, reason = std::move(response.reason)](
                             Connection& self, const error_code& error, std::size_t size) {
                   self.on_written(status, reason, error, size);
                 }));
}

void Connection::on_written(unsigned status, const std::string& reason, const error_code& error, std::size_t size) {
  std::string().swap(out_body_);
  out_share_.reset();
  const RequestHead* head = current_.head ? &current_.head->request : nullptr;
  const auto took = current_.begun == Clock::time_point() ? Clock::duration() : Clock::now() - current_.begun;
  try {
    hub_->handler->answered(head, status, current_.bytes_in, size, took, reason);
  } catch (...) {  // It only looks on.
  }
  if (phase_ != Phase::Writing) return;
  if (error) return close();
  if (current_.keep_alive) return next_request();
  part();
}

// Ends the connection in good order. Nothing is owed to the client any more.
void Connection::part() {
  phase_ = Phase::Lingering;
  hub_->registry.rest(this);
  set_deadline(kLinger);
  // A read that is under way must be back before another begins.
  if (!reading_) return linger();
  error_code ignored;
  stream_->socket().cancel(ignored);
}

void Connection::linger() {
  stream_->finish(guarded([](Connection& self, const error_code& /*error*/) {
    if (self.phase_ != Phase::Lingering) return;
    error_code ignored;
    self.stream_->socket().shutdown(Socket::shutdown_send, ignored);
    if (self.in_.size() < kDiscardPiece) self.in_.resize(kDiscardPiece);
    self.discard();
  }));
}

void Connection::discard() {
  stream_->socket().async_read_some(
      boost::asio::buffer(in_.data(), kDiscardPiece),
      guarded([](Connection& self, const error_code& error, std::size_t size) { self.on_discarded(error, size); }));
}

void Connection::on_discarded(const error_code& error, std::size_t size) {
  discarded_ += size;
  if (phase_ != Phase::Lingering) return;
  if (error || discarded_ > kMostDiscarded) return close();
  discard();
}

void Connection::turn_away() {
  boost::asio::post(timer_.get_executor(),
                    guarded([](Connection& self) { self.refuse(503, "too many connections are open (setting limits.connections)"); }));
}

void Connection::close() {
  if (phase_ == Phase::Closed) return;
  phase_ = Phase::Closed;
  current_.body.reset();
  error_code ignored;
  stream_->socket().close(ignored);
  timer_.cancel();
  hub_->registry.remove(this);
}

// Deadlines mostly move into the future, so the timer is left to wake too early and look again: cheaper than setting it
// at every step of every request.
void Connection::set_deadline(std::chrono::milliseconds from_now) {
  deadline_ = Clock::now() + from_now;
  if (timer_at_ > deadline_) wait_for_deadline();
}

void Connection::wait_for_deadline() {
  timer_at_ = deadline_;
  timer_.expires_at(timer_at_);
  timer_.async_wait(guarded([](Connection& self, const error_code& error) {
    if (error || self.phase_ == Phase::Closed) return;  // Cancelled: another wait has taken its place.
    self.timer_at_ = Clock::time_point::max();
    self.on_deadline();
  }));
}

void Connection::on_deadline() {
  if (deadline_ == Clock::time_point::max()) return;
  if (Clock::now() < deadline_) return wait_for_deadline();
  switch (phase_) {
    case Phase::Head:
      if (!scanner_.begun()) return close();
      return refuse(408, "the head of the request did not come in time");
    case Phase::Body:
      if (continuing_) return close();
      return refuse(408, "the body of the request did not come in time");
    case Phase::Idle: return part();
    case Phase::Handling:
    case Phase::Closed: return;
    case Phase::Handshake:
    case Phase::Writing:
    case Phase::Lingering: return close();
  }
}

}  // namespace attrib::http
