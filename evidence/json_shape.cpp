#include "evidence/json_shape.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace attrib::evidence {
namespace {

constexpr std::string_view kMessage = "\"message\":\"";
constexpr std::string_view kTime = "\"ts\":";
constexpr std::string_view kNumber = "\"seq\":";

// Bytes at which the reading of a head stops: a line end, a backslash, and a quote in front of a
// letter with which one of the three names begins.
bool stops_head(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == '\n' || c == '\\') return true;
  if (c != '"' || at + 1 == text.size()) return false;
  const char next = text[at + 1];
  return next == 'm' || next == 't' || next == 's';
}

bool stops_message(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

#if defined(__SSE2__)

constexpr std::size_t kLane = 16;

__m128i load(std::string_view text, std::size_t at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
}

__m128i equal(__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); }

std::size_t find_head_stop(std::string_view text, std::size_t at) {
  for (; at + kLane < text.size(); at += kLane) {
    const __m128i here = load(text, at), next = load(text, at + 1);
    const __m128i letter =
        _mm_or_si128(_mm_or_si128(equal(next, 'm'), equal(next, 't')), equal(next, 's'));
    const __m128i name = _mm_and_si128(equal(here, '"'), letter);
    const __m128i stop = _mm_or_si128(name, _mm_or_si128(equal(here, '\n'), equal(here, '\\')));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(stop));
    if (mask != 0) return at + static_cast<std::size_t>(std::countr_zero(mask));
  }
  while (at < text.size() && !stops_head(text, at)) ++at;
  return at;
}

std::size_t find_message_stop(std::string_view text, std::size_t at) {
  const __m128i last_control = _mm_set1_epi8(0x1F);
  for (; at + kLane <= text.size(); at += kLane) {
    const __m128i here = load(text, at);
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(here, last_control), here);
    const __m128i stop = _mm_or_si128(control, _mm_or_si128(equal(here, '"'), equal(here, '\\')));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(stop));
    if (mask != 0) return at + static_cast<std::size_t>(std::countr_zero(mask));
  }
  while (at < text.size() && !stops_message(text[at])) ++at;
  return at;
}

#else

std::size_t find_head_stop(std::string_view text, std::size_t at) {
  while (at < text.size() && !stops_head(text, at)) ++at;
  return at;
}

std::size_t find_message_stop(std::string_view text, std::size_t at) {
  while (at < text.size() && !stops_message(text[at])) ++at;
  return at;
}

#endif

bool is_short_escape(char c) {
  constexpr std::string_view kShort = "\"\\bfnrt";
  return kShort.find(c) != std::string_view::npos;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The value behind the name at `at`: `*value` is what is written between the quotes, or the number.
// Returns where it ends with its quote, or npos.
std::size_t read_time(std::string_view text, std::size_t at, std::string_view* value) {
  constexpr std::size_t kLongest = 40;
  at += kTime.size();
  if (at == text.size()) return std::string_view::npos;
  const bool quoted = text[at] == '"';
  if (quoted) ++at;
  std::size_t end = at;
  const std::size_t limit = std::min(text.size(), at + kLongest);
  const auto goes_on = [quoted](char c) {
    return is_digit(c) || c == '.' ||
           (quoted && (c == '-' || c == ':' || c == 'T' || c == 'Z' || c == '+' || c == ' '));
  };
  while (end < limit && goes_on(text[end])) ++end;
  *value = text.substr(at, end - at);
  if (value->empty() || end == text.size()) return std::string_view::npos;
  if (!quoted) return end;
  return text[end] == '"' ? end + 1 : std::string_view::npos;
}

std::size_t read_number(std::string_view text, std::size_t at, std::string_view* value) {
  constexpr std::size_t kLongest = 18;  // Digits of a number that surely fits.
  at += kNumber.size();
  std::size_t end = at;
  while (end < text.size() && end - at < kLongest && is_digit(text[end])) ++end;
  *value = text.substr(at, end - at);
  return value->empty() || end == text.size() ? std::string_view::npos : end;
}

// Up to where the message begins; npos: not of the shape.
std::size_t read_head(std::string_view text, JsonShape* out) {
  std::size_t cut = 0, pieces = 0;
  std::size_t at = 1;
  while (true) {
    at = find_head_stop(text, at);
    if (at == text.size() || text[at] != '"') return std::string_view::npos;
    const std::string_view rest = text.substr(at);
    std::string_view* value = nullptr;
    std::size_t end = 0;
    if (rest.starts_with(kMessage)) {
      at += kMessage.size();
      out->head[pieces] = text.substr(cut, at - cut);
      return at;
    }
    if (rest.starts_with(kTime)) {
      value = &out->ts;
      if (!value->empty()) return std::string_view::npos;
      end = read_time(text, at, value);
    } else if (rest.starts_with(kNumber)) {
      value = &out->seq;
      if (!value->empty()) return std::string_view::npos;
      end = read_number(text, at, value);
    } else {
      ++at;
      continue;
    }
    if (end == std::string_view::npos) return std::string_view::npos;
    const auto from = static_cast<std::size_t>(value->data() - text.data());
    out->head[pieces++] = text.substr(cut, from - cut);
    cut = from + value->size();
    at = end;
  }
}

// Up to its closing quote; npos: not of the shape.
std::size_t read_message(std::string_view text, std::size_t at, bool* escapes) {
  while (true) {
    at = find_message_stop(text, at);
    if (at >= text.size()) return std::string_view::npos;
    if (text[at] == '"') return at;
    if (text[at] != '\\' || at + 1 == text.size() || !is_short_escape(text[at + 1]))
      return std::string_view::npos;
    *escapes = true;
    at += 2;
  }
}

}  // namespace

std::optional<JsonShape> read_json_shape(std::string_view text) {
  if (!text.starts_with("{\"")) return std::nullopt;
  JsonShape out;
  const std::size_t begin = read_head(text, &out);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::size_t quote = read_message(text, begin, &out.escapes);
  if (quote == std::string_view::npos) return std::nullopt;
  out.message = text.substr(begin, quote - begin);
  std::size_t at = quote + 1;
  if (at == text.size() || text[at] != '}') return std::nullopt;
  out.line = text.substr(0, ++at);
  if (at < text.size() && text[at] == '\r') ++at;
  if (at < text.size() && text[at] != '\n') return std::nullopt;
  out.end = std::min(at + 1, text.size());
  return out;
}

bool has_odd_escape(std::string_view line) {
  for (std::size_t at = line.find('\\'); at != std::string_view::npos; at = line.find('\\', at)) {
    if (at + 1 == line.size() || !is_short_escape(line[at + 1])) return true;
    at += 2;
  }
  return false;
}

}  // namespace attrib::evidence
