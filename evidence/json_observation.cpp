#include "evidence/json_observation.h"

#include <fmt/format.h>

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

std::string default_id(const Draft& draft) {
  const Observation& o = draft.observation;
  std::string all;
  constexpr std::size_t kMostly = 200;  // Beside the message.
  all.reserve(kMostly + o.message.size());
  const auto begin = [&all](std::size_t size) {
    if (size < 10) {
      all += static_cast<char>('0' + size);
    } else {
      const fmt::format_int digits(size);
      all.append(digits.data(), digits.size());
    }
    all += ':';
  };
  const auto add = [&](std::string_view part) {
    begin(part.size());
    all += part;
    all += ',';
  };
  add(model::word(o.source));
  add(o.node);
  const auto add_number = [&](const auto& number) {
    if (!number) return add({});
    const fmt::format_int digits(*number);
    add({digits.data(), digits.size()});
  };
  add_number(o.rank);
  add(draft.raw_ts);
  add_number(draft.seq);
  begin(draft.prefix.size() + o.message.size());
  all += draft.prefix.view();
  all += o.message;
  all += ',';
  // Beyond source, node, rank, ts, seq and message: what tells apart observations that have no
  // message, or whose stream has another name.
  for (const SharedText* part : {&o.pod, &o.container, &o.file, &o.name}) add(*part);
  if (o.is_metric) add(fmt::format("{}", o.value));
  if (draft.until) add(draft.until->raw);
  for (const auto* map : {&o.labels, &o.record}) {
    for (const auto& [key, value] : *map) {
      add(key);
      add(value);
    }
  }
  constexpr std::size_t kBytes = 8;
  const Sha256 digest = sha256(all);
  return to_hex(std::span(digest).first(kBytes));
}

}  // namespace attrib::evidence
