#include "ruletest/cover.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "compiler/possible_types.h"
#include "ruletest/cover_parts.h"
#include "ruletest/run_tests.h"
#include "ruletest/test_evidence.h"
#include "vm/match.h"

namespace attrib::ruletest {
namespace {

using compiler::Module;
using compiler::Rule;
using compiler::RuleKind;
using compiler::Var;
using compiler::VarKind;

std::string full_name(const auto& item) { return item.pack + "." + item.name; }

// Which facts a variable of a rule may be, by type alone.
struct Input {
  bool events = false;
  std::vector<std::uint32_t> types;  // Sorted.
  [[nodiscard]] bool takes(std::uint32_t type) const {
    return std::binary_search(types.begin(), types.end(), type);
  }
};

std::vector<Input> inputs_of(const Module& module, const Rule& rule) {
  std::vector<Input> inputs;
  for (std::uint32_t v = 0; v < rule.own_vars; ++v) {
    const Var& var = rule.vars[v];
    if (var.kind != VarKind::Fact) continue;
    Input input{var.scope.events, var.scope.types};
    if (var.scope.any) input.types = compiler::possible_types(module, rule, compiler::VarId{v});
    inputs.push_back(std::move(input));
  }
  return inputs;
}

bool has_conditions(const Rule& rule) {
  if (rule.kind == RuleKind::Demote || rule.kind == RuleKind::Ambiguous) return true;
  if (!rule.whens.empty() || !rule.absents.empty()) return true;
  return std::any_of(rule.vars.begin(), rule.vars.begin() + rule.own_vars,
                     [](const Var& var) { return var.where.valid(); });
}

// What a demotion never reaches counts neither as its cause nor as its effect.
bool may_be_cause(model::Role role) {
  return role != model::Role::Note && role != model::Role::End;
}
bool may_be_effect(model::Role role) { return role != model::Role::Note; }
bool may_be_root(model::Role role) {
  return role == model::Role::Origin || role == model::Role::Relay;
}

// In how many ways the run's facts could be the rule's inputs.
std::uint64_t combinations(const Rule& rule, const std::vector<Input>& inputs,
                           const vm::Trace& trace) {
  if (rule.kind == RuleKind::Demote) {
    std::uint64_t causes = 0, effects = 0, both = 0;
    for (const vm::TracedSymptom& symptom : trace.symptoms) {
      const bool cause = may_be_cause(symptom.role) && inputs[0].takes(symptom.type);
      const bool effect = may_be_effect(symptom.role) && inputs[1].takes(symptom.type);
      causes += cause ? 1 : 0;
      effects += effect ? 1 : 0;
      both += cause && effect ? 1 : 0;
    }
    return causes * effects - both;
  }
  std::uint64_t all = 1;
  for (const Input& input : inputs) {
    std::uint64_t facts = 0;
    for (const std::uint32_t type : input.types) {
      if (input.events) facts += trace.events[type];
    }
    for (const vm::TracedSymptom& symptom : trace.symptoms) {
      if (!input.events && input.takes(symptom.type)) ++facts;
    }
    all *= facts;
  }
  return all;
}

struct Reached {
  bool by_sample = false;
  bool by_test = false;
};

// One rule with the outputs that were seen of it.
struct Watched {
  const Rule* rule = nullptr;
  std::vector<Input> inputs;
  std::map<std::uint32_t, std::size_t> output_of;  // Instruction -> emit; the rule itself is 0.
  std::vector<bool> fired;                         // By output.
  bool missed = false;
};

std::string_view suffix(compiler::EmitOn on) {
  switch (on) {
    case compiler::EmitOn::True:
      return "";
    case compiler::EmitOn::Unknown:
      return "unknown";
    case compiler::EmitOn::Unsure:
      return "unsure";
    case compiler::EmitOn::Uncovered:
      return "uncovered";
  }
  return "";
}

class Coverage {
 public:
  Coverage(const SourceMap& sources, const Module& module, const program::Program& program)
      : sources_(sources), module_(module), program_(program) {
    for (const program::Extract& extract : program_.extracts) {
      reached_.emplace_back(std::max<std::size_t>(extract.alternatives.size(), 1));
    }
    std::map<std::pair<program::RuleKind, std::string>, const Rule*> rules;
    for (const Rule& rule : module_.rules) {
      rules[{static_cast<program::RuleKind>(rule.kind), full_name(rule)}] = &rule;
    }
    for (const program::Rule& compiled : program_.rules) {
      watched_.push_back(watch(compiled, *rules.at({compiled.kind, compiled.name})));
    }
  }

  void add(const vm::Trace& trace) {
    for (const vm::MatchedAlternative& matched : trace.alternatives) {
      reached_[matched.extract][matched.alternative].by_test = true;
    }
    looked_up_.insert(trace.rows.begin(), trace.rows.end());
    // Firings are sorted by rule.
    auto firing = trace.firings.begin();
    for (std::uint32_t r = 0; r < watched_.size(); ++r) {
      Watched& watched = watched_[r];
      std::set<std::vector<std::uint32_t>> fired;  // The combinations on which it fired.
      bool any = false;
      for (; firing != trace.firings.end() && firing->rule == r; ++firing) {
        const std::size_t output = watched.output_of.at(firing->instruction);
        watched.fired[output] = true;
        any = true;
        if (output == 0) fired.insert(firing->facts);
      }
      if (!watched.missed) watched.missed = misses(watched, trace, fired.size(), any);
    }
  }

  // Samples were checked against the bare templates; here their lines come out of framing first.
  void add_samples(const evidence::Evidence& evidence) {
    for (const vm::Match& match : vm::match(program_, evidence, {~0ULL, ~0ULL}).matches) {
      reached_[match.extract][match.alternative].by_sample = true;
    }
  }

  Cover finish(const std::vector<dsl::File>& files, const CoverOptions& options) {
    Cover out;
    extracts(files, out);
    for (const Watched& watched : watched_) {
      if (watched.rule->kind != RuleKind::Extract) rule_items(watched, out);
    }
    if (options.conditions) {
      for (CoverItem& item : cover_conditions(files, sources_, module_)) {
        out.items.push_back(std::move(item));
      }
    }
    if (options.rows) rows(out);
    std::stable_sort(out.items.begin(), out.items.end(),
                     [&](const CoverItem& a, const CoverItem& b) {
                       return std::tie(a.path, a.at.line, a.at.column, a.kind) <
                              std::tie(b.path, b.at.line, b.at.column, b.kind);
                     });
    return out;
  }

 private:
  Watched watch(const program::Rule& compiled, const Rule& rule) const {
    Watched out;
    out.rule = &rule;
    out.fired.resize(outputs_of(rule).size());
    if (rule.kind == RuleKind::Extract) return out;
    out.inputs = inputs_of(module_, rule);
    for (std::uint32_t at = compiled.code_begin; at < compiled.code_end; ++at) {
      out.output_of[at] = output_at(sources_, rule, program_.places[at]);
    }
    return out;
  }

  static bool misses(const Watched& watched, const vm::Trace& trace, std::size_t fired, bool any) {
    const Rule& rule = *watched.rule;
    if (rule.kind == RuleKind::Extract || !has_conditions(rule)) return false;
    if (rule.kind == RuleKind::Ambiguous) {
      const auto roots =
          std::count_if(trace.symptoms.begin(), trace.symptoms.end(),
                        [](const vm::TracedSymptom& symptom) { return may_be_root(symptom.role); });
      return !any && roots >= 2;
    }
    return combinations(rule, watched.inputs, trace) > fired;
  }

  CoverItem extract_item(CoverKind kind, const compiler::Extract& extract, Span span) const {
    return cover_item(sources_, kind, module_.rules[extract.rule], span);
  }

  void extracts(const std::vector<dsl::File>& files, Cover& out) const {
    std::set<std::string> with_reject, with_sample;  // Names are unique over all packs.
    for (const dsl::File& file : files) {
      for (const dsl::Decl& decl : file.decls) {
        const auto* extract = std::get_if<dsl::ExtractDecl>(&decl);
        if (extract == nullptr) continue;
        for (const dsl::SampleClause& sample : extract->samples) {
          (sample.reject ? with_reject : with_sample).insert(extract->name.text);
        }
      }
    }
    std::map<std::string, std::uint32_t> compiled;
    for (std::uint32_t e = 0; e < program_.extracts.size(); ++e) {
      compiled[program_.extracts[e].name] = e;
    }
    for (const compiler::Extract& extract : module_.extracts) {
      const std::vector<Reached>& reached = reached_[compiled.at(full_name(extract))];
      for (std::size_t a = 0; a < reached.size(); ++a) {
        const Span span =
            extract.alternatives.empty() ? extract.span : extract.alternatives[a].span;
        CoverItem item = extract_item(CoverKind::Alternative, extract, span);
        // Of metrics and records a sample is all there is to match: checking it has run it.
        const bool sampled = extract.kind == compiler::ExtractKind::Lines
                                 ? reached[a].by_sample
                                 : with_sample.contains(extract.name);
        item.covered = reached[a].by_test || sampled;
        item.missing = fmt::format(
            "no line reaches its alternative {}: the sample does not match as a line of a log",
            a + 1);
        out.tested_alternatives += reached[a].by_test ? 1 : 0;
        out.items.push_back(std::move(item));
      }
      CoverItem item = extract_item(CoverKind::Reject, extract, extract.span);
      item.covered = with_reject.contains(extract.name);
      item.missing = "it has no `reject`";
      out.items.push_back(std::move(item));
    }
  }

  void rule_items(const Watched& watched, Cover& out) {
    const Rule& rule = *watched.rule;
    const std::vector<compiler::EmitOn> all = outputs_of(rule);
    const bool has_plain = rule.kind != RuleKind::Infer ||
                           std::any_of(rule.emits.begin(), rule.emits.end(), [](const auto& emit) {
                             return emit.on == compiler::EmitOn::True;
                           });
    for (std::size_t i = has_plain ? 0 : 1; i < all.size(); ++i) {
      const auto emit = std::find_if(rule.emits.begin(), rule.emits.end(),
                                     [&](const auto& each) { return each.on == all[i]; });
      CoverItem item =
          cover_item(sources_, CoverKind::Fires, rule, i == 0 ? rule.span : emit->span);
      item.covered = watched.fired[i];
      item.missing = i == 0 ? "it fires in no test"
                            : fmt::format("its `{} emit` fires in no test", suffix(all[i]));
      out.items.push_back(std::move(item));
    }
    if (!has_conditions(rule)) return;
    CoverItem item = cover_item(sources_, CoverKind::NearMiss, rule, rule.span);
    item.covered = watched.missed;
    item.missing = "it has no near miss: a test with all that it reads, in which it stays quiet";
    out.items.push_back(std::move(item));
  }

  // A row's place is text: "xid-tables/xid.csv:12".
  void rows(Cover& out) const {
    for (std::uint32_t t = 0; t < module_.tables.size(); ++t) {
      const model::Table& table = module_.tables[t];
      for (std::uint32_t r = 0; r < table.rows.size(); ++r) {
        const std::string& place = table.rows[r].place;
        const auto colon = place.rfind(':');
        CoverItem item;
        item.kind = CoverKind::Row;
        item.declaration = "table";
        item.rule = full_name(table);
        item.pack = table.pack;
        item.path = place.substr(0, colon);
        item.at.line = static_cast<std::uint32_t>(std::stoul(place.substr(colon + 1)));
        item.covered = looked_up_.contains({t, r});
        item.missing = "no test looks this row up";
        out.items.push_back(std::move(item));
      }
    }
  }

  const SourceMap& sources_;
  const Module& module_;
  const program::Program& program_;
  std::vector<std::vector<Reached>> reached_;  // By extract and alternative.
  std::vector<Watched> watched_;               // By rule of the program.
  std::set<vm::LookedUp> looked_up_;
};

}  // namespace

std::vector<compiler::EmitOn> outputs_of(const Rule& rule) {
  std::vector<compiler::EmitOn> out = {compiler::EmitOn::True};
  for (const compiler::Emit& emit : rule.emits) {
    if (std::find(out.begin(), out.end(), emit.on) == out.end()) out.push_back(emit.on);
  }
  return out;
}

std::size_t output_at(const SourceMap& sources, const Rule& rule, const program::Place& place) {
  const std::vector<compiler::EmitOn> all = outputs_of(rule);
  for (const compiler::Emit& emit : rule.emits) {
    const LineColumn at = sources.line_column(emit.span.source, emit.span.begin);
    if (at.line != place.line || at.column != place.column) continue;
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), emit.on) - all.begin());
  }
  return 0;
}

CoverItem cover_item(const SourceMap& sources, CoverKind kind, const Rule& rule, Span span) {
  CoverItem item;
  item.kind = kind;
  item.declaration = program::to_text(static_cast<program::RuleKind>(rule.kind));
  item.rule = full_name(rule);
  item.pack = rule.pack;
  item.path = sources.path(span.source);
  item.at = sources.line_column(span.source, span.begin);
  return item;
}

std::string_view to_text(CoverKind kind) {
  static constexpr std::array<std::string_view, kCoverKinds> kWords = {
      "alternatives", "rejects", "fires", "near_misses", "conditions", "rows"};
  return kWords[static_cast<std::size_t>(kind)];
}

Cover cover(const std::vector<dsl::File>& files, const SourceMap& sources, const Module& module,
            const program::VerifiedProgram& program, const CoverOptions& options) {
  Coverage coverage(sources, module, *program);
  const auto samples = sample_evidence(files);
  if (samples) coverage.add_samples(samples.value());
  const TestSummary summary =
      run_tests(files, sources, program, "", [&](const vm::Trace& trace) { coverage.add(trace); });
  Cover out = coverage.finish(files, options);
  out.passed = summary.passed;
  out.failed = summary.failed;
  if (summary.failed > 0) out.failures = summary.report;
  if (!samples)
    out.failures += fmt::format("samples cannot be read: {}\n", samples.error().message);
  return out;
}

}  // namespace attrib::ruletest
