#include "http/listen.h"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/strand.hpp>

#include <fmt/format.h>

#include "http/connection.h"

namespace attrib::http {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// A burst of clients waits in the kernel's queue, which cuts this down to net.core.somaxconn.
constexpr int kBacklog = 16 * 1024;
// Without descriptors or memory a waiting client stays ready to be accepted: trying at once would spin.
constexpr std::chrono::milliseconds kPause{50};
// Turned-away clients are given a moment to read why; past so many at once they are just closed.
constexpr std::size_t kTurnedAway = 128;

}  // namespace

boost::asio::any_io_executor own_executor(boost::asio::io_context& context, unsigned threads) {
  if (threads <= 1) return context.get_executor();
  return boost::asio::make_strand(context);
}

Listener::Listener(boost::asio::io_context* context, Hub* hub, MakeStream make_stream)
    : context_(context),
      hub_(hub),
      make_stream_(std::move(make_stream)),
      acceptor_(own_executor(*context, hub->options.threads)),
      pause_(acceptor_.get_executor()) {}

Status Listener::open(const ListenAddress& address) {
  error_code error;
  const auto host = boost::asio::ip::make_address(address.host, error);
  const tcp::endpoint endpoint(host, address.port);
  if (!error) acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  // So that "0.0.0.0:8000" and "[::]:8000" can both be asked for, and mean the same on every machine.
  if (!error && host.is_v6()) acceptor_.set_option(boost::asio::ip::v6_only(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(kBacklog, error);
  if (!error) acceptor_.non_blocking(true, error);
  if (error) {
    return Error{fmt::format("cannot listen on `{}:{}`: {}",
                             host.is_v6() ? fmt::format("[{}]", address.host) : address.host, address.port,
                             error.message())};
  }
  return Done{};
}

std::string Listener::address() const {
  error_code error;
  const tcp::endpoint endpoint = acceptor_.local_endpoint(error);
  const std::string host = endpoint.address().to_string();
  return fmt::format("{}:{}", endpoint.address().is_v6() ? fmt::format("[{}]", host) : host, endpoint.port());
}

void Listener::start() {
  boost::asio::dispatch(acceptor_.get_executor(), [this] { accept(); });
}

void Listener::stop() {
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
}

void Listener::accept() {
  if (!acceptor_.is_open()) return;
  acceptor_.async_accept(own_executor(*context_, hub_->options.threads),
                         [this](const error_code& error, Socket socket) { on_accept(error, std::move(socket)); });
}

void Listener::on_accept(const error_code& error, Socket socket) {
  if (!acceptor_.is_open()) return;
  if (!error) {
    try {
      welcome(std::move(socket));
    } catch (...) {  // Out of memory for one more: the socket is closed, the others go on.
    }
    return accept();
  }
  if (error == boost::asio::error::connection_aborted || error == boost::asio::error::interrupted) return accept();
  pause_.expires_after(kPause);
  pause_.async_wait([this](const error_code& cancelled) {
    if (!cancelled) accept();
  });
}

void Listener::welcome(Socket socket) {
  error_code error;
  const tcp::endpoint peer = socket.remote_endpoint(error);
  if (error) return;  // Gone already.
  socket.set_option(tcp::no_delay(true), error);
  const std::size_t open = hub_->registry.size();
  const bool full = open >= hub_->options.connections;
  ++(full ? hub_->refused : hub_->accepted);
  if (full && (hub_->options.tls || open >= hub_->options.connections + kTurnedAway)) return;
  auto connection = std::make_shared<Connection>(hub_, make_stream_(std::move(socket)), peer.address().to_string());
  hub_->registry.add(connection);
  try {
    full ? connection->turn_away() : connection->start();
  } catch (...) {
    hub_->registry.remove(connection.get());
    throw;
  }
}

}  // namespace attrib::http
