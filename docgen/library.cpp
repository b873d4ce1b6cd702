#include "docgen/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <variant>

#include "compiler/possible_types.h"
#include "docgen/markdown.h"

namespace attrib::docgen {
namespace {

using compiler::Rule;
using compiler::RuleKind;

constexpr std::string_view kTestSuffix = "_test.rules";

std::string_view kind_word(RuleKind kind) {
  static constexpr std::string_view kWords[] = {"extract", "decode",  "infer",
                                                "demote",  "outcome", "ambiguous"};
  return kWords[static_cast<std::size_t>(kind)];
}

std::string full_name(const auto& item) { return item.pack + "." + item.name; }

std::string pack_of(const dsl::File& file) {
  for (const dsl::Decl& decl : file.decls) {
    if (const auto* pack = std::get_if<dsl::PackDecl>(&decl)) return pack->name.text;
  }
  return {};
}

}  // namespace

std::string heading_of(const Rule& rule) {
  return fmt::format("{} {}", kind_word(rule.kind), rule.name);
}

std::vector<std::string> comment_above(std::string_view text, std::size_t offset) {
  std::vector<std::string_view> lines;  // Without `#`, the last one first.
  std::size_t end = text.rfind('\n', offset == 0 ? 0 : offset - 1);
  while (end != std::string_view::npos && end > 0) {
    const std::size_t before = text.rfind('\n', end - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::string_view line = text.substr(begin, end - begin);
    if (line.empty() || line.front() != '#') break;
    line.remove_prefix(1);
    if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    lines.push_back(line);
    end = begin == 0 ? std::string_view::npos : before;
  }
  std::vector<std::string> out;
  bool open = false;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (line->find_first_not_of(" \t\r") == std::string_view::npos) {
      open = false;
      continue;
    }
    const bool set_in = line->front() == ' ';
    if (open && !set_in) {
      out.back() += ' ';
      out.back() += *line;
    } else {
      out.emplace_back(*line);
    }
    open = !set_in;
  }
  return out;
}

Library::Library(const SourceMap& sources, const std::vector<dsl::File>& files,
                 const compiler::Module& module)
    : module_(module) {
  for (const compiler::Pack& pack : module_.packs) packs_[pack.name].pack = &pack;
  add_files(sources, files);
  for (const model::SymptomType& symptom : module_.symptoms) {
    const auto pack = packs_.find(symptom.pack);  // The prelude is no pack.
    if (pack != packs_.end()) pack->second.symptoms[symptom.name] = &symptom;
  }
  link();
}

void Library::add_files(const SourceMap& sources, const std::vector<dsl::File>& files) {
  std::map<std::tuple<RuleKind, std::string>, const Rule*> rules;
  for (const Rule& rule : module_.rules) rules[{rule.kind, rule.name}] = &rule;
  for (const dsl::File& file : files) {
    const std::string& path = sources.path(file.source);
    const auto at = packs_.find(pack_of(file));
    if (at == packs_.end() || path.ends_with(kTestSuffix)) continue;
    Pack& pack = at->second;
    for (const dsl::Decl& decl : file.decls) {
      const auto add = [&](auto& map, RuleKind kind, const auto* written) {
        if (written == nullptr) return;
        map[written->name.text] = {written, rules.at({kind, written->name.text})};
      };
      if (const auto* head = std::get_if<dsl::PackDecl>(&decl)) {
        pack.files.push_back({path, comment_above(sources.text(file.source), head->span.begin)});
      }
      if (const auto* table = std::get_if<dsl::TableDecl>(&decl)) {
        pack.tables[table->name.text] = table;
      }
      add(pack.extracts, RuleKind::Extract, std::get_if<dsl::ExtractDecl>(&decl));
      add(pack.decodes, RuleKind::Decode, std::get_if<dsl::DecodeDecl>(&decl));
      add(pack.infers, RuleKind::Infer, std::get_if<dsl::InferDecl>(&decl));
      add(pack.demotes, RuleKind::Demote, std::get_if<dsl::DemoteDecl>(&decl));
      add(pack.outcomes, RuleKind::Outcome, std::get_if<dsl::OutcomeDecl>(&decl));
      add(pack.ambiguities, RuleKind::Ambiguous, std::get_if<dsl::AmbiguousDecl>(&decl));
    }
  }
  for (auto& [name, pack] : packs_) {
    std::sort(pack.files.begin(), pack.files.end(),
              [](const PackFile& a, const PackFile& b) { return a.path < b.path; });
  }
}

void Library::link() {
  causes_.resize(module_.symptoms.size());
  effects_.resize(module_.symptoms.size());
  raised_.resize(module_.symptoms.size());
  read_.resize(module_.events.size());
  for (const Rule& rule : module_.rules) {
    if (rule.kind == RuleKind::Demote) {
      for (const std::uint32_t type : types_of(rule, 0)) causes_[type].push_back(&rule);
      for (const std::uint32_t type : types_of(rule, 1)) effects_[type].push_back(&rule);
    }
    for (const compiler::Emit& emit : rule.emits) {
      if (emit.event) continue;
      auto& list = raised_[emit.type];
      if (list.empty() || list.back() != &rule) list.push_back(&rule);
    }
  }
  for (auto* lists : {&causes_, &effects_, &raised_}) {
    for (auto& list : *lists) {
      std::sort(list.begin(), list.end(), [](const Rule* a, const Rule* b) {
        return std::tuple(a->kind, full_name(*a)) < std::tuple(b->kind, full_name(*b));
      });
    }
  }
  for (const compiler::Extract& extract : module_.extracts) {
    if (extract.event) read_[*extract.event].push_back(&extract);
  }
}

std::vector<std::uint32_t> Library::types_of(const Rule& rule, std::uint32_t var) const {
  const compiler::Scope& scope = rule.vars[var].scope;
  if (!scope.any) return scope.types;
  std::vector<std::uint32_t> types = compiler::possible_types(module_, rule, compiler::VarId{var});
  // Declared so; what a table makes of one symptom is its own affair.
  std::erase_if(types, [&](std::uint32_t type) {
    const model::Role role = module_.symptoms[type].role;
    return role == model::Role::Note || (var == 0 && role == model::Role::End);
  });
  return types;
}

std::string Library::target(const std::string& from, const std::string& pack,
                            const std::string& heading) {
  return fmt::format("{}#{}", from == pack ? "" : pack + ".md", anchor(heading));
}

std::vector<std::pair<std::string, std::string>> Library::find(const std::string& full_name) const {
  std::vector<std::pair<std::string, std::string>> out;
  const auto dot = full_name.rfind('.');
  if (dot == std::string::npos) return out;
  const auto at = packs_.find(full_name.substr(0, dot));
  if (at == packs_.end()) return out;
  const std::string name = full_name.substr(dot + 1);
  const auto look = [&](const auto& map) {
    const auto found = map.find(name);
    if (found != map.end()) out.emplace_back(at->first, heading_of(*found->second.rule));
  };
  look(at->second.extracts);
  look(at->second.decodes);
  look(at->second.infers);
  look(at->second.demotes);
  look(at->second.outcomes);
  look(at->second.ambiguities);
  return out;
}

}  // namespace attrib::docgen
