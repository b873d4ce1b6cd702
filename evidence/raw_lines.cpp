#include "evidence/raw_lines.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "evidence/container_path.h"
#include "evidence/otlp.h"

namespace attrib::evidence {

bool begins_without_label(std::string_view text) {
  // Labels begin with a bracket or, perhaps behind blanks, with a number, as stamps in front do.
  std::size_t front = 0;
  while (front < text.size() && text[front] == ' ') ++front;
  return front < text.size() && !is_digit(text[front]) && text[0] != '[';
}

std::string_view label_of(std::string_view text) {
  if (begins_without_label(text)) return {};
  Cursor cursor(text);
  Frame frame;
  read_container_frame(cursor, frame);
  const std::size_t from = cursor.offset();
  read_label(cursor, frame, true);
  return text.substr(from, cursor.offset() - from);
}

RawLines::RawLines(const Input& input, std::uint32_t index, Gathering* gathering,
                   const Parts* parts)
    : input_(input),
      index_(index),
      gathering_(gathering),
      parts_(parts),
      name_(input.name) {
  const auto container = container_path(input.name);
  if (!container) return;
  pod_ = container->pod;
  container_ = container->container;
  labels_.emplace("namespace", container->name_space);
}

IdList RawLines::id_of(std::uint64_t number) const {
  return parts_ != nullptr ? parts_->place(number) : IdList::of_line(name_, number);
}

void RawLines::name_line(std::uint64_t number, Draft* draft) const {
  Observation& o = draft->observation;
  o.source = input_.log->kind;
  o.node = input_.log->node;
  o.rank = input_.log->rank;
  o.file = name_;
  o.pod = pod_;
  o.container = container_;
  o.labels = labels_;
  o.ids = id_of(number);
  draft->seq = number;
  draft->place = {index_, number};
}

Draft RawLines::draft_of(std::uint64_t number) const {
  Draft draft;
  name_line(number, &draft);
  return draft;
}

void RawLines::keep(Draft draft) {
  draft.lost_before = lost_;
  lost_ = false;
  made_.push_back(std::move(draft));
}

Status RawLines::too_long(std::size_t size, std::uint64_t number) {
  lost_ = true;
  return gathering_->reject(
      place(number),
      fmt::format("line of {} bytes: expected at most {}", size, kMaxObservationBytes));
}

namespace {

void read_text(std::string_view text, Draft* draft) {
  std::size_t escaped = 0;
  draft->observation.message = escape_invalid_utf8(text, &escaped);
  draft->escaped = escaped > 0;
  frame(draft);
}

StreamKey stream_of_frame(const LogSpec& log, const Frame& frame) {
  const std::string& node = log.node.empty() ? frame.node : log.node;
  if (log.rank) return {node, log.rank, LabelKind::None, 0};
  return {node, frame.rank, frame.label_kind, frame.label};
}

}  // namespace

Draft RawLines::framed(std::string_view text, std::uint64_t number) const {
  Draft draft;
  name_line(number, &draft);
  read_text(text, &draft);
  return draft;
}

Glimpse RawLines::glimpse(std::string_view text) const {
  const LogSpec& log = *input_.log;
  Frame frame;
  if (!evidence::glimpse(text, log.kind, log.rank.has_value(), &frame)) {
    const Draft draft = glimpsed(text);
    return {draft.stamp, stream_key_of(draft)};
  }
  return {frame.stamp, stream_of_frame(log, frame)};
}

std::optional<PeekedLine> RawLines::peek(std::string_view text) const {
  const LogSpec& log = *input_.log;
  const auto found = evidence::peek(text, log.kind, log.rank.has_value(), !container_.empty());
  if (!found) return std::nullopt;
  return PeekedLine{stream_of_frame(log, found->frame), found->body, found->speaks};
}

std::optional<Labels> RawLines::labels_in_front(std::string_view text) const {
  const LogSpec& log = *input_.log;
  if (log.rank) return Labels{log.rank};
  return evidence::labels_in_front(text, log.kind, false);
}

MayBeStamped RawLines::may_be_stamped(std::string_view text) const {
  const LogSpec& log = *input_.log;
  const MayBeStamped out = evidence::may_be_stamped(text, log.kind, log.rank.has_value());
  // Where the log is of one node, all its lines are.
  return out == MayBeStamped::WithNode && !log.node.empty() ? MayBeStamped::Perhaps : out;
}

Draft RawLines::glimpsed(std::string_view text) const {
  Draft draft;
  draft.observation.source = input_.log->kind;
  draft.observation.node = input_.log->node;
  draft.observation.rank = input_.log->rank;
  read_text(text, &draft);
  return draft;
}

Status RawLines::add(std::string_view text, std::uint64_t number) {
  if (text.size() > kMaxObservationBytes) return too_long(text.size(), number);
  Draft& draft = made_.emplace_back();  // Where it stays: drafts are large.
  name_line(number, &draft);
  read_text(text, &draft);
  draft.lost_before = lost_;
  lost_ = false;
  return Done{};
}

// Parts up to the whole line are joined under the number and stamp of the first. What grows too
// long is dropped as it comes, so that a stream of parts without end takes no memory.
Status RawLines::go_on(Partials::iterator at, std::string_view more, bool partial) {
  Partial& line = at->second;
  line.too_long = line.too_long || line.text.size() + more.size() > kMaxObservationBytes;
  if (!line.too_long) {
    line.text.insert(line.grows_at, more);
    line.grows_at += more.size();
  }
  if (partial) return Done{};
  const Partial whole = std::move(line);
  partials_.erase(at);
  if (whole.too_long) return too_long(kMaxObservationBytes + 1, whole.line);
  return add(whole.text, whole.line);
}

Status RawLines::join(const CriFrame& cri, std::string_view text, std::uint64_t number) {
  const auto found = partials_.find(cri.stream);
  if (found == partials_.end() && !cri.partial) return add(text, number);
  if (found == partials_.end()) {
    // The tag is made `F`, so that the joined line reads as a whole one.
    std::string whole(text);
    whole[text.find(cri.stream) + cri.stream.size() + 1] = 'F';
    const std::size_t end = whole.size();
    partials_.emplace(cri.stream, Partial{std::move(whole), number, end});
    return Done{};
  }
  return go_on(found, text.substr(cri.body), cri.partial);
}

// Docker cuts long lines too: only the last part ends with the line's own end.
Status RawLines::join(const DockerFrame& docker, std::string_view text, std::uint64_t number) {
  const auto found = partials_.find(docker.stream);
  if (found == partials_.end() && !docker.partial) return add(text, number);
  if (found == partials_.end()) {
    // The text of the first part grows inside its own object, whose stamp the line keeps.
    const std::size_t end =
        static_cast<std::size_t>(docker.body.data() - text.data()) + docker.body.size();
    partials_.emplace(docker.stream, Partial{std::string(text), number, end});
    return Done{};
  }
  return go_on(found, docker.body, docker.partial);
}

// A line of an OpenTelemetry file exporter: many records.
Status RawLines::log_records(std::string_view text, std::uint64_t number) {
  const auto where = place(number);
  const auto refuse = [&](std::string_view what) {
    lost_ = true;
    return gathering_->reject(where, what);
  };
  Draft base = draft_of(number);
  base.observation.ids.clear();
  base.seq.reset();
  OtlpRead read = read_otlp(text, &base);
  for (std::size_t i = 0; i < read.drafts.size(); ++i) {
    Draft& draft = read.drafts[i];
    draft.observation.ids = {fmt::format("{}:{}", where, i + 1)};
    keep(std::move(draft));
  }
  for (const std::string& problem : read.problems) {
    if (auto status = refuse(problem); !status) return status;
  }
  return Done{};
}

// A record's further lines (` SUBSYSTEM=pci`) begin with a blank; they say nothing that rules read.
bool RawLines::continues_kmsg(std::string_view text) {
  return last_was_kmsg_ && text.starts_with(' ');
}

void RawLines::watch_sequence(std::string_view text) {
  if (input_.log->kind != model::SourceKind::Kernel) return;
  const auto sequence = kmsg_sequence(text);
  last_was_kmsg_ = sequence.has_value();
  if (!sequence) return;
  if (kmsg_ && *sequence > *kmsg_ + 1) lost_ = true;
  kmsg_ = sequence;
}

Status RawLines::line(std::string_view text, std::uint64_t number) {
  if (text.empty() || continues_kmsg(text)) return Done{};
  empty_ = false;
  watch_sequence(text);
  if (text.starts_with("{\"resourceLogs\"")) return log_records(text, number);
  if (text.size() <= kMaxObservationBytes) {
    if (const auto cri = read_cri(text)) return join(*cri, text, number);
    if (const auto docker = read_docker_frame(text)) return join(*docker, text, number);
  }
  return add(text, number);
}

Status RawLines::finish() {
  std::map<std::uint64_t, const Partial*> left;
  for (const auto& [stream, partial] : partials_) left.emplace(partial.line, &partial);
  for (const auto& [number, partial] : left) {
    if (auto status = add(partial->text, number); !status) return status;
  }
  partials_.clear();
  return Done{};
}

}  // namespace attrib::evidence
