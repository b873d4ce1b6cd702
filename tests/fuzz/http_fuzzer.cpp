// The bytes of one connection: heads, chunks, compressed bodies, pipelined requests. However they are cut, the same
// requests come out, none of them longer than its limit, and all memory is given back.
//
// The first two bytes choose the cut and the limit; the rest is the stream.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "http/address.h"
#include "http/body.h"
#include "http/head.h"
#include "http/head_scan.h"
#include "http/response.h"

namespace attrib::fuzz {
namespace {

struct Outcome {
  std::vector<std::string> requests;  // Those that were whole.
  bool refused = false;
  bool operator==(const Outcome&) const = default;
};

void check_head(const http::RequestHead& head) {
  ATTRIB_CHECK(head.path.starts_with('/'), "a path that does not begin with a slash");
  ATTRIB_CHECK(head.path.find('\0') == std::string::npos, "a path with a zero byte");
  ATTRIB_CHECK(escape_invalid_utf8(head.path) == head.path, "a path that is not UTF-8");
  for (const auto& [name, value] : head.query) {
    ATTRIB_CHECK(escape_invalid_utf8(name + value) == name + value, "a query that is not UTF-8");
  }
  for (const auto& [name, value] : head.headers) {
    ATTRIB_CHECK((name + value).find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos,
                 "a field with a line break");
    ATTRIB_CHECK(std::none_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; }),
                 "a name that is not in lower case");
  }
}

// What came and is not used yet, as the server keeps it.
class Stream {
 public:
  Stream(std::string_view bytes, std::size_t cut) : rest_(bytes), cut_(cut) {}
  bool more() {
    const std::string_view piece = rest_.substr(0, cut_);
    rest_.remove_prefix(piece.size());
    have_.append(piece);
    return !piece.empty();
  }
  [[nodiscard]] std::string_view have() const { return have_; }
  void consume(std::size_t size) { have_.erase(0, size); }

 private:
  std::string_view rest_;
  std::size_t cut_;
  std::string have_;
};

// False: the stream ended first, or it was refused.
bool read_head(Stream& stream, http::Head& head, bool& refused) {
  http::HeadScanner scanner;
  while (!scanner.scan(stream.have())) {
    refused = scanner.refusal().has_value();
    if (refused || !stream.more()) return false;
  }
  ATTRIB_CHECK(scanner.end() <= http::HeadScanner::kMost, "a head that is too long");
  auto parsed = http::parse_head(stream.have().substr(scanner.begin(), scanner.end() - scanner.begin()));
  stream.consume(scanner.end());
  refused = std::holds_alternative<http::Refusal>(parsed);
  if (!refused) head = std::move(std::get<http::Head>(parsed));
  return !refused;
}

bool read_body(Stream& stream, const http::Head& head, std::size_t limit, const std::shared_ptr<http::Budget>& budget,
               std::string& body, bool& refused) {
  http::BodyReader reader(head.framing, head.request.header("content-encoding"), limit, budget);
  while (true) {
    refused = reader.refusal().has_value();
    if (refused) return false;
    if (reader.done()) break;
    if (stream.have().empty() && !stream.more()) return false;
    stream.consume(reader.read(stream.have()));
  }
  const http::BudgetShare share = reader.take_share();
  body = reader.take_body();
  ATTRIB_CHECK(body.size() <= limit, "a body over its limit");
  ATTRIB_CHECK(budget->used() == body.size(), "a budget that counts something else than the body");
  return true;
}

Outcome read_connection(std::string_view bytes, std::size_t cut, std::size_t limit) {
  Outcome outcome;
  const auto budget = std::make_shared<http::Budget>(std::size_t{1} << 20U);
  Stream stream(bytes, cut);
  while (true) {
    http::Head head;
    std::string body;
    if (!read_head(stream, head, outcome.refused)) break;
    check_head(head.request);
    if (!read_body(stream, head, limit, budget, body, outcome.refused)) break;
    outcome.requests.push_back(head.request.method + ' ' + head.request.path + '\n' + body);
    if (!head.framing.keep_alive) break;
  }
  ATTRIB_CHECK(budget->used() == 0, "a budget that was not given back");
  return outcome;
}

// Whatever a handler copies into a response, its head stays one head.
void check_response(std::string_view bytes) {
  const http::Response response{200, std::string(bytes), "", {{std::string(bytes), std::string(bytes)}}};
  const std::string head = http::head_of(response, true, {});
  ATTRIB_CHECK(head.find("\r\n\r\n") == head.size() - 4, "a head that a value ends");
  const int lines = bytes.empty() ? 6 : 7;  // No Content-Type.
  ATTRIB_CHECK(std::count(head.begin(), head.end(), '\n') == lines, "a head with other lines than its fields");
}

}  // namespace
}  // namespace attrib::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using attrib::fuzz::read_connection;
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t cut = std::size_t{data[0]} % 64 + 1;
  const std::size_t limit = std::size_t{data[1]} * 16;
  const auto whole = read_connection(bytes, std::max<std::size_t>(bytes.size(), 1), limit);
  const auto pieces = read_connection(bytes, cut, limit);
  ATTRIB_CHECK(whole == pieces, "the same bytes cut in another way are other requests");
  if (bytes.size() < 256) {
    attrib::fuzz::check_response(bytes);
    (void)attrib::http::parse_listen(std::string(bytes));
  }
  return 0;
}
