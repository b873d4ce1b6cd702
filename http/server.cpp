#include "http/server.h"

#include <csignal>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "http/connection.h"
#include "http/hub.h"
#include "http/listen.h"
#include "http/tls.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

namespace attrib::http {
namespace {

using Context = std::shared_ptr<boost::asio::ssl::context>;

class AsioServer : public Server {
 public:
  AsioServer(ServerOptions options, Handler* handler)
      : io_(std::make_unique<boost::asio::io_context>(static_cast<int>(std::max(1U, options.threads)))),
        hub_(std::move(options), handler) {}
  AsioServer(const AsioServer&) = delete;
  AsioServer& operator=(const AsioServer&) = delete;
  ~AsioServer() override;

  Status listen();
  void start() override;
  [[nodiscard]] std::vector<std::string> addresses() const override;
  Status reload_tls() override;
  [[nodiscard]] std::optional<Validity> certificate() const override;
  bool drain(std::chrono::milliseconds most) override;
  [[nodiscard]] ServerStats stats() const override;

 private:
  void run();
  std::unique_ptr<Stream> make_stream(Socket socket);

  std::unique_ptr<boost::asio::io_context> io_;
  Hub hub_;
  mutable std::mutex tls_mutex_;
  Context tls_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::vector<std::string> addresses_;
  std::vector<std::thread> threads_;
};

// The order matters: late replies are shut out, the threads end, and only then what they used.
AsioServer::~AsioServer() {
  {
    const std::lock_guard lock(hub_.gate->mutex);
    hub_.gate->open = false;
  }
  io_->stop();
  for (std::thread& thread : threads_) thread.join();
  listeners_.clear();
  hub_.registry.clear();
  io_.reset();  // Drops the callbacks that wait, and with them the last connections.
}

Status AsioServer::listen() {
  if (hub_.options.tls) {
    if (Status loaded = reload_tls(); !loaded) return loaded;
  }
  if (hub_.options.listen.empty()) return Error{"no address to listen on"};
  for (const std::string& text : hub_.options.listen) {
    ATTRIB_TRY(const ListenAddress address, parse_listen(text));
    auto listener =
        std::make_unique<Listener>(io_.get(), &hub_, [this](Socket socket) { return make_stream(std::move(socket)); });
    if (Status opened = listener->open(address); !opened) return opened;
    addresses_.push_back(listener->address());
    listeners_.push_back(std::move(listener));
  }
  return Done{};
}

std::unique_ptr<Stream> AsioServer::make_stream(Socket socket) {
  if (!hub_.options.tls) return plain_stream(std::move(socket));
  const std::lock_guard lock(tls_mutex_);
  return tls_stream(std::move(socket), tls_);
}

void AsioServer::start() {
  if (!threads_.empty()) return;
  for (const auto& listener : listeners_) listener->start();
  // Signals are for the program's own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (unsigned i = 0; i < std::max(1U, hub_.options.threads); ++i) threads_.emplace_back([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void AsioServer::run() {
  const auto work = boost::asio::make_work_guard(*io_);
  while (true) {
    try {
      io_->run();
      return;
    } catch (...) {  // Callbacks catch their own; whatever is left must not end the other connections.
    }
  }
}

std::vector<std::string> AsioServer::addresses() const { return addresses_; }

Status AsioServer::reload_tls() {
  if (!hub_.options.tls) return Done{};
  ATTRIB_TRY(Context fresh, tls_context(*hub_.options.tls));
  const std::lock_guard lock(tls_mutex_);
  tls_ = std::move(fresh);
  return Done{};
}

std::optional<Validity> AsioServer::certificate() const {
  if (!hub_.options.tls) return std::nullopt;
  const std::lock_guard lock(tls_mutex_);
  return validity(*tls_);
}

bool AsioServer::drain(std::chrono::milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  hub_.draining = true;
  for (const auto& listener : listeners_) {
    if (threads_.empty()) {
      listener->stop();
      continue;
    }
    // Waited for, so that no connection comes after the list of them is taken.
    auto stopped = std::make_shared<std::promise<void>>();
    boost::asio::post(listener->executor(), [&listener, stopped] {
      listener->stop();
      stopped->set_value();
    });
    stopped->get_future().wait();
  }
  for (const auto& connection : hub_.registry.all()) connection->drain();
  const auto left = until - std::chrono::steady_clock::now();
  return hub_.registry.wait_idle(
      std::max(std::chrono::duration_cast<std::chrono::milliseconds>(left), std::chrono::milliseconds(0)));
}

ServerStats AsioServer::stats() const {
  ServerStats stats;
  stats.connections = hub_.registry.size();
  stats.accepted = hub_.accepted;
  stats.refused = hub_.refused;
  stats.body_bytes = hub_.bodies->used();
  return stats;
}

}  // namespace

Result<std::unique_ptr<Server>> Server::open(ServerOptions options, Handler* handler) {
  try {
    auto server = std::make_unique<AsioServer>(std::move(options), handler);
    if (Status listening = server->listen(); !listening) return listening.error();
    return std::unique_ptr<Server>(std::move(server));
  } catch (const std::exception& error) {  // No descriptor left for epoll, say.
    return Error{std::string("cannot start the server: ") + error.what()};
  }
}

}  // namespace attrib::http
