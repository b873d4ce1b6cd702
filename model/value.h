#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/type.h"

namespace attrib::model {

// A constant of a rule or a cell of a table. Null, Truth (0 No, 1 Unknown, 2 Yes), Int, Duration and Decimal use
// `number`; String uses `text`. Decimal counts millionths, so no float reaches a result.
struct Constant {
  ValueKind kind = ValueKind::Null;
  std::int64_t number = 0;
  std::string text;
  friend bool operator==(const Constant&, const Constant&) = default;
  friend auto operator<=>(const Constant&, const Constant&) = default;
};

inline Constant null_constant() { return {}; }
inline Constant int_constant(std::int64_t n) { return {ValueKind::Int, n, {}}; }
inline Constant text_constant(std::string s) { return {ValueKind::String, 0, std::move(s)}; }
inline Constant truth_constant(bool b) { return {ValueKind::Truth, b ? 2 : 0, {}}; }
inline Constant duration_constant(std::int64_t ns) { return {ValueKind::Duration, ns, {}}; }
inline Constant decimal_constant(std::int64_t millionths) { return {ValueKind::Decimal, millionths, {}}; }

// What `text` read by `reader` means. Cannot fail: numbers saturate at the reader's range, strings are cut at
// longest_text(), a decimal is cut after the millionth, a PCI address is normalised to dddd:bb:dd in lower case without
// its function. Entity and Choice give a String. Text that is not of the reader's form at all (only a `regex` group can
// bring one) gives Null where no meaning can be found.
Constant read_value(Reader reader, std::string_view text);

// The same for a hole of a field: a GPU entity is normalised as a PCI address, a rank as a decimal number.
Constant read_value(const Type& type, Reader reader, std::string_view text);

// Bytes that a String read by `reader` keeps at most.
std::size_t longest_text(Reader reader);

// The same, for data that may be wrong (CSV cells, test blocks): empty when `text` is not of the reader's form or
// not in its range.
std::optional<Constant> read_strict(const Type& type, std::string_view text);

// "149", "0x004505c6" (Bits32), "12.5", "10m", "word": as printed in verdicts and dumps. Exact: read_strict() of the
// text gives the value back.
std::string to_text(const Constant& value, Reader reader = Reader::Word);

}  // namespace attrib::model
