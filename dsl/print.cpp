#include "dsl/print.h"

#include <fmt/format.h>

#include <variant>

#include "dsl/print_parts.h"

namespace attrib::dsl {
namespace {

std::string type_text(const TypeRef& type) {
  const std::string name =
      type.words.empty() ? type.name.text : "(" + names_text(type.words, " | ") + ")";
  return name + (type.optional ? "?" : "");
}

std::string columns_text(const std::vector<FieldDecl>& fields, std::string_view between = " ") {
  std::string out;
  for (const FieldDecl& field : fields) {
    out += fmt::format("{}{}{}{}", out.empty() ? "" : ", ", field.name.text, between,
                       type_text(field.type));
  }
  return out;
}

std::string exprs_text(const std::vector<ExprPtr>& exprs) {
  std::string out;
  for (const ExprPtr& expr : exprs) out += (out.empty() ? "" : ", ") + print(*expr);
  return out;
}

// The lines of one block: `head {`, its clauses, `}`.
class Block {
 public:
  explicit Block(std::string head) : out_(std::move(head) + " {\n") {}
  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    out_ += "  " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  void fields(const std::vector<FieldDecl>& fields) {
    for (const FieldDecl& field : fields) add("{} {}", field.name.text, type_text(field.type));
  }
  void exprs(std::string_view word, const std::vector<ExprPtr>& exprs) {
    for (const ExprPtr& expr : exprs) add("{} {}", word, print(*expr));
  }
  void word(std::string_view clause, const std::optional<Name>& name) {
    if (name) add("{} {}", clause, name->text);
  }
  void variable(std::string_view clause, const std::optional<VariableDecl>& variable) {
    if (variable) add("{} {}", clause, variable_text(*variable));
  }
  void references(const std::vector<Text>& references) {
    std::string texts;
    for (const Text& each : references) texts += (texts.empty() ? "" : ", ") + quoted(each.value);
    if (!texts.empty()) add("references {}", texts);
  }
  std::string end() { return std::move(out_) + "}\n"; }

 private:
  std::string out_;
};

std::string emit_text(const EmitDecl& emit) {
  std::string out = "emit " + emit.symptom.text;
  if (emit.at) out += " at " + operand_text(*emit.at);
  out += " " + object_text(emit.fields);
  for (const auto& [word, value] : emit.overrides)
    out += fmt::format(" {} {}", word.text, operand_text(*value));
  if (emit.begin) out += " begin " + range_text(*emit.begin);
  return out;
}

std::string lookup_text(const LookupDecl& lookup) {
  return fmt::format("lookup {}[{}] as {}", lookup.table.text, exprs_text(lookup.keys),
                     lookup.row.text);
}

std::string line_text(const LineClause& line) {
  std::string out;
  for (const LinePattern& pattern : line.lines) {
    if (out.empty())
      out = pattern.regex && !pattern.at_start ? "" : "line ";
    else
      out += " next ";
    if (pattern.at_start) out += "start ";
    if (pattern.regex) out += "regex ";
    out += quoted(pattern.text.value);
  }
  if (line.within_lines) out += fmt::format(" within {} lines", *line.within_lines);
  if (line.slow) out += " slow " + quoted(line.slow->value);
  return out;
}

std::string sample_text(const SampleClause& sample) {
  std::string out = sample.reject ? "reject " : "sample ";
  for (std::size_t i = 0; i < sample.lines.size(); ++i)
    out += (i == 0 ? "" : " next ") + quoted(sample.lines[i].value);
  if (sample.object) out += object_text(*sample.object);
  if (sample.gives) out += " gives " + object_text(*sample.gives);
  return out;
}

std::string learn_text(const LearnClause& learn) {
  const auto& operands = learn.operands;
  std::string out = fmt::format("learn {} {}", learn.kind.text, operands[0].text);
  if (operands.size() > 1) out += (learn.kind.text == "place" ? " on " : " of ") + operands[1].text;
  if (operands.size() > 2) out += " gpu " + operands[2].text;
  return out;
}

std::string extract_head(const ExtractDecl& extract) {
  std::string from =
      extract.from == ExtractFrom::Metric ? "metric" : names_text(extract.sources, " or ");
  if (extract.from == ExtractFrom::Record) from += " record";
  const std::string makes = extract.event   ? "as " + extract.event->text
                            : extract.learn ? learn_text(*extract.learn)
                                            : "";
  return fmt::format("extract {} from {} {}", extract.name.text, from, makes);
}

std::string cell_text(const CellDecl& cell) {
  switch (cell.kind) {
    case CellDecl::Kind::Empty:
      return "";
    case CellDecl::Kind::Any:
      return "*";
    case CellDecl::Kind::Ternary:
      return cell.ternary;
    case CellDecl::Kind::Set:
      return "{" + exprs_text(cell.values) + "}";
    case CellDecl::Kind::Range:
      return print(*cell.values[0]) + ".." + print(*cell.values[1]);
    case CellDecl::Kind::Value:
      return print(*cell.values[0]);
  }
  return "";
}

std::string cells_text(const std::vector<CellDecl>& cells) {
  std::string out;
  for (const CellDecl& cell : cells)
    out += (&cell == &cells.front() ? "" : " | ") + cell_text(cell);
  return out;
}

std::string csv_text(const CsvDecl& csv) {
  std::string columns;
  for (const auto& [name, header] : csv.columns) {
    columns += (columns.empty() ? "" : ", ") + name.text;
    if (header.text != name.text) columns += " = " + key_text(header);
  }
  return fmt::format("from {}{}", quoted(csv.path.value),
                     columns.empty() ? "" : " columns (" + columns + ")");
}

std::string absent_text(const AbsentDecl& absent) {
  std::string out = fmt::format("absent {} during {} covered by {}", variable_text(absent.variable),
                                range_text(absent.during), names_text(absent.sources, " or "));
  if (absent.of) out += " of " + operand_text(*absent.of);
  return out;
}

std::string each_text(const EachDecl& each) {
  std::string out =
      fmt::format("each {}: {}", each.variable.name.text, names_text(each.variable.types, " | "));
  if (each.in) out += " in " + operand_text(*each.in);
  if (each.variable.where) out += " where " + print(*each.variable.where);
  return out;
}

std::string_view prefix(EmitOn on) {
  switch (on) {
    case EmitOn::True:
      return "";
    case EmitOn::Unknown:
      return "unknown ";
    case EmitOn::Unsure:
      return "unsure ";
    case EmitOn::Uncovered:
      return "uncovered ";
  }
  return "";
}

std::string param_text(const ParamDecl& param) {
  std::string out = fmt::format("param {} = {}", param.name.text, operand_text(*param.value));
  if (param.low)
    out += fmt::format(" range {} .. {}", operand_text(*param.low), operand_text(*param.high));
  return out;
}

std::string clause_text(const SymptomClause& clause) {
  const std::string values = exprs_text(clause.values);
  if (clause.keyword.text == "locates") return clause.keyword.text;
  const bool list = clause.keyword.text == "tags" || clause.values.empty();
  return clause.keyword.text + (list ? " [" + values + "]" : " " + values);
}

struct DeclPrinter {
  std::string operator()(const PackDecl& pack) const {
    return fmt::format("pack {} {}\n", pack.name.text, pack.version);
  }
  std::string operator()(const LanguageDecl& language) const {
    return fmt::format("language {}\n", language.version);
  }
  std::string operator()(const UseDecl& use) const {
    return fmt::format("use {}\n", names_text(use.packs, ", "));
  }

  std::string operator()(const EventDecl& event) const {
    Block block(fmt::format("event {} on {}", event.name.text, event.on.text));
    block.fields(event.fields);
    if (event.progress) block.add("progress");
    return block.end();
  }

  std::string operator()(const SymptomDecl& symptom) const {
    Block block(fmt::format("symptom {} on {}", symptom.name.text, names_text(symptom.on, " | ")));
    block.fields(symptom.fields);
    for (const SymptomClause& clause : symptom.clauses) block.add("{}", clause_text(clause));
    return block.end();
  }

  std::string operator()(const ExtractDecl& extract) const {
    Block block(extract_head(extract));
    for (const LineClause& line : extract.lines) block.add("{}", line_text(line));
    block.exprs("where", extract.wheres);
    for (const SetClause& set : extract.sets)
      block.add("set {} = {}", set.field.text, print(*set.value));
    if (extract.at) block.add("at {}", operand_text(*extract.at));
    if (extract.begin) block.add("begin {}", range_text(*extract.begin));
    block.word("family", extract.family);
    if (extract.keep_last) block.add("keep last");
    if (extract.keep_first) block.add("keep first by {}", names_text(extract.keep_first->by, ", "));
    for (const SampleClause& sample : extract.samples) block.add("{}", sample_text(sample));
    block.references(extract.references);
    return block.end();
  }

  std::string operator()(const TableDecl& table) const {
    Block block(fmt::format("table {} ({}) -> ({})", table.name.text, columns_text(table.keys),
                            columns_text(table.results)));
    block.word("match", table.match);
    if (table.csv) block.add("{}", csv_text(*table.csv));
    for (const RowDecl& row : table.rows)
      block.add("| {} => {}", cells_text(row.keys), cells_text(row.results));
    if (table.default_row) block.add("default => {}", cells_text(table.default_row->results));
    return block.end();
  }

  std::string operator()(const DecodeDecl& decode) const {
    Block block("decode " + decode.name.text);
    block.variable("on", decode.on);
    for (const LookupDecl& lookup : decode.lookups) block.add("{}", lookup_text(lookup));
    block.exprs("when", decode.whens);
    for (const EmitDecl& emit : decode.emits) block.add("{}", emit_text(emit));
    block.word("confidence", decode.confidence);
    block.references(decode.references);
    return block.end();
  }

  std::string operator()(const InferDecl& infer) const {
    Block block("infer " + infer.name.text);
    for (const EachDecl& each : infer.each) block.add("{}", each_text(each));
    for (const LookupDecl& lookup : infer.lookups) block.add("{}", lookup_text(lookup));
    for (const AbsentDecl& absent : infer.absents) block.add("{}", absent_text(absent));
    block.exprs("when", infer.whens);
    for (const auto& [on, emit] : infer.emits) block.add("{}{}", prefix(on), emit_text(emit));
    block.word("confidence", infer.confidence);
    block.references(infer.references);
    return block.end();
  }

  std::string operator()(const DemoteDecl& demote) const {
    Block block("demote " + demote.name.text);
    for (const ParamDecl& param : demote.params) block.add("{}", param_text(param));
    block.variable("cause", demote.cause);
    block.variable("effect", demote.effect);
    block.exprs("where", demote.wheres);
    if (demote.within) {
      const WithinDecl& within = *demote.within;
      block.add("within {} .. {} from {} to {}", operand_text(*within.from),
                operand_text(*within.to), print(*within.start), print(*within.end));
    }
    if (demote.because) block.add("because {}", quoted(demote.because->value));
    if (demote.of_job) block.add("of job");
    block.references(demote.references);
    return block.end();
  }

  std::string operator()(const OutcomeDecl& outcome) const {
    Block block("outcome " + outcome.name.text);
    block.variable("on", outcome.on);
    block.exprs("when", outcome.whens);
    block.word("gives", outcome.gives);
    if (outcome.rank) block.add("rank {}", *outcome.rank);
    if (outcome.emit) block.add("{}", emit_text(*outcome.emit));
    block.references(outcome.references);
    return block.end();
  }

  std::string operator()(const AmbiguousDecl& ambiguous) const {
    Block block("ambiguous " + ambiguous.name.text);
    if (!ambiguous.among.empty())
      block.add("among {}: root of job", names_text(ambiguous.among, ", "));
    block.exprs("when", ambiguous.whens);
    block.word("verdict", ambiguous.verdict);
    if (ambiguous.report) block.add("report {}", quoted(ambiguous.report->value));
    for (const Text& ask : ambiguous.asks) block.add("ask {}", quoted(ask.value));
    block.references(ambiguous.references);
    return block.end();
  }

  std::string operator()(const LetDecl& let) const {
    return fmt::format("let {}({}) = {}\n", let.name.text, columns_text(let.params, ": "),
                       print(*let.body));
  }

  // Its clauses are not in the tree: language 1 refuses it anyway.
  std::string operator()(const OverrideDecl& change) const {
    return fmt::format("override {} {{\n}}\n", change.target.text);
  }

  std::string operator()(const TestDecl& test) const { return print_test(test); }
};

}  // namespace

std::string print(const File& file) {
  std::string out;
  for (const Decl& decl : file.decls)
    out += (out.empty() ? "" : "\n") + std::visit(DeclPrinter{}, decl);
  return out;
}

}  // namespace attrib::dsl
