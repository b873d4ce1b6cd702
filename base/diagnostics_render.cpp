#include "base/diagnostics_render.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace attrib {
namespace {

constexpr std::size_t kMaxShownLine =
    160;  // Bytes of a source line; a longer one is shown around the caret.

struct Paint {
  bool on;
  [[nodiscard]] std::string operator()(std::string_view code, std::string_view text) const {
    return on ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }
};

std::string_view severity_word(const Diagnostic& diagnostic) {
  return diagnostic.info->severity == DiagnosticSeverity::Error ? "error" : "warning";
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

// The source line as shown, and where in it the span lies.
struct Shown {
  std::string_view line;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool cut_left = false;
  bool cut_right = false;
};

Shown show(const Span& span, const SourceMap& sources) {
  Shown shown;
  shown.line = sources.line_at(span.source, span.begin);
  shown.begin = std::min<std::size_t>(sources.line_column(span.source, span.begin).column - 1,
                                      shown.line.size());
  const std::size_t size = span.end > span.begin ? span.end - span.begin : 0;
  shown.end = std::min(shown.begin + size,
                       shown.line.size());  // A range over several lines ends with the first.
  if (shown.line.size() <= kMaxShownLine) return shown;
  std::size_t from = shown.begin > kMaxShownLine / 2 ? shown.begin - kMaxShownLine / 2 : 0;
  // No character of valid UTF-8 has more than three continuation bytes; a run of them is no text.
  constexpr int kMostContinuation = 3;
  for (int i = 0; i < kMostContinuation && from > 0 && is_continuation(shown.line[from]); ++i)
    --from;
  std::size_t to = std::min(from + kMaxShownLine, shown.line.size());
  for (int i = 0;
       i < kMostContinuation && to < shown.line.size() && is_continuation(shown.line[to]); ++i)
    ++to;
  shown.cut_left = from > 0;
  shown.cut_right = to < shown.line.size();
  shown.line = shown.line.substr(from, to - from);
  shown.begin -= from;
  shown.end = std::min(shown.end - from, shown.line.size());
  return shown;
}

std::string untabbed(std::string_view text) {
  std::string out = escape_invalid_utf8(text);
  std::replace_if(
      out.begin(), out.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return out;
}

// The line and a caret range below it.
std::string draw(const Span& span, const SourceMap& sources, std::string_view color,
                 const Paint& paint) {
  const Shown shown = show(span, sources);
  const std::string_view dots = shown.cut_left ? "..." : "";
  std::string out =
      fmt::format("  {}{}{}\n", dots, untabbed(shown.line), shown.cut_right ? "..." : "");
  const std::size_t lead =
      dots.size() + count_characters(untabbed(shown.line.substr(0, shown.begin)));
  const std::size_t width =
      count_characters(untabbed(shown.line.substr(shown.begin, shown.end - shown.begin)));
  const std::string carets = "^" + std::string(width > 1 ? width - 1 : 0, '~');
  return out + fmt::format("  {}{}\n", std::string(lead, ' '), paint(color, carets));
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

nlohmann::ordered_json place_json(const Span& span, const SourceMap& sources) {
  const LineColumn begin = sources.line_column(span.source, span.begin);
  const LineColumn end = sources.line_column(span.source, std::max(span.begin, span.end));
  nlohmann::ordered_json json;
  json["path"] = escape_invalid_utf8(sources.path(span.source));
  json["line"] = begin.line;
  json["column"] = begin.column;
  json["end_line"] = end.line;
  json["end_column"] = end.column;
  return json;
}

nlohmann::ordered_json diagnostic_json(const Diagnostic& diagnostic, const SourceMap& sources) {
  nlohmann::ordered_json json;
  json["id"] = diagnostic_code(diagnostic.info->id);
  json["severity"] = severity_word(diagnostic);
  json["message"] = escape_invalid_utf8(diagnostic.message);
  json.update(place_json(diagnostic.span, sources));
  json["notes"] = nlohmann::ordered_json::array();
  for (const DiagnosticNote& note : diagnostic.notes) {
    nlohmann::ordered_json item;
    item["message"] = escape_invalid_utf8(note.message);
    if (note.span) item.update(place_json(*note.span, sources));
    json["notes"].push_back(std::move(item));
  }
  json["hints"] = nlohmann::ordered_json::array();
  for (const std::string& hint : diagnostic.hints)
    json["hints"].push_back(escape_invalid_utf8(hint));
  return json;
}

}  // namespace

std::string render_diagnostic(const Diagnostic& diagnostic, const SourceMap& sources, bool color) {
  const Paint paint{color};
  const std::string_view tint =
      diagnostic.info->severity == DiagnosticSeverity::Error ? "1;31" : "1;33";
  const std::string head =
      fmt::format("{}[{}]", severity_word(diagnostic), diagnostic_code(diagnostic.info->id));
  std::string out = fmt::format("{}: {}: {}\n", paint("1", sources.place(diagnostic.span)),
                                paint(tint, head), diagnostic.message);
  out += draw(diagnostic.span, sources, tint, paint);
  for (const DiagnosticNote& note : diagnostic.notes) {
    if (!note.span) {
      out += fmt::format("  {}: {}\n", paint("1;36", "note"), note.message);
      continue;
    }
    out += fmt::format("{}: {}: {}\n", paint("1", sources.place(*note.span)), paint("1;36", "note"),
                       note.message);
    out += draw(*note.span, sources, "1;36", paint);
  }
  for (const std::string& hint : diagnostic.hints)
    out += fmt::format("  {}: {}\n", paint("1;32", "hint"), hint);
  return out;
}

std::string render_diagnostics(const DiagnosticSink& sink, const SourceMap& sources, bool color) {
  std::string out;
  for (const Diagnostic* diagnostic : sink.sorted(sources))
    out += render_diagnostic(*diagnostic, sources, color);
  if (sink.dropped() > 0) out += fmt::format("{} more not shown\n", sink.dropped());
  if (sink.error_count() == 0 && sink.warning_count() == 0) return out;
  std::string totals;
  if (sink.error_count() > 0) totals = counted(sink.error_count(), "error");
  if (sink.warning_count() > 0)
    totals += (totals.empty() ? "" : ", ") + counted(sink.warning_count(), "warning");
  return out + totals + "\n";
}

std::string render_diagnostics_json(const DiagnosticSink& sink, const SourceMap& sources) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Diagnostic* diagnostic : sink.sorted(sources))
    all.push_back(diagnostic_json(*diagnostic, sources));
  return all.dump(2) + "\n";
}

}  // namespace attrib
