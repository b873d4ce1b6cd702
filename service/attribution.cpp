#include "service/attribution.h"

#include <array>
#include <utility>

#include "service/v1_attribution.h"
#include "verdict/print.h"
#include "verdict/quote.h"
#include "vm/line_engine.h"
#include "vm/line_filter.h"
#include "vm/machine.h"

namespace attrib::service {
namespace {

struct FormatInfo {
  Format format;
  std::string_view word, type;
};
constexpr std::array kFormats = {
    FormatInfo{Format::Json, "json", "application/json"},
    FormatInfo{Format::Text, "text", "text/plain; charset=utf-8"},
    FormatInfo{Format::Markdown, "markdown", "text/markdown; charset=utf-8"},
    FormatInfo{Format::Dot, "dot", "text/vnd.graphviz; charset=utf-8"},
    FormatInfo{Format::Mermaid, "mermaid", "text/vnd.mermaid; charset=utf-8"},
    FormatInfo{Format::V1, "v1", "application/json"},
};

const FormatInfo& info(Format format) { return kFormats[static_cast<std::size_t>(format)]; }

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<Format> of_media_range(std::string_view range) {
  if (range == "*/*" || range == "application/*") return Format::Json;
  if (range == "text/*") return Format::Text;
  for (const FormatInfo& each : kFormats) {
    if (each.format != Format::V1 && range == each.type.substr(0, each.type.find(';')))
      return each.format;
  }
  return std::nullopt;
}

}  // namespace

std::string_view word(Format format) { return info(format).word; }
std::string_view content_type(Format format) { return info(format).type; }

std::optional<Format> parse_format(std::string_view word) {
  for (const FormatInfo& each : kFormats) {
    if (each.format != Format::V1 && each.word == word) return each.format;
  }
  return std::nullopt;
}

std::optional<Format> accepted_format(std::string_view accept) {
  if (without_blanks(accept).empty()) return Format::Json;
  while (!accept.empty()) {
    const std::size_t comma = std::min(accept.find(','), accept.size());
    std::string_view range = accept.substr(0, comma);
    accept.remove_prefix(std::min(comma + 1, accept.size()));
    range = without_blanks(range.substr(0, range.find(';')));
    if (const auto format = of_media_range(range)) return format;
  }
  return std::nullopt;
}

struct Judgement::State {
  std::shared_ptr<const Ruleset> ruleset;
  vm::EnginePool::Lease engine;
  std::unique_ptr<evidence::LineFilter> filter;
  std::optional<evidence::Assembly> assembly;
  std::optional<evidence::Evidence> evidence;
  std::optional<vm::RunResult> result;

  State(std::shared_ptr<const Ruleset> rules, bool exact, std::size_t observations)
      : ruleset(std::move(rules)), engine(ruleset->engines.take()) {
    evidence::ReadOptions options;
    options.most_observations = observations;
    if (!exact) {
      filter = vm::make_line_filter(engine.get());
      options.filter = filter.get();
    }
    assembly.emplace(options);
  }
};

Judgement::Judgement(std::shared_ptr<const Ruleset> ruleset, bool exact, std::size_t observations)
    : state_(std::make_unique<State>(std::move(ruleset), exact, observations)) {}
Judgement::~Judgement() = default;
Judgement::Judgement(Judgement&&) noexcept = default;

Status Judgement::add(std::string name, std::string text) {
  if (text.empty()) return Done{};
  if (state_->filter) state_->filter->narrow(static_cast<model::SourceMask>(~model::SourceMask{0}));
  evidence::Input input;
  input.name = std::move(name);
  input.bytes = std::move(text);
  return state_->assembly->add(input);
}

bool Judgement::full() const { return state_->assembly && state_->assembly->full(); }

Status Judgement::judge() {
  State& s = *state_;
  ATTRIB_TRY(s.evidence, std::move(*s.assembly).finish());
  s.assembly.reset();
  vm::RunOptions options;
  options.list_events = false;
  options.lines = s.engine.get();
  s.result = vm::run(s.ruleset->program, *s.evidence, options);
  verdict::fold(s.result->verdict);
  return Done{};
}

const verdict::Verdict& Judgement::verdict() const { return state_->result->verdict; }
const evidence::Counters& Judgement::counters() const { return state_->evidence->counters; }

std::string Judgement::printed(Shape shape) const {
  const verdict::Verdict& v = verdict();
  switch (shape.format) {
    case Format::Json:
      return verdict::to_json(v, {false, shape.explain});
    case Format::Dot:
      return verdict::to_dot(v);
    case Format::Mermaid:
      return verdict::to_mermaid(v);
    case Format::V1:
      return v1_attribution(v);
    case Format::Text:
    case Format::Markdown:
      break;
  }
  const verdict::Quotable lines = verdict::quotable(*state_->evidence);
  const verdict::QuoteLine quote = [&lines](std::string_view id) {
    const auto found = lines.find(id);
    return found == lines.end() ? std::string() : found->second;
  };
  if (shape.format == Format::Markdown) return verdict::to_markdown(v, quote);
  verdict::TextOptions options;
  options.explain = shape.explain;
  return verdict::to_text(v, quote, options);
}

}  // namespace attrib::service
