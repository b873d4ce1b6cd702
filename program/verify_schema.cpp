#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "program/verify.h"
#include "program/verify_parts.h"

namespace attrib::program {
namespace {

using model::Constant;
using model::KeyCell;
using model::ValueKind;

Refusal verify_fields(const std::string& name, const std::vector<model::Field>& fields) {
  if (fields.size() > kMaxTypeFields) {
    return Error{fmt::format("`{}`: {} fields, at most {}", name, fields.size(), kMaxTypeFields)};
  }
  for (const model::Field& field : fields) {
    if (!is_value_type(field.type)) {
      return Error{fmt::format("`{}.{}`: no type for a field", name, field.name)};
    }
  }
  return std::nullopt;
}

Refusal verify_symptom(const model::SymptomType& symptom) {
  const auto refuse = [&](std::string_view what) {
    return Error{fmt::format("symptom `{}`: {}", symptom.name, what)};
  };
  if (symptom.on.empty()) return refuse("about no kind of entity");
  if (symptom.quiet < 0) return refuse("quiet is negative");
  for (std::size_t i = 0; i < symptom.key.size(); ++i) {
    if (symptom.key[i] >= symptom.fields.size()) return refuse("key names a field it has not");
    if (i > 0 && symptom.key[i] <= symptom.key[i - 1]) return refuse("key fields are out of order");
  }
  if (!std::is_sorted(symptom.tags.begin(), symptom.tags.end())) return refuse("tags are unsorted");
  return verify_fields(symptom.name, symptom.fields);
}

// Empty: the cell fits its column.
std::string_view cell_fault(const KeyCell& cell, const model::KeyColumn& column) {
  const auto of_column = [&](const Constant& value) {
    return is_constant(value) && value.kind == column.type.kind;
  };
  const bool numbers = column.type.kind == ValueKind::Int ||
                       column.type.kind == ValueKind::Duration ||
                       column.type.kind == ValueKind::Decimal;
  if (cell.kind != KeyCell::Kind::Any && cell.kind != KeyCell::Kind::Ternary &&
      !std::all_of(cell.values.begin(), cell.values.end(), of_column)) {
    return "a value is not of the column's type";
  }
  switch (cell.kind) {
    case KeyCell::Kind::Any:
      return "";
    case KeyCell::Kind::Value:
      return cell.values.size() == 1 ? "" : "a value cell holds one value";
    case KeyCell::Kind::Set:
      if (cell.values.empty() || cell.values.size() > kMaxCellValues) return "a set is too large";
      return std::adjacent_find(cell.values.begin(), cell.values.end(), std::greater_equal<>()) ==
                     cell.values.end()
                 ? ""
                 : "a set is not sorted";
    case KeyCell::Kind::Range:
      return numbers && cell.values.size() == 2 && cell.values[0] <= cell.values[1]
                 ? ""
                 : "a range has two numbers in order";
    case KeyCell::Kind::Ternary:
      return column.match == model::KeyMatch::Ternary && (cell.bits & ~cell.mask) == 0
                 ? ""
                 : "a ternary cell does not fit";
  }
  return "unknown kind of cell";
}

std::string_view results_fault(const model::TableRow& row, const model::Table& table) {
  if (row.results.size() != table.results.size()) return "not a result for each column";
  for (std::size_t i = 0; i < row.results.size(); ++i) {
    const Constant& value = row.results[i];
    if (!is_constant(value)) return "a result is no constant";
    if (value.kind != ValueKind::Null && value.kind != table.results[i].type.kind) {
      return "a result is not of the column's type";
    }
  }
  return "";
}

std::string_view row_fault(const model::TableRow& row, const model::Table& table) {
  if (row.keys.size() != table.keys.size()) return "not a key for each column";
  for (std::size_t i = 0; i < row.keys.size(); ++i) {
    if (const auto fault = cell_fault(row.keys[i], table.keys[i]); !fault.empty()) return fault;
  }
  return results_fault(row, table);
}

bool rows_overlap(const model::TableRow& a, const model::TableRow& b) {
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    if (!model::overlaps(a.keys[i], b.keys[i])) return false;
  }
  return true;
}

// Cells of plain values accept those and no others.
bool is_plain(const KeyCell& cell) {
  return cell.kind == KeyCell::Kind::Value || cell.kind == KeyCell::Kind::Set;
}

// No two rows accept the same keys. Rows whose plain values differ in one column are never
// compared, so that vendor tables of thousands of codes cost little; `work` counts the values that
// are looked at.
class DisjointProof {
 public:
  DisjointProof(const model::Table& table, std::uint64_t& work) : table_(table), work_(work) {
    work_of_.reserve(table.rows.size());
    for (const model::TableRow& row : table.rows) {
      std::uint64_t values = 0;
      for (const KeyCell& cell : row.keys) values += 1 + cell.values.size();
      work_of_.push_back(values);
    }
  }

  Refusal run() {
    const std::vector<Use> uses = cheapest_uses();
    for (std::size_t i = 0; i < uses.size(); ++i) {
      for (std::size_t j = i; j-- > 0 && *uses[j].value == *uses[i].value;) {
        if (auto error = compare(uses[i].row, uses[j].row)) return error;
      }
    }
    for (const std::uint32_t wide : wide_) {
      for (std::uint32_t row = 0; row < table_.rows.size(); ++row) {
        if (row == wide || (row < wide && is_wide(row))) continue;  // Those were compared.
        if (auto error = compare(wide, row)) return error;
      }
    }
    return std::nullopt;
  }

 private:
  struct Use {  // A plain value of a row.
    const Constant* value;
    std::uint32_t row;
  };

  // The plain values of the column that leaves the fewest pairs of rows to compare, sorted; its
  // other rows in wide_.
  std::vector<Use> cheapest_uses() {
    std::vector<Use> best;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t k = 0; k < table_.keys.size(); ++k) {
      std::vector<Use> uses;
      std::vector<std::uint32_t> wide;
      for (std::uint32_t row = 0; row < table_.rows.size(); ++row) {
        const KeyCell& cell = table_.rows[row].keys[k];
        if (!is_plain(cell)) wide.push_back(row);
        for (const Constant& value : cell.values) {
          if (is_plain(cell)) uses.push_back({&value, row});
        }
      }
      std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
        return std::tie(*a.value, a.row) < std::tie(*b.value, b.row);
      });
      std::uint64_t pairs = std::uint64_t{wide.size()} * table_.rows.size();
      std::size_t alike = 0;
      for (std::size_t i = 1; i < uses.size(); ++i) {
        alike = *uses[i - 1].value == *uses[i].value ? alike + 1 : 0;
        pairs += alike;
      }
      if (pairs >= least) continue;
      least = pairs;
      best = std::move(uses);
      wide_ = std::move(wide);
    }
    return best;
  }

  // They ascend.
  [[nodiscard]] bool is_wide(std::uint32_t row) const {
    return std::binary_search(wide_.begin(), wide_.end(), row);
  }

  Refusal compare(std::uint32_t a, std::uint32_t b) {
    work_ += work_of_[a];
    if (work_ > kMaxTableWork) {
      return Error{
          fmt::format("table `{}`: too much work to prove its rows disjoint", table_.name)};
    }
    if (!rows_overlap(table_.rows[a], table_.rows[b])) return std::nullopt;
    return Error{fmt::format("table `{}`: rows {} and {} overlap", table_.name, std::min(a, b),
                             std::max(a, b))};
  }

  const model::Table& table_;
  std::uint64_t& work_;
  std::vector<std::uint64_t> work_of_;  // To compare each row with another.
  std::vector<std::uint32_t> wide_;
};

Refusal verify_table(const model::Table& table, std::uint64_t& work) {
  const auto refuse = [&](std::string_view what) {
    return Error{fmt::format("table `{}`: {}", table.name, what)};
  };
  if (table.keys.empty() || table.keys.size() > kMaxKeyColumns) {
    return refuse(fmt::format("{} key columns, 1 to {}", table.keys.size(), kMaxKeyColumns));
  }
  if (table.results.empty() || table.results.size() > kMaxTypeFields) {
    return refuse(fmt::format("{} result columns, 1 to {}", table.results.size(), kMaxTypeFields));
  }
  if (table.rows.size() > kMaxTableRows) {
    return refuse(fmt::format("{} rows, at most {}", table.rows.size(), kMaxTableRows));
  }
  for (const model::KeyColumn& column : table.keys) {
    if (!is_value_type(column.type)) return refuse("a key column has no type for a key");
    if (column.match == model::KeyMatch::Ternary && column.type.kind != ValueKind::Int) {
      return refuse("a ternary column is not of numbers");
    }
  }
  for (const model::ResultColumn& column : table.results) {
    if (!is_value_type(column.type)) return refuse("a result column has no type for a value");
  }
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (const auto fault = row_fault(table.rows[i], table); !fault.empty()) {
      return refuse(fmt::format("row {}: {}", i, fault));
    }
  }
  if (!table.default_row.keys.empty()) return refuse("the default row has keys");
  if (const auto fault = results_fault(table.default_row, table); !fault.empty()) {
    return refuse(fmt::format("default row: {}", fault));
  }
  if (table.match == model::TableMatch::First) return std::nullopt;
  return DisjointProof(table, work).run();
}

Refusal verify_constants(const Program& program) {
  for (std::size_t i = 0; i < program.constants.size(); ++i) {
    if (!is_constant(program.constants[i])) return Error{fmt::format("constant {} is none", i)};
  }
  for (const Rule& rule : program.rules) {
    for (const Param& param : rule.params) {
      if (is_constant(param.value)) continue;
      return Error{fmt::format("rule `{}`: parameter `{}` is no constant", rule.name, param.name)};
    }
  }
  return std::nullopt;
}

Refusal verify_type_sets(const Program& program) {
  for (std::size_t i = 0; i < program.type_sets.size(); ++i) {
    const std::vector<std::uint32_t>& types = program.type_sets[i];
    for (std::size_t k = 0; k < types.size(); ++k) {
      if (types[k] >= program.symptoms.size()) {
        return Error{
            fmt::format("type set {}: symptom {} of {}", i + 1, types[k], program.symptoms.size())};
      }
      if (k > 0 && types[k - 1] >= types[k])
        return Error{fmt::format("type set {} is not sorted", i + 1)};
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_value_type(const model::Type& type) {
  switch (type.kind) {
    case ValueKind::Truth:
    case ValueKind::Int:
    case ValueKind::String:
    case ValueKind::Duration:
    case ValueKind::Decimal:
    case ValueKind::Entity:
      return true;
    default:
      return false;
  }
}

bool is_constant(const Constant& constant) {
  switch (constant.kind) {
    case ValueKind::Null:
      return constant.number == 0 && constant.text.empty();
    case ValueKind::Truth:
      return constant.number >= 0 && constant.number <= 2 && constant.text.empty();
    case ValueKind::String:
      return constant.number == 0;
    case ValueKind::Int:
    case ValueKind::Duration:
    case ValueKind::Decimal:
      return constant.text.empty();
    default:
      return false;
  }
}

Refusal verify_schema(const Program& program) {
  if (auto error = verify_names(program.events, "event")) return error;
  if (auto error = verify_names(program.symptoms, "symptom")) return error;
  for (const model::EventType& event : program.events) {
    if (auto error = verify_fields(event.name, event.fields)) return error;
  }
  for (const model::SymptomType& symptom : program.symptoms) {
    if (auto error = verify_symptom(symptom)) return error;
  }
  if (auto error = verify_type_sets(program)) return error;
  return verify_constants(program);
}

Refusal verify_tables(const Program& program) {
  if (auto error = verify_names(program.tables, "table")) return error;
  std::uint64_t work = 0;
  for (const model::Table& table : program.tables) {
    if (auto error = verify_table(table, work)) return error;
  }
  return std::nullopt;
}

}  // namespace attrib::program
