// Streams as Loki answers or is sent them.
//
// The public client makes stamps up: all lines of a delivery, whatever their node, stand one
// nanosecond apart near the end of the window in which `dmesg` was asked. Read as times they would
// tell an order between nodes that nobody knows. Of such a stream the order within it counts, and
// of the time of each line that it lies in the window; where lines carry the seconds since boot, no
// later than those behind them need.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/digest.h"
#include "evidence/json_value.h"
#include "evidence/lines.h"
#include "evidence/read.h"
#include "service/json.h"
#include "service/json_items.h"
#include "service/v1_observation.h"
#include "service/v1_words.h"
#include "verdict/format.h"

namespace attrib::service {
namespace {

using evidence::JsonValue;
using model::Nanos;
using model::SourceKind;

// `dmesg` computes times from the time since boot, which drifts by seconds; so may what it calls
// the window's start.
constexpr Nanos kWindowError = 5 * model::kSecond;

constexpr std::size_t kMaxLabels = std::size_t{64} << 10U;  // Bytes; more are not read.

constexpr std::size_t kMaxStreams = 65'536;  // Of a delivery.
constexpr std::size_t kMaxCovered = 32'768;

// A stream as it stands in the payload.
struct Stream {
  std::size_t number = 0;
  std::string_view text, values;
  Json labels;
  Nanos first = 0;       // The least stamp.
  bool made_up = false;  // Its stamps are.
};

std::string label(const Json& labels, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = labels.find(name);
    if (found != labels.end() && found->is_string() && !is_not_given(*found))
      return found->get<std::string>();
  }
  return {};
}

std::optional<Nanos> nanoseconds(std::string_view text) {
  Nanos out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && out >= 0 && out < model::kForever ? std::optional(out) : std::nullopt;
}

// The stamp of an entry, without parsing the rest.
std::optional<Nanos> stamp_of(std::string_view entry) {
  evidence::JsonScanner scan(entry);
  if (!scan.take('[')) return std::nullopt;
  const auto text = scan.string();
  return text ? nanoseconds(text->substr(1, text->size() - 2)) : std::nullopt;
}

struct Stamps {
  std::vector<Nanos> all;

  // Each one nanosecond behind the one before.
  [[nodiscard]] bool contiguous(std::size_t least) {
    if (all.size() < least) return false;
    std::sort(all.begin(), all.end());
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (all[i] != all[i - 1] + 1) return false;
    }
    return true;
  }
};

struct Line {
  std::string text, node, program, process, facility;
};

std::string text_or_number(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  if (found->is_number_integer()) return compact(*found);
  return found->is_string() && !is_not_given(*found) ? found->get<std::string>() : std::string();
}

// What an exporter put around a line; any other text is the line.
Line line_of(const std::string& text) {
  Line out;
  const auto inner = text.starts_with('{') ? parsed(text) : std::nullopt;
  const Json body = inner && inner->is_object() ? inner->value("body", Json()) : Json();
  if (!body.is_string()) {
    out.text = text;
    return out;
  }
  out.text = body.get<std::string>();
  const Json attributes = inner->value("attributes", Json());
  if (!attributes.is_object()) return out;
  out.node = label(attributes, {"hostname"});
  out.program = label(attributes, {"appname"});
  out.process = text_or_number(attributes, "procid");
  out.facility = text_or_number(attributes, "facility");
  return out;
}

class Loki {
 public:
  Loki(const V1Context& context, Collector* into) : context_(context), into_(*into) {}

  bool streams(std::string_view list) {
    Stamps stamps;
    std::vector<Stream> all;
    const bool whole =
        for_each_item(list, [&](std::string_view text) { look(text, &all, &stamps); });
    if (!whole) return false;
    if (stamps.contiguous(2)) {
      for (Stream& each : all) each.made_up = true;
    }
    for (const Stream& each : all) stream(each);
    // A delivery of more nodes than any cluster has covers none.
    if (covered_.size() > kMaxCovered) covered_.clear();
    const std::string header = coverage_header({covered_.begin(), covered_.end()}, context_);
    if (!header.empty()) into_.header(header);
    return true;
  }

 private:
  void look(std::string_view text, std::vector<Stream>* all, Stamps* stamps) {
    Stream out;
    out.number = seen_++;
    out.text = text;
    if (all->size() == kMaxStreams)
      return into_.reject(fmt::format("streams[{}]", out.number), "more streams than are read");
    const auto labels = member(text, "stream");
    const auto values = member(text, "values");
    if (!values || !values->starts_with('['))
      return into_.reject(fmt::format("streams[{}]", out.number), "expected a list in `values`");
    if (labels && labels->size() <= kMaxLabels) out.labels = parsed(*labels).value_or(Json());
    if (!out.labels.is_object()) out.labels = Json::object();
    out.values = *values;
    Stamps own;
    for_each_item(out.values, [&](std::string_view entry) {
      if (const auto at = stamp_of(entry)) own.all.push_back(*at);
    });
    if (!own.all.empty()) out.first = *std::min_element(own.all.begin(), own.all.end());
    const bool told = label(out.labels, {"job"}) == "nvrx" && label(out.labels, {"app"}) == "dmesg";
    stamps->all.insert(stamps->all.end(), own.all.begin(), own.all.end());
    out.made_up = told || own.contiguous(3);
    all->push_back(std::move(out));
  }

  // The seconds since boot of the first and the last line that have them.
  struct Boot {
    std::optional<Nanos> first, last;
  };
  Boot boot_of(const Stream& s) {
    Boot out;
    for_each_item(s.values, [&](std::string_view entry) {
      const auto value = evidence::parse_json(entry);
      if (!value || value.value().items.size() < 2) return;
      const auto at = since_boot(line_of(value.value().items[1].text).text);
      if (!at) return;
      if (!out.first) out.first = at;
      if (out.last && *at < *out.last)
        out.first = std::nullopt;  // Out of order: they tell nothing.
      out.last = at;
    });
    return out;
  }

  void stream(const Stream& s) {
    Boot boot;
    std::string file = label(s.labels, {"filename", "file"});
    if (s.made_up) {
      boot = boot_of(s);
      // Numbers of a delivery count in it alone.
      constexpr std::size_t kDigits = 12;
      file = "delivery-" + sha256_hex(s.text).substr(0, kDigits);
    } else if (const std::string node = label(s.labels, {"hostname"}); !node.empty()) {
      covered_.emplace(source_of_program(context_.source, label(s.labels, {"app"}), ""), node);
    }
    std::size_t number = 0;
    const bool whole = for_each_item(s.values, [&](std::string_view entry) {
      const std::string place = fmt::format("streams[{}].values[{}]", s.number, number++);
      this->entry(s, entry, boot, file, place);
    });
    if (!whole) into_.reject(fmt::format("streams[{}].values", s.number), "no list of entries");
  }

  void entry(const Stream& s, std::string_view entry, const Boot& boot, const std::string& file,
             const std::string& place) {
    if (into_.refused()) return;
    const auto at = stamp_of(entry);
    if (entry.size() > 2 * evidence::kMaxObservationBytes)
      return into_.reject(place, "an entry longer than is read");
    std::size_t escaped = 0;
    const auto value = evidence::parse_json(evidence::escape_json_bytes(entry, &escaped));
    if (!at || !value || value.value().items.size() < 2 ||
        value.value().items[1].kind != JsonValue::Kind::Text)
      return into_.reject(place, "expected [\"<unix nanoseconds>\", \"<line>\"]");
    Line line = line_of(value.value().items[1].text);
    if (line.node.empty()) line.node = label(s.labels, {"hostname", "host", "node_name", "node"});
    if (line.program.empty()) line.program = label(s.labels, {"appname"});
    SourceKind kind = source_of_program(context_.source, line.program, line.facility);
    if (line.program.empty() && kind == context_.source)
      kind = source_of_program(kind, label(s.labels, {"app"}), "");
    Json out;
    s.made_up ? put_window(s, *at, since_boot(line.text), boot, &out)
              : void(out["ts"] = stamp_text(*at));
    out["source"] = model::word(kind);
    if (!line.node.empty()) out["node"] = line.node;
    for (const char* name : {"pod", "container"}) {
      if (std::string text = label(s.labels, {name}); !text.empty()) out[name] = std::move(text);
    }
    if (!file.empty()) out["file"] = file;
    out["message"] = message(kind, line);
    if (!s.made_up && !line.node.empty()) covered_.emplace(kind, line.node);
    into_.observation_of(place, compact(out));
  }

  // Rules read syslog's lines behind the name of the program, which exporters take off.
  static std::string message(SourceKind kind, const Line& line) {
    const bool framed = kind == SourceKind::Syslog || kind == SourceKind::Journald;
    if (!framed || line.program.empty() || line.text.starts_with(line.program)) return line.text;
    if (line.process.empty()) return fmt::format("{}: {}", line.program, line.text);
    return fmt::format("{}[{}]: {}", line.program, line.process, line.text);
  }

  void put_window(const Stream& s, Nanos at, std::optional<Nanos> since, const Boot& boot,
                  Json* out) {
    if (context_.start && context_.end) {
      Nanos from = *context_.start - kWindowError, to = *context_.end;
      if (since && boot.first && boot.last && *since >= *boot.first && *since <= *boot.last &&
          *boot.last - *boot.first <= to - from) {
        from += *since - *boot.first;
        to -= *boot.last - *since;
      }
      (*out)["ts"] = verdict::rfc3339(from);
      (*out)["until"] = verdict::rfc3339(to);
    }
    (*out)["seq"] = at - s.first;
  }

  const V1Context& context_;
  Collector& into_;
  std::size_t seen_ = 0;
  std::set<std::pair<SourceKind, std::string>> covered_;
};

// The list itself, or what Loki's routes put around it.
std::optional<std::string_view> streams_in(std::string_view payload) {
  if (payload.starts_with('[')) return payload;
  for (const char* name : {"streams", "result"}) {
    if (const auto list = member(payload, name)) return list;
  }
  const auto data = member(payload, "data");
  return data ? member(*data, "result") : std::nullopt;
}

}  // namespace

bool collect_loki(std::string_view payload, const V1Context& context, Collector* into) {
  payload = evidence::trimmed_blanks(payload);
  const auto list = streams_in(payload);
  return list && Loki(context, into).streams(*list);
}

}  // namespace attrib::service
