#include "evidence/journald.h"

#include <fmt/format.h>

#include <algorithm>

#include "evidence/json_scan.h"
#include "evidence/json_value.h"
#include "evidence/number_text.h"
#include "evidence/read.h"

namespace attrib::evidence {
namespace {

const std::string* find(const JournalFields& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() || found->second.empty() ? nullptr : &found->second;
}

void offer_micros(const std::string* micros, Frame& frame) {
  if (micros == nullptr) return;
  const auto number = read_integer(*micros);
  if (!number || *number < 0 || *number > model::kForever / 1000) return;
  Stamp stamp;
  stamp.form = Stamp::Form::Absolute;
  stamp.at = *number * 1000;
  stamp.resolution = 1000;
  frame.offer(stamp);
}

// What is not text in the JSON form: bytes that are not UTF-8 come as a list of numbers.
std::optional<std::string> field_text(const JsonValue& value) {
  if (value.kind == JsonValue::Kind::Text || value.kind == JsonValue::Kind::Number)
    return value.text;
  if (value.kind != JsonValue::Kind::List) return std::nullopt;
  // A field that the entry has several times is a list of its values: the first counts.
  if (!value.items.empty() && value.items[0].kind != JsonValue::Kind::Number)
    return value.items[0].kind == JsonValue::Kind::List ||
                   value.items[0].kind == JsonValue::Kind::Text
               ? field_text(value.items[0])
               : std::nullopt;
  std::string bytes;
  for (const JsonValue& item : value.items) {
    const auto byte = item.kind == JsonValue::Kind::Number ? read_integer(item.text) : std::nullopt;
    if (!byte || *byte < 0 || *byte > 255) return std::nullopt;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

// `{"log":"...\n","stream":"stderr","time":"2026-..."}`
std::optional<std::string> read_docker(const JsonValue& object, Frame& frame) {
  const JsonValue* log = object.find("log");
  const JsonValue* time = object.find("time");
  if (log == nullptr || time == nullptr || log->kind != JsonValue::Kind::Text ||
      object.find("stream") == nullptr) {
    return std::nullopt;
  }
  const auto stamp = read_stamp(time->text);
  if (!stamp) return std::nullopt;
  frame.offer(*stamp);
  frame.container_output = true;
  std::string body = log->text;
  while (body.ends_with('\n') || body.ends_with('\r')) body.pop_back();
  return body;
}

}  // namespace

std::optional<std::string> read_journal_entry(const JournalFields& fields, Frame& frame) {
  const std::string* message = find(fields, "MESSAGE");
  if (message == nullptr) return std::nullopt;  // An entry is one with a text.
  // The sender's own stamp where it gave one; the journal's otherwise.
  offer_micros(find(fields, "_SOURCE_REALTIME_TIMESTAMP"), frame);
  offer_micros(find(fields, "__REALTIME_TIMESTAMP"), frame);
  if (const std::string* host = find(fields, "_HOSTNAME"); host != nullptr && *host != "localhost")
    frame.node = *host;
  const std::string* tag = find(fields, "SYSLOG_IDENTIFIER");
  const std::string* transport = find(fields, "_TRANSPORT");
  if (tag == nullptr) tag = find(fields, "_COMM");
  if ((transport != nullptr && *transport == "kernel") || (tag != nullptr && *tag == "kernel")) {
    frame.kernel = true;
    frame.speaks |= model::source_bit(model::SourceKind::Kernel);
    return *message;
  }
  if (tag == nullptr) return *message;
  frame.speaks |= speakers_of_tag(*tag);
  const std::string* pid = find(fields, "SYSLOG_PID");
  if (pid == nullptr) pid = find(fields, "_PID");
  return pid == nullptr ? fmt::format("{}: {}", *tag, *message)
                        : fmt::format("{}[{}]: {}", *tag, *pid, *message);
}

std::optional<std::string> read_journal_json(std::string_view message, Frame& frame) {
  if (!message.starts_with('{') || !message.ends_with('}')) return std::nullopt;
  const auto has = [&](std::string_view part) {
    return message.find(part) != std::string_view::npos;
  };
  const bool journal =
      has("\"MESSAGE\"") && (has("\"__REALTIME_TIMESTAMP\"") || has("\"_TRANSPORT\""));
  const bool docker = has("\"log\"") && has("\"stream\"") && has("\"time\"");
  if (!journal && !docker) return std::nullopt;
  JsonScanner scan(message);
  std::size_t depth = 0;
  if (!scan.value(&depth) || !scan.done() || depth > kMaxDepth) return std::nullopt;
  const auto object = parse_json(message);
  if (!object) return std::nullopt;
  if (docker && !journal) return read_docker(object.value(), frame);
  JournalFields fields;
  for (const auto& [name, value] : object.value().members) {
    if (auto text = field_text(value)) fields.emplace(name, std::move(*text));
  }
  // Without `--all`, journalctl prints `null` for a field that it finds too long.
  if (const JsonValue* text = object.value().find("MESSAGE");
      text != nullptr && text->kind == JsonValue::Kind::Null) {
    frame.without_text = true;
    fields["MESSAGE"] = "(text left out by journalctl)";
  }
  return read_journal_entry(fields, frame);
}

std::optional<DockerFrame> read_docker_frame(std::string_view line) {
  constexpr std::string_view kHead = "{\"log\":";
  if (!line.starts_with(kHead)) return std::nullopt;
  JsonScanner scan(line, kHead.size());
  const auto log = scan.string();
  if (!log) return std::nullopt;
  const std::string_view behind = line.substr(scan.at());
  if (behind.find("\"time\":") == std::string_view::npos) return std::nullopt;
  DockerFrame out;
  for (const char* stream : {"stdout", "stderr"}) {
    if (behind.find(fmt::format("\"stream\":\"{}\"", stream)) != std::string_view::npos)
      out.stream = stream;
  }
  if (out.stream.empty()) return std::nullopt;
  out.body = log->substr(1, log->size() - 2);
  // An even number of backslashes before the `n` would be text: `\\n`.
  std::size_t slashes = 0;
  while (slashes + 1 < out.body.size() && out.body[out.body.size() - 2 - slashes] == '\\')
    ++slashes;
  out.partial = !out.body.ends_with('n') || slashes % 2 == 0;
  return out;
}

bool is_journal_export(std::string_view text) {
  return text.starts_with("__CURSOR=") || text.starts_with("__REALTIME_TIMESTAMP=");
}

// "NAME=value\n", or "NAME\n", eight bytes of length (low byte first), that many bytes, "\n".
bool ExportReader::field(Entry* entry) {
  const std::size_t end = text_.find('\n', at_);
  if (end == std::string_view::npos) return false;
  const std::string_view head = text_.substr(at_, end - at_);
  const std::size_t equals = head.find('=');
  std::string_view name = head, value;
  at_ = end + 1;
  ++line_;
  if (equals != std::string_view::npos) {
    name = head.substr(0, equals);
    value = head.substr(equals + 1);
  } else {
    if (text_.size() - at_ < 8) return false;
    std::uint64_t size = 0;
    for (std::size_t i = 8; i-- > 0;)
      size = size << 8U | static_cast<unsigned char>(text_[at_ + i]);
    at_ += 8;
    if (size >= text_.size() - at_) return false;
    value = text_.substr(at_, static_cast<std::size_t>(size));
    line_ += 1 + static_cast<std::uint64_t>(std::count(value.begin(), value.end(), '\n'));
    at_ += static_cast<std::size_t>(size) + 1;
  }
  if (value.size() <= kMaxObservationBytes && name.size() < 256) entry->fields.emplace(name, value);
  return true;
}

std::optional<ExportReader::Entry> ExportReader::next() {
  while (at_ < text_.size() && text_[at_] == '\n') {
    ++at_;
    ++line_;
  }
  if (at_ >= text_.size()) return std::nullopt;
  Entry entry;
  entry.line = line_;
  while (at_ < text_.size() && text_[at_] != '\n') {
    if (field(&entry)) continue;
    entry.torn = true;
    at_ = text_.size();
  }
  return entry;
}

}  // namespace attrib::evidence
