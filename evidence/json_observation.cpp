#include "evidence/json_observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <span>

#include "base/digest.h"
#include "evidence/json_fields.h"

namespace attrib::evidence {
namespace {

void read_content(FieldReader& fields, Draft* draft) {
  Observation& o = draft->observation;
  const auto message = fields.text("message");
  const auto name = fields.text("name");
  const auto value = fields.millionths("value");
  o.is_record = fields.object("record") != nullptr;
  if (o.is_record) o.record = fields.text_map("record");
  o.labels = fields.text_map("labels");
  if (message) o.message = *message;
  if (name && value) {
    o.is_metric = true;
    o.name = *name;
    o.value = *value;
  }
  const bool half_metric = (name || fields.any("value") != nullptr) && !o.is_metric;
  if (!message && !o.is_record && half_metric) {
    fields.problem(name ? "field `value`: expected a number beside `name`, got nothing"
                        : "field `name`: expected text beside `value`, got nothing");
  } else if (!message && !o.is_metric && !o.is_record) {
    fields.problem("expected one of the fields `message`, `name` with `value`, `record`");
  }
}

model::SourceKind kind_without_word(const Observation& o) {
  return o.is_metric   ? model::SourceKind::Metric
         : o.is_record ? model::SourceKind::Slurm
                       : model::SourceKind::App;
}

}  // namespace

std::optional<Draft> read_observation(const JsonValue& object, std::vector<std::string>* problems) {
  if (object.kind != JsonValue::Kind::Object) {
    problems->push_back("expected an object, got " + described(object));
    return std::nullopt;
  }
  const std::size_t before = problems->size();
  FieldReader fields(object, "", problems);
  std::optional<Draft> draft(std::in_place);
  Observation& o = draft->observation;
  draft->json = true;
  if (auto id = fields.text("id"); id && !id->empty()) o.ids = {*id};
  draft->stamp = fields.stamp("ts");
  if (const JsonValue* ts = fields.any("ts")) draft->raw_ts = ts->text;
  if (const JsonValue* until = fields.any("until")) {
    if (const auto stamp = fields.stamp("until"))
      draft->until = std::make_shared<const Until>(Until{*stamp, until->text});
    if (!draft->stamp) fields.problem("field `until`: expected a time in `ts` beside it");
  }
  const auto source = fields.word<model::SourceKind>("source");
  o.node = fields.text("node").value_or("");
  o.rank = fields.rank("rank");
  o.pod = fields.text("pod").value_or("");
  o.container = fields.text("container").value_or("");
  o.file = fields.text("file").value_or("");
  draft->seq = fields.natural("seq", std::numeric_limits<std::int64_t>::max());
  read_content(fields, &*draft);
  o.source = source.value_or(kind_without_word(o));
  if (problems->size() > before) return std::nullopt;
  return draft;
}

namespace {

// Texts one behind the other, each with its size in front: "5:hello,".
class Joined {
 public:
  explicit Joined(std::size_t size) : all_(size, '\0') {}

  void add(std::string_view part, std::string_view rest = {}) {
    const std::size_t size = part.size() + rest.size();
    if (all_.size() - size_ < size + kFrame) all_.resize(2 * (all_.size() + size + kFrame));
    char* at = std::to_chars(&all_[size_], &all_[size_] + kFrame, size).ptr;
    *at++ = ':';
    at = std::copy(part.begin(), part.end(), at);
    at = std::copy(rest.begin(), rest.end(), at);
    *at++ = ',';
    size_ = static_cast<std::size_t>(at - all_.data());
  }
  template <typename Number>
  void add_number(const std::optional<Number>& number) {
    if (!number) return add({});
    const fmt::format_int digits(*number);
    add({digits.data(), digits.size()});
  }
  [[nodiscard]] std::string_view view() const { return std::string_view(all_).substr(0, size_); }

 private:
  static constexpr std::size_t kFrame = 22;  // The digits of a size, and two marks.
  std::string all_;
  std::size_t size_ = 0;
};

}  // namespace

std::string default_id(const Draft& draft) {
  const Observation& o = draft.observation;
  constexpr std::size_t kMostly = 400;  // Beside the message.
  Joined all(kMostly + o.message.size());
  all.add(model::word(o.source));
  all.add(o.node);
  all.add_number(o.rank);
  all.add(draft.raw_ts);
  all.add_number(draft.seq);
  all.add(draft.prefix, o.message);
  // Beyond source, node, rank, ts, seq and message: what tells apart observations that have no
  // message, or whose stream has another name.
  for (const SharedText* part : {&o.pod, &o.container, &o.file, &o.name}) all.add(*part);
  if (o.is_metric) all.add_number(std::optional(o.value));
  if (draft.until) all.add(draft.until->raw);
  for (const auto* map : {&o.labels, &o.record}) {
    if (map->empty()) continue;
    for (const auto& [key, value] : *map) {
      all.add(key);
      all.add(value);
    }
  }
  constexpr std::size_t kBytes = 8;
  const Sha256 digest = sha256(all.view());
  return to_hex(std::span(digest).first(kBytes));
}

}  // namespace attrib::evidence
