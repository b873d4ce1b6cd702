#include "http/response.h"

#include <array>
#include <ctime>
#include <string_view>
#include <utility>

#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

namespace attrib::http {
namespace {

void add_text(std::string_view text, std::string& out) {
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
}

void add_field(std::string_view name, std::string_view value, std::string& out) {
  add_text(name, out);
  out += ": ";
  add_text(value, out);
  out += "\r\n";
}

// As RFC 9110 wants it, whatever the locale.
std::string date_of(std::chrono::system_clock::time_point now) {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays.at(static_cast<std::size_t>(parts.tm_wday)),
                     parts.tm_mday, kMonths.at(static_cast<std::size_t>(parts.tm_mon)), parts.tm_year + 1900,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace

bool has_body(unsigned status) { return status >= 200 && status != 204 && status != 304; }

std::string head_of(const Response& response, bool keep_alive, std::chrono::system_clock::time_point now) {
  const auto known = boost::beast::http::int_to_status(response.status);
  const auto reason = boost::beast::http::obsolete_reason(known);
  std::string out =
      fmt::format("HTTP/1.1 {:03} {}\r\n", response.status, std::string_view(reason.data(), reason.size()));
  add_field("Date", date_of(now), out);
  if (has_body(response.status)) {
    if (!response.content_type.empty()) add_field("Content-Type", response.content_type, out);
    add_field("Content-Length", std::to_string(response.body.size()), out);
  }
  // Said both ways: a client of HTTP/1.0 takes silence for "close".
  add_field("Connection", keep_alive ? "keep-alive" : "close", out);
  for (const auto& [name, value] : response.headers) add_field(name, value, out);
  out += "\r\n";
  return out;
}

}  // namespace attrib::http
