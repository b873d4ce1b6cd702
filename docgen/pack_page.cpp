#include "docgen/pack_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "docgen/markdown.h"
#include "dsl/print.h"
#include "dsl/print_parts.h"

namespace attrib::docgen {
namespace {

using compiler::Rule;
using compiler::RuleKind;

std::string count_of(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string joined(const std::vector<std::string>& texts, std::string_view between = ", ") {
  return fmt::format("{}", fmt::join(texts, between));
}

// A path as an address on the page, if it is one.
std::string reference_text(const std::string& reference) {
  const bool address = reference.starts_with("http://") || reference.starts_with("https://");
  return address && reference.find_first_of(" <>") == std::string::npos
             ? fmt::format("<{}>", reference)
             : escaped(reference);
}

std::string references_text(const std::vector<std::string>& references) {
  std::vector<std::string> all;
  for (const std::string& each : references) all.push_back(reference_text(each));
  return joined(all, ", ");
}

class PackPage {
 public:
  PackPage(const Library& library, const std::string& name)
      : library_(library), name_(name), pack_(library.packs().at(name)) {}

  std::string print() {
    head();
    section("Symptoms", pack_.symptoms, [&](const auto& s) { symptom(*s); });
    section("Decode rules", pack_.decodes, [&](const auto& d) { decode(d); });
    section("Infer rules", pack_.infers, [&](const auto& i) { infer(i); });
    section("Demote rules", pack_.demotes, [&](const auto& d) { demote(d); });
    section("Outcome rules", pack_.outcomes, [&](const auto& o) { outcome(o); });
    section("Ambiguous rules", pack_.ambiguities, [&](const auto& a) { ambiguous(a); });
    section("Extracts", pack_.extracts, [&](const auto& e) { extract(e); });
    section("Tables", pack_.tables, [&](const auto& t) { table(*t); });
    return std::move(out_);
  }

 private:
  template <typename Map, typename Print>
  void section(std::string_view title, const Map& all, const Print& print) {
    if (all.empty()) return;
    out_ += fmt::format("\n## {}\n", title);
    for (const auto& [name, each] : all) print(each);
  }
  void heading(const std::string& text) { out_ += fmt::format("\n### {}\n\n", text); }
  void paragraph(const std::string& text) { out_ += wrapped(text) + "\n"; }
  void item(std::string_view what, const std::string& text) {
    if (!text.empty()) out_ += wrapped(fmt::format("{}: {}", what, text), "* ");
  }
  void references(const Rule& rule) { item("references", references_text(rule.references)); }

  // -- links
  [[nodiscard]] std::string to(const std::string& text, const std::string& pack,
                               const std::string& heading) const {
    return docgen::link(text, Library::target(name_, pack, heading));
  }
  [[nodiscard]] std::string to(const Rule& rule) const {
    return to(escaped(rule.name), rule.pack, heading_of(rule));
  }
  [[nodiscard]] std::string to(const model::SymptomType& symptom) const {
    return to(escaped(symptom.name), symptom.pack, symptom.name);
  }
  [[nodiscard]] std::string rules(const std::vector<const Rule*>& all) const {
    std::vector<std::string> links;
    for (const Rule* rule : all) links.push_back(to(*rule));
    return joined(links);
  }
  // Rules that name the symptom at side `var`; those that take any symptom of its tags, role or
  // domain are many and the same for most: by pack only.
  [[nodiscard]] std::string demotions(const std::vector<const Rule*>& all, std::size_t var) const {
    std::vector<std::string> links;
    std::map<std::string, std::size_t> general;
    for (const Rule* rule : all) {
      if (rule->vars[var].scope.any) {
        ++general[rule->pack];
      } else {
        links.push_back(to(*rule));
      }
    }
    for (const auto& [pack, count] : general) {
      links.push_back(
          fmt::format("{} of {}", count_of(count, "general rule"), to(pack, pack, "demote rules")));
    }
    return joined(links);
  }
  [[nodiscard]] std::string symptoms(const std::vector<dsl::Name>& names) const {
    std::vector<std::string> links;
    for (const dsl::Name& name : names) {
      const auto& all = library_.module().symptoms;
      const auto at = std::find_if(all.begin(), all.end(),
                                   [&](const auto& type) { return type.name == name.text; });
      links.push_back(at == all.end() ? code(name.text) : to(*at));
    }
    return joined(links, " or ");
  }
  // The extracts that make the events a variable ranges over.
  [[nodiscard]] std::string read_by(const Rule& rule) const {
    std::vector<std::string> links;
    for (std::uint32_t v = 0; v < rule.own_vars; ++v) {
      const compiler::Var& var = rule.vars[v];
      if (var.kind != compiler::VarKind::Fact || !var.scope.events) continue;
      for (const std::uint32_t event : var.scope.types) {
        for (const compiler::Extract* extract : library_.read_by(event)) {
          links.push_back(to(escaped(extract->name), extract->pack, "extract " + extract->name));
        }
      }
    }
    return joined(links);
  }

  // -- the parts of the page
  void head() {
    out_ += fmt::format(
        "# {}\n\nGenerated from the rules. Do not edit: `tools/docs.sh` writes it anew.\n\n",
        name_);
    std::vector<std::string> uses;
    for (const std::string& each : pack_.pack->uses) uses.push_back(link(each, each + ".md"));
    paragraph(fmt::format(
        "Version {}: {}, {}, {}, {}.{}", pack_.pack->version,
        count_of(pack_.symptoms.size(), "symptom"), count_of(pack_.extracts.size(), "extract"),
        count_of(pack_.decodes.size() + pack_.infers.size(), "decode and infer rule"),
        count_of(pack_.demotes.size(), "demote rule"),
        uses.empty() ? "" : " Uses " + joined(uses) + "."));
    for (const PackFile& file : pack_.files) {
      out_ += fmt::format("`{}`:\n\n", file.path);
      about(file);
    }
    out_.pop_back();  // A section begins with an empty line of its own.
  }

  void about(const PackFile& file) {
    std::vector<std::string> verbatim;
    const auto flush = [&] {
      if (!verbatim.empty()) out_ += code_block(verbatim) + "\n";
      verbatim.clear();
    };
    for (const std::string& text : file.about) {
      if (text.starts_with(' ')) {
        verbatim.push_back(text.substr(text.find_first_not_of(' ')));
        continue;
      }
      flush();
      paragraph(escaped(text));
    }
    flush();
  }

  static std::string accuses(const model::SymptomType& s) {
    const model::Blame blame = s.blame.value_or(model::default_blame(s.domain, s.on.front()));
    return blame == model::Blame::Self ? ", and accuses it" : ", and accuses nobody";
  }

  void symptom(const model::SymptomType& s) {
    const auto type = static_cast<std::uint32_t>(&s - library_.module().symptoms.data());
    heading(s.name);
    paragraph(escaped(s.title));
    std::vector<std::string> on;
    for (const model::EntityKind kind : s.on) {
      on.emplace_back(model::entity_kind_names()[static_cast<std::size_t>(kind)]);
    }
    const bool fault = s.role != model::Role::Note && s.role != model::Role::End;
    const bool root = s.role == model::Role::Origin || s.role == model::Role::Relay;
    item("role", fmt::format("{}; {}{}; on {}{}", model::word(s.role),
                             fault ? fmt::format("domain {}; ", model::word(s.domain)) : "",
                             model::word(s.severity), joined(on, " or "), root ? accuses(s) : ""));
    item("owner", escaped(s.owner));
    item("action", escaped(s.action));
    if (s.retry != model::Retry::Unknown) item("retry", std::string(model::word(s.retry)));
    item("tags", joined(s.tags));
    item("raised by", rules(library_.raised_by(type)));
    item("explained by", demotions(library_.explained_by(type), 1));
    item("explains others by", demotions(library_.explains_by(type), 0));
    item("deprecated", escaped(s.deprecated));
    item("references", references_text(s.references));
  }

  static std::string printed(const dsl::ExprPtr& expr) { return code(dsl::print(*expr)); }
  void each_item(std::string_view what, const std::vector<dsl::ExprPtr>& exprs) {
    for (const dsl::ExprPtr& expr : exprs) item(what, printed(expr));
  }
  void lookups(const std::vector<dsl::LookupDecl>& all) {
    for (const dsl::LookupDecl& lookup : all) {
      std::vector<std::string> keys;
      for (const dsl::ExprPtr& key : lookup.keys) keys.push_back(dsl::print(*key));
      item("looks up", code(fmt::format("{}[{}]", lookup.table.text, joined(keys))) + " as " +
                           code(lookup.row.text));
    }
  }
  void emission(std::string_view word, const dsl::EmitDecl& emit) {
    std::string text = symptoms({emit.symptom});
    if (emit.at) text += " at " + printed(emit.at);
    std::vector<std::string> set;
    for (const auto& [name, value] : emit.overrides) {
      set.push_back(fmt::format("{} {}", name.text, printed(value)));
    }
    if (!set.empty()) text += ", with " + joined(set);
    item(word, text);
  }

  void decode(const Written<dsl::DecodeDecl>& written) {
    const dsl::DecodeDecl& decl = *written.decl;
    heading(heading_of(*written.rule));
    item("on", code(dsl::variable_text(*decl.on)));
    item("read by", read_by(*written.rule));
    lookups(decl.lookups);
    each_item("when", decl.whens);
    for (const dsl::EmitDecl& emit : decl.emits) emission("raises", emit);
    item("confidence", std::string(model::word(written.rule->confidence)));
    references(*written.rule);
  }

  void infer(const Written<dsl::InferDecl>& written) {
    static constexpr std::string_view kWords[] = {"raises", "raises if unknown", "raises if unsure",
                                                  "raises if not covered"};
    const dsl::InferDecl& decl = *written.decl;
    heading(heading_of(*written.rule));
    for (const dsl::EachDecl& each : decl.each) {
      std::string text = dsl::variable_text(each.variable);
      if (each.in) {
        text = fmt::format("{}: {} in {}", each.variable.name.text,
                           dsl::names_text(each.variable.types, " | "), dsl::print(*each.in));
        if (each.variable.where) text += " where " + dsl::print(*each.variable.where);
      }
      item("each", code(text));
    }
    item("read by", read_by(*written.rule));
    lookups(decl.lookups);
    for (const dsl::AbsentDecl& absent : decl.absents) {
      item(
          "absent",
          fmt::format("{} during {}, covered by {}{}", code(dsl::variable_text(absent.variable)),
                      code(dsl::range_text(absent.during)), dsl::names_text(absent.sources, " or "),
                      absent.of ? " of " + printed(absent.of) : ""));
    }
    each_item("when", decl.whens);
    for (const auto& [on, emit] : decl.emits) emission(kWords[static_cast<std::size_t>(on)], emit);
    item("confidence", std::string(model::word(written.rule->confidence)));
    references(*written.rule);
  }

  [[nodiscard]] std::string side(const dsl::VariableDecl& variable) const {
    const std::string where =
        variable.where ? fmt::format(", if {}", code(dsl::print(*variable.where))) : "";
    const bool any = variable.types.size() == 1 && variable.types[0].text == "any";
    return fmt::format("{} {}{}", code(variable.name.text),
                       any ? "any symptom" : symptoms(variable.types), where);
  }

  void demote(const Written<dsl::DemoteDecl>& written) {
    const dsl::DemoteDecl& decl = *written.decl;
    const dsl::WithinDecl& within = *decl.within;
    heading(heading_of(*written.rule));
    item("because", escaped(decl.because->value));
    item("cause", side(*decl.cause));
    item("effect", side(*decl.effect));
    each_item("related if", decl.wheres);
    item("within", fmt::format("{} .. {} from {} to {}{}", printed(within.from), printed(within.to),
                               printed(within.start), printed(within.end),
                               decl.of_job ? ", in any attempt of the job" : ""));
    for (const dsl::ParamDecl& param : decl.params) {
      item("parameter", code(fmt::format("{} = {}", param.name.text, dsl::print(*param.value))));
    }
    references(*written.rule);
  }

  void outcome(const Written<dsl::OutcomeDecl>& written) {
    const dsl::OutcomeDecl& decl = *written.decl;
    heading(heading_of(*written.rule));
    item("on", side(*decl.on));
    each_item("when", decl.whens);
    item("gives", fmt::format("{}, rank {}", decl.gives->text, *decl.rank));
    if (decl.emit) emission("raises", *decl.emit);
    references(*written.rule);
  }

  void ambiguous(const Written<dsl::AmbiguousDecl>& written) {
    const dsl::AmbiguousDecl& decl = *written.decl;
    heading(heading_of(*written.rule));
    item("among", code(dsl::names_text(decl.among, ", ")));
    each_item("when", decl.whens);
    item("reports", escaped(decl.report->value));
    for (const dsl::Text& ask : decl.asks) item("asks", escaped(ask.value));
    references(*written.rule);
  }

  static std::string source_of(const dsl::ExtractDecl& decl) {
    if (decl.from == dsl::ExtractFrom::Metric) return "metric";
    return dsl::names_text(decl.sources, ", ") +
           (decl.from == dsl::ExtractFrom::Record ? " record" : "");
  }

  // The first sample of each alternative would need them run; in written order they are as good.
  void extract(const Written<dsl::ExtractDecl>& written) {
    constexpr std::size_t kShown = 3;
    const dsl::ExtractDecl& decl = *written.decl;
    heading(heading_of(*written.rule));
    std::string text = fmt::format("From {}", source_of(decl));
    if (decl.event) text += fmt::format(", as {}", code(decl.event->text));
    if (decl.learn) text += fmt::format(", learns {}", decl.learn->kind.text);
    if (decl.lines.size() > 1) text += fmt::format("; {} forms", decl.lines.size());
    if (decl.keep_last) text += "; of a stream's lines the last counts";
    if (decl.keep_first) {
      std::vector<std::string> by;
      for (const dsl::Name& each : decl.keep_first->by) by.push_back(code(each.text));
      text += fmt::format("; of a stream's lines the first for each {} counts", fmt::join(by, ", "));
    }
    paragraph(text + ".");
    std::vector<std::string> lines;
    std::size_t shown = 0;
    for (const dsl::SampleClause& sample : decl.samples) {
      if (sample.reject || shown == kShown) continue;
      ++shown;
      for (const dsl::Text& line : sample.lines) lines.push_back(line.value);
      if (sample.object) lines.push_back(dsl::object_text(*sample.object));
    }
    out_ += code_block(lines);
    if (!written.rule->references.empty()) out_ += "\n";
    references(*written.rule);
  }

  void table(const dsl::TableDecl& table) {
    const auto& all = library_.module().tables;
    const auto made = std::find_if(all.begin(), all.end(), [&](const model::Table& each) {
      return each.name == table.name.text;
    });
    heading("table " + table.name.text);
    std::vector<std::string> keys, results;
    for (const dsl::FieldDecl& field : table.keys) keys.push_back(code(field.name.text));
    for (const dsl::FieldDecl& field : table.results) results.push_back(code(field.name.text));
    paragraph(fmt::format("{} to {}: {}{}.", joined(keys), joined(results),
                          count_of(made == all.end() ? 0 : made->rows.size(), "row"),
                          table.csv ? fmt::format(" of {}", code(table.csv->path.value)) : ""));
    out_.pop_back();
  }

  const Library& library_;
  const std::string& name_;
  const Pack& pack_;
  std::string out_;
};

// The first sentence of what the pack's files say of themselves.
std::string first_sentence(const Pack& pack) {
  for (const PackFile& file : pack.files) {
    if (file.about.empty()) continue;
    const std::string& text = file.about.front();
    const auto end = text.find(". ");
    return end == std::string::npos ? text : text.substr(0, end + 1);
  }
  return {};
}

}  // namespace

std::string pack_page(const Library& library, const std::string& pack) {
  return PackPage(library, pack).print();
}

std::string packs_index(const Library& library) {
  std::string out =
      "# The standard packs\n\n"
      "Generated from the rules. Do not edit: `tools/docs.sh` writes it anew.\n\n"
      "| pack | what it is about | symptoms | extracts | decode, infer | demote |\n"
      "|---|---|---:|---:|---:|---:|\n";
  std::size_t symptoms = 0, extracts = 0, rules = 0, demotes = 0;
  for (const auto& [name, pack] : library.packs()) {
    const std::size_t own = pack.decodes.size() + pack.infers.size();
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", link(name, name + ".md"),
                       escaped(first_sentence(pack)), pack.symptoms.size(), pack.extracts.size(),
                       own, pack.demotes.size());
    symptoms += pack.symptoms.size();
    extracts += pack.extracts.size();
    rules += own;
    demotes += pack.demotes.size();
  }
  return out + fmt::format("| {} packs | | {} | {} | {} | {} |\n", library.packs().size(), symptoms,
                           extracts, rules, demotes);
}

}  // namespace attrib::docgen
