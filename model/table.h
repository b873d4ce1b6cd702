#pragma once

// Look-up tables (XID, SXid, exit codes ...): typed keys, typed results, rows in place or from CSV.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/source.h"
#include "model/value.h"

namespace attrib::model {

// How a key column is matched. A ternary cell compares (value & mask); a cell of any column may be `*`.
enum class KeyMatch : std::uint8_t { Exact, Ternary };

struct KeyColumn {
  std::string name;
  Type type;
  KeyMatch match = KeyMatch::Exact;
};

struct ResultColumn {
  std::string name;
  Type type;
};

// One key cell: what values it accepts.
struct KeyCell {
  enum class Kind : std::uint8_t { Any, Value, Set, Range, Ternary };
  Kind kind = Kind::Any;
  std::vector<Constant> values;  // Value: one; Set: sorted; Range: two, both included.
  std::uint64_t mask = 0;        // Ternary
  std::uint64_t bits = 0;        // Ternary; bits & ~mask == 0
};

bool accepts(const KeyCell& cell, const Constant& value);
// Is there a value both accept? Exact for all kinds over the numbers and words of one column.
bool overlaps(const KeyCell& a, const KeyCell& b);
std::string to_text(const KeyCell& cell, const Type& type);

struct TableRow {
  std::vector<KeyCell> keys;
  std::vector<Constant> results;
  std::string place;  // "xid-tables/nvlink5.csv:12" or "path:line"; shown in explanations.
};

enum class TableMatch : std::uint8_t {
  Unique,  // The compiler has proved that no two rows overlap.
  First,   // The first row in order that accepts; each row is still reachable.
};

struct Table {
  std::string name;
  std::string pack;
  std::vector<KeyColumn> keys;
  std::vector<ResultColumn> results;
  TableMatch match = TableMatch::Unique;
  std::vector<TableRow> rows;
  TableRow default_row;  // Mandatory; keys empty.
  Span span;
};

// Index into rows, or none for the default row. A Null key matches only `*`. Linear in rows: the VM builds an index.
std::optional<std::uint32_t> find_row(const Table& table, const std::vector<Constant>& keys);

}  // namespace attrib::model
