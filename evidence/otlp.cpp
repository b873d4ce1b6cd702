#include "evidence/otlp.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "base/text.h"
#include "evidence/container_path.h"
#include "evidence/framing.h"
#include "evidence/json_fields.h"
#include "evidence/json_scan.h"
#include "evidence/json_value.h"
#include "evidence/number_text.h"

namespace attrib::evidence {
namespace {

using model::SourceKind;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

// Standard base64 with or without its padding; none where it is not.
std::optional<std::string> from_base64(std::string_view text) {
  const auto value = [](char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
  };
  while (text.ends_with('=')) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string out;
  unsigned bits = 0, held = 0;
  for (const char c : text) {
    const int six = value(c);
    if (six < 0) return std::nullopt;
    bits = bits << 6U | static_cast<unsigned>(six);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>(bits >> held & 0xFFU);
  }
  return out;
}

struct Part {
  std::string key;
  const JsonValue* value = nullptr;
};

// The pairs of a list of `{"key": ..., "value": {...}}`.
std::vector<Part> parts_of(const JsonValue* list) {
  std::vector<Part> out;
  if (list == nullptr || list->kind != JsonValue::Kind::List) return out;
  for (const JsonValue& each : list->items) {
    const JsonValue* key = each.find("key");
    const JsonValue* value = each.find("value");
    if (key != nullptr && key->kind == JsonValue::Kind::Text && value != nullptr)
      out.push_back({key->text, value});
  }
  return out;
}

const JsonValue* values_of(const JsonValue& list) {
  const JsonValue* values = list.find("values");
  return values != nullptr && values->kind == JsonValue::Kind::List ? values : nullptr;
}

// An AnyValue as text: what is a text stands for itself, lists and maps are printed as JSON. None:
// it has no value, or bytes that are no base64.
std::optional<std::string> text_of(const JsonValue& any, std::size_t* escaped,
                                   bool inside = false) {
  if (const JsonValue* text = any.find("stringValue"); text != nullptr)
    return inside ? quoted(text->text) : text->text;
  for (const char* plain : {"boolValue", "intValue", "doubleValue"}) {
    if (const JsonValue* value = any.find(plain); value != nullptr) return value->text;
  }
  if (const JsonValue* bytes = any.find("bytesValue"); bytes != nullptr) {
    const auto decoded = from_base64(bytes->text);
    if (!decoded) return std::nullopt;
    const std::string text = escape_invalid_utf8(*decoded, escaped);
    return inside ? quoted(text) : text;
  }
  std::string out;
  if (const JsonValue* list = any.find("arrayValue"); list != nullptr) {
    const JsonValue* values = values_of(*list);
    for (std::size_t i = 0; values != nullptr && i < values->items.size(); ++i)
      out += (i == 0 ? "" : ",") + text_of(values->items[i], escaped, true).value_or("null");
    return "[" + out + "]";
  }
  if (const JsonValue* map = any.find("kvlistValue"); map != nullptr) {
    for (const Part& part : parts_of(values_of(*map))) {
      out += (out.empty() ? "" : ",") + quoted(part.key) + ":" +
             text_of(*part.value, escaped, true).value_or("null");
    }
    return "{" + out + "}";
  }
  return std::nullopt;
}

using Attributes = std::map<std::string, std::string>;

Attributes attributes_of(const JsonValue& of) {
  Attributes out;
  std::size_t escaped = 0;
  for (const Part& part : parts_of(of.find("attributes"))) {
    if (auto text = text_of(*part.value, &escaped)) out.emplace(part.key, std::move(*text));
  }
  return out;
}

class OtlpReader {
 public:
  OtlpReader(const Draft* base, OtlpRead* out) : base_(base), out_(out) {}

  void resources(const JsonValue& object) {
    each_of(object, "resourceLogs", "", [&](const JsonValue& logs, const std::string& at) {
      const JsonValue* resource = logs.find("resource");
      resource_ = resource == nullptr ? Attributes() : attributes_of(*resource);
      each_of(logs, "scopeLogs", at + ".",
              [&](const JsonValue& scope, const std::string& scope_at) {
                each_of(scope, "logRecords", scope_at + ".",
                        [&](const JsonValue& record, const std::string& place) {
                          this->record(record, place);
                        });
              });
    });
  }

 private:
  template <typename Each>
  void each_of(const JsonValue& object, const char* name, const std::string& at, Each each) {
    const JsonValue* list = object.find(name);
    if (list == nullptr) return;
    if (list->kind != JsonValue::Kind::List) {
      out_->problems.push_back(
          fmt::format("{}{}: expected a list, got {}", at, name, described(*list)));
      return;
    }
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const std::string place = fmt::format("{}{}[{}]", at, name, i);
      if (list->items[i].kind == JsonValue::Kind::Object) {
        each(list->items[i], place);
      } else {
        out_->problems.push_back(
            fmt::format("{}: expected an object, got {}", place, described(list->items[i])));
      }
    }
  }

  void record(const JsonValue& value, const std::string& at) {
    const auto wrong = [&](std::string_view what) {
      out_->problems.push_back(fmt::format("{}: {}", at, what));
    };
    own_ = attributes_of(value);
    Draft draft;
    if (base_ != nullptr) draft = *base_;
    draft.json = base_ == nullptr;
    bool good = true;
    const auto time = nanos(value, "timeUnixNano", &good);
    const auto observed = nanos(value, "observedTimeUnixNano", &good);
    if (!good) return wrong("expected times in nanoseconds since 1970, as text or number");
    place(&draft);
    if (time) stamp(*time, &draft);
    const JsonValue* body = value.find("body");
    if (body == nullptr || body->kind != JsonValue::Kind::Object) return wrong("no `body`");
    if (!message(*body, base_ == nullptr, &draft))
      return wrong("`body` has no value that can be read");
    if (draft.observation.message.size() > kMaxObservationBytes)
      return wrong(fmt::format("`body` of {} bytes: expected at most {}",
                               draft.observation.message.size(), kMaxObservationBytes));
    // The collector's stamp is the last resort: what the line itself shows is the emitter's.
    if (!draft.stamp && observed) stamp(*observed, &draft);
    out_->drafts.push_back(std::move(draft));
  }

  static std::optional<std::int64_t> nanos(const JsonValue& value, const char* name, bool* good) {
    const JsonValue* given = value.find(name);
    if (given == nullptr || given->kind == JsonValue::Kind::Null) return std::nullopt;
    const bool may = given->kind == JsonValue::Kind::Text || given->kind == JsonValue::Kind::Number;
    const auto read = may ? read_integer(given->text) : std::nullopt;
    if (!read || *read < 0) *good = false;
    return read && *read > 0 ? read : std::nullopt;
  }

  static void stamp(std::int64_t at, Draft* draft) {
    Stamp made;
    made.form = Stamp::Form::Absolute;
    made.at = std::min<model::Nanos>(at, model::kForever);
    draft->stamp = made;
    draft->raw_ts = fmt::format("{}", at);
  }

  // Of the record's own attributes, else the resource's.
  [[nodiscard]] const std::string* attribute(const std::string& name) const {
    for (const Attributes* all : {&own_, &resource_}) {
      const auto found = all->find(name);
      if (found != all->end() && !found->second.empty()) return &found->second;
    }
    return nullptr;
  }

  void place(Draft* draft) {
    Observation& o = draft->observation;
    const auto take = [&](std::string* into, std::initializer_list<const char*> names) {
      for (const char* name : names) {
        const std::string* found = into->empty() ? attribute(name) : nullptr;
        if (found != nullptr) *into = *found;
      }
    };
    if (const std::string* kind = attribute("attrib.source"); kind != nullptr && base_ == nullptr) {
      if (const auto known = model::parse_word<SourceKind>(*kind)) o.source = *known;
    } else if (base_ == nullptr && own_.contains("appname") && own_.contains("priority")) {
      o.source = SourceKind::Syslog;  // What the collector's syslog receiver adds.
    }
    if (const std::string* rank = attribute("attrib.rank"); rank != nullptr && !o.rank) {
      const auto number = read_integer(*rank);
      if (number && *number >= 0 && *number <= std::numeric_limits<std::int32_t>::max())
        o.rank = static_cast<std::uint32_t>(*number);
    }
    take(&o.node, {"k8s.node.name", "host.name", "hostname"});
    std::string pod, container, file, name_space;
    take(&pod, {"k8s.pod.name"});
    take(&container, {"k8s.container.name", "container.name"});
    take(&file, {"log.file.path", "log.file.name"});
    take(&name_space, {"k8s.namespace.name"});
    if (const auto path = container_path(file)) {
      if (pod.empty() && o.pod.empty()) pod = path->pod;
      if (container.empty() && o.container.empty()) container = path->container;
      if (name_space.empty()) name_space = path->name_space;
    }
    if (o.pod.empty()) o.pod = pod;
    if (o.container.empty()) o.container = container;
    if (base_ == nullptr) o.file = file;
    if (!name_space.empty()) o.labels.emplace("namespace", name_space);
  }

  // A map may be an entry of the journal, or the fields of a structured log with the text in one of
  // them.
  static bool message(const JsonValue& body, bool may_set_source, Draft* draft) {
    std::size_t escaped = 0;
    if (const JsonValue* map = body.find("kvlistValue"); map != nullptr) {
      JournalFields fields;
      for (const Part& part : parts_of(values_of(*map))) {
        if (auto text = text_of(*part.value, &escaped)) fields.emplace(part.key, std::move(*text));
      }
      if (fields.contains("MESSAGE")) {
        if (may_set_source) draft->observation.source = SourceKind::Journald;
        return frame_entry(fields, draft);
      }
      for (const char* name : {"message", "msg", "log"}) {
        if (const auto found = fields.find(name); found != fields.end())
          return line(found->second, escaped, draft);
      }
    }
    const auto text = text_of(body, &escaped);
    return text && line(*text, escaped, draft);
  }

  static bool line(const std::string& text, std::size_t escaped, Draft* draft) {
    draft->escaped = escaped > 0;
    draft->observation.message = text;
    while (draft->observation.message.ends_with('\n')) draft->observation.message.pop_back();
    frame(draft);
    return true;
  }

  const Draft* base_;
  OtlpRead* out_;
  Attributes resource_, own_;
};

}  // namespace

bool is_otlp(std::string_view object) {
  return object.find("\"resourceLogs\"") != std::string_view::npos;
}

OtlpRead read_otlp(std::string_view object, const Draft* base) {
  OtlpRead out;
  const auto refused = [&out](std::string why) {
    out.problems.push_back(std::move(why));
    return std::move(out);
  };
  if (object.size() > kMaxOtlpBytes)
    return refused(
        fmt::format("log records of {} bytes: expected at most {}", object.size(), kMaxOtlpBytes));
  std::size_t depth = 0, escaped = 0;
  JsonScanner scan(object);
  if (!scan.value(&depth) || !scan.done()) return refused("torn or damaged log records");
  if (depth > kMaxDepth) return refused(too_deep(depth));
  const auto value = parse_json(escape_json_bytes(object, &escaped));
  if (!value) return refused(value.error().message);
  OtlpReader(base, &out).resources(value.value());
  return out;
}

}  // namespace attrib::evidence
