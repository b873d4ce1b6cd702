// TLS: what is offered, what is refused, and new certificates under a running server.

#include <doctest/doctest.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "base/test_folder.h"
#include "http/test_support.h"

namespace attrib::http {
namespace {

using std::chrono::milliseconds;

// A folder of its own with "cert.pem" and "key.pem" in it.
class Folder {
 public:
  [[nodiscard]] TlsFiles files() const { return {path_ / "cert.pem", path_ / "key.pem"}; }

  // A fresh key and a certificate for it by `name`, signed by itself.
  void make_pair(const std::string& name, const char* passphrase = nullptr) const {
    EVP_PKEY* key = EVP_EC_gen("P-256");
    X509* certificate = X509_new();
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME* subject = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(name.c_str()), -1,
                               -1, 0);
    X509_set_issuer_name(certificate, subject);
    X509_sign(certificate, key, EVP_sha256());
    std::FILE* out = std::fopen(files().certificate.c_str(), "w");
    PEM_write_X509(out, certificate);
    std::fclose(out);
    out = std::fopen(files().key.c_str(), "w");
    PEM_write_PrivateKey(out, key, passphrase ? EVP_aes_128_cbc() : nullptr, nullptr, 0, nullptr,
                         const_cast<char*>(passphrase));
    std::fclose(out);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }

 private:
  TestFolder path_;
};

class TlsClient {
 public:
  explicit TlsClient(const std::string& listen, int most_version = TLS1_3_VERSION, const char* ciphers = nullptr)
      : tcp_(listen), context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_security_level(context_, 0);  // The old versions are offered in earnest.
    SSL_CTX_set_min_proto_version(context_, TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context_, most_version);
    if (ciphers) SSL_CTX_set_cipher_list(context_, ciphers);
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL.
    ssl_ = SSL_new(context_);
    SSL_set_fd(ssl_, tcp_.fd());
    const unsigned char protocols[] = "\x02h2\x08http/1.1";
    SSL_set_alpn_protos(ssl_, protocols, sizeof protocols - 1);
    connected_ = SSL_connect(ssl_) == 1;
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;
  ~TlsClient() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
    ERR_clear_error();
  }

  [[nodiscard]] bool connected() const { return connected_; }
  [[nodiscard]] std::string version() const { return SSL_get_version(ssl_); }
  [[nodiscard]] std::string certificate_name() const {
    X509* certificate = SSL_get1_peer_certificate(ssl_);
    char name[64] = "";
    if (certificate) X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
    X509_free(certificate);
    return name;
  }
  [[nodiscard]] std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl_, &name, &size);
    return {reinterpret_cast<const char*>(name), size};
  }
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const int sent = SSL_write(ssl_, bytes.data(), static_cast<int>(std::min<std::size_t>(bytes.size(), 1 << 20)));
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  // Everything until `size` bytes are there or the server ends.
  std::string read(std::size_t size) {
    std::string in;
    char piece[16384];
    int got = 1;
    while (in.size() < size && (got = SSL_read(ssl_, piece, sizeof piece)) > 0)
      in.append(piece, static_cast<std::size_t>(got));
    // What close_notify was sent for, and not a cut line.
    closed_well_ = got <= 0 && SSL_get_error(ssl_, got) == SSL_ERROR_ZERO_RETURN;
    return in;
  }
  [[nodiscard]] bool closed_well() const { return closed_well_; }
  std::string ask(const std::string& request) {
    send(request);
    std::string answer;
    while (answer.find("\r\n\r\n") == std::string::npos) {
      const std::string more = read(1);
      if (more.empty()) return answer;
      answer += more;
    }
    return answer;
  }

 private:
  Client tcp_;
  SSL_CTX* context_;
  SSL* ssl_ = nullptr;
  bool connected_ = false;
  bool closed_well_ = false;
};

ServerOptions with_tls(const Folder& folder) {
  ServerOptions options;
  options.tls = folder.files();
  return options;
}

bool ok(const std::string& answer) { return answer.starts_with("HTTP/1.1 200"); }

}  // namespace

TEST_CASE("requests come through TLS 1.2 and 1.3, and nothing older or weaker") {
  const Folder folder;
  folder.make_pair("one");
  TestHandler handler;
  std::atomic<int> secure{0};
  handler.on_admit = [&](const RequestHead& head) {
    secure += head.secure ? 1 : 0;
    return Admission{std::nullopt, 1 << 20};
  };
  for (const unsigned threads : {1U, 2U}) {
    ServerOptions options = with_tls(folder);
    options.threads = threads;
    const auto server = serve(handler, options);
    TlsClient newest(server->addresses()[0]);
    REQUIRE(newest.connected());
    CHECK(newest.version() == "TLSv1.3");
    CHECK(newest.protocol() == "http/1.1");
    CHECK(ok(newest.ask(get("/a"))));
    CHECK(ok(newest.ask(post("/b", std::string(100'000, 'x')))));
    TlsClient older(server->addresses()[0], TLS1_2_VERSION);
    REQUIRE(older.connected());
    CHECK(older.version() == "TLSv1.2");
    CHECK(ok(older.ask(get("/a", "Connection: close\r\n"))));
    CHECK(older.read(1).empty());
    CHECK(older.closed_well());
    CHECK_FALSE(TlsClient(server->addresses()[0], TLS1_1_VERSION).connected());
    CHECK_FALSE(TlsClient(server->addresses()[0], TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA:AES128-SHA").connected());
    CHECK_FALSE(TlsClient(server->addresses()[0], TLS1_2_VERSION, "aNULL:eNULL").connected());
  }
  CHECK(secure == 6);
}

TEST_CASE("an answer of megabytes and a refusal in the middle of a body arrive through TLS") {
  const Folder folder;
  folder.make_pair("one");
  TestHandler handler;
  handler.on_admit = [](const RequestHead&) { return Admission{std::nullopt, 1000}; };
  handler.on_handle = [](const Request&, const Reply& reply) {
    reply(Response{200, "text/plain", std::string(5'000'000, 'x'), {}});
  };
  const auto server = serve(handler, with_tls(folder));
  TlsClient client(server->addresses()[0]);
  client.send(get("/", "Connection: close\r\n"));
  CHECK(client.read(10'000'000).size() > 5'000'000);
  CHECK(client.closed_well());
  TlsClient sender(server->addresses()[0]);
  sender.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 4000000\r\n\r\n");
  CHECK(sender.send(std::string(4'000'000, 'x')));
  CHECK(sender.read(1).starts_with("HTTP/1.1 413"));
}

TEST_CASE("plain requests and silence at a TLS port are ended") {
  const Folder folder;
  folder.make_pair("one");
  TestHandler handler;
  ServerOptions options = with_tls(folder);
  options.head_time = milliseconds(600);  // Handshakes must fit on a slow machine too.
  options.idle_time = milliseconds(300);
  const auto server = serve(handler, options);
  Client plain(server->addresses()[0]);
  CHECK(plain.ask(get("/")).status == 0);
  Client silent(server->addresses()[0]);
  Client half(server->addresses()[0]);
  half.send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  CHECK(silent.answer().status == 0);
  CHECK(half.answer().status == 0);
  CHECK(eventually([&] { return server->stats().connections == 0; }));
  TlsClient idle(server->addresses()[0]);
  CHECK(ok(idle.ask(get("/"))));
  CHECK(idle.read(1).empty());
  CHECK(idle.closed_well());
  TlsClient slow(server->addresses()[0]);
  slow.send("GET /");
  CHECK(slow.read(1).starts_with("HTTP/1.1 408"));
  CHECK(handler.admitted == 1);
}

TEST_CASE("a new certificate is for new connections, and a bad one for nobody") {
  const Folder folder;
  folder.make_pair("old");
  const Folder other;
  other.make_pair("other");
  TestHandler handler;
  const auto server = serve(handler, with_tls(folder));
  TlsClient before(server->addresses()[0]);
  CHECK(before.certificate_name() == "old");

  folder.make_pair("new");
  CHECK(server->reload_tls().ok());
  TlsClient after(server->addresses()[0]);
  CHECK(after.certificate_name() == "new");
  CHECK(ok(before.ask(get("/"))));
  CHECK(ok(after.ask(get("/"))));

  SUBCASE("a key of another certificate") {
    std::filesystem::copy_file(other.files().key, folder.files().key,
                               std::filesystem::copy_options::overwrite_existing);
  }
  SUBCASE("no certificate") { std::filesystem::remove(folder.files().certificate); }
  SUBCASE("no key") { std::filesystem::remove(folder.files().key); }
  SUBCASE("a damaged certificate") { std::filesystem::resize_file(folder.files().certificate, 100); }
  SUBCASE("a key with a passphrase") { folder.make_pair("locked", "secret"); }
  const Status reloaded = server->reload_tls();
  REQUIRE_FALSE(reloaded.ok());
  CHECK(reloaded.error().message.find(".pem: ") != std::string::npos);
  INFO(reloaded.error().message);
  CHECK(TlsClient(server->addresses()[0]).certificate_name() == "new");
  CHECK(ok(before.ask(get("/"))));
  ServerOptions options = with_tls(folder);
  options.listen = {"127.0.0.1:0"};
  CHECK_FALSE(Server::open(options, &handler).ok());
}

TEST_CASE("a TLS server drains, and may end in the middle of handshakes") {
  const Folder folder;
  folder.make_pair("one");
  TestHandler handler;
  auto server = serve(handler, with_tls(folder));
  TlsClient idle(server->addresses()[0]);
  CHECK(ok(idle.ask(get("/"))));
  Client half(server->addresses()[0]);
  half.send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  CHECK(server->drain(milliseconds(10'000)));
  CHECK(idle.read(1).empty());
  CHECK(idle.closed_well());
  server = serve(handler, with_tls(folder));
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<Client>(server->addresses()[0]));
    clients.back()->send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  }
  server.reset();
}

}  // namespace attrib::http
