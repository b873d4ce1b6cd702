// The pure parts: heads, targets, framing, chunks, compressed bodies.

#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "http/address.h"
#include "http/body.h"
#include "http/chunked.h"
#include "http/head.h"
#include "http/head_scan.h"
#include "http/inflate.h"
#include "http/response.h"
#include "http/server.h"
#include "http/target.h"
#include "http/test_support.h"

namespace attrib::http {
namespace {

unsigned head_status(const std::string& bytes) {
  HeadScanner scanner;
  if (!scanner.scan(bytes)) return scanner.refusal() ? scanner.refusal()->status : 0;
  const auto head = parse_head(std::string_view(bytes).substr(scanner.begin(), scanner.end() - scanner.begin()));
  const auto* refusal = std::get_if<Refusal>(&head);
  return refusal ? refusal->status : 200;
}

unsigned with_fields(const std::string& fields, const std::string& version = "1.1") {
  return head_status("POST /x HTTP/" + version + "\r\nHost: t\r\n" + fields + "\r\n");
}

std::string path_of(const std::string& target) {
  const auto parsed = parse_target(target);
  const auto* good = std::get_if<Target>(&parsed);
  return good ? good->path : "refused";
}

std::map<std::string, std::string> query_of(const std::string& target) {
  const auto parsed = parse_target(target);
  const auto* good = std::get_if<Target>(&parsed);
  return good ? good->query : std::map<std::string, std::string>{{"refused", ""}};
}

struct Body {
  unsigned status = 0;  // 0: more is needed.
  std::string text;
  std::size_t used = 0;
};

// Fed in pieces of `piece` bytes.
Body read_body(const Framing& framing, const std::string& encoding, const std::string& bytes, std::size_t limit,
               std::size_t piece = 7, std::shared_ptr<Budget> budget = std::make_shared<Budget>(1U << 30U)) {
  BodyReader reader(framing, encoding, limit, std::move(budget));
  Body result;
  while (result.used < bytes.size() && !reader.done() && !reader.refusal()) {
    result.used += reader.read(std::string_view(bytes).substr(result.used, piece));
  }
  if (reader.refusal()) result.status = reader.refusal()->status;
  if (reader.done()) {
    result.status = 200;
    result.text = reader.take_body();
  }
  return result;
}

Framing of_length(std::size_t length) {
  Framing framing;
  framing.length = length;
  return framing;
}

Framing in_chunks() {
  Framing framing;
  framing.chunked = true;
  return framing;
}

}  // namespace

TEST_CASE("a head is found however its bytes are cut") {
  const std::string bytes = "\r\nGET / HTTP/1.1\r\nHost: t\r\n\r\nnext";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    HeadScanner scanner;
    const bool early = scanner.scan(std::string_view(bytes).substr(0, cut));
    CHECK(early == (cut >= bytes.size() - 4));
    if (!early) CHECK(scanner.scan(bytes));
    CHECK(scanner.begin() == 2);
    CHECK(scanner.end() == bytes.size() - 4);
  }
}

TEST_CASE("what no head may hold is refused at that byte") {
  CHECK(head_status(std::string("\x16\x03\x01", 3)) == 400);  // A TLS hello.
  CHECK(head_status("GET / HTTP/1.1\n") == 400);
  CHECK(head_status("GET / HTTP/1.1\rX") == 400);
  CHECK(head_status(std::string("GET /\0", 6)) == 400);
  CHECK(head_status(" GET / HTTP/1.1\r\n") == 400);
  CHECK(head_status("GET / HTTP/1.1\r\nHost: t\r\nA: b\r\n c\r\n\r\n") == 400);
  CHECK(head_status("GET / HTTP/1.1\r\nHost: t\r\n") == 0);
}

TEST_CASE("a head of 16 KiB is taken, a longer one is not") {
  const std::string begin = "GET / HTTP/1.1\r\nHost: t\r\nA: ";
  const std::string end = "\r\n\r\n";
  const std::size_t fill = HeadScanner::kMost - begin.size() - end.size();
  CHECK(head_status(begin + std::string(fill, 'x') + end) == 200);
  CHECK(head_status(begin + std::string(fill + 1, 'x') + end) == 431);
  CHECK(head_status("GET /" + std::string(20'000, 'x')) == 431);
}

TEST_CASE("a request line is refused unless it is one of HTTP/1.0 or 1.1") {
  for (const char* line :
       {"GET /", "GET / HTTP/2.0", "GET / HTTP/0.9", "GET  / HTTP/1.1", "GET / HTTP/1.1 ", "G(T / HTTP/1.1",
        "/ HTTP/1.1", "PRI * HTTP/2.0", "GET x HTTP/1.1", "CONNECT a:1 HTTP/1.1", "OPTIONS * HTTP/1.1"}) {
    INFO(line);
    CHECK(head_status(std::string(line) + "\r\nHost: t\r\n\r\n") == 400);
  }
  CHECK(head_status("BREW /pot HTTP/1.1\r\nHost: t\r\n\r\n") == 200);
  CHECK(head_status("GET / HTTP/1.0\r\n\r\n") == 200);
}

TEST_CASE("fields that two readers could understand in two ways are refused") {
  for (const char* fields : {"Content-Length: 1\r\nContent-Length: 2\r\n",
                             "Content-Length: 1\r\nContent-Length: 1\r\n",
                             "Content-Length: 1, 1\r\n",
                             "Content-Length: +1\r\n",
                             "Content-Length: -1\r\n",
                             "Content-Length: 0x1\r\n",
                             "Content-Length: 1 2\r\n",
                             "Content-Length:\r\n",
                             "Content-Length: 99999999999999999999\r\n",
                             "Content-Length : 1\r\n",
                             "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
                             "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n",
                             "Transfer-Encoding: gzip\r\nContent-Length: 1\r\n",
                             "Transfer-Encoding: gzip, chunked\r\n",
                             "Transfer-Encoding: chunked, identity\r\n",
                             "Transfer-Encoding: xchunked\r\n",
                             "Transfer-Encoding: identity\r\n",
                             "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                             "Transfer-Encoding : chunked\r\n",
                             "Transfer-Encoding: \"chunked\"\r\n",
                             "Host: other\r\n",
                             ": x\r\n",
                             "no colon\r\n",
                             "A\xff: x\r\n"}) {
    INFO(fields);
    CHECK(with_fields(fields) == 400);
  }
  CHECK(with_fields("Transfer-Encoding: chunked\r\n", "1.0") == 400);
  CHECK(with_fields("Transfer-Encoding: Chunked \r\n") == 200);
  CHECK(with_fields("Content-Length: 17\r\n") == 200);
  CHECK(head_status("GET / HTTP/1.1\r\n\r\n") == 400);  // No Host.
}

TEST_CASE("a head is a value with lower-case names and joined repetitions") {
  auto parsed = parse_head(
      "PUT /a%20b?x=1&y=a+b%26&x=2&z HTTP/1.1\r\nHOST: t\r\nAccept:  a \r\naccept: b\r\nContent-Length: 5\r\n"
      "Expect: 100-Continue\r\nConnection: foo, Close\r\n\r\n");
  const Head& head = std::get<Head>(parsed);
  CHECK(head.request.method == "PUT");
  CHECK(head.request.path == "/a b");
  CHECK(head.request.query == std::map<std::string, std::string>{{"x", "2"}, {"y", "a b&"}, {"z", ""}});
  CHECK(head.request.header("accept") == "a, b");
  CHECK(head.request.header("nothing").empty());
  CHECK(head.request.length == 5U);
  CHECK(head.framing.expects_continue);
  CHECK_FALSE(head.framing.keep_alive);
}

TEST_CASE("paths and queries are decoded once, and damage is refused") {
  CHECK(path_of("/a%2Fb%25") == "/a/b%");
  CHECK(path_of("/a+b") == "/a+b");
  CHECK(path_of("http://host:1/x?y") == "/x");
  CHECK(path_of("http://host") == "/");
  CHECK(path_of("https://host?a=b") == "/");
  CHECK(path_of("/\xc3\xa4%C3%A4") == "/\xc3\xa4\xc3\xa4");
  for (const char* bad :
       {"", "*", "x", "/%", "/%4", "/%zz", "/%00", "/%0a", "/%7f", "/%ff", "/%c0%80", "/a#b", "ftp://h/"}) {
    INFO(bad);
    CHECK(path_of(bad) == "refused");
  }
  CHECK(query_of("/?a=%0A&&=x&b==") == std::map<std::string, std::string>{{"", "x"}, {"a", "\n"}, {"b", "="}});
  CHECK(query_of("/?").empty());
  for (const char* bad : {"/?a=%", "/?%4=1", "/?a=%00", "/?a=%ff"}) CHECK(query_of(bad).count("refused") == 1);
}

TEST_CASE("chunks are joined however they are cut, and what follows is left alone") {
  const std::string bytes = "5;a=\"b\"\r\nhello\r\n00000001\r\n \r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nGET";
  for (std::size_t piece = 1; piece < bytes.size() + 1; ++piece) {
    const Body body = read_body(in_chunks(), "", bytes, 100, piece);
    CHECK(body.status == 200);
    CHECK(body.text == "hello 0123456789");
    CHECK(body.used == bytes.size() - 3);
  }
}

TEST_CASE("damaged chunks are refused") {
  for (const char* bad :
       {"x", "\r\n", "5 \r\nhello\r\n", " 5\r\nhello\r\n", "5\nhello\r\n", "5\r\nhelloo", "5\r\nhello\n", "-1\r\n",
        "0x5\r\nhello", "5\rX", "5;\nx", "ffffffffffffffffff\r\n", "0\r\n x: y\r\n", "0\r\nx\n", "0\r\n\rX"}) {
    INFO(bad);
    CHECK(read_body(in_chunks(), "", bad, 100, 1).status == 400);
  }
}

TEST_CASE("chunks that are nearly all envelope are refused") {
  CHECK(read_body(in_chunks(), "", "1;" + std::string(20'000, 'x'), 100).status == 400);
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "1;" + std::string(60, 'x') + "\r\ny\r\n";
  CHECK(read_body(in_chunks(), "", many, 1'000'000).status == 400);
  CHECK(read_body(in_chunks(), "", "0\r\nA: " + std::string(20'000, 'x'), 100).status == 400);
}

TEST_CASE("a body over its limit is refused: at once if its length says so") {
  CHECK(read_body(of_length(100), "", std::string(100, 'x'), 100).status == 200);
  CHECK(BodyReader(of_length(101), "", 100, std::make_shared<Budget>(1000)).refusal()->status == 413);
  const Body chunked =
      read_body(in_chunks(), "", "60\r\n" + std::string(0x60, 'x') + "\r\nfff\r\n" + std::string(50, 'y'), 100);
  CHECK(chunked.status == 413);
  CHECK(read_body(of_length(0), "", "", 0).status == 200);
}

TEST_CASE("compressed bodies are taken however they are cut, in all their dresses") {
  const std::string text = "the quick brown fox " + std::string(100'000, 'x') + " jumps";
  for (const auto& [encoding, window] : {std::pair{"gzip", 31}, {"x-gzip", 31}, {"deflate", 15}, {"Deflate", -15}}) {
    const std::string bytes = deflated(text, window);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{50}, bytes.size()}) {
      const Body body = read_body(of_length(bytes.size()), encoding, bytes, 1'000'000, piece);
      CHECK(body.status == 200);
      CHECK(body.text == text);
    }
  }
  const std::string members = deflated("one ") + deflated("") + deflated("two");
  CHECK(read_body(of_length(members.size()), "gzip", members, 100, 3).text == "one two");
  CHECK(read_body(of_length(3), "identity", "abc", 100).text == "abc");
}

TEST_CASE("a damaged, short or overlong compressed body is refused") {
  const std::string good = deflated("hello hello hello");
  std::string damaged = good;
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 0x55);
  const std::string short_one = good.substr(0, good.size() - 1);
  const std::string tail = good + "tail";
  const std::string zlib_tail = deflated("x", 15) + "x";
  CHECK(read_body(of_length(damaged.size()), "gzip", damaged, 1000).status == 400);
  CHECK(read_body(of_length(short_one.size()), "gzip", short_one, 1000).status == 400);
  CHECK(read_body(of_length(tail.size()), "gzip", tail, 1000).status == 400);
  CHECK(read_body(of_length(zlib_tail.size()), "deflate", zlib_tail, 1000).status == 400);
  CHECK(read_body(of_length(5), "gzip", "plain", 1000).status == 400);
  CHECK(read_body(of_length(5), "br", "plain", 1000).status == 415);
  CHECK(read_body(of_length(5), "gzip, gzip", "plain", 1000).status == 415);
}

TEST_CASE("the limit counts decompressed bytes, to the byte") {
  const std::string bytes = deflated(std::string(50'000, 'x'));
  CHECK(read_body(of_length(bytes.size()), "gzip", bytes, 50'000).status == 200);
  CHECK(read_body(of_length(bytes.size()), "gzip", bytes, 49'999).status == 413);
  const std::string two = deflated(std::string(40, 'x')) + deflated(std::string(40, 'x'));
  CHECK(read_body(of_length(two.size()), "gzip", two, 79).status == 413);
}

TEST_CASE("the budget is taken as bytes come and given back") {
  const auto budget = std::make_shared<Budget>(1000);
  {
    BodyReader first(of_length(900), "", 1000, budget);
    CHECK(budget->used() == 0);
    first.read(std::string(600, 'x'));
    CHECK(budget->used() == 600);
    BodyReader second(of_length(900), "", 1000, budget);
    CHECK_FALSE(second.refusal());
    second.read(std::string(401, 'x'));
    CHECK(second.refusal()->status == 429);
    first.read(std::string(300, 'x'));
    CHECK(first.done());
    const BudgetShare share = first.take_share();
    CHECK(budget->used() == 900);
  }
  CHECK(budget->used() == 0);
  const auto large = std::make_shared<Budget>(100'000);
  const std::string bytes = deflated(std::string(100'000, 'x'));
  CHECK(read_body(of_length(bytes.size()), "gzip", bytes, 1'000'000, 7, large).status == 429);
  CHECK(large->used() == 0);
}

TEST_CASE("the head of a response cannot be broken open by a value") {
  Response response{404, "text/plain", "abc", {{"X", "a\r\nSet-Cookie: b"}}};
  const std::string head =
      head_of(response, true, std::chrono::system_clock::time_point(std::chrono::seconds(784111777)));
  CHECK(head ==
        "HTTP/1.1 404 Not Found\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: text/plain\r\nContent-Length: "
        "3\r\n"
        "Connection: keep-alive\r\nX: a  Set-Cookie: b\r\n\r\n");
  CHECK(head_of(Response{204, "text/plain", "", {}}, false, {}).find("Content-") == std::string::npos);
}

TEST_CASE("listen addresses are numeric, and loopback is known") {
  CHECK(parse_listen("[::1]:80").value().host == "::1");
  CHECK(parse_listen("localhost:80").value().host == "127.0.0.1");
  for (const char* bad :
       {"", "1.2.3.4", "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:-1", "::1:80", "[1.2.3.4]:1", "example.org:80", ":80"}) {
    INFO(bad);
    CHECK_FALSE(parse_listen(bad).ok());
  }
  for (const char* yes : {"127.0.0.1:8000", "127.9.9.9:1", "[::1]:0", "localhost:1"}) CHECK(is_loopback(yes));
  for (const char* no : {"0.0.0.0:8000", "[::]:1", "10.0.0.1:1", "example.org:1", "nonsense"})
    CHECK_FALSE(is_loopback(no));
}

}  // namespace attrib::http
