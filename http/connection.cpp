#include "http/connection.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include "http/reply.h"

namespace attrib::http {
namespace {

using boost::system::error_code;

constexpr std::size_t kHeadPiece = std::size_t{4} * 1024;  // What an idle connection holds.
constexpr std::size_t kBodyPiece = std::size_t{16} * 1024;

}  // namespace

Connection::Connection(Hub* hub, std::unique_ptr<Stream> stream, std::string peer)
    : hub_(hub), stream_(std::move(stream)), peer_(std::move(peer)), timer_(stream_->socket().get_executor()) {}

void Connection::start() {
  boost::asio::dispatch(timer_.get_executor(), guarded([](Connection& self) { self.begin(); }));
}

void Connection::begin() {
  if (phase_ != Phase::Handshake) return;  // The server was drained in the meantime.
  set_deadline(hub_->options.head_time);
  stream_->handshake(guarded([](Connection& self, const error_code& error) {
    if (self.phase_ != Phase::Handshake) return;
    if (error) return self.close();
    self.next_request();
  }));
}

void Connection::drain() {
  boost::asio::post(timer_.get_executor(), guarded([](Connection& self) {
                      if (self.phase_ == Phase::Handshake) return self.close();
                      if (self.phase_ != Phase::Idle) return;  // The answer that is due closes the connection.
                      // A request may be on its way up from the socket: the read says which.
                      error_code ignored;
                      self.stream_->socket().cancel(ignored);
                    }));
}

std::string_view Connection::unread() const { return {in_.data(), in_size_}; }

void Connection::consume(std::size_t size) {
  std::memmove(in_.data(), in_.data() + size, in_size_ - size);
  in_size_ -= size;
  current_.bytes_in += size;
}

void Connection::next_request() {
  current_ = Current{};
  scanner_.restart();
  phase_ = Phase::Idle;
  if (in_.size() > kHeadPiece && in_size_ < kHeadPiece) {
    in_.resize(std::max(in_size_, kHeadPiece));
    in_.shrink_to_fit();
  }
  if (hub_->draining && in_size_ == 0) return part();
  set_deadline(hub_->options.idle_time);
  proceed();
}

// Goes on with what has come.
void Connection::proceed() {
  if (phase_ == Phase::Idle && in_size_ > 0) {
    phase_ = Phase::Head;
    current_.begun = Clock::now();
    set_deadline(hub_->options.head_time);
  }
  if (phase_ == Phase::Head) return look_for_head();
  if (phase_ == Phase::Body) return read_body();
  if (phase_ == Phase::Idle) return read();
}

void Connection::read() {
  const std::size_t piece = phase_ == Phase::Body ? kBodyPiece : kHeadPiece;
  if (in_.size() < in_size_ + piece) in_.resize(in_size_ + piece);
  reading_ = true;
  stream_->read_some(
      boost::asio::buffer(in_.data() + in_size_, piece),
      guarded([](Connection& self, const error_code& error, std::size_t size) { self.on_read(error, size); }));
}

void Connection::on_read(const error_code& error, std::size_t size) {
  reading_ = false;
  in_size_ += size;
  if (phase_ == Phase::Lingering) return linger();
  // A time-out has begun to answer: what came is of no use.
  if (phase_ != Phase::Idle && phase_ != Phase::Head && phase_ != Phase::Body) return;
  if (error == boost::asio::error::operation_aborted && hub_->draining && phase_ == Phase::Idle) {
    error_code ignored;
    return stream_->socket().available(ignored) > 0 ? read() : part();
  }
  if (error == boost::asio::error::eof) return on_end_of_input();
  if (error) return close();
  proceed();
}

void Connection::on_end_of_input() {
  if (phase_ == Phase::Body) return refuse(400, "the body of the request ends early");
  if (phase_ == Phase::Head && scanner_.begun()) return refuse(400, "the head of the request ends early");
  close();
}

void Connection::look_for_head() {
  if (scanner_.scan(unread())) return on_head(scanner_.begin(), scanner_.end());
  if (scanner_.refusal()) return refuse(scanner_.refusal()->status, scanner_.refusal()->detail);
  read();
}

void Connection::on_head(std::size_t begin, std::size_t end) {
  auto parsed = parse_head(unread().substr(begin, end - begin));
  consume(end);
  current_.begun = Clock::now();
  if (const auto* refusal = std::get_if<Refusal>(&parsed)) return refuse(refusal->status, refusal->detail);
  current_.head = std::move(std::get<Head>(parsed));
  current_.keep_alive = current_.head->framing.keep_alive;
  current_.head->request.peer = peer_;
  current_.head->request.secure = stream_->secure();
  Admission admission;
  try {
    admission = hub_->handler->admit(current_.head->request);
  } catch (...) {
    return refuse(500, "the request could not be looked at");
  }
  admit_body(admission);
}

void Connection::admit_body(const Admission& admission) {
  const Framing& framing = current_.head->framing;
  if (admission.refusal) return write(*admission.refusal, current_.keep_alive && !framing.has_body());
  current_.body = std::make_unique<BodyReader>(framing, current_.head->request.header("content-encoding"),
                                               admission.body_limit, hub_->bodies);
  current_.limit_name = admission.limit_name;
  if (const auto& refusal = current_.body->refusal()) return refuse_body(*refusal);
  phase_ = Phase::Body;
  set_deadline(hub_->options.body_time);
  if (!framing.expects_continue || !framing.has_body() || in_size_ > 0) return read_body();
  continuing_ = true;
  out_head_ = "HTTP/1.1 100 Continue\r\n\r\n";
  stream_->write({boost::asio::buffer(out_head_), {}},
                 guarded([](Connection& self, const error_code& error, std::size_t /*size*/) {
                   self.continuing_ = false;
                   if (self.phase_ != Phase::Body) return;
                   if (error) return self.close();
                   self.read_body();
                 }));
}

void Connection::read_body() {
  BodyReader& body = *current_.body;
  if (in_size_ > 0 && !body.done()) consume(body.read(unread()));
  if (const auto& refusal = body.refusal()) return refuse_body(*refusal);
  if (body.done()) return hand_over();
  read();
}

void Connection::refuse_body(const Refusal& refusal) {
  std::string detail = refusal.detail;
  if (refusal.status == 413 && !current_.limit_name.empty()) detail += " (" + current_.limit_name + ")";
  refuse(refusal.status, detail);
}

void Connection::hand_over() {
  phase_ = Phase::Handling;
  no_deadline();
  ++request_;
  Request request{current_.head->request, current_.body->take_body()};
  Reply reply = reply_to(hub_->gate, weak_from_this(), request_, current_.body->take_share());
  current_.body.reset();
  try {
    hub_->handler->handle(std::move(request), reply);
  } catch (...) {
    reply(refusal_response(*hub_, 500, "the request could not be handled"));
  }
}

}  // namespace attrib::http
