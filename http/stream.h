#pragma once

// The bytes of one connection, plain or through TLS. Private to the room: brings Asio in.
//
// At most one read and one write are under way at once; every callback comes on the socket's executor. Destroying a
// stream ends them.

#include <utility>  // Asio 1.18 forgets it.

#include <array>
#include <functional>
#include <memory>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace boost::asio::ssl {
class context;
}

namespace attrib::http {

using Socket = boost::asio::ip::tcp::socket;
using Pieces = std::array<boost::asio::const_buffer, 2>;

class Stream {
 public:
  using OnBytes = std::function<void(const boost::system::error_code&, std::size_t)>;
  using OnDone = std::function<void(const boost::system::error_code&)>;

  virtual ~Stream() = default;
  virtual Socket& socket() = 0;
  [[nodiscard]] virtual bool secure() const = 0;
  virtual void handshake(OnDone done) = 0;
  virtual void read_some(boost::asio::mutable_buffer into, OnBytes done) = 0;
  virtual void write(const Pieces& pieces, OnBytes done) = 0;
  // Tells the client that nothing more comes; what the client still sends is then read from socket(), raw. No read may
  // be under way.
  virtual void finish(OnDone done) = 0;
};

std::unique_ptr<Stream> plain_stream(Socket socket);
std::unique_ptr<Stream> tls_stream(Socket socket, std::shared_ptr<boost::asio::ssl::context> context);

}  // namespace attrib::http
