// What the compiler proves of a table's rows.

#include <algorithm>
#include <map>
#include <set>

#include "compiler/limits.h"
#include "compiler/tables.h"

namespace attrib::compiler {
namespace {

using model::KeyCell;
using model::TableRow;

constexpr std::size_t kMaxReported = 20;  // Of one table: one slip can make thousands of pairs.

bool rows_overlap(const TableRow& a, const TableRow& b) {
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    if (!model::overlaps(a.keys[i], b.keys[i])) return false;
  }
  return true;
}

// Does `a` accept whatever `b` accepts? May miss a cover, never invents one.
bool covers(const KeyCell& a, const KeyCell& b) {
  using Kind = KeyCell::Kind;
  if (a.kind == Kind::Any) return true;
  switch (b.kind) {
    case Kind::Any:
      return false;
    case Kind::Value:
    case Kind::Set:
      return std::all_of(b.values.begin(), b.values.end(),
                         [&](const auto& v) { return model::accepts(a, v); });
    case Kind::Range:
      return a.kind == Kind::Range && a.values[0] <= b.values[0] && b.values[1] <= a.values[1];
    case Kind::Ternary:
      if (a.kind == Kind::Ternary) {
        return (a.mask & ~b.mask) == 0 && ((a.bits ^ b.bits) & a.mask) == 0;
      }
      if (a.kind == Kind::Range) {
        const auto most = static_cast<std::int64_t>(b.bits | (~b.mask & 0xffffffffU));
        return a.values[0].number <= static_cast<std::int64_t>(b.bits) &&
               most <= a.values[1].number;
      }
      return b.mask == 0xffffffff &&
             model::accepts(a, model::int_constant(static_cast<std::int64_t>(b.bits)));
  }
  return false;
}

bool row_covers(const TableRow& a, const TableRow& b) {
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    if (!covers(a.keys[i], b.keys[i])) return false;
  }
  return true;
}

// Calls `visit(i, j)`, i < j, for every pair of rows that could share a key: rows whose plain
// values in the most selective column differ are never compared. Stops at the limit and says false.
template <typename Visit>
bool for_candidate_pairs(const model::Table& table, Visit visit) {
  std::size_t best = 0, most = 0;
  for (std::size_t k = 0; k < table.keys.size(); ++k) {
    std::set<model::Constant> values;
    for (const TableRow& row : table.rows) {
      if (row.keys[k].kind == KeyCell::Kind::Value) values.insert(row.keys[k].values[0]);
    }
    if (values.size() > most) {
      most = values.size();
      best = k;
    }
  }
  std::map<model::Constant, std::vector<std::size_t>> buckets;
  std::vector<std::size_t> wide;
  std::size_t compared = 0;
  for (std::size_t j = 0; j < table.rows.size(); ++j) {
    const KeyCell* cell = table.keys.empty() ? nullptr : &table.rows[j].keys[best];
    const bool plain = cell != nullptr && cell->kind == KeyCell::Kind::Value;
    const auto compare = [&](std::size_t i) {
      ++compared;
      visit(i, j);
    };
    if (plain) {
      std::vector<std::size_t>& bucket = buckets[cell->values[0]];
      for (const std::size_t i : wide) compare(i);
      for (const std::size_t i : bucket) compare(i);
      bucket.push_back(j);
    } else {
      for (std::size_t i = 0; i < j; ++i) compare(i);
      wide.push_back(j);
    }
    if (compared > kMaxRowProofs) return false;
  }
  return true;
}

}  // namespace

std::optional<model::KeyCell> parse_ternary(std::string_view text) {
  KeyCell out;
  out.kind = KeyCell::Kind::Ternary;
  if (text.size() == 32 && text.find_first_not_of("01-") == std::string_view::npos) {
    for (const char c : text) {
      out.mask = out.mask << 1U | (c == '-' ? 0U : 1U);
      out.bits = out.bits << 1U | (c == '1' ? 1U : 0U);
    }
    return out;
  }
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view part) -> std::optional<std::uint64_t> {
    if (!part.starts_with("0x") || part.size() < 3 || part.size() > 10) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : part.substr(2)) {
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return std::nullopt;
      value = value << 4U | static_cast<std::uint64_t>(digit);
    }
    return value;
  };
  const auto mask = number(text.substr(0, slash));
  const auto bits = number(text.substr(slash + 1));
  // A wanted bit outside the mask would never be looked at.
  if (!mask || !bits || (*bits & ~*mask) != 0) return std::nullopt;
  out.mask = *mask;
  out.bits = *bits;
  return out;
}

void prove_rows(Context& c, const model::Table& table, const std::vector<Span>& places) {
  std::size_t reported = 0;
  const auto keys = [&](const TableRow& row) {
    std::string text;
    for (std::size_t i = 0; i < row.keys.size(); ++i) {
      text += (i == 0 ? "" : " | ") + model::to_text(row.keys[i], table.keys[i].type);
    }
    return text;
  };
  const bool done = for_candidate_pairs(table, [&](std::size_t i, std::size_t j) {
    const TableRow& a = table.rows[i];
    const TableRow& b = table.rows[j];
    if (table.match == model::TableMatch::Unique) {
      if (!rows_overlap(a, b) || ++reported > kMaxReported) return;
      c.sink.emit<diag::OverlappingRows>(places[j], table.name)
          .note(places[i], fmt::format("the other row: {}", keys(a)))
          .hint("narrow one of them, or say `match first`");
    } else {
      if (!row_covers(a, b) || ++reported > kMaxReported) return;
      c.sink.emit<diag::UnreachableRow>(places[j], table.name)
          .note(places[i], fmt::format("this row comes first: {}", keys(a)));
    }
  });
  if (!done) c.sink.emit<diag::ProofTooLarge>(table.span, table.name);
}

}  // namespace attrib::compiler
