#pragma once

// Texts compared in any case: ASCII letters only, which is all that `(?i)` folds of them in bytes.

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace attrib::model {

inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

inline std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = to_lower(c);
  return out;
}

// Does `text`, which has as many bytes as `lower`, read like it? `lower` has no capitals.
inline bool equal_any_case(const char* text, std::string_view lower) {
  for (std::size_t i = 0; i < lower.size(); ++i) {
    if (to_lower(text[i]) != lower[i]) return false;
  }
  return true;
}

// As std::string_view::find().
inline std::size_t find_any_case(std::string_view text, std::string_view lower, std::size_t from) {
  for (std::size_t at = from; at <= text.size() && lower.size() <= text.size() - at; ++at) {
    if (equal_any_case(text.data() + at, lower)) return at;
  }
  return std::string_view::npos;
}

// A text that a line must hold, in any case or byte for byte. One that is found in any case has no
// capitals.
struct SearchText {
  std::string text;
  bool any_case = false;

  friend auto operator<=>(const SearchText&, const SearchText&) = default;
};

}  // namespace attrib::model
