#include "compiler/tables.h"

#include <algorithm>

#include "base/text.h"
#include "compiler/constants.h"
#include "compiler/csv.h"
#include "compiler/limits.h"
#include "compiler/rule_checker.h"
#include "compiler/schema.h"

namespace attrib::compiler {
namespace {

using model::KeyCell;
using model::ValueKind;

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

class TableChecker {
 public:
  TableChecker(Context& context, const dsl::TableDecl& decl, const std::string& pack)
      : c_(context), decl_(decl) {
    out_.name = decl.name.text;
    out_.pack = pack;
    out_.span = decl.name.span;
  }

  void check() {
    columns();
    match();
    for (const dsl::RowDecl& row : decl_.rows) in_place(row);
    if (decl_.csv) csv(*decl_.csv);
    if (within_limit(c_, out_.span, out_.rows.size(), kMaxTableRows,
                     fmt::format("table `{}`", out_.name), "rows")) {
      prove_rows(c_, out_, places_);
    }
    default_row();
    c_.module.tables.push_back(std::move(out_));
    c_.tables.push_back(std::move(facts_));
  }

 private:
  void columns() {
    const std::string owner = fmt::format("table `{}`", out_.name);
    within_limit(c_, out_.span, decl_.keys.size(), kMaxKeyColumns, owner, "key columns");
    within_limit(c_, out_.span, decl_.results.size(), kMaxResultColumns, owner, "result columns");
    std::vector<dsl::Name> seen;
    const auto named = [&](const dsl::Name& name) {
      const auto same = std::find_if(seen.begin(), seen.end(),
                                     [&](const dsl::Name& s) { return s.text == name.text; });
      if (same != seen.end()) {
        c_.sink.emit<diag::DuplicateName>(name.span, "column", name.text)
            .note(same->span, "first declared here");
      }
      seen.push_back(name);
    };
    for (const dsl::FieldDecl& key : decl_.keys) {
      named(key.name);
      model::KeyColumn column{key.name.text, word_, model::KeyMatch::Exact};
      if (key.type.name.text == "ternary32") {
        column.type = {ValueKind::Int, model::Reader::Bits32, model::EntityKind::Node, {}};
        column.match = model::KeyMatch::Ternary;
      } else {
        column.type = column_type(key);
      }
      if (key.type.optional) {
        c_.sink.emit<diag::TypeMismatch>(key.type.span, "optional", "a key that is always there")
            .hint("a null key matches only `*`");
      }
      out_.keys.push_back(std::move(column));
    }
    for (const dsl::FieldDecl& result : decl_.results) {
      named(result.name);
      out_.results.push_back({result.name.text, column_type(result)});
      facts_.optional_results.push_back(result.type.optional);
    }
  }
  model::Type column_type(const dsl::FieldDecl& field) {
    const auto type = resolve_type(c_, field.type);
    if (!type) return word_;
    if (type->kind != ValueKind::Entity) return *type;
    c_.sink.emit<diag::TypeMismatch>(field.type.span, describe(*type),
                                     "a number, word, text, decimal, duration or bool");
    return word_;
  }

  void match() {
    if (!decl_.match) {
      c_.sink.emit<diag::MissingClause>(out_.span, "table", out_.name, "match unique");
      return;
    }
    static constexpr std::string_view kMatches[] = {"unique", "first"};
    if (const auto found = find_word(c_, "match of tables", *decl_.match, kMatches)) {
      out_.match = *found == 0 ? model::TableMatch::Unique : model::TableMatch::First;
    }
  }

  void default_row() {
    if (!decl_.default_row) {
      c_.sink.emit<diag::MissingClause>(out_.span, "table", out_.name, "default => ...")
          .hint("say what a key without a row means");
      out_.default_row.results.resize(out_.results.size());
      return;
    }
    const dsl::RowDecl& row = *decl_.default_row;
    out_.default_row.place = place(row.span);
    results(row, &out_.default_row);
    out_.default_row.results.resize(out_.results.size());
  }

  std::string place(Span span) const {
    return fmt::format("{}:{}", c_.sources.path(span.source),
                       c_.sources.line_column(span.source, span.begin).line);
  }
  void bad_cell(Span span, const std::string& text, const std::string& column,
                const std::string& type) {
    c_.sink.emit<diag::BadCell>(span, text, column, type);
  }

  // -- Rows in place.
  void in_place(const dsl::RowDecl& row) {
    if (row.keys.size() != out_.keys.size()) {
      c_.sink.emit<diag::CellCount>(row.span, out_.name, out_.keys.size(), out_.results.size(),
                                    row.keys.size(), row.results.size());
      return;
    }
    model::TableRow made;
    made.place = place(row.span);
    bool good = true;
    for (std::size_t i = 0; i < row.keys.size(); ++i) {
      const auto cell = key_cell(row.keys[i], out_.keys[i]);
      good = good && cell.has_value();
      made.keys.push_back(cell.value_or(KeyCell{}));
    }
    if (!results(row, &made) || !good) return;
    add(std::move(made), row.span);
  }
  void add(model::TableRow row, Span span) {
    out_.rows.push_back(std::move(row));
    places_.push_back(span);
  }

  std::optional<model::Constant> cell_value(const dsl::ExprPtr& e, const model::Type& type,
                                            const std::string& column) {
    const auto value = literal_value(*e);
    if (value && value->kind == ValueKind::Int && type.kind == ValueKind::Duration) {
      c_.sink.emit<diag::BareNumber>(e->span, c_.sources.text(e->span))
          .hint(fmt::format("write `{}s` or another unit", value->number));
      return std::nullopt;
    }
    if (value) {
      if (auto fit = fit_constant(type, *value)) return fit;
    }
    bad_cell(e->span, std::string(c_.sources.text(e->span)), column, model::to_text(type));
    return std::nullopt;
  }

  std::optional<KeyCell> key_cell(const dsl::CellDecl& cell, const model::KeyColumn& column) {
    KeyCell out;
    switch (cell.kind) {
      case dsl::CellDecl::Kind::Any:
        return out;
      case dsl::CellDecl::Kind::Empty:
        bad_cell(cell.span, "", column.name, model::to_text(column.type) + "; any value is `*`");
        return std::nullopt;
      case dsl::CellDecl::Kind::Ternary:
        if (column.match == model::KeyMatch::Ternary) {
          if (auto ternary = parse_ternary(cell.ternary)) return ternary;
        }
        bad_cell(cell.span, cell.ternary, column.name, key_type_text(column));
        return std::nullopt;
      case dsl::CellDecl::Kind::Value:
        out.kind = KeyCell::Kind::Value;
        break;
      case dsl::CellDecl::Kind::Set:
        out.kind = KeyCell::Kind::Set;
        break;
      case dsl::CellDecl::Kind::Range:
        out.kind = KeyCell::Kind::Range;
        break;
    }
    for (const dsl::ExprPtr& e : cell.values) {
      const auto value = cell_value(e, column.type, column.name);
      if (!value) return std::nullopt;
      out.values.push_back(*value);
    }
    if (!finish(&out, column)) {
      bad_cell(cell.span, std::string(c_.sources.text(cell.span)), column.name,
               key_type_text(column));
      return std::nullopt;
    }
    return out;
  }
  static std::string key_type_text(const model::KeyColumn& column) {
    return column.match == model::KeyMatch::Ternary ? "ternary32: 32 of `0 1 -`, or 0xMASK/0xVALUE"
                                                    : model::to_text(column.type);
  }
  // Sorted sets, ordered ranges of numbers, a value of a ternary column as all its bits.
  static bool finish(KeyCell* cell, const model::KeyColumn& column) {
    if (cell->kind == KeyCell::Kind::Range) {
      return cell->values.size() == 2 && cell->values[0].kind != ValueKind::String &&
             cell->values[0].kind != ValueKind::Truth && !(cell->values[1] < cell->values[0]);
    }
    std::sort(cell->values.begin(), cell->values.end());
    cell->values.erase(std::unique(cell->values.begin(), cell->values.end()), cell->values.end());
    if (cell->values.empty()) return false;
    if (cell->kind == KeyCell::Kind::Set && cell->values.size() == 1) {
      cell->kind = KeyCell::Kind::Value;
    }
    if (column.match == model::KeyMatch::Ternary && cell->kind == KeyCell::Kind::Value) {
      cell->mask = 0xffffffff;
      cell->bits = static_cast<std::uint64_t>(cell->values[0].number);
      cell->kind = KeyCell::Kind::Ternary;
      cell->values.clear();
    }
    return true;
  }

  bool results(const dsl::RowDecl& row, model::TableRow* made) {
    if (row.results.size() != out_.results.size()) {
      c_.sink.emit<diag::CellCount>(row.span, out_.name, out_.keys.size(), out_.results.size(),
                                    row.keys.size(), row.results.size());
      return false;
    }
    bool good = true;
    for (std::size_t i = 0; i < row.results.size(); ++i) {
      const dsl::CellDecl& cell = row.results[i];
      const model::ResultColumn& column = out_.results[i];
      std::optional<model::Constant> value;
      if (cell.kind == dsl::CellDecl::Kind::Empty) {
        if (facts_.optional_results[i]) {
          value = model::null_constant();
        } else {
          c_.sink.emit<diag::EmptyCell>(cell.span, column.name);
        }
      } else if (cell.kind == dsl::CellDecl::Kind::Value && cell.values.size() == 1) {
        value = cell_value(cell.values[0], column.type, column.name);
      } else {
        bad_cell(cell.span, std::string(c_.sources.text(cell.span)), column.name,
                 model::to_text(column.type));
      }
      good = good && value.has_value();
      made->results.push_back(value.value_or(model::null_constant()));
    }
    return good;
  }

  // -- Rows of a data file.
  void csv(const dsl::CsvDecl& decl) {
    const auto source = load_data(c_, decl.path);
    if (!source) return;
    const auto rows = parse_csv(c_, *source);
    if (!rows) return;
    const CsvRow& header = rows->front();
    for (const auto& [column, unused] : decl.columns) known_column(column);
    std::vector<std::size_t> keys, results;
    bool good = true;
    for (const model::KeyColumn& key : out_.keys) {
      good = locate(decl, header, key.name, &keys) && good;
    }
    for (const model::ResultColumn& result : out_.results) {
      good = locate(decl, header, result.name, &results) && good;
    }
    if (!good) return;
    for (std::size_t i = 1; i < rows->size(); ++i) csv_row((*rows)[i], keys, results);
  }
  void known_column(const dsl::Name& name) {
    std::vector<std::string> names;
    for (const model::KeyColumn& key : out_.keys) names.push_back(key.name);
    for (const model::ResultColumn& result : out_.results) names.push_back(result.name);
    if (std::find(names.begin(), names.end(), name.text) == names.end()) {
      report_unknown(c_, fmt::format("column of table `{}`", out_.name), name, names);
    }
  }
  // The index in the file of the column, under its own name or the one that `columns` gives.
  bool locate(const dsl::CsvDecl& decl, const CsvRow& header, const std::string& column,
              std::vector<std::size_t>* out) {
    std::string wanted = column;
    Span span = decl.span;
    for (const auto& [name, from] : decl.columns) {
      if (name.text != column) continue;
      wanted = from.text;
      span = from.span;
    }
    std::vector<std::string> names;
    for (const CsvCell& cell : header.cells) names.emplace_back(trim(cell.text));
    const auto at = std::find(names.begin(), names.end(), wanted);
    out->push_back(static_cast<std::size_t>(at - names.begin()));
    if (at != names.end()) return true;
    Diagnostic& d = c_.sink.emit<diag::CsvColumn>(
        span, c_.sources.path(header.cells.front().span.source), wanted);
    d.note(header.cells.front().span, "the header");
    if (const auto near = nearest(wanted, names)) d.hint(fmt::format("did you mean `{}`?", *near));
    return false;
  }

  void csv_row(const CsvRow& row, const std::vector<std::size_t>& keys,
               const std::vector<std::size_t>& results) {
    model::TableRow made;
    const Span first = row.cells.front().span;
    made.place = place(first);
    bool good = true;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const CsvCell& cell = row.cells[keys[i]];
      const auto key = csv_key(trim(cell.text), out_.keys[i]);
      if (!key) bad_cell(cell.span, cell.text, out_.keys[i].name, key_type_text(out_.keys[i]));
      good = good && key.has_value();
      made.keys.push_back(key.value_or(KeyCell{}));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      const CsvCell& cell = row.cells[results[i]];
      const model::ResultColumn& column = out_.results[i];
      std::optional<model::Constant> value;
      if (trim(cell.text).empty()) {
        if (facts_.optional_results[i]) {
          value = model::null_constant();
        } else {
          c_.sink.emit<diag::EmptyCell>(cell.span, column.name)
              .note(out_.span, "the table is declared here");
        }
      } else {
        value = read_cell(column.type, trim(cell.text));
        if (!value) bad_cell(cell.span, cell.text, column.name, model::to_text(column.type));
      }
      good = good && value.has_value();
      made.results.push_back(value.value_or(model::null_constant()));
    }
    Span whole = first;
    whole.end = row.cells.back().span.end;
    if (good) add(std::move(made), whole);
  }

  static std::optional<KeyCell> csv_key(std::string_view text, const model::KeyColumn& column) {
    KeyCell out;
    if (text.empty() || text == "*") return out;
    if (column.match == model::KeyMatch::Ternary) {
      if (auto ternary = parse_ternary(text)) return ternary;
    }
    const auto value = [&](std::string_view part) {
      auto read = read_cell(column.type, trim(part));
      if (read) out.values.push_back(std::move(*read));
      return !out.values.empty();
    };
    const std::size_t dots = text.find("..");
    if (text.starts_with('{') && text.ends_with('}')) {
      out.kind = KeyCell::Kind::Set;
      std::string_view rest = text.substr(1, text.size() - 2);
      while (true) {
        const std::size_t comma = rest.find(',');
        const std::size_t before = out.values.size();
        value(rest.substr(0, comma));
        if (out.values.size() == before) return std::nullopt;
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
      }
    } else if (dots != std::string_view::npos && column.type.kind != ValueKind::String) {
      out.kind = KeyCell::Kind::Range;
      value(text.substr(0, dots));
      value(text.substr(dots + 2));
    } else {
      out.kind = KeyCell::Kind::Value;
      if (!value(text)) return std::nullopt;
    }
    if (!finish(&out, column)) return std::nullopt;
    return out;
  }

  Context& c_;
  const dsl::TableDecl& decl_;
  const model::Type word_{ValueKind::String, model::Reader::Word, model::EntityKind::Node, {}};
  model::Table out_;
  TableFacts facts_;
  std::vector<Span> places_;
};

}  // namespace

void check_tables(Context& c) {
  for (const auto& [name, declared] : c.names.tables) {
    c.pack = declared.pack;
    TableChecker(c, *declared.decl, declared.pack).check();
  }
}

}  // namespace attrib::compiler
