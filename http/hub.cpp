#include "http/hub.h"

#include <algorithm>
#include <utility>

#include "http/framing.h"

namespace attrib::http {

void Registry::add(std::shared_ptr<Connection> connection) {
  const std::lock_guard lock(mutex_);
  const Connection* key = connection.get();
  entries_.emplace(key, Entry{std::move(connection)});
  ++working_;
  size_.store(entries_.size(), std::memory_order_relaxed);
}

void Registry::rest(const Connection* connection) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(connection);
  if (found == entries_.end() || !std::exchange(found->second.working, false)) return;
  if (--working_ == 0) idle_.notify_all();
}

void Registry::remove(const Connection* connection) {
  Entry last;  // Destroyed outside the lock: it may be the last owner.
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(connection);
  if (found == entries_.end()) return;
  last = std::move(found->second);
  entries_.erase(found);
  size_.store(entries_.size(), std::memory_order_relaxed);
  if (last.working && --working_ == 0) idle_.notify_all();
}

void Registry::clear() {
  std::unordered_map<const Connection*, Entry> last;
  const std::lock_guard lock(mutex_);
  last.swap(entries_);
  working_ = 0;
  size_.store(0, std::memory_order_relaxed);
}

std::vector<std::shared_ptr<Connection>> Registry::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Connection>> result;
  result.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) result.push_back(entry.connection);
  return result;
}

bool Registry::wait_idle(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  return idle_.wait_for(lock, most, [this] { return working_ == 0; });
}

Response refusal_response(Hub& hub, unsigned status, const std::string& detail) {
  Response response;
  try {
    response = hub.handler->refuse(status, detail);
  } catch (...) {
    response = Response{};
    response.content_type = "text/plain";
    response.body = detail + "\n";
  }
  response.status = status;
  if (response.reason.empty()) response.reason = detail;
  const bool says_when = std::any_of(response.headers.begin(), response.headers.end(), [](const auto& header) {
    return equals_ignoring_case(header.first, "retry-after");
  });
  if ((status == 429 || status == 503) && !says_when) response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace attrib::http
