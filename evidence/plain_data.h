#pragma once

// Plain data as a flight-recorder dump holds it: nothing, truth, numbers, text, lists,
// dictionaries. A pickle may share one part in many places, and may even hold itself: whoever walks
// it goes to a fixed depth and never recurses freely.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace attrib::evidence {

constexpr std::size_t kMaxPlainValues = std::size_t{1} << 22U;
constexpr std::size_t kMaxPlainDepth = 64;

struct PlainValue {
  // A number with a fraction is only known to be one: nothing here needs its value.
  enum class Kind : std::uint8_t { Nothing, Truth, Integer, Real, Text, List, Dictionary };
  Kind kind = Kind::Nothing;
  std::int64_t number = 0;  // Truth (0 or 1), Integer
  std::string_view text;    // Into the input, or into PlainData::texts. Bytes: perhaps no UTF-8.
  std::vector<std::uint32_t> items;  // Of a dictionary: key, value, key, value, ...
  std::uint32_t depth = 1;           // Containers inside one another, this one among them.
};

struct PlainData {
  std::vector<PlainValue> values;
  std::deque<std::string> texts;
  std::uint32_t root = 0;

  [[nodiscard]] const PlainValue& at(std::uint32_t index) const { return values[index]; }
  // The value of a text key, or none; of a key that occurs twice the last value, as in Python.
  [[nodiscard]] const PlainValue* find(const PlainValue& dictionary, std::string_view key) const;
};

// A pickle made of plain opcodes, protocols 2 to 5. Any opcode that would import, call or build an
// object is refused, by name and byte. `bytes` must outlive the result.
Result<PlainData> read_pickle(std::string_view bytes);
bool begins_like_pickle(std::string_view bytes);

// The same from JSON text.
Result<PlainData> read_plain_json(std::string_view text);

// "text "abc"", "number 12", "a list": for messages.
std::string described(const PlainValue& value);

}  // namespace attrib::evidence
