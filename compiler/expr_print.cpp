// One expression of the IR as text.

#include <fmt/format.h>

#include "compiler/module.h"

namespace attrib::compiler {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string constant_text(const model::Constant& value, model::Reader reader) {
  return value.kind == model::ValueKind::String ? quoted(value.text)
                                                : model::to_text(value, reader);
}

std::string var_name(const Rule& rule, VarId id) {
  return id.valid() && id.value < rule.vars.size() ? rule.vars[id.value].name : "?";
}

class Printer {
 public:
  Printer(const Module& module, const Rule& rule) : m_(module), r_(rule) {}

  std::string text(ExprId id) const {
    if (!id.valid() || id.value >= m_.exprs.size()) return "?";
    const Expr& e = m_.exprs[id.value];
    switch (e.kind) {
      case ExprKind::Constant:
        return constant_text(e.constant, e.type.reader);
      case ExprKind::Param:
        return r_.params.at(e.index).name;
      case ExprKind::FieldOf:
        return var_name(r_, e.var) + "." + e.text;
      case ExprKind::AttributeOf:
        return var_name(r_, e.var) + "." + attribute_name(e.attribute);
      case ExprKind::Member:
        return var_name(r_, e.var);
      case ExprKind::Cell:
        return var_name(r_, e.var) + "." +
               m_.tables[r_.vars[e.var.value].table].results[e.index].name;
      case ExprKind::Capture:
        return e.text;
      case ExprKind::Seen:
        return "seen";
      case ExprKind::ObservationNode:
        return "node";
      case ExprKind::ObservationRank:
        return "rank";
      case ExprKind::ObservationMessage:
        return "message";
      case ExprKind::Attempt:
        return "attempt";
      case ExprKind::MetricName:
        return "name";
      case ExprKind::MetricValue:
        return "value";
      case ExprKind::MetricRises:
        return "value rises";
      case ExprKind::MetricLabel:
        return fmt::format("label({})", quoted(e.text));
      case ExprKind::RecordField:
        return fmt::format("record({})", quoted(e.text));
      case ExprKind::ReadText: {
        std::string call = text(e.a);
        call.pop_back();
        return fmt::format("{}, {})", call, model::info(e.type.reader).name);
      }
      case ExprKind::RelationOf:
        return inner(e.a) + "." + relation_name(e.relation);
      case ExprKind::SetOf:
        return inner(e.a) + "." + set_name(e.set);
      case ExprKind::MakeCommunicator:
        return fmt::format("communicator({})", text(e.a));
      case ExprKind::MakeCollective:
        return fmt::format("collective({}, {})", text(e.a), text(e.b));
      case ExprKind::Not:
        return "not " + inner(e.a);
      case ExprKind::And:
        return inner(e.a) + " and " + inner(e.b);
      case ExprKind::Or:
        return inner(e.a) + " or " + inner(e.b);
      case ExprKind::Compare:
        return fmt::format("{} {} {}", inner(e.a), model::to_text(e.compare), inner(e.b));
      case ExprKind::InList:
        return inner(e.a) + " in " + list(e);
      case ExprKind::InSet:
        return inner(e.a) + " in " + inner(e.b);
      case ExprKind::Has:
        return "has " + inner(e.a);
      case ExprKind::HasTag:
        return fmt::format("{}.tags has {}", var_name(r_, e.var), e.text);
      case ExprKind::TextTest:
        return fmt::format("{}({}, {})", model::to_text(e.text_test), text(e.a), text(e.b));
      case ExprKind::Add:
        return inner(e.a) + " + " + inner(e.b);
      case ExprKind::Sub:
        return inner(e.a) + " - " + inner(e.b);
      case ExprKind::Negate:
        return "-" + inner(e.a);
      case ExprKind::Aggregate:
        return aggregate(e);
      case ExprKind::Bursts:
        return fmt::format("bursts({}, {})", var_name(r_, e.var), text(e.a));
      case ExprKind::Solo:
        return fmt::format("solo({}, {})", var_name(r_, e.var), text(e.a));
      case ExprKind::Tied:
        return fmt::format("tied({}, {})", var_name(r_, e.var), var_name(r_, e.second_var));
      case ExprKind::Related:
        return fmt::format("related({}, {})", var_name(r_, e.var), var_name(r_, e.second_var));
    }
    return "?";
  }

 private:
  static std::string attribute_name(model::Attribute attribute) {
    for (const auto& info : model::attributes()) {
      if (info.attribute == attribute) return std::string(info.name);
    }
    return "?";
  }
  static std::string relation_name(model::Relation relation) {
    for (const auto& info : model::relations()) {
      if (info.relation == relation) return std::string(info.name);
    }
    return "?";
  }
  static std::string set_name(model::SetKind set) {
    for (const auto& info : model::sets()) {
      if (info.set == set) return std::string(info.name);
    }
    return "?";
  }
  // In brackets where it is an operation of its own.
  std::string inner(ExprId id) const {
    if (!id.valid() || id.value >= m_.exprs.size()) return "?";
    switch (m_.exprs[id.value].kind) {
      case ExprKind::Not:
      case ExprKind::And:
      case ExprKind::Or:
      case ExprKind::Compare:
      case ExprKind::InList:
      case ExprKind::InSet:
      case ExprKind::Has:
      case ExprKind::HasTag:
      case ExprKind::Add:
      case ExprKind::Sub:
      case ExprKind::Negate:
      case ExprKind::MetricRises:
      case ExprKind::Aggregate:
        return "(" + text(id) + ")";
      default:
        return text(id);
    }
  }
  std::string list(const Expr& e) const {
    std::string out;
    const model::Reader reader = m_.exprs[e.a.value].type.reader;
    for (const model::Constant& each : e.list) {
      out += (out.empty() ? "" : ", ") + constant_text(each, reader);
    }
    return "[" + out + "]";
  }
  std::string types(const Scope& scope) const {
    if (scope.any) return "any";
    std::string out;
    for (const std::uint32_t type : scope.types) {
      out += out.empty() ? "" : " | ";
      out += scope.events ? m_.events[type].name : m_.symptoms[type].name;
    }
    return out;
  }
  std::string aggregate(const Expr& e) const {
    static constexpr const char* kNames[] = {"count", "count distinct", "least", "odd"};
    const Query& query = m_.queries[e.query.value];
    const Var& var = r_.vars[query.var.value];
    std::string out = kNames[static_cast<int>(e.aggregate)];
    if (e.a.valid()) out += " " + text(e.a);
    out += fmt::format(" of {}: {}", var.name, types(var.scope));
    if (var.where.valid()) out += " where " + text(var.where);
    if (query.over.valid()) out += " over " + text(query.over);
    return out;
  }

  const Module& m_;
  const Rule& r_;
};

}  // namespace

std::string to_text(const Module& module, const Rule& rule, ExprId id) {
  return Printer(module, rule).text(id);
}

}  // namespace attrib::compiler
