#pragma once

// What the connections of one server share. Private to the room.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "http/budget.h"
#include "http/server.h"

namespace attrib::http {

class Connection;

// Closed when the server ends: a reply that comes later must not touch what is gone.
struct Gate {
  std::mutex mutex;
  bool open = true;
};

// The open connections. A connection is `working` until nothing more can come of it: it is closed, or lingers only to
// let its last answer arrive.
class Registry {
 public:
  void add(std::shared_ptr<Connection> connection);
  void rest(const Connection* connection);
  void remove(const Connection* connection);
  void clear();
  [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::vector<std::shared_ptr<Connection>> all() const;
  // Waits until none is working.
  bool wait_idle(std::chrono::milliseconds most);

 private:
  struct Entry {
    std::shared_ptr<Connection> connection;
    bool working = true;
  };
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::unordered_map<const Connection*, Entry> entries_;
  std::size_t working_ = 0;
  std::atomic<std::size_t> size_{0};
};

struct Hub {
  explicit Hub(ServerOptions given, Handler* the_handler)
      : options(std::move(given)),
        handler(the_handler),
        bodies(std::make_shared<Budget>(options.body_budget)),
        answers(std::make_shared<Budget>(options.body_budget)) {}

  const ServerOptions options;
  Handler* const handler;
  const std::shared_ptr<Budget> bodies;
  const std::shared_ptr<Budget> answers;  // Long ones that wait for their clients to read them.
  const std::shared_ptr<Gate> gate = std::make_shared<Gate>();
  Registry registry;
  std::atomic<bool> draining{false};
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> refused{0};
};

// The handler's refuse(), with the status and fields that the server promises, also when the handler throws.
Response refusal_response(Hub& hub, unsigned status, const std::string& detail);

}  // namespace attrib::http
