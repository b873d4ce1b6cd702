#include "http/reply.h"

#include <utility>

#include "http/connection.h"

namespace attrib::http {
namespace {

class Promise {
 public:
  Promise(std::shared_ptr<Gate> gate, std::weak_ptr<Connection> connection, std::uint64_t request, BudgetShare share)
      : gate_(std::move(gate)), connection_(std::move(connection)), request_(request), share_(std::move(share)) {}
  Promise(const Promise&) = delete;
  Promise& operator=(const Promise&) = delete;
  ~Promise() {
    try {
      deliver(std::nullopt);
    } catch (...) {  // Out of memory: the client's own time-out has to do.
    }
  }

  // Nothing: the handler forgot it.
  void deliver(std::optional<Response> response) {
    if (done_.exchange(true)) return;
    share_.reset();
    // Held for the hand-over only: past it the server may end, and the connection's last owner must not be here then.
    const std::lock_guard lock(gate_->mutex);
    if (!gate_->open) return;
    if (const auto connection = connection_.lock()) connection->answer(request_, std::move(response));
  }

 private:
  const std::shared_ptr<Gate> gate_;
  const std::weak_ptr<Connection> connection_;
  const std::uint64_t request_;
  BudgetShare share_;
  std::atomic<bool> done_{false};
};

}  // namespace

Reply reply_to(std::shared_ptr<Gate> gate, std::weak_ptr<Connection> connection, std::uint64_t request,
               BudgetShare share) {
  auto promise = std::make_shared<Promise>(std::move(gate), std::move(connection), request, std::move(share));
  return [promise = std::move(promise)](Response response) { promise->deliver(std::move(response)); };
}

}  // namespace attrib::http
