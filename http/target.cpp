#include "http/target.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"

namespace attrib::http {
namespace {

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Nothing if an escape is damaged.
std::optional<std::string> decode(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex(text[i + 1]);
      const int low = hex(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

bool valid_utf8(std::string_view text) {
  std::size_t escaped = 0;
  escape_invalid_utf8(text, &escaped);
  return escaped == 0;
}

// An absolute target is what a proxy is sent; servers must take it too (RFC 9112, 3.2.2).
std::string_view without_authority(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const std::size_t path = target.find_first_of("/?", scheme.size());
    return path == std::string_view::npos ? std::string_view("/") : target.substr(path);
  }
  return target;
}

std::optional<Refusal> add_pair(std::string_view pair, std::map<std::string, std::string>& query) {
  const std::size_t equals = pair.find('=');
  auto name = decode(pair.substr(0, equals), true);
  auto value = equals == std::string_view::npos ? std::string() : decode(pair.substr(equals + 1), true);
  if (!name || !value) return Refusal{400, "the query of the request holds a damaged percent escape"};
  for (const std::string& text : {*name, *value}) {
    if (text.find('\0') != std::string::npos) return Refusal{400, "the query of the request holds a zero byte"};
    if (!valid_utf8(text)) return Refusal{400, "the query of the request is not UTF-8"};
  }
  query.insert_or_assign(std::move(*name), std::move(*value));
  return std::nullopt;
}

}  // namespace

std::variant<Target, Refusal> parse_target(std::string_view target) {
  if (target.find('#') != std::string_view::npos) return Refusal{400, "the target of the request holds a `#`"};
  target = without_authority(target);
  const std::size_t question = target.find('?');
  const std::string_view raw_path = target.substr(0, question);
  auto path = decode(raw_path.empty() && question == 0 ? "/" : raw_path, false);
  if (!path) return Refusal{400, "the path of the request holds a damaged percent escape"};
  if (!path->starts_with('/')) return Refusal{400, "the target of the request is not a path"};
  // A line break in a path would be one in every log that names it.
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(path->begin(), path->end(), control)) {
    return Refusal{400, "the path of the request holds a control character"};
  }
  if (!valid_utf8(*path)) return Refusal{400, "the path of the request is not UTF-8"};
  Target result;
  result.path = std::move(*path);
  std::string_view rest = question == std::string_view::npos ? std::string_view() : target.substr(question + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    if (end > 0) {
      if (auto refusal = add_pair(rest.substr(0, end), result.query)) return *refusal;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return result;
}

}  // namespace attrib::http
