#pragma once

// One client: reads requests one after the other, hands them to the handler, writes the answers. All of it runs on the
// executor of its socket (a strand if the server has several threads), so nothing here is locked; other threads call
// post-ing functions only. Private to the room.
//
//     Handshake -> Idle -> Head -> Body -> Handling -> Writing -> Idle ...
//                                                             \-> Lingering -> closed
//
// The next request is not read before the last one is answered: a client that sends and does not read fills its own
// socket and nothing here.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http/body.h"
#include "http/head.h"
#include "http/head_scan.h"
#include "http/hub.h"
#include "http/stream.h"

#include <boost/asio/steady_timer.hpp>

namespace attrib::http {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Hub* hub, std::unique_ptr<Stream> stream, std::string peer);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // From any thread:
  void start();
  void turn_away();  // Instead of start(): answers 503 and closes.
  void drain();
  void answer(std::uint64_t request, std::optional<Response> response);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Phase { Handshake, Idle, Head, Body, Handling, Writing, Lingering, Closed };

  // What is known of the request under way.
  struct Current {
    std::optional<Head> head;
    std::unique_ptr<BodyReader> body;
    Clock::time_point begun;
    std::size_t bytes_in = 0;
    bool keep_alive = false;
    std::string limit_name;  // Of its body.
  };

  // connection.cpp: requests
  void begin();
  void next_request();
  void proceed();
  void read();
  void on_read(const boost::system::error_code& error, std::size_t size);
  void on_end_of_input();
  void look_for_head();
  void on_head(std::size_t begin, std::size_t end);
  void admit_body(const Admission& admission);
  void read_body();
  void refuse_body(const Refusal& refusal);
  void hand_over();

  // connection_answer.cpp: answers, and how a connection ends
  void on_answer(std::uint64_t request, std::optional<Response> response);
  void refuse(unsigned status, const std::string& detail);
  void write(Response response, bool keep_alive);
  void on_written(unsigned status, const std::string& reason, const boost::system::error_code& error, std::size_t size);
  void part();
  void linger();
  void discard();
  void on_discarded(const boost::system::error_code& error, std::size_t size);
  void close();
  void set_deadline(std::chrono::milliseconds from_now);
  void no_deadline() { deadline_ = Clock::time_point::max(); }
  void wait_for_deadline();
  void on_deadline();

  [[nodiscard]] std::string_view unread() const;
  void consume(std::size_t size);

  // `step` as a callback that keeps the connection alive, and ends it should `step` throw.
  template <typename Step>
  auto guarded(Step step) {
    return [self = shared_from_this(), step](auto&&... arguments) {
      try {
        step(*self, arguments...);
      } catch (...) {
        self->close();
      }
    };
  }

  Hub* const hub_;
  std::unique_ptr<Stream> stream_;
  const std::string peer_;
  boost::asio::steady_timer timer_;
  Clock::time_point deadline_ = Clock::time_point::max();
  Clock::time_point timer_at_ = Clock::time_point::max();  // When the timer wakes.
  Phase phase_ = Phase::Handshake;
  bool reading_ = false;
  bool continuing_ = false;    // "100 Continue" is being written.
  std::uint64_t request_ = 0;  // Counts them, so that a late second reply is told from the first.
  Current current_;
  HeadScanner scanner_;
  std::vector<char> in_;  // [0, in_size_) has come and is not used yet.
  std::size_t in_size_ = 0;
  std::string out_head_;
  std::string out_body_;
  BudgetShare out_share_;
  std::size_t discarded_ = 0;
};

}  // namespace attrib::http
