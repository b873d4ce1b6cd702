#include "service/ingest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "evidence/draft.h"
#include "evidence/json_header.h"
#include "evidence/json_objects.h"
#include "evidence/json_scan.h"
#include "evidence/lines.h"
#include "evidence/otlp.h"
#include "service/header_merge.h"
#include "service/json.h"

namespace attrib::service {
namespace {

using evidence::JsonScanner;
using evidence::Slice;

constexpr std::string_view kBody = "body";

bool is_one_of(std::string_view name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The same as the reader of files tells headers from observations by (evidence/json_objects.cpp).
bool is_header_field(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"schema", "workload", "topology", "sources",
                                                      "observations"};
  return is_one_of(name, kNames);
}
bool is_content_field(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"message", "name", "value", "record"};
  return is_one_of(name, kNames);
}

}  // namespace

struct Collector::State {
  evidence::Input input{std::string(kBody), std::nullopt, {}};
  evidence::Gathering gathering{evidence::ReadOptions{}};
  evidence::JsonObjects objects{input, 0, &gathering};
  Ingested out;
  std::string topology;
  std::optional<Problem> refused;  // Nothing of the body counts.
  bool torn = false;               // Something was no JSON.

  void refuse(const Status& status) {
    if (!status && !refused) refused = about_text(422, status.error().message);
    if (gathering.rejected() <= kMaxRejected || refused) return;
    refused = Problem{
        422, fmt::format("more than {} observations of the body were rejected", kMaxRejected)};
    refused->problems = gathering.problems();
  }

  // What is stored of a body is bounded as the body is: labels of many samples are written once
  // there.
  bool full(std::size_t more) {
    if (out.content.size() + more <= kMaxContent) return false;
    if (!refused)
      refused = Problem{413, fmt::format("the observations take more than {} bytes, each written "
                                         "with its labels: send fewer at a time",
                                         kMaxContent)};
    return true;
  }

  // Line ends can only stand between its tokens, where a blank does as well.
  void keep(std::string_view slice) {
    slice = evidence::trimmed_blanks(slice);
    if (full(slice.size() + 1)) return;
    const std::size_t from = out.content.size();
    out.content += slice;
    std::replace_if(
        out.content.begin() + static_cast<std::ptrdiff_t>(from), out.content.end(),
        [](char c) { return c == '\n' || c == '\r'; }, ' ');
    out.content += '\n';
    ++out.accepted;
  }

  void observation(std::string_view slice, std::size_t depth, std::uint64_t line) {
    refuse(objects.observation(slice, depth, line));
    if (gathering.drafts.empty()) return;
    gathering.drafts.clear();
    keep(slice);
  }
};

Collector::Collector() : state_(std::make_unique<State>()) {}
Collector::~Collector() = default;

bool Collector::refused() const { return state_->refused.has_value(); }

void Collector::expect(std::size_t bytes) { state_->out.content.reserve(bytes); }

void Collector::observation(std::string_view slice, std::uint64_t line) {
  if (state_->refused) return;
  std::size_t depth = 0;
  JsonScanner scan(slice);
  scan.value(&depth);
  state_->observation(slice, depth, line);
}

void Collector::observation_of(std::string_view place, std::string_view slice) {
  State& s = *state_;
  const auto before = s.gathering.mark();
  const std::uint64_t accepted = s.out.accepted;
  observation(slice, 1);
  if (s.out.accepted > accepted) return;
  // It was rejected as a line of the body, which it is not.
  std::string why = s.gathering.problems().size() > before.problems
                        ? s.gathering.problems()[before.problems]
                        : std::string("not understood");
  s.gathering.back_to(before);
  const std::size_t text = why.find(": ");
  if (text != std::string::npos) why.erase(0, text + 2);
  reject(place, why);
}

void Collector::reject(std::string_view place, std::string_view text) {
  state_->refuse(state_->gathering.reject(std::string(place), text));
}

void Collector::otlp(std::string_view text, std::uint64_t line) {
  State& s = *state_;
  const std::string where = evidence::place_name(std::string(kBody), line);
  if (text.size() > kMaxOtlpPosted) {
    reject(where, fmt::format("OpenTelemetry object of {} bytes: expected at most {}", text.size(),
                              kMaxOtlpPosted));
    return;
  }
  const evidence::OtlpRead read = evidence::read_otlp(text, nullptr);
  for (const std::string& each : read.problems) reject(where, each);
  if (read.drafts.empty()) return;
  s.keep(text);
  s.out.accepted += read.drafts.size() - 1;
}

void Collector::header_of(const evidence::DocumentSlices& cut, std::string_view text,
                          std::uint64_t first_line) {
  State& s = *state_;
  for (const auto& member : cut.members) {
    if (crowded(member.value.text)) {
      s.refuse(Error{
          fmt::format("field `{}`: expected at most 300,000 values", member.name.substr(0, 100))});
      return;
    }
    if (member.name == "topology") s.topology = member.value.text;
  }
  s.refuse(s.objects.header_of(cut, evidence::LineCounter(text, first_line), first_line));
}

void Collector::document(std::string_view text, std::uint64_t first_line) {
  State& s = *state_;
  if (evidence::is_otlp(text)) return otlp(text, first_line);
  // Twice: what it says of the workload comes before its observations, of which there may be
  // millions.
  bool content = false;
  evidence::KeepSlices keep;
  keep.member = [&content](std::string_view name, const Slice&) {
    content = content || is_content_field(name);
    return is_header_field(name);
  };
  keep.observation = [](const Slice&) { return false; };
  const evidence::DocumentSlices cut = evidence::cut_document(text, keep);
  evidence::LineCounter counter(text, first_line);
  const std::uint64_t line = counter.line_of(std::min(text.find('{'), text.size()));
  const bool known = cut.has_observations || !cut.members.empty();
  if (!cut.error && !cut.has_observations && (!known || content)) return observation(text, line);
  if (known) header_of(cut, text, line);
  keep.member = [](std::string_view, const Slice&) { return false; };
  keep.observation = [&](const Slice& each) {
    if (!s.refused) s.observation(each.text, each.depth, counter.line_of(each.at));
    return false;
  };
  if (cut.has_observations) evidence::cut_document(text, keep);
  if (!cut.error) return;
  s.torn = true;
  evidence::LineCounter all(text, first_line);
  reject(
      evidence::place_name(std::string(kBody), all.line_of(cut.error->at)),
      fmt::format("{}: expected {}", cut.error->torn ? "torn" : "not JSON", cut.error->expected));
}

void Collector::line(std::string_view text, std::uint64_t number) {
  State& s = *state_;
  const std::string_view trimmed = evidence::trimmed_blanks(text);
  if (trimmed.empty()) return;
  if (evidence::is_whole_object(trimmed)) return document(trimmed, number);
  s.torn = true;
  JsonScanner scan(trimmed);
  const bool torn = trimmed.front() == '{' && !scan.value() && scan.error().torn;
  reject(evidence::place_name(std::string(kBody), number),
         torn ? "torn line: it ends before its object does" : "expected one JSON object a line");
}

void Collector::header(const std::string& text) { document(text, 1); }

Ingest Collector::finish(bool empty_is_fine) && {
  State& s = *state_;
  if (s.refused) return *std::move(s.refused);
  s.out.rejected = s.gathering.rejected();
  s.out.problems = s.gathering.problems();
  const auto merged = evidence::merge_headers(s.gathering.headers);
  if (!merged) return about_text(422, merged.error().message);
  const HeaderTexts header = header_texts(merged.value(), s.topology);
  const bool fine = empty_is_fine && s.out.rejected == 0;
  if (!fine && s.out.accepted == 0 && header.workload.empty() && header.sources.empty()) {
    Problem nothing{s.torn ? 400U : 422U, "nothing in the body could be understood"};
    if (!s.out.problems.empty()) {
      nothing = about_text(nothing.status, s.out.problems.front());
      nothing.problems = std::move(s.out.problems);
    }
    return nothing;
  }
  s.out.header = header.workload;
  if (!header.sources.empty()) s.out.content.insert(0, header.sources + "\n");
  return std::move(s.out);
}

namespace {

void list(std::string_view text, Collector* into) {
  JsonScanner scan(text);
  scan.take('[');
  scan.blanks();
  if (scan.take(']')) return;
  evidence::LineCounter counter(text);
  while (true) {
    scan.blanks();
    const std::size_t at = scan.at();
    const auto item = scan.value();
    if (!item) break;
    into->observation(*item, counter.line_of(at));
    if (scan.take(']')) {
      if (!scan.done()) into->reject("body", "more than one JSON value");
      return;
    }
    if (!scan.take(',')) break;
  }
  into->line("torn", evidence::LineCounter(text).line_of(scan.at()));
}

}  // namespace

Ingest ingest_evidence(std::string_view body) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (body.starts_with(kByteOrderMark)) body.remove_prefix(kByteOrderMark.size());
  const std::string_view trimmed = evidence::trimmed_blanks(body);
  if (trimmed.empty()) return Problem{400, "the body is empty: expected observations"};
  Collector collector;
  collector.expect(body.size() + 1);
  if (trimmed.front() == '[') {
    list(body, &collector);
    return std::move(collector).finish();
  }
  JsonScanner scan(trimmed);
  const bool whole = trimmed.front() == '{' && scan.value() && scan.done();
  const std::size_t line_end = trimmed.find('\n');
  const bool lines =
      line_end != std::string_view::npos &&
      evidence::is_whole_object(evidence::trimmed_blanks(trimmed.substr(0, line_end)));
  if (whole || (trimmed.front() == '{' && !lines)) {
    collector.document(body, 1);
  } else {
    evidence::LineSplitter splitter(body);
    for (auto line = splitter.next(); line; line = splitter.next())
      collector.line(line->text, line->number);
  }
  return std::move(collector).finish();
}

}  // namespace attrib::service
