#include "evidence/json_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "evidence/framing.h"
#include "evidence/json_header.h"
#include "evidence/json_observation.h"
#include "evidence/json_plain.h"
#include "evidence/lines.h"
#include "evidence/otlp.h"

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

std::string told(const ScanError& error) {
  return fmt::format("{}: expected {}", error.torn ? "torn" : "not JSON", error.expected);
}

}  // namespace

Status JsonObjects::add_observation(const JsonValue& object, bool escaped, std::uint64_t line) {
  std::vector<std::string> problems;
  auto draft = read_observation(object, &problems);
  if (!draft) return reject(line, fmt::format("{}", fmt::join(problems, "; ")));
  draft->escaped = escaped;
  settle(&gathering_->drafts.push_back(std::move(*draft)), line);
  return Done{};
}

void JsonObjects::settle(Draft* draft, std::uint64_t line) {
  draft->place = {index_, line};
  frame(draft);
  plain_ = true;
}

bool JsonObjects::add_plain(std::string_view slice, std::uint64_t line) {
  if (slice.size() > kMaxObservationBytes) return false;
  Draft& draft = gathering_->drafts.push_back({});  // Where it stays: drafts are large.
  if (!read_plain_observation(slice, &draft)) {
    gathering_->drafts.pop_back();
    return false;
  }
  settle(&draft, line);
  return true;
}

Status JsonObjects::observation(std::string_view slice, std::size_t depth, std::uint64_t line) {
  if (auto status = gathering_->room(); !status) return status;
  if (slice.size() > kMaxObservationBytes) {
    return reject(line, fmt::format("observation of {} bytes: expected at most {}", slice.size(),
                                    kMaxObservationBytes));
  }
  if (depth > kMaxDepth) return reject(line, too_deep(depth));
  if (add_plain(slice, line)) return Done{};
  std::size_t escaped = 0;
  const auto object = parse_json(escape_json_bytes(slice, &escaped));
  if (!object) return reject(line, object.error().message);
  return add_observation(object.value(), escaped > 0, line);
}

Status JsonObjects::header(const JsonValue& object, std::uint64_t line) {
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

// What an OpenTelemetry exporter sends or writes. An entry of the journal without a message, or
// another bad record, is named by its place in the object.
Status JsonObjects::log_records(std::string_view slice, std::uint64_t line) {
  OtlpRead read = read_otlp(slice, nullptr);
  for (const std::string& problem : read.problems) {
    if (auto status = reject(line, problem); !status) return status;
  }
  for (Draft& draft : read.drafts) {
    draft.place = {index_, line};
    gathering_->drafts.push_back(std::move(draft));
  }
  return Done{};
}

// A line of NDJSON that is one whole object: an observation, a header, or a document of its own.
Status JsonObjects::object_line(std::string_view slice, std::uint64_t line) {
  if (is_otlp(slice)) return log_records(slice, line);
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
                       [&](const auto& m) { return is_field(m.name); });
  };
  if (object.value().find("observations") != nullptr) return document(slice, line);
  if (has(is_header_field) && !has(is_content_field)) return header(object.value(), line);
  return add_observation(object.value(), escaped > 0, line);
}

Status JsonObjects::line(std::string_view text, std::uint64_t number) {
  plain_ = false;
  if (auto status = gathering_->room(); !status) return status;
  const std::string_view trimmed = trimmed_blanks(text);
  if (trimmed.empty() || add_plain(trimmed, number)) return Done{};
  if (is_whole_object(trimmed)) return object_line(trimmed, number);
  JsonScanner scan(trimmed);
  const bool torn = trimmed.front() == '{' && !scan.value() && scan.error().torn;
  const auto* what =
      torn ? "torn line: it ends before its object does" : "expected one JSON object a line";
  return reject(number, what);
}

Status JsonObjects::header_member(const DocumentSlices::Member& member, std::uint64_t line,
                                 JsonValue* into) {
  const auto& [name, slice] = member;
  if (slice.depth > kMaxDepth)
    return reject(line, fmt::format("field `{}`: {}", name, too_deep(slice.depth)));
  if (slice.text.size() > kMaxHeaderBytes) {
    const auto size = slice.text.size();
    return reject(line, fmt::format("field `{}` of {} bytes: expected at most {}", name, size,
                                    kMaxHeaderBytes));
  }
  std::size_t escaped = 0;
  auto value = parse_json(escape_json_bytes(slice.text, &escaped));
  if (!value) return reject(line, fmt::format("field `{}`: {}", name, value.error().message));
  if (into->find(name) != nullptr)
    return reject(line, fmt::format("field `{}` is given twice", name));
  into->members.push_back({std::string(name), std::move(value).value()});
  return Done{};
}

Status JsonObjects::header_of(const DocumentSlices& document, LineCounter counter,
                             std::uint64_t line) {
  JsonValue object;
  object.kind = JsonValue::Kind::Object;
  for (const DocumentSlices::Member& each : document.members) {
    if (!is_header_field(each.name)) continue;
    if (auto status = header_member(each, counter.line_of(each.value.at), &object); !status)
      return status;
  }
  if (const JsonValue* given = object.find("observations")) {
    const auto text = "field `observations`: expected a list of objects, got " + described(*given);
    if (auto status = reject(line, text); !status) return status;
  }
  return header(object, line);
}

Status JsonObjects::document(std::string_view text, std::uint64_t first_line) {
  if (is_otlp(text)) return log_records(text, first_line);
  const DocumentSlices document = cut_document(text);
  LineCounter counter(text, first_line);
  const std::uint64_t line = counter.line_of(text.find('{'));
  const bool known = document.has_observations ||
                     std::any_of(document.members.begin(), document.members.end(),
                                 [](const auto& member) { return is_header_field(member.name); });
  if (!known && !document.error) {  // One observation alone.
    JsonScanner scan(text);
    std::size_t depth = 0;
    const auto slice = scan.value(&depth);
    return observation(*slice, depth, line);
  }
  if (auto status = header_of(document, counter, line); !status) return status;
  for (const Slice& each : document.observations) {
    if (auto status = observation(each.text, each.depth, counter.line_of(each.at)); !status)
      return status;
  }
  if (!document.error) return Done{};
  LineCounter all(text, first_line);
  const std::uint64_t at = all.line_of(document.error->at);
  if (!known) return Error{where(at) + ": " + told(*document.error)};
  return reject(at, told(*document.error));
}

}  // namespace attrib::evidence
