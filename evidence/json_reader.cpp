#include "evidence/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "evidence/framing.h"
#include "evidence/json_header.h"
#include "evidence/json_observation.h"
#include "evidence/json_scan.h"
#include "evidence/lines.h"

namespace attrib::evidence {
namespace {

// The header holds the placement of a job and may be long; an observation may not.
constexpr std::size_t kMaxHeaderBytes = std::size_t{64} << 20U;

bool is_header_field(std::string_view key) {
  constexpr std::array<std::string_view, 5> kFields = {"schema", "workload", "topology", "sources",
                                                       "observations"};
  return std::find(kFields.begin(), kFields.end(), key) != kFields.end();
}

bool is_content_field(std::string_view key) {
  constexpr std::array<std::string_view, 4> kFields = {"message", "name", "value", "record"};
  return std::find(kFields.begin(), kFields.end(), key) != kFields.end();
}

class JsonReader {
 public:
  JsonReader(const Input& input, std::uint32_t index, Gathering* gathering)
      : input_(input), index_(index), gathering_(gathering) {}

  Status lines(std::string_view text);
  Status document(std::string_view text, std::uint64_t line);

 private:
  [[nodiscard]] std::string where(std::uint64_t line) const {
    return place_name(input_.name, line);
  }
  Status reject(std::uint64_t line, std::string_view text) {
    return gathering_->reject(where(line), text);
  }
  Status observation(std::string_view slice, std::size_t depth, std::uint64_t line);
  Status add_observation(const JsonValue& object, bool escaped, std::uint64_t line);
  Status header(const JsonValue& object, std::uint64_t line);
  Status object_line(std::string_view slice, std::uint64_t line);
  Status observations(JsonScanner* scan, std::string_view text, LineCounter* counter);
  Status header_member(std::string_view key, std::string_view slice, std::size_t depth,
                       std::uint64_t line, JsonValue* into);
  Status torn(const JsonScanner& scan, LineCounter* counter);

  const Input& input_;
  std::uint32_t index_;
  Gathering* gathering_;
};

std::string too_deep(std::size_t depth) {
  return fmt::format("nested {} deep: expected at most {}", depth, kMaxDepth);
}

Status JsonReader::add_observation(const JsonValue& object, bool escaped, std::uint64_t line) {
  std::vector<std::string> problems;
  auto draft = read_observation(object, &problems);
  if (!draft) return reject(line, fmt::format("{}", fmt::join(problems, "; ")));
  draft->escaped = escaped;
  draft->place = {index_, line};
  frame(&*draft);
  gathering_->drafts.push_back(std::move(*draft));
  return Done{};
}

Status JsonReader::observation(std::string_view slice, std::size_t depth, std::uint64_t line) {
  if (slice.size() > kMaxObservationBytes) {
    return reject(line, fmt::format("observation of {} bytes: expected at most {}", slice.size(),
                                    kMaxObservationBytes));
  }
  if (depth > kMaxDepth) return reject(line, too_deep(depth));
  std::size_t escaped = 0;
  const auto object = parse_json(escape_json_bytes(slice, &escaped));
  if (!object) return reject(line, object.error().message);
  return add_observation(object.value(), escaped > 0, line);
}

Status JsonReader::header(const JsonValue& object, std::uint64_t line) {
  std::vector<std::string> problems;
  auto header = read_header(object, gathering_->options(), &problems);
  if (!header) return Error{where(line) + ": " + header.error().message};
  for (const std::string& each : problems) {
    if (auto status = reject(line, each); !status) return status;
  }
  header.value().where = where(line);
  gathering_->headers.push_back(std::move(header).value());
  return Done{};
}

// A line of NDJSON that is one whole object: an observation, a header, or a document of its own.
Status JsonReader::object_line(std::string_view slice, std::uint64_t line) {
  if (slice.size() > kMaxObservationBytes) return document(slice, line);
  std::size_t depth = 0;
  JsonScanner scan(slice);
  scan.value(&depth);
  if (depth > kMaxDepth) return reject(line, too_deep(depth));
  std::size_t escaped = 0;
  const auto object = parse_json(escape_json_bytes(slice, &escaped));
  if (!object) return reject(line, object.error().message);
  const auto& members = object.value().members;
  const auto has = [&](auto is_field) {
    return std::any_of(members.begin(), members.end(),
                       [&](const auto& m) { return is_field(m.first); });
  };
  if (object.value().find("observations") != nullptr) return document(slice, line);
  if (has(is_header_field) && !has(is_content_field)) return header(object.value(), line);
  return add_observation(object.value(), escaped > 0, line);
}

Status JsonReader::lines(std::string_view text) {
  LineSplitter splitter(text);
  while (const auto line = splitter.next()) {
    const std::string_view trimmed = trimmed_blanks(line->text);
    if (trimmed.empty()) continue;
    if (is_whole_object(trimmed)) {
      if (auto status = object_line(trimmed, line->number); !status) return status;
      continue;
    }
    JsonScanner scan(trimmed);
    const bool torn = trimmed.front() == '{' && !scan.value() && scan.error().torn;
    const auto* what =
        torn ? "torn line: it ends before its object does" : "expected one JSON object a line";
    if (auto status = reject(line->number, what); !status) return status;
  }
  return Done{};
}

Status JsonReader::torn(const JsonScanner& scan, LineCounter* counter) {
  const std::uint64_t line = counter->line_of(scan.error().at);
  return reject(line, scan.error().torn
                          ? fmt::format("torn document: expected {}", scan.error().expected)
                          : fmt::format("not JSON: expected {}", scan.error().expected));
}

Status JsonReader::observations(JsonScanner* scan, std::string_view text, LineCounter* counter) {
  if (!scan->take('[')) {
    const auto value = scan->value();
    if (!value) return torn(*scan, counter);
    const auto at = static_cast<std::size_t>(value->data() - text.data());
    return reject(counter->line_of(at), "field `observations`: expected a list of objects");
  }
  if (scan->take(']')) return Done{};
  do {
    std::size_t depth = 0;
    const auto slice = scan->value(&depth);
    if (!slice) return torn(*scan, counter);
    const auto at = static_cast<std::size_t>(slice->data() - text.data());
    if (auto status = observation(*slice, depth, counter->line_of(at)); !status) return status;
  } while (scan->take(','));
  if (scan->take(']')) return Done{};
  scan->fail("`,` or `]` after an observation");
  return torn(*scan, counter);
}

Status JsonReader::header_member(std::string_view key, std::string_view slice, std::size_t depth,
                                 std::uint64_t line, JsonValue* into) {
  if (depth > kMaxDepth) return reject(line, fmt::format("field `{}`: {}", key, too_deep(depth)));
  if (slice.size() > kMaxHeaderBytes) {
    return reject(line, fmt::format("field `{}` of {} bytes: expected at most {}", key,
                                    slice.size(), kMaxHeaderBytes));
  }
  std::size_t escaped = 0;
  auto value = parse_json(escape_json_bytes(slice, &escaped));
  if (!value) return reject(line, fmt::format("field `{}`: {}", key, value.error().message));
  if (into->find(key) != nullptr)
    return reject(line, fmt::format("field `{}` is given twice", key));
  into->members.emplace_back(std::string(key), std::move(value).value());
  return Done{};
}

Status JsonReader::document(std::string_view text, std::uint64_t first_line) {
  LineCounter counter(text, first_line);
  JsonScanner scan(text);
  JsonValue members;
  members.kind = JsonValue::Kind::Object;
  const std::uint64_t line = (scan.blanks(), counter.line_of(scan.at()));
  const std::uint64_t rejected_before = gathering_->rejected();
  const std::size_t drafts_before = gathering_->drafts.size();
  bool whole = false, known = false;
  if (scan.take('{') && !scan.take('}')) {
    while (true) {
      const auto key = scan.string();
      if (!key) break;
      const std::string_view name = key->substr(1, key->size() - 2);
      if (!scan.take(':')) {
        scan.fail("`:` after a field's name");
        break;
      }
      known = known || is_header_field(name);
      if (name == "observations") {
        if (auto status = observations(&scan, text, &counter); !status) return status;
        if (!scan.error().expected.empty()) {
          whole = true;  // The tear is told already.
          break;
        }
      } else {
        std::size_t depth = 0;
        const auto slice = scan.value(&depth);
        if (!slice) break;
        const auto at = static_cast<std::size_t>(slice->data() - text.data());
        if (is_header_field(name)) {
          if (auto status = header_member(name, *slice, depth, counter.line_of(at), &members);
              !status)
            return status;
        }
      }
      if (scan.take(',')) continue;
      whole = scan.take('}');
      if (!whole) scan.fail("`,` or `}` after a field");
      break;
    }
  } else {
    whole = scan.at() > 0;
  }
  if (!known && whole) {
    // Not a document: one observation alone.
    scan = JsonScanner(text);
    std::size_t depth = 0;
    const auto slice = scan.value(&depth);
    return observation(*slice, depth, line);
  }
  if (!whole) {
    const bool nothing = members.members.empty() && gathering_->drafts.size() == drafts_before &&
                         gathering_->rejected() == rejected_before;
    if (nothing) {
      return Error{fmt::format("{}: not JSON: expected {}{}",
                               where(counter.line_of(scan.error().at)), scan.error().expected,
                               scan.error().torn ? ", but the text ends" : "")};
    }
    if (auto status = torn(scan, &counter); !status) return status;
  } else if (scan.error().expected.empty() && !scan.done()) {
    if (auto status = reject(counter.line_of(scan.at()), "text after the end of the document");
        !status)
      return status;
  }
  return header(members, line);
}

// Are most lines (of the first thousand) whole objects?
bool looks_like_lines(std::string_view text) {
  constexpr std::size_t kLooked = 1000;
  std::size_t whole = 0, other = 0;
  LineSplitter splitter(text);
  for (auto line = splitter.next(); line && whole + other < kLooked; line = splitter.next()) {
    const std::string_view trimmed = trimmed_blanks(line->text);
    if (trimmed.empty()) continue;
    ++(is_whole_object(trimmed) ? whole : other);
  }
  return whole > other;
}

}  // namespace

Status read_json(const Input& input, std::uint32_t index, Gathering* gathering) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::string_view text = input.bytes;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::string_view trimmed = trimmed_blanks(text);
  if (trimmed.empty())
    return Error{input.name + ": empty: expected a JSON document or one JSON object a line"};
  JsonReader reader(input, index, gathering);
  JsonScanner scan(text);
  if (trimmed.front() == '{' && scan.value() && scan.done()) return reader.document(text, 1);
  if (looks_like_lines(text)) return reader.lines(text);
  if (trimmed.front() == '{') return reader.document(text, 1);
  return Error{input.name + ": not JSON: expected a JSON document or one JSON object a line"};
}

}  // namespace attrib::evidence
