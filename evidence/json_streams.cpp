#include "evidence/json_streams.h"

#include <memory>
#include <utility>

namespace attrib::evidence {
namespace {

std::optional<Stamp> stamp_of_text(std::string_view text) {
  const bool is_number = text.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_number ? read_unix(text) : read_stamp(text);
}

}  // namespace

JsonStream* JsonStreams::of(const Draft& draft) {
  const auto [at, fresh] =
      by_key_.try_emplace(Key{stream_of(draft.observation), draft.label_kind, draft.label}, nullptr);
  if (fresh) {
    JsonStream& stream = streams_.emplace_back();
    stream.number = static_cast<std::uint32_t>(streams_.size() - 1);
    stream.source = draft.observation.source;
    at->second = &stream;
  }
  return at->second;
}

void JsonStreams::look_back(const JsonStream& stream, bool loss, Draft* d) {
  std::optional<Stamp> stamp = stream.framed;
  if (!stamp && !stream.last_ts.empty()) stamp = stamp_of_text(stream.last_ts.text());
  if (!stamp) return;
  // Where the order of the stream is another one, an earlier line makes the loss larger.
  const bool sure =
      !loss || !d->stamp || (stamp->form == d->stamp->form && stamp->at <= d->stamp->at);
  if (!sure) return;
  d->around = std::make_shared<Around>();
  d->around->before.stamp = stamp;
}

void JsonStreams::passes(JsonStream* stream, const WrittenTime& ts, std::string_view seq, bool over) {
  const std::string_view before = stream->last_place();
  stream->passed_there =
      over || (stream->passed_there && before == (seq.empty() ? ts.text() : seq));
  if (!ts.empty() || !seq.empty()) {
    const Order order = stream->order_behind(ts, seq);
    if (order == Order::Before || (order == Order::Unknown && !before.empty()))
      stream->out_of_order = true;
    stream->last_seq = seq;
    if (!ts.empty()) {
      stream->last_ts = ts;
      stream->framed.reset();
      if (!stream->waiting.empty()) look_forward(stream, stamp_of_text(ts.text()));
    }
  }
  stream->see_whether_ordinary();
}

void JsonStreams::passes_framed(JsonStream* stream, const Stamp& stamp) {
  stream->framed = stamp;
  stream->ordinary = false;
  if (stream->last_seq.empty()) stream->out_of_order = true;
  look_forward(stream, stamp);
}

void JsonStreams::waits(JsonStream* stream, std::size_t draft) {
  stream->waiting.push_back(draft);
  stream->ordinary = false;
}

// The line behind, of lines without a time.
void JsonStreams::look_forward(JsonStream* stream, const std::optional<Stamp>& stamp) {
  for (const std::size_t each : stream->waiting) {
    Draft& d = gathering_->drafts[each];
    if (!stamp) continue;
    if (!d.around) d.around = std::make_shared<Around>();
    d.around->after.stamp = stamp;
  }
  stream->waiting.clear();
}

}  // namespace attrib::evidence
