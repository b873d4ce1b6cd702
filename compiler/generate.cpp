#include "compiler/generate.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "compiler/expr_walk.h"
#include "compiler/lowering.h"

namespace attrib::compiler {
namespace {

// Tests are never part of a program.
constexpr std::string_view kTestSuffix = "_test.rules";

// The sources of a program in path order, whatever the order in which they were read.
class Sources {
 public:
  Sources(const SourceMap& map, program::Program& out) : map_(map) {
    std::vector<SourceId> ids;
    for (std::uint32_t i = 0; i < map.size(); ++i) {
      if (!map.path(SourceId{i}).ends_with(kTestSuffix)) ids.push_back(SourceId{i});
    }
    std::stable_sort(ids.begin(), ids.end(), [&](SourceId a, SourceId b) {
      return std::make_pair(std::string_view(map.path(a)), map.text(a)) <
             std::make_pair(std::string_view(map.path(b)), map.text(b));
    });
    for (const SourceId id : ids) {
      index_.emplace(id, static_cast<std::uint32_t>(out.sources.size()));
      out.sources.push_back({map.path(id), std::string(map.text(id))});
    }
  }

  [[nodiscard]] program::Place place(const Span& span) const {
    const auto found = index_.find(span.source);
    if (found == index_.end() || span == Span{}) return {};
    const LineColumn at = map_.line_column(span.source, span.begin);
    return {found->second, at.line, at.column};
  }

 private:
  const SourceMap& map_;
  std::map<SourceId, std::uint32_t> index_;
};

program::RuleKind kind_of(RuleKind kind) { return static_cast<program::RuleKind>(kind); }
static_assert(static_cast<int>(RuleKind::Extract) == static_cast<int>(program::RuleKind::Extract));
static_assert(static_cast<int>(RuleKind::Ambiguous) ==
              static_cast<int>(program::RuleKind::Ambiguous));
static_assert(static_cast<int>(ExtractKind::Record) ==
              static_cast<int>(program::ExtractKind::Record));

std::string full_name(const auto& item) { return item.pack + "." + item.name; }

program::Extract lower_extract(const Extract& extract, std::uint32_t rule) {
  program::Extract out;
  out.name = full_name(extract);
  out.kind = static_cast<program::ExtractKind>(extract.kind);
  out.sources = extract.sources;
  out.family = extract.family;
  for (const Capture& capture : extract.captures) {
    out.captures.push_back({capture.name, capture.type});
  }
  out.alternatives = extract.alternatives;
  out.rule = rule;
  out.event = extract.event;
  out.keep_last = extract.keep_last;
  out.keep_first_by = extract.keep_first_by;
  return out;
}

class Generator {
 public:
  Generator(const Module& module, const SourceMap& sources)
      : module_(module), sources_(sources, out_) {}

  program::Program run() {
    for (const Pack& pack : module_.packs)
      out_.packs.push_back({pack.name, pack.version, pack.uses});
    out_.events = module_.events;
    out_.symptoms = module_.symptoms;
    out_.tables = module_.tables;
    out_.infer_strata = module_.infer_strata;
    out_.tests_digest = module_.tests_digest;
    const auto order = rule_order();
    std::vector<std::uint32_t> place_of(order.size());
    for (const std::uint32_t index : order) {
      place_of[index] = static_cast<std::uint32_t>(out_.rules.size());
      add_rule(module_.rules[index]);
    }
    for (const Extract& extract : module_.extracts) {
      out_.extracts.push_back(lower_extract(extract, place_of[extract.rule]));
    }
    std::ranges::sort(out_.extracts, {}, &program::Extract::name);
    pool_.finish(out_);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> rule_order() const {
    std::vector<std::uint32_t> order(module_.rules.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t i) {
      const Rule& rule = module_.rules[i];
      return std::make_tuple(rule.kind, rule.stratum, full_name(rule));
    });
    return order;
  }

  void add_rule(const Rule& rule) {
    RuleLowering lowering(module_, rule, pool_);
    lowering.run();
    program::Rule out;
    out.kind = kind_of(rule.kind);
    out.name = full_name(rule);
    out.stratum = rule.stratum;
    for (const Param& param : rule.params) out.params.push_back({param.name, param.value});
    out.registers = lowering.code().registers();
    out.code_begin = static_cast<std::uint32_t>(out_.code.size());
    out_.code.insert(out_.code.end(), lowering.code().code().begin(), lowering.code().code().end());
    out.code_end = static_cast<std::uint32_t>(out_.code.size());
    for (const Span& span : lowering.code().spans()) out_.places.push_back(sources_.place(span));
    out.confidence = rule.confidence;
    out.because = rule.because;
    out.of_job = rule.of_job;
    out.window_low = constant_duration(module_, rule, rule.window_from).value_or(0);
    out.window_high = constant_duration(module_, rule, rule.window_to).value_or(0);
    out.place = sources_.place(rule.span);
    out_.rules.push_back(std::move(out));
  }

  const Module& module_;
  program::Program out_;
  Sources sources_;
  ConstantPool pool_;
};

}  // namespace

program::Program generate(const Module& module, const SourceMap& sources) {
  return Generator(module, sources).run();
}

}  // namespace attrib::compiler
