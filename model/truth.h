#pragma once

#include <algorithm>
#include <cstdint>

namespace attrib::model {

// Kleene's three values. "Maybe" of a time window and "unknown" of a relation are the same value.
enum class Truth : std::uint8_t { No, Unknown, Yes };

constexpr Truth truth(bool b) { return b ? Truth::Yes : Truth::No; }
constexpr Truth operator&(Truth a, Truth b) { return std::min(a, b); }
constexpr Truth operator|(Truth a, Truth b) { return std::max(a, b); }
constexpr Truth operator!(Truth a) { return static_cast<Truth>(2 - static_cast<int>(a)); }
constexpr const char* to_text(Truth a) {
  return a == Truth::Yes ? "yes" : a == Truth::No ? "no" : "unknown";
}

}  // namespace attrib::model
