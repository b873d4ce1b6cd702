#pragma once

// Keys of sets, made of the bytes of several values: equal just when all are.

#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace attrib {

template <typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
void append_key(T value, std::string* key) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  key->append(bytes, sizeof value);
}

inline void append_key(std::string_view text, std::string* key) {
  append_key(text.size(), key);
  *key += text;
}

}  // namespace attrib
