#include "model/value.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <vector>

#include "model/time.h"

namespace attrib::model {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = -kMost;  // So that every number has its negative.
constexpr std::int64_t kMillion = 1'000'000;

struct Number {
  std::int64_t value = 0;
  bool saturated = false;  // The text means something beyond the range.
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<unsigned> hex_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

// Digits of `base` to a magnitude of at most 2^63-1; none when there is no digit or something else.
std::optional<Number> magnitude(std::string_view digits, unsigned base) {
  if (digits.empty()) return std::nullopt;
  Number out;
  for (const char c : digits) {
    const auto digit = hex_digit(c);
    if (!digit || *digit >= base) return std::nullopt;
    if (out.value > (kMost - *digit) / base) {
      out.value = kMost;
      out.saturated = true;
    }
    if (!out.saturated) out.value = out.value * base + *digit;
  }
  return out;
}

bool take_sign(std::string_view* text) {
  if (text->empty() || (text->front() != '-' && text->front() != '+')) return false;
  const bool minus = text->front() == '-';
  text->remove_prefix(1);
  return minus;
}

Number negated(Number n, bool minus) {
  if (!minus) return n;
  return n.saturated ? Number{kLeast, true} : Number{-n.value, false};
}

Number clamped(Number n, std::int64_t low, std::int64_t high) {
  if (n.value < low) return {low, true};
  if (n.value > high) return {high, true};
  return n;
}

std::optional<Number> integer(std::string_view text, std::int64_t low, std::int64_t high) {
  const bool minus = take_sign(&text);
  const auto n = magnitude(text, 10);
  if (!n) return std::nullopt;
  return clamped(negated(*n, minus), low, high);
}

std::optional<Number> hexadecimal(std::string_view text, std::int64_t high) {
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
    text.remove_prefix(2);
  const auto n = magnitude(text, 16);
  if (!n) return std::nullopt;
  return clamped(*n, 0, high);
}

// whole.fraction x 10^shift, cut toward zero.
std::optional<Number> scaled(std::string_view text, int shift) {
  const std::size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  if (digits.empty()) return std::nullopt;
  if (point != std::string_view::npos) {
    const std::string_view fraction = text.substr(point + 1);
    digits += fraction;
    // More digits than any value can use: past the cut in both directions.
    shift -= static_cast<int>(std::min<std::size_t>(fraction.size(), 100'000));
  }
  if (!std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  if (shift >= 0) {
    const bool zero = digits.find_first_not_of('0') == std::string::npos;
    if (!zero) digits.append(static_cast<std::size_t>(std::min(shift, 40)), '0');
  } else {
    const auto cut = static_cast<std::size_t>(-shift);
    digits.resize(cut < digits.size() ? digits.size() - cut : 0);
    if (digits.empty()) digits = "0";
  }
  return magnitude(digits, 10);
}

std::optional<Number> decimal(std::string_view text) {
  const bool minus = take_sign(&text);
  int exponent = 0;
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    const auto n = integer(text.substr(e + 1), -1000, 1000);
    if (!n) return std::nullopt;
    exponent = static_cast<int>(n->value);
    text = text.substr(0, e);
  }
  const auto n = scaled(text, exponent + 6);
  if (!n) return std::nullopt;
  return negated(*n, minus);
}

Number product(Number n, std::int64_t factor) {
  if (n.saturated || n.value > kForever / factor) return {kForever, true};
  return {n.value * factor, false};
}

// `text` in units of 10^power nanoseconds, times `factor`.
std::optional<Number> length(std::string_view text, int power, std::int64_t factor = 1) {
  const auto n = scaled(text, power);
  if (!n) return std::nullopt;
  return product(*n, factor);
}

struct Unit {
  std::string_view name;
  int power;
  std::int64_t factor;
};
// A longer name before the one that ends like it.
constexpr auto kUnits = std::to_array<Unit>({{"ns", 0, 1},
                                             {"us", 3, 1},
                                             {"ms", 6, 1},
                                             {"s", 9, 1},
                                             {"m", 9, 60},
                                             {"h", 9, 3600},
                                             {"d", 9, 86400}});

std::optional<Number> length_with_unit(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (text.ends_with(unit.name)) {
      return length(text.substr(0, text.size() - unit.name.size()), unit.power, unit.factor);
    }
  }
  return std::nullopt;
}

// [days-][hours:]minutes:seconds
std::optional<Number> clock_length(std::string_view text) {
  Number total;
  const auto add = [&](std::optional<Number> n) {
    if (!n) return false;
    total = {add_nanos(total.value, n->value), total.saturated || n->saturated};
    if (total.value >= kForever) total.saturated = true;
    return true;
  };
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    if (!add(length(text.substr(0, dash), 9, 86400))) return std::nullopt;
    text.remove_prefix(dash + 1);
  }
  const std::size_t last = text.rfind(':');
  if (last == std::string_view::npos || !add(length(text.substr(last + 1), 9))) return std::nullopt;
  text = text.substr(0, last);
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    if (!add(length(text.substr(0, colon), 9, 3600))) return std::nullopt;
    text.remove_prefix(colon + 1);
  }
  if (!add(length(text, 9, 60))) return std::nullopt;
  return total;
}

// With at least `least` digits. fmt would do it too, but a flood of faults names a GPU in each line.
void append_hex(std::int64_t number, int least, std::string* out) {
  int digits = least;
  while (digits < 16 && (number >> (4 * digits)) != 0) ++digits;
  while (digits-- > 0) *out += "0123456789abcdef"[(number >> (4 * digits)) & 15];
}

// bus:device, domain:bus or domain:bus:device, each perhaps with .function, which names no other
// GPU.
std::string pci_address(std::string_view text) {
  const std::string_view given = text;
  text = text.substr(0, text.find('.'));
  std::array<std::string_view, 3> parts;
  std::size_t n = 0;
  while (n < 3) {
    const std::size_t colon = text.find(':');
    parts[n++] = text.substr(0, colon);
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  if (n == 2 && parts[0].size() <= 2)
    parts = {"0", parts[0], parts[1]};
  else if (n == 2)
    parts[2] = "0";
  else if (n < 2)
    return std::string(given);
  std::array<std::int64_t, 3> numbers{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto number = magnitude(parts[i], 16);
    if (!number || number->saturated) return std::string(given);
    numbers[i] = number->value;
  }
  std::string out;
  append_hex(numbers[0], 4, &out);
  out += ':';
  append_hex(numbers[1], 2, &out);
  out += ':';
  append_hex(numbers[2], 2, &out);
  return out;
}

// The longest prefix within `size` that does not cut a UTF-8 sequence.
std::string_view cut_text(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) --size;
  return text.substr(0, size);
}

std::optional<Number> read_number(Reader reader, std::string_view text) {
  switch (reader) {
    case Reader::U8:
      return integer(text, 0, 255);
    case Reader::U16:
      return integer(text, 0, 65535);
    case Reader::U32:
      return integer(text, 0, 4294967295);
    case Reader::U64:
      return integer(text, 0, kMost);
    case Reader::I16:
      return integer(text, -32768, 32767);
    case Reader::I32:
      return integer(text, -2147483648LL, 2147483647);
    case Reader::I64:
      return integer(text, kLeast, kMost);
    case Reader::Bits32:
      return hexadecimal(text, 4294967295);
    case Reader::Hex:
      return hexadecimal(text, kMost);
    case Reader::Dec:
      return decimal(text);
    case Reader::Ms:
      return length(text, 6);
    case Reader::Sec:
      return length(text, 9);
    case Reader::Usec:
      return length(text, 3);
    case Reader::Clock:
      return clock_length(text);
    case Reader::Length:
      return length_with_unit(text);
    default:
      return std::nullopt;
  }
}

std::optional<bool> read_truth(std::string_view text) {
  if (text == "true" || text == "True" || text == "yes") return true;
  if (text == "false" || text == "False" || text == "no") return false;
  return std::nullopt;
}

struct Read {
  Constant value;
  bool in_range = true;
};

Read read_with_range(Reader reader, std::string_view text) {
  const ValueKind kind = info(reader).kind;
  if (kind == ValueKind::Truth) {
    const auto truth = read_truth(text);
    return truth ? Read{truth_constant(*truth)} : Read{null_constant(), false};
  }
  if (kind == ValueKind::String || kind == ValueKind::Entity) {
    const std::string_view kept = cut_text(text, longest_text(reader));
    const bool whole = kept.size() == text.size();
    return {text_constant(reader == Reader::Pci ? pci_address(kept) : std::string(kept)), whole};
  }
  const auto number = read_number(reader, text);
  if (!number) return {null_constant(), false};
  return {{kind, number->value, {}}, !number->saturated};
}

// How a type's texts are read: an entity has its own forms whatever the reader.
Reader reader_of(const Type& type, Reader reader) {
  if (type.kind != ValueKind::Entity) return reader;
  return type.entity == EntityKind::Gpu && reader != Reader::Uuid ? Reader::Pci : reader;
}

std::string rank_text(std::string_view text) {
  const auto n = magnitude(text, 10);
  return n ? std::to_string(n->value) : std::string(text);
}

bool has_form(const Type& type, std::string_view text) {
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false);
  options.set_never_nl(true);
  // One compiled pattern a plain reader; entity kinds add a handful.
  static const auto kReaderForms = [&] {
    std::vector<std::unique_ptr<re2::RE2>> forms;
    for (std::size_t i = 0; i < reader_count(); ++i) {
      forms.push_back(std::make_unique<re2::RE2>(info(static_cast<Reader>(i)).pattern, options));
    }
    return forms;
  }();
  static const auto kEntityForms = [&] {
    std::vector<std::unique_ptr<re2::RE2>> forms;
    for (std::size_t i = 0; i < words<EntityKind>().size(); ++i) {
      Type each;
      each.kind = ValueKind::Entity;
      each.entity = static_cast<EntityKind>(i);
      forms.push_back(std::make_unique<re2::RE2>(hole_pattern(each, Reader::Entity), options));
    }
    return forms;
  }();
  const auto& form = type.kind == ValueKind::Entity
                         ? *kEntityForms[static_cast<std::size_t>(type.entity)]
                         : *kReaderForms[static_cast<std::size_t>(type.reader)];
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), form);
}

std::string decimal_text(std::int64_t millionths) {
  const bool minus = millionths < 0;
  // Through unsigned, so that the least number has a magnitude.
  const auto size =
      minus ? 0 - static_cast<std::uint64_t>(millionths) : static_cast<std::uint64_t>(millionths);
  std::string out = fmt::format("{}{}.{:06}", minus ? "-" : "", size / kMillion, size % kMillion);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::string duration_text(std::int64_t ns) {
  struct Step {
    std::int64_t size;
    std::string_view name;
  };
  static constexpr auto kSteps = std::to_array<Step>({{24 * kHour, "d"},
                                                      {kHour, "h"},
                                                      {kMinute, "m"},
                                                      {kSecond, "s"},
                                                      {kMillisecond, "ms"},
                                                      {1000, "us"}});
  if (ns == 0) return "0s";
  for (const Step& step : kSteps) {
    if (ns % step.size == 0) return fmt::format("{}{}", ns / step.size, step.name);
  }
  return fmt::format("{}ns", ns);
}

}  // namespace

std::size_t longest_text(Reader reader) {
  switch (reader) {
    case Reader::Addr:
      return 128;
    case Reader::Host:
      return 253;
    case Reader::Word:
      return 256;
    default:
      return 1024;
  }
}

Constant read_value(Reader reader, std::string_view text) {
  return read_with_range(reader, text).value;
}

Constant read_value(const Type& type, Reader reader, std::string_view text) {
  if (type.kind == ValueKind::Entity && type.entity == EntityKind::Rank)
    return text_constant(rank_text(text));
  Constant value = read_with_range(reader_of(type, reader), text).value;
  if (type.kind != ValueKind::Entity) return value;
  // A reader of another kind (`{node:u32}`) still names an entity.
  return value.kind == ValueKind::String ? value : text_constant(std::string(cut_text(text, 1024)));
}

std::optional<Constant> read_strict(const Type& type, std::string_view text) {
  if (type.reader == Reader::Choice && type.kind == ValueKind::String) {
    if (std::find(type.words.begin(), type.words.end(), text) == type.words.end())
      return std::nullopt;
    return text_constant(std::string(text));
  }
  if (!has_form(type, text)) return std::nullopt;
  const Reader reader = type.kind == ValueKind::Entity ? Reader::Entity : type.reader;
  if (!read_with_range(reader, text).in_range) return std::nullopt;
  return read_value(type, reader, text);
}

std::string to_text(const Constant& value, Reader reader) {
  switch (value.kind) {
    case ValueKind::Null:
      return "null";
    case ValueKind::Truth:
      return value.number == 2 ? "true" : value.number == 0 ? "false" : "unknown";
    case ValueKind::Int:
      if (reader == Reader::Bits32 && value.number >= 0)
        return fmt::format("0x{:08x}", value.number);
      if (reader == Reader::Hex && value.number >= 0) return fmt::format("0x{:x}", value.number);
      return fmt::format("{}", value.number);
    case ValueKind::Duration:
      return duration_text(value.number);
    case ValueKind::Decimal:
      return decimal_text(value.number);
    default:
      return value.text;
  }
}

}  // namespace attrib::model
