#pragma once

// One listening socket and the loop that accepts from it. Private to the room.

#include "http/hub.h"
#include "http/stream.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>

#include "base/result.h"
#include "http/address.h"

namespace attrib::http {

class Listener {
 public:
  using MakeStream = std::function<std::unique_ptr<Stream>(Socket)>;

  Listener(boost::asio::io_context* context, Hub* hub, MakeStream make_stream);

  Status open(const ListenAddress& address);
  [[nodiscard]] std::string address() const;
  void start();
  void stop();  // Only on the listener's executor, or before and after the threads run.
  [[nodiscard]] boost::asio::any_io_executor executor() { return acceptor_.get_executor(); }

 private:
  void accept();
  void on_accept(const boost::system::error_code& error, Socket socket);
  void welcome(Socket socket);

  boost::asio::io_context* const context_;
  Hub* const hub_;
  const MakeStream make_stream_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
};

// Where a connection's callbacks run: one after the other, whatever the number of threads.
boost::asio::any_io_executor own_executor(boost::asio::io_context& context, unsigned threads);

}  // namespace attrib::http
