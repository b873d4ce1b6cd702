#include "http/tls.h"

#include "http/stream.h"

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509.h>

namespace attrib::http {
namespace {

using boost::system::error_code;
namespace ssl = boost::asio::ssl;

constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!PSK";

// Of what a client offers, HTTP/1.1; one that offers only other things is answered without.
int choose_protocol(SSL* /*ssl*/, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                    unsigned in_size, void* /*argument*/) {
  constexpr std::string_view kProtocol = "http/1.1";
  for (unsigned at = 0; at < in_size; at += 1U + in[at]) {
    if (in[at] > in_size - at - 1) break;
    if (std::string_view(reinterpret_cast<const char*>(in + at + 1), in[at]) != kProtocol) continue;
    *out = in + at + 1;
    *out_size = in[at];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_NOACK;
}

class TlsStream : public Stream {
 public:
  TlsStream(Socket socket, std::shared_ptr<ssl::context> context)
      : context_(std::move(context)), stream_(std::move(socket), *context_) {}

  Socket& socket() override { return stream_.next_layer(); }
  [[nodiscard]] bool secure() const override { return true; }
  void handshake(OnDone done) override { stream_.async_handshake(ssl::stream_base::server, std::move(done)); }
  void read_some(boost::asio::mutable_buffer into, OnBytes done) override {
    stream_.async_read_some(into, std::move(done));
  }
  void write(const Pieces& pieces, OnBytes done) override {
    boost::asio::async_write(stream_, pieces, std::move(done));
  }
  // Sends close_notify and waits for the client's; a client that still sends data ends the wait with an error.
  void finish(OnDone done) override { stream_.async_shutdown(std::move(done)); }

 private:
  const std::shared_ptr<ssl::context> context_;
  ssl::stream<Socket> stream_;
};

Error wrong(const std::string& file, const std::string& why) { return Error{fmt::format("{}: {}", file, why)}; }

std::int64_t seconds(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? std::int64_t{timegm(&parts)} : 0;
}

// OpenSSL keeps the system's reason to itself.
Status readable(const std::string& file) {
  errno = 0;
  std::FILE* in = std::fopen(file.c_str(), "rb");
  if (!in) return wrong(file, std::generic_category().message(errno));
  std::fclose(in);
  return Done{};
}

}  // namespace

Result<std::shared_ptr<ssl::context>> tls_context(const TlsFiles& files) {
  for (const std::string& file : {files.certificate, files.key}) {
    if (Status found = readable(file); !found) return found.error();
  }
  ERR_clear_error();
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                  SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);  // Idle connections hold less.
  SSL_CTX_set_alpn_select_cb(native, choose_protocol, nullptr);
  if (SSL_CTX_set_cipher_list(native, kCiphers) != 1) return Error{"OpenSSL knows none of the ciphers wanted"};
  error_code error;
  // OpenSSL would ask for the passphrase on the terminal.
  context->set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); }, error);
  context->use_certificate_chain_file(files.certificate, error);
  if (error) return wrong(files.certificate, "no PEM certificate could be read: " + error.message());
  context->use_private_key_file(files.key, ssl::context::pem, error);
  if (error) {
    return wrong(files.key, "no PEM key of the certificate, without passphrase, could be read: " + error.message());
  }
  if (SSL_CTX_check_private_key(native) != 1)
    return wrong(files.key, "the key does not belong to " + files.certificate);
  return context;
}

Validity validity(ssl::context& context) {
  const X509* own = SSL_CTX_get0_certificate(context.native_handle());
  return {seconds(X509_get0_notBefore(own)), seconds(X509_get0_notAfter(own))};
}

std::unique_ptr<Stream> tls_stream(Socket socket, std::shared_ptr<ssl::context> context) {
  return std::make_unique<TlsStream>(std::move(socket), std::move(context));
}

}  // namespace attrib::http
