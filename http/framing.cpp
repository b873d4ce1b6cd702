#include "http/framing.h"

#include <algorithm>
#include <string_view>

namespace attrib::http {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Digits only: no sign, no list of equal numbers, nothing past what a size can hold.
std::optional<std::size_t> parse_length(std::string_view text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::size_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::size_t>(c - '0');
  }
  return value;
}

bool lists(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (equals_ignoring_case(trim(list.substr(0, end)), token)) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

struct Seen {
  std::size_t lengths = 0;
  std::size_t encodings = 0;
  std::size_t hosts = 0;
  bool close = false;
  bool keep = false;
};

std::optional<Refusal> note(const Field& field, Framing& framing, Seen& seen) {
  const auto& [name, value] = field;
  if (name == "content-length") {
    ++seen.lengths;
    framing.length = parse_length(value);
    if (!framing.length) return Refusal{400, "Content-Length is not a number of bytes"};
  } else if (name == "transfer-encoding") {
    ++seen.encodings;
    framing.chunked = equals_ignoring_case(value, "chunked");
    if (!framing.chunked) return Refusal{400, "Transfer-Encoding is not `chunked`"};
  } else if (name == "host") {
    ++seen.hosts;
  } else if (name == "connection") {
    seen.close = seen.close || lists(value, "close");
    seen.keep = seen.keep || lists(value, "keep-alive");
  } else if (name == "expect") {
    framing.expects_continue = equals_ignoring_case(value, "100-continue");
  }
  return std::nullopt;
}

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::variant<Framing, Refusal> framing_of(const std::vector<Field>& fields, int version) {
  Framing framing;
  Seen seen;
  for (const Field& field : fields) {
    if (auto refusal = note(field, framing, seen)) return *refusal;
  }
  if (seen.lengths > 1) return Refusal{400, "Content-Length is given twice"};
  if (seen.encodings > 1) return Refusal{400, "Transfer-Encoding is given twice"};
  if (seen.lengths + seen.encodings > 1) return Refusal{400, "both Content-Length and Transfer-Encoding are given"};
  if (version < 11 && framing.chunked) return Refusal{400, "HTTP/1.0 knows no Transfer-Encoding"};
  if (seen.hosts > 1) return Refusal{400, "Host is given twice"};
  if (version >= 11 && seen.hosts == 0) return Refusal{400, "an HTTP/1.1 request needs a Host"};
  framing.keep_alive = !seen.close && (version >= 11 || seen.keep);
  framing.expects_continue = framing.expects_continue && version >= 11;
  return framing;
}

}  // namespace attrib::http
