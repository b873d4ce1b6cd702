#include "tests/reference/differential_tally.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "program/opcode.h"

namespace attrib::differential {
namespace {

using compiler::ExprKind;

// Every group and what must occur in it.
template <typename T>
std::string numbered(T value) {
  return fmt::format("{:02}", static_cast<int>(value));
}

constexpr std::array kExprNames = {"Constant",
                                   "Param",
                                   "FieldOf",
                                   "AttributeOf",
                                   "Member",
                                   "Cell",
                                   "Capture",
                                   "Seen",
                                   "ObservationNode",
                                   "ObservationRank",
                                   "ObservationMessage",
                                   "Attempt",
                                   "MetricName",
                                   "MetricValue",
                                   "MetricRises",
                                   "MetricLabel",
                                   "RecordField",
                                   "ReadText",
                                   "RelationOf",
                                   "SetOf",
                                   "MakeCommunicator",
                                   "MakeCollective",
                                   "Not",
                                   "And",
                                   "Or",
                                   "Compare",
                                   "InList",
                                   "InSet",
                                   "Has",
                                   "HasTag",
                                   "TextTest",
                                   "Add",
                                   "Sub",
                                   "Negate",
                                   "Aggregate",
                                   "Bursts",
                                   "Solo",
                                   "Tied",
                                   "Related"};
constexpr std::array kRuleNames = {"extract", "decode", "infer", "demote", "outcome", "ambiguous"};
constexpr std::array kEmitNames = {"emit", "unknown emit", "unsure emit", "uncovered emit"};
constexpr std::array kPartNames = {"literal", "blank", "hole",     "skip",
                                   "rest",    "gap",   "optional", "optional end"};
constexpr std::array kAggregateNames = {"count", "count distinct", "least", "odd"};
constexpr std::array kVarNames = {"fact", "member", "row"};
constexpr std::array kCellNames = {"any", "value", "set", "range", "ternary"};
constexpr std::array kExtractNames = {"lines", "metric", "record"};
constexpr std::array kStatusNames = {"attributed", "ambiguous", "unattributed", "no_failure"};

template <std::size_t N, typename T>
std::string name(const std::array<const char*, N>& names, T value) {
  return names.at(static_cast<std::size_t>(value));
}

template <std::size_t N>
void expect(std::map<std::string, std::uint64_t>& counts, const std::array<const char*, N>& names) {
  for (const char* each : names) counts.try_emplace(each, 0);
}

}  // namespace

void Tally::add(const compiler::Module& module, const program::Program& program,
                const verdict::Verdict& verdict, const reference::Notes& notes) {
  ++cases_;
  if (verdict.symptoms.empty()) ++empty_;
  count_module(module);
  for (const program::Instruction& i : program.code)
    ++counts_["opcodes"][std::string(program::info(i.op).mnemonic)];
  count_verdict(verdict);
  auto& logic = counts_["logic values"];
  logic["no"] += notes.no;
  logic["unknown"] += notes.unknown;
  logic["yes"] += notes.yes;
  auto& graph = counts_["graph"];
  graph["strong edge"] += notes.strong;
  graph["weak edge"] += notes.weak;
  graph["compound"] += notes.compounds;
  graph["weak edge that demotes"] += notes.weak_demotes;
  graph["tie of one domain"] +=
      notes.tied && verdict.status == model::VerdictStatus::Attributed ? 1 : 0;
  graph["tie of several domains"] +=
      notes.tied && verdict.status == model::VerdictStatus::Ambiguous ? 1 : 0;
  graph["lifted"] += notes.lifted;
  graph["contradiction"] += verdict.counters.at("contradictions");
  graph["capped edges"] += verdict.counters.at("edges_capped");
  graph["learned fact"] += notes.learned;
}

void Tally::count_module(const compiler::Module& module) {
  for (const compiler::Expr& e : module.exprs) {
    ++counts_["expressions"][name(kExprNames, e.kind)];
    if (e.kind == ExprKind::Aggregate) ++counts_["aggregates"][name(kAggregateNames, e.aggregate)];
    if (e.kind == ExprKind::AttributeOf)
      ++counts_["attributes"]
               [std::string(model::attributes()[static_cast<std::size_t>(e.attribute)].name)];
    if (e.kind == ExprKind::Compare)
      ++counts_["comparisons"][std::string(model::to_text(e.compare))];
    if (e.kind == ExprKind::TextTest)
      ++counts_["comparisons"][std::string(model::to_text(e.text_test))];
    if (e.kind == ExprKind::RelationOf) {
      const auto& row = model::relations()[static_cast<std::size_t>(e.relation)];
      ++counts_["relations"][fmt::format("{}.{}", model::word(row.from), row.name)];
    }
    if (e.kind == ExprKind::SetOf) {
      const auto& row = model::sets()[static_cast<std::size_t>(e.set)];
      ++counts_["sets"][fmt::format("{}.{}", model::word(row.from), row.name)];
    }
  }
  for (const compiler::Rule& rule : module.rules) {
    ++counts_["rules"][name(kRuleNames, rule.kind)];
    if (rule.learn) ++counts_["learn"][std::string(model::to_text(*rule.learn))];
    if (!rule.absents.empty()) ++counts_["rules"]["absent"];
    if (rule.window_reversed) ++counts_["rules"]["window to the cause"];
    for (const compiler::Emit& emit : rule.emits) ++counts_["rules"][name(kEmitNames, emit.on)];
    for (const compiler::Var& var : rule.vars) {
      ++counts_["variables"][name(kVarNames, var.kind)];
      if (var.scope.any) ++counts_["variables"]["any"];
      if (var.scope.types.size() > 1) ++counts_["variables"]["several types"];
    }
  }
  for (const compiler::Extract& extract : module.extracts) {
    ++counts_["extracts"][name(kExtractNames, extract.kind)];
    if (extract.keep_last) ++counts_["extracts"]["keep last"];
    if (!extract.keep_first_by.empty()) ++counts_["extracts"]["keep first"];
    for (const model::Alternative& a : extract.alternatives) {
      if (a.lines.size() > 1) ++counts_["extracts"]["next line"];
      for (const model::LineTemplate& line : a.lines) {
        if (!line.regex.empty()) ++counts_["extracts"]["regex"];
        if (line.at_start) ++counts_["extracts"]["line start"];
        for (const model::TemplatePart& part : line.parts)
          ++counts_["template parts"][name(kPartNames, part.kind)];
      }
    }
  }
  for (const model::Table& table : module.tables) {
    ++counts_["tables"][table.match == model::TableMatch::Unique ? "match unique" : "match first"];
    for (const model::TableRow& row : table.rows) {
      for (const model::KeyCell& cell : row.keys) ++counts_["tables"][name(kCellNames, cell.kind)];
    }
  }
}

void Tally::count_verdict(const verdict::Verdict& v) {
  ++counts_["statuses"][name(kStatusNames, v.status)];
  auto& symptoms = counts_["symptoms"];
  for (const verdict::Symptom& s : v.symptoms) {
    ++symptoms[std::string(verdict::to_text(s.state))];
    if (s.count > 1) ++symptoms["burst"];
    if (!s.begin.known) ++symptoms["time not known"];
    if (s.entity.id.empty() && s.entity.kind != model::EntityKind::Attempt)
      ++symptoms["unknown entity"];
    if (!s.absences.empty()) ++symptoms["told by absence"];
    if (!s.proof.table_row.empty()) ++symptoms["looked up"];
    if (!s.proof.inputs.empty()) ++symptoms["inferred"];
  }
  auto& verdicts = counts_["verdicts"];
  verdicts["suspects"] += v.suspects.empty() ? 0 : 1;
  verdicts["affected nodes"] += v.affected_nodes.empty() ? 0 : 1;
  verdicts["excluded nodes"] += v.exclude_nodes.empty() ? 0 : 1;
  verdicts["where"] += v.where.empty() ? 0 : 1;
  verdicts["ask"] += v.ask.empty() ? 0 : 1;
  verdicts["report"] += v.reports.empty() ? 0 : 1;
  verdicts["ending"] += v.endings.empty() ? 0 : 1;
  verdicts["alternatives that lost"] +=
      v.status == model::VerdictStatus::Attributed && !v.alternatives.empty() ? 1 : 0;
}

bool Tally::print(bool demand) const {
  std::map<std::string, Counts> all = counts_;
  expect(all["expressions"], kExprNames);
  expect(all["rules"], kRuleNames);
  expect(all["rules"], kEmitNames);
  expect(all["template parts"], kPartNames);
  expect(all["aggregates"], kAggregateNames);
  expect(all["variables"], kVarNames);
  expect(all["tables"], kCellNames);
  expect(all["tables"], std::array{"match unique", "match first"});
  expect(all["extracts"], kExtractNames);
  expect(all["extracts"], std::array{"next line", "regex", "line start", "keep last", "keep first"});
  expect(all["variables"], std::array{"any", "several types"});
  expect(all["rules"], std::array{"absent", "window to the cause"});
  expect(all["statuses"], kStatusNames);
  expect(all["symptoms"], std::array{"root", "demoted", "unexplained", "late", "survived",
                                     "history", "note", "burst", "time not known", "unknown entity",
                                     "told by absence", "looked up", "inferred"});
  expect(all["comparisons"],
         std::array{"==", "!=", "<", "<=", ">", ">=", "contains", "starts_with", "ends_with"});
  expect(all["learn"], std::array{"address", "place", "world", "member", "alias"});
  for (const program::OpcodeInfo& op : program::opcodes())
    all["opcodes"].try_emplace(std::string(op.mnemonic), 0);

  std::uint64_t missing = 0;
  for (const auto& [group, counts] : all) {
    fmt::print("{}:", group);
    for (const auto& [what, n] : counts) {
      fmt::print(" {} {}{}", what, n, n == 0 ? " (NEVER)" : "");
      fmt::print(",");
      missing += n == 0 ? 1 : 0;
    }
    fmt::print("\n");
  }
  fmt::print("{} cases compared, {} without a symptom, {} refused by the compiler\n", cases_,
             empty_, refused_);
  if (!demand) return true;
  if (missing > 0) fmt::print("{} things never occurred\n", missing);
  if (empty_ * 2 > cases_) fmt::print("more than half of the verdicts are empty\n");
  const bool often_refused = refused_ * 10 > cases_;
  if (often_refused)
    fmt::print("more than one case in ten was refused, the last with\n{}\n", last_refusal_);
  return missing == 0 && empty_ * 2 <= cases_ && !often_refused && cases_ > 0;
}

}  // namespace attrib::differential
