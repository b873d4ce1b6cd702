#include "evidence/json_shape.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace attrib::evidence {
namespace {

constexpr std::string_view kMessage = "\"message\":\"";
constexpr std::string_view kTime = "\"ts\":";
constexpr std::string_view kNumber = "\"seq\":";

// Where the reading of a head stops: at a line end, a backslash, and a quote in front of the letters
// with which one of the three names begins.
bool stops_head(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == '\n' || c == '\\') return true;
  if (c != '"' || at + 2 >= text.size()) return false;
  const char one = text[at + 1], two = text[at + 2];
  return (one == 'm' && two == 'e') || (one == 't' && two == 's') || (one == 's' && two == 'e');
}

bool stops_string(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_of_time(char c) {
  return is_digit(c) || c == '.' || c == '-' || c == ':' || c == 'T' || c == 'Z' || c == '+' || c == ' ';
}

#if defined(__SSE2__)

constexpr std::size_t kLane = 16;

__m128i load(std::string_view text, std::size_t at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
}

__m128i equal(__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); }

template <typename... More>
__m128i any_of(__m128i one, More... more) {
  ((one = _mm_or_si128(one, more)), ...);
  return one;
}

unsigned bits(__m128i bytes) { return static_cast<unsigned>(_mm_movemask_epi8(bytes)); }

// The first byte from `at` on that `stops` marks, or from where on there are too few to be looked at
// at once: `stops` reads so many bytes `beyond` its own.
template <typename Stops>
std::size_t find_stop(std::string_view text, std::size_t at, std::size_t beyond, const Stops& stops) {
  for (; at + 2 * kLane + beyond <= text.size(); at += 2 * kLane) {
    const unsigned mask = bits(stops(at)) | bits(stops(at + kLane)) << kLane;
    if (mask != 0) return at + static_cast<std::size_t>(std::countr_zero(mask));
  }
  return at;
}

std::size_t skip_head(std::string_view text, std::size_t at) {
  return find_stop(text, at, 2, [text](std::size_t from) {
    const __m128i here = load(text, from), one = load(text, from + 1), two = load(text, from + 2);
    const auto are = [&](char a, char b) { return _mm_and_si128(equal(one, a), equal(two, b)); };
    const __m128i name = any_of(are('m', 'e'), are('t', 's'), are('s', 'e'));
    return any_of(_mm_and_si128(equal(here, '"'), name), equal(here, '\n'), equal(here, '\\'));
  });
}

std::size_t skip_string(std::string_view text, std::size_t at) {
  return find_stop(text, at, 0, [text](std::size_t from) {
    const __m128i here = load(text, from);
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(here, _mm_set1_epi8(0x1F)), here);
    return any_of(control, equal(here, '"'), equal(here, '\\'));
  });
}

// As far as this is all of a quoted time.
std::size_t skip_time(std::string_view text, std::size_t at) {
  if (at + 2 * kLane > text.size()) return at;
  const auto outside = [text](std::size_t from) {
    const __m128i here = load(text, from);
    const __m128i number = _mm_sub_epi8(here, _mm_set1_epi8('0'));
    const __m128i digit_or_colon = _mm_cmpeq_epi8(_mm_min_epu8(number, _mm_set1_epi8(10)), number);
    return ~bits(any_of(digit_or_colon, equal(here, '.'), equal(here, '-'), equal(here, 'T'),
                        equal(here, 'Z'), equal(here, '+'), equal(here, ' ')));
  };
  const std::uint32_t mask = (outside(at) & 0xFFFFU) | outside(at + kLane) << kLane;
  return at + static_cast<std::size_t>(std::countr_zero(mask));
}

std::size_t skip_to_quoted_m(std::string_view text, std::size_t at) {
  return find_stop(text, at, 1, [text](std::size_t from) {
    return _mm_and_si128(equal(load(text, from), '"'), equal(load(text, from + 1), 'm'));
  });
}

#else

constexpr std::size_t kLane = 16;
std::size_t skip_to_quoted_m(std::string_view, std::size_t at) { return at; }
std::size_t skip_head(std::string_view, std::size_t at) { return at; }
std::size_t skip_string(std::string_view, std::size_t at) { return at; }
std::size_t skip_time(std::string_view, std::size_t at) { return at; }

#endif

// The first quote in front of an m, or the end.
std::size_t find_quoted_m(std::string_view text, std::size_t at) {
  at = skip_to_quoted_m(text, at);
  while (at + 1 < text.size() && !(text[at] == '"' && text[at + 1] == 'm')) ++at;
  return at + 1 < text.size() ? at : text.size();
}

// `word` is a constant: its size is known where this is inlined.
inline bool begins_with(std::string_view text, std::size_t at, std::string_view word) {
  return std::memcmp(text.data() + at, word.data(), word.size()) == 0;
}

std::size_t find_head_stop(std::string_view text, std::size_t at) {
  at = skip_head(text, at);
  while (at < text.size() && !stops_head(text, at)) ++at;
  return at;
}

}  // namespace

std::size_t find_string_stop(std::string_view text, std::size_t at) {
  at = skip_string(text, at);
  while (at < text.size() && !stops_string(text[at])) ++at;
  return at;
}

namespace {

bool is_short_escape(char c) {
  constexpr std::string_view kShort = "\"\\bfnrt";
  return kShort.find(c) != std::string_view::npos;
}

// The value behind the name at `at`: `*value` is what is written between the quotes, or the number.
// Returns where it ends with its quote, or npos.
std::size_t read_time(std::string_view text, std::size_t at, std::string_view* value) {
  constexpr std::size_t kLongest = 40;
  at += kTime.size();
  if (at == text.size()) return std::string_view::npos;
  const bool quoted = text[at] == '"';
  if (quoted) ++at;
  std::size_t end = quoted ? skip_time(text, at) : at;
  const std::size_t limit = std::min(text.size(), at + kLongest);
  const auto goes_on = [quoted](char c) { return quoted ? is_of_time(c) : is_digit(c) || c == '.'; };
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
    at = find_string_stop(text, at);
    if (at >= text.size()) return std::string_view::npos;
    if (text[at] == '"') return at;
    if (text[at] != '\\' || at + 1 == text.size() || !is_short_escape(text[at + 1]))
      return std::string_view::npos;
    *escapes = true;
    at += 2;
  }
}

}  // namespace

bool read_json_message(std::string_view text, std::size_t begin, JsonShape* out) {
  const std::size_t quote = read_message(text, begin, &out->escapes);
  if (quote == std::string_view::npos) return false;
  out->message = text.substr(begin, quote - begin);
  std::size_t at = quote + 1;
  if (at == text.size() || text[at] != '}') return false;
  out->line = text.substr(0, ++at);
  if (at < text.size() && text[at] == '\r') ++at;
  if (at < text.size() && text[at] != '\n') return false;
  out->end = std::min(at + 1, text.size());
  return true;
}

bool read_json_shape(std::string_view text, JsonShape* out) {
  *out = {};
  if (!text.starts_with("{\"")) return false;
  const std::size_t begin = read_head(text, out);
  if (begin == std::string_view::npos) return false;
  return read_json_message(text, begin, out);
}

bool guess_json_head(std::string_view text, JsonShape* out, std::size_t* message) {
  constexpr std::string_view kBegin = "{\"ts\":\"";
  if (text.size() <= kBegin.size() + 2 * kLane || !begins_with(text, 0, kBegin)) return false;
  const std::size_t end = skip_time(text, kBegin.size());
  if (end == kBegin.size() || text[end] != '"') return false;
  const std::size_t name = find_quoted_m(text, end);
  if (name + kMessage.size() > text.size() || !begins_with(text, name, kMessage)) return false;
  *message = name + kMessage.size();
  out->ts = text.substr(kBegin.size(), end - kBegin.size());
  out->seq = {};
  out->escapes = false;
  out->head = {text.substr(0, kBegin.size()), text.substr(end, *message - end), {}};
  return true;
}

bool has_odd_escape(std::string_view line) {
  for (std::size_t at = line.find('\\'); at != std::string_view::npos; at = line.find('\\', at)) {
    if (at + 1 == line.size() || !is_short_escape(line[at + 1])) return true;
    at += 2;
  }
  return false;
}

}  // namespace attrib::evidence
