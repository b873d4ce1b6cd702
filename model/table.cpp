#include "model/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace attrib::model {
namespace {

// The least v >= from with (v & mask) == bits, or none. Cells with range must not be walked value
// by value: a range of a 64-bit column has more values than any test can try.
std::optional<std::uint64_t> next_accepted(std::uint64_t from, std::uint64_t mask,
                                           std::uint64_t bits) {
  if ((bits & ~mask) != 0) return std::nullopt;
  const std::uint64_t wrong = (from ^ bits) & mask;
  if (wrong == 0) return from;
  const int highest = 63 - std::countl_zero(wrong);
  // `raised`: the bit that becomes one so that everything below it may start anew.
  int raised = highest;
  if ((from >> highest & 1U) != 0) {
    // from has a one where a zero is wanted: carry into the next free zero above.
    do {
      if (++raised == 64) return std::nullopt;
    } while (((mask | from) >> raised & 1U) != 0);
  }
  const std::uint64_t bit = std::uint64_t{1} << raised;
  const std::uint64_t below = bit - 1;
  return (from & ~below) | bit | (bits & below);
}

bool ternary_in_unsigned(const KeyCell& cell, std::uint64_t low, std::uint64_t high) {
  const auto v = next_accepted(low, cell.mask, cell.bits);
  return v && *v <= high;
}

bool is_range_of_numbers(const KeyCell& cell) {
  return cell.values.size() == 2 && cell.values[0].kind == cell.values[1].kind &&
         cell.values[0].kind != ValueKind::String && cell.values[0].kind != ValueKind::Null &&
         cell.values[0].number <= cell.values[1].number;
}

bool ternary_in_range(const KeyCell& ternary, const KeyCell& range) {
  if (!is_range_of_numbers(range) || range.values[0].kind != ValueKind::Int) return false;
  const std::int64_t low = range.values[0].number;
  const std::int64_t high = range.values[1].number;
  // Signed order is the unsigned order of each half.
  const auto u = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  if (low < 0 && ternary_in_unsigned(ternary, u(low), u(std::min<std::int64_t>(high, -1))))
    return true;
  return high >= 0 && ternary_in_unsigned(ternary, u(std::max<std::int64_t>(low, 0)), u(high));
}

bool ranges_meet(const KeyCell& a, const KeyCell& b) {
  return is_range_of_numbers(a) && is_range_of_numbers(b) && a.values[0].kind == b.values[0].kind &&
         std::max(a.values[0].number, b.values[0].number) <=
             std::min(a.values[1].number, b.values[1].number);
}

bool ternaries_meet(const KeyCell& a, const KeyCell& b) {
  return (a.bits & ~a.mask) == 0 && (b.bits & ~b.mask) == 0 &&
         ((a.bits ^ b.bits) & a.mask & b.mask) == 0;
}

// Some value, whatever it is.
bool accepts_any(const KeyCell& cell) {
  switch (cell.kind) {
    case KeyCell::Kind::Any:
      return true;
    case KeyCell::Kind::Range:
      return is_range_of_numbers(cell);
    case KeyCell::Kind::Ternary:
      return (cell.bits & ~cell.mask) == 0;
    case KeyCell::Kind::Value:
    case KeyCell::Kind::Set:
      return std::any_of(cell.values.begin(), cell.values.end(),
                         [&](const Constant& v) { return accepts(cell, v); });
  }
  return false;
}

std::string value_text(const Constant& value, const Type& type) {
  const std::string text = to_text(value, type.reader);
  const bool bare = !text.empty() && text.find_first_of(" \t|{},\"*#=") == std::string::npos;
  return value.kind != ValueKind::String || bare ? text : fmt::format("\"{}\"", text);
}

}  // namespace

bool accepts(const KeyCell& cell, const Constant& value) {
  if (value.kind == ValueKind::Null) return cell.kind == KeyCell::Kind::Any;
  switch (cell.kind) {
    case KeyCell::Kind::Any:
      return true;
    case KeyCell::Kind::Value:
      return cell.values.size() == 1 && cell.values[0] == value;
    case KeyCell::Kind::Set:
      return std::binary_search(cell.values.begin(), cell.values.end(), value);
    case KeyCell::Kind::Range:
      return is_range_of_numbers(cell) && cell.values[0].kind == value.kind &&
             cell.values[0].number <= value.number && value.number <= cell.values[1].number;
    case KeyCell::Kind::Ternary:
      return value.kind == ValueKind::Int &&
             (static_cast<std::uint64_t>(value.number) & cell.mask) == cell.bits;
  }
  return false;
}

bool overlaps(const KeyCell& a, const KeyCell& b) {
  using Kind = KeyCell::Kind;
  if (a.kind == Kind::Value && b.kind == Kind::Value && a.values.size() == 1 && b.values.size() == 1)
    return a.values[0].kind != ValueKind::Null && a.values[0] == b.values[0];
  if (a.kind == Kind::Any && b.kind == Kind::Any) return true;
  const auto lists = [](const KeyCell& cell) {
    return cell.kind == Kind::Value || cell.kind == Kind::Set;
  };
  if (lists(a) || lists(b)) {
    const KeyCell& list = lists(a) ? a : b;
    const KeyCell& other = lists(a) ? b : a;
    return std::any_of(list.values.begin(), list.values.end(), [&](const Constant& v) {
      return v.kind != ValueKind::Null && accepts(list, v) && accepts(other, v);
    });
  }
  if (a.kind == Kind::Any) return accepts_any(b);
  if (b.kind == Kind::Any) return accepts_any(a);
  if (a.kind == Kind::Ternary && b.kind == Kind::Ternary) return ternaries_meet(a, b);
  if (a.kind == Kind::Ternary) return ternary_in_range(a, b);
  if (b.kind == Kind::Ternary) return ternary_in_range(b, a);
  return ranges_meet(a, b);
}

std::string to_text(const KeyCell& cell, const Type& type) {
  switch (cell.kind) {
    case KeyCell::Kind::Any:
      return "*";
    case KeyCell::Kind::Ternary:
      return fmt::format("{:#x}/{:#x}", cell.mask, cell.bits);
    case KeyCell::Kind::Range:
      if (cell.values.size() != 2) return "?";
      return value_text(cell.values[0], type) + ".." + value_text(cell.values[1], type);
    case KeyCell::Kind::Value:
      return cell.values.size() == 1 ? value_text(cell.values[0], type) : "?";
    case KeyCell::Kind::Set:
      break;
  }
  std::vector<std::string> texts;
  for (const Constant& value : cell.values) texts.push_back(value_text(value, type));
  return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

std::optional<std::uint32_t> find_row(const Table& table, const std::vector<Constant>& keys) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::vector<KeyCell>& cells = table.rows[i].keys;
    if (cells.size() != keys.size()) continue;
    if (std::equal(cells.begin(), cells.end(), keys.begin(), accepts)) {
      return static_cast<std::uint32_t>(i);
    }
  }
  return std::nullopt;
}

}  // namespace attrib::model
