#include "compiler/ir_print.h"

#include <fmt/format.h>

namespace attrib::compiler {
namespace {

std::string_view kind_name(RuleKind kind) {
  static constexpr std::string_view kNames[] = {"extract", "decode",  "infer",
                                                "demote",  "outcome", "ambiguous"};
  return kNames[static_cast<std::size_t>(kind)];
}
std::string_view kind_word(model::EntityKind kind) {
  return model::entity_kind_names()[static_cast<std::size_t>(kind)];
}

std::string sources_text(model::SourceMask mask) {
  std::string out;
  const auto words = model::words<model::SourceKind>();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if ((mask >> i & 1U) == 0) continue;
    out += out.empty() ? "" : ", ";
    out += words[i];
  }
  return out;
}

std::string fields_text(const std::vector<model::Field>& fields) {
  std::string out;
  for (const model::Field& field : fields) {
    out += fmt::format("  field {} {}{}\n", field.name, model::to_text(field.type),
                       field.optional ? "?" : "");
  }
  return out;
}

std::string event_text(const model::EventType& event) {
  return fmt::format("event {} on {}{}  # {}\n", event.name, kind_word(event.on),
                     event.progress ? " progress" : "", event.pack) +
         fields_text(event.fields);
}

std::string symptom_text(const model::SymptomType& s) {
  std::string on, key, tags;
  for (const auto kind : s.on) {
    on += on.empty() ? "" : " | ";
    on += kind_word(kind);
  }
  for (const auto index : s.key) key += (key.empty() ? "" : ", ") + s.fields[index].name;
  for (const auto& tag : s.tags) tags += (tags.empty() ? "" : ", ") + tag;
  std::string out = fmt::format("symptom {} on {}  # {}\n", s.name, on, s.pack);
  out += fields_text(s.fields);
  out +=
      fmt::format("  role {}  domain {}  severity {}  retry {}  blame {}{}\n", model::word(s.role),
                  model::word(s.domain), model::word(s.severity), model::word(s.retry),
                  s.blame ? model::word(*s.blame) : "default", s.locates ? "  locates" : "");
  out += fmt::format("  key [{}]  quiet {}  tags [{}]\n", key,
                     model::to_text(model::duration_constant(s.quiet)), tags);
  const std::pair<const char*, const std::string*> texts[] = {{"title", &s.title},
                                                              {"owner", &s.owner},
                                                              {"action", &s.action},
                                                              {"deprecated", &s.deprecated}};
  for (const auto& [name, text] : texts) {
    if (!text->empty()) out += fmt::format("  {} \"{}\"\n", name, *text);
  }
  for (const std::string& each : s.references) out += fmt::format("  references \"{}\"\n", each);
  return out;
}

std::string results_text(const model::Table& table, const model::TableRow& row) {
  std::string out;
  for (std::size_t i = 0; i < row.results.size(); ++i) {
    out += i == 0 ? "" : " | ";
    if (row.results[i].kind != model::ValueKind::Null) {
      out += model::to_text(row.results[i], table.results[i].type.reader);
    }
  }
  return out;
}

std::string table_text(const model::Table& table) {
  std::string keys, results;
  for (const auto& key : table.keys) {
    keys +=
        fmt::format("{}{} {}", keys.empty() ? "" : ", ", key.name,
                    key.match == model::KeyMatch::Ternary ? "ternary32" : model::to_text(key.type));
  }
  for (const auto& result : table.results) {
    results += fmt::format("{}{} {}", results.empty() ? "" : ", ", result.name,
                           model::to_text(result.type));
  }
  std::string out =
      fmt::format("table {} ({}) -> ({}) match {}  # {}\n", table.name, keys, results,
                  table.match == model::TableMatch::Unique ? "unique" : "first", table.pack);
  for (const model::TableRow& row : table.rows) {
    std::string cells;
    for (std::size_t i = 0; i < row.keys.size(); ++i) {
      cells += (i == 0 ? "" : " | ") + model::to_text(row.keys[i], table.keys[i].type);
    }
    out += fmt::format("  | {} => {}  # {}\n", cells, results_text(table, row), row.place);
  }
  return out + fmt::format("  default => {}\n", results_text(table, table.default_row));
}

// "a", "b\\t"
std::string literals_text(const std::vector<std::string>& literals) {
  std::string out;
  for (const std::string& each : literals) {
    out += fmt::format("{}\"", out.empty() ? "" : ", ");
    for (const char c : each) out += c == '\t' ? "\\t" : std::string(1, c);
    out += '"';
  }
  return out.empty() ? "none" : out;
}

std::string keep_text(const Extract& extract) {
  std::string out = extract.keep_last ? " keep last" : "";
  for (std::size_t i = 0; i < extract.keep_first_by.size(); ++i)
    out += (i == 0 ? " keep first by " : ", ") + extract.captures[extract.keep_first_by[i]].name;
  return out;
}

std::string extract_text(const Extract& extract) {
  static constexpr const char* kKinds[] = {"lines", "metric", "record"};
  std::string out =
      fmt::format("extract {}.{} {} from {}{}{}\n", extract.pack, extract.name,
                  kKinds[static_cast<int>(extract.kind)], sources_text(extract.sources),
                  extract.family ? fmt::format(" family {}", model::word(*extract.family)) : "",
                  keep_text(extract));
  std::vector<std::string> names;
  for (const Capture& capture : extract.captures) {
    names.push_back(capture.name);
    out += fmt::format("  capture {} {}\n", capture.name, model::to_text(capture.type));
  }
  for (const model::Alternative& alternative : extract.alternatives) {
    for (std::size_t i = 0; i < alternative.lines.size(); ++i) {
      const model::LineTemplate& line = alternative.lines[i];
      out += fmt::format("  {}{}{} \"{}\"\n", i == 0 ? "" : "  next ",
                         line.regex.empty() ? "line" : "regex", line.at_start ? " start" : "",
                         model::to_text(line, names));
    }
    if (alternative.within_lines != 0)
      out += fmt::format("    within {} lines\n", alternative.within_lines);
    out += fmt::format("    literals {}{}\n", literals_text(alternative.literals),
                       alternative.any_case ? " in any case" : "");
    if (!alternative.slow_reason.empty())
      out += fmt::format("    slow \"{}\"\n", alternative.slow_reason);
  }
  return out;
}

class RulePrinter {
 public:
  RulePrinter(const Module& module, const Rule& rule) : m_(module), r_(rule) {}

  std::string print() {
    line("{} {}.{}", kind_name(r_.kind), r_.pack, r_.name);
    if (r_.kind == RuleKind::Infer) line("  layer {}", r_.stratum);
    if (r_.kind == RuleKind::Decode || r_.kind == RuleKind::Infer) {
      line("  confidence {}", model::word(r_.confidence));
    }
    for (const Param& param : r_.params) {
      line("  param {} = {} range {}..{}", param.name, model::to_text(param.value),
           model::to_text(param.low), model::to_text(param.high));
    }
    for (std::size_t i = 0; i < r_.own_vars; ++i) variable(r_.vars[i]);
    for (const AbsentTest& absent : r_.absents) absence(absent);
    for (const ExprId when : r_.whens) line("  when {}", expr(when));
    for (const Emit& each : r_.emits) emit(each);
    if (r_.learn) learn();
    if (r_.kind == RuleKind::Demote) demote();
    if (r_.kind == RuleKind::Outcome) {
      line("  gives {} rank {}", model::word(r_.gives), r_.outcome_rank);
    }
    if (r_.kind == RuleKind::Ambiguous) {
      line("  report {}", message(r_.report));
      for (const Message& ask : r_.asks) line("  ask {}", message(ask));
    }
    for (const std::string& each : r_.references) line("  references \"{}\"", each);
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  std::string expr(ExprId id) const { return to_text(m_, r_, id); }
  std::string types(const Scope& scope) const {
    if (scope.any) return "any";
    std::string out;
    for (const std::uint32_t type : scope.types) {
      out += out.empty() ? "" : " | ";
      out += scope.events ? m_.events[type].name : m_.symptoms[type].name;
    }
    return out;
  }
  std::string where(const Var& var) const {
    return var.where.valid() ? " where " + expr(var.where) : "";
  }
  void variable(const Var& var) {
    switch (var.kind) {
      case VarKind::Fact:
        return line("  each {}: {}{}", var.name, types(var.scope), where(var));
      case VarKind::Member:
        return line("  each {} in {}{}", var.name, expr(var.in), where(var));
      case VarKind::Row:
        break;
    }
    std::string keys;
    for (const ExprId key : var.keys) keys += (keys.empty() ? "" : ", ") + expr(key);
    line("  lookup {}[{}] as {}", m_.tables[var.table].name, keys, var.name);
  }
  void absence(const AbsentTest& absent) {
    const Var& var = r_.vars[m_.queries[absent.query.value].var.value];
    line("  absent {}: {}{} during {} .. {} covered by {} of {}", var.name, types(var.scope),
         where(var), expr(absent.from), expr(absent.to), sources_text(absent.sources),
         absent.of.valid() ? expr(absent.of) : "attempt");
  }
  void emit(const Emit& e) {
    static constexpr const char* kOn[] = {"", "unknown ", "unsure ", "uncovered "};
    std::string fields;
    for (const FieldValue& each : e.fields) {
      const auto& list = e.event ? m_.events[e.type].fields : m_.symptoms[e.type].fields;
      fields += fmt::format("{}{}: {}", fields.empty() ? "" : ", ", list[each.field].name,
                            expr(each.value));
    }
    std::string out = fmt::format("  {}emit {}", kOn[static_cast<int>(e.on)],
                                  e.event ? m_.events[e.type].name : m_.symptoms[e.type].name);
    if (e.at.valid()) out += " at " + expr(e.at);
    out += " {" + fields + "}";
    const std::pair<const char*, ExprId> words[] = {
        {"role", e.role},   {"domain", e.domain},     {"action", e.action}, {"retry", e.retry},
        {"blame", e.blame}, {"severity", e.severity}, {"title", e.title}};
    for (const auto& [name, value] : words) {
      if (value.valid()) out += fmt::format(" {} {}", name, expr(value));
    }
    if (e.begin_from.valid()) out += " begin " + expr(e.begin_from);
    if (e.begin_to.valid()) out += " .. " + expr(e.begin_to);
    out_ += out + "\n";
  }
  void learn() {
    std::string operands;
    for (const ExprId each : r_.learn_operands) {
      operands += (operands.empty() ? "" : ", ") + expr(each);
    }
    line("  learn {} {}", model::to_text(*r_.learn), operands);
  }
  void demote() {
    const std::string& cause = r_.vars[0].name;
    const std::string& effect = r_.vars[1].name;
    line("  within {}..{} from {}.{} to {}.{}{}", expr(r_.window_from), expr(r_.window_to),
         r_.window_reversed ? effect : cause, model::to_text(r_.window_start),
         r_.window_reversed ? cause : effect, model::to_text(r_.window_end),
         r_.of_job ? " of job" : "");
    line("  because \"{}\"", r_.because);
  }
  std::string message(const Message& text) const {
    std::string out = "\"";
    for (std::size_t i = 0; i < text.texts.size(); ++i) {
      out += text.texts[i];
      if (i >= text.values.size()) continue;
      const VarId fact = text.facts[i];
      out += fmt::format("{{{}}}", fact.valid() ? r_.vars[fact.value].name : expr(text.values[i]));
    }
    return out + "\"";
  }

  const Module& m_;
  const Rule& r_;
  std::string out_;
};

}  // namespace

std::string rule_text(const Module& module, const Rule& rule) {
  return RulePrinter(module, rule).print();
}

std::string to_text(const Module& module) {
  std::string out;
  for (const Pack& pack : module.packs) {
    out +=
        fmt::format("pack {} {} uses [{}]\n", pack.name, pack.version, fmt::join(pack.uses, ", "));
  }
  for (const auto& event : module.events) out += "\n" + event_text(event);
  for (const auto& symptom : module.symptoms) out += "\n" + symptom_text(symptom);
  for (const auto& table : module.tables) out += "\n" + table_text(table);
  for (const Extract& extract : module.extracts) out += "\n" + extract_text(extract);
  for (const Rule& rule : module.rules) out += "\n" + rule_text(module, rule);
  return out + fmt::format("\ninfer layers {}\n", module.infer_strata);
}

}  // namespace attrib::compiler
