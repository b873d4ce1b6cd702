#include "http/stream.h"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace attrib::http {
namespace {

using boost::system::error_code;

class PlainStream : public Stream {
 public:
  explicit PlainStream(Socket socket) : socket_(std::move(socket)) {}

  Socket& socket() override { return socket_; }
  [[nodiscard]] bool secure() const override { return false; }
  void handshake(OnDone done) override {
    boost::asio::post(socket_.get_executor(), [done = std::move(done)] { done({}); });
  }
  void read_some(boost::asio::mutable_buffer into, OnBytes done) override {
    socket_.async_read_some(into, std::move(done));
  }
  void write(const Pieces& pieces, OnBytes done) override {
    boost::asio::async_write(socket_, pieces, std::move(done));
  }
  void finish(OnDone done) override {
    error_code error;
    socket_.shutdown(Socket::shutdown_send, error);
    boost::asio::post(socket_.get_executor(), [done = std::move(done), error] { done(error); });
  }

 private:
  Socket socket_;
};

}  // namespace

std::unique_ptr<Stream> plain_stream(Socket socket) { return std::make_unique<PlainStream>(std::move(socket)); }

}  // namespace attrib::http
