#include "http/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "http/server.h"

namespace attrib::http {
namespace {

std::optional<std::uint16_t> parse_port(std::string_view text) {
  if (text.empty() || text.size() > 5) return std::nullopt;
  std::uint32_t port = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    port = port * 10 + static_cast<std::uint32_t>(c - '0');
  }
  if (port > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

bool is_v4(const std::string& host) {
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool is_v6(const std::string& host) {
  in6_addr address{};
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

}  // namespace

Result<ListenAddress> parse_listen(const std::string& text) {
  const auto wrong = [&](std::string_view why) { return Error{fmt::format("listen `{}`: {}", text, why)}; };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return wrong("no port, expected `ADDRESS:PORT`");
  const auto port = parse_port(std::string_view(text).substr(colon + 1));
  if (!port) return wrong("the port is not a number of 0 to 65535");
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host == "localhost" && !bracketed) host = "127.0.0.1";
  if (bracketed ? is_v6(host) : is_v4(host)) return ListenAddress{host, *port};
  if (is_v6(host)) return wrong("an IPv6 address is written in brackets");
  return wrong("not a numeric address, and names other than `localhost` are not looked up");
}

bool is_loopback(const std::string& listen) {
  const auto parsed = parse_listen(listen);
  if (!parsed) return false;
  const std::string& host = parsed.value().host;
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24U == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace attrib::http
