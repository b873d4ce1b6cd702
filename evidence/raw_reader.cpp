#include "evidence/raw_reader.h"

#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "evidence/container_path.h"
#include "evidence/flight_recorder.h"
#include "evidence/frame.h"
#include "evidence/framing.h"
#include "evidence/journald.h"
#include "evidence/lines.h"
#include "evidence/octets.h"
#include "evidence/otlp.h"

namespace attrib::evidence {
namespace {

class RawReader {
 public:
  RawReader(const Input& input, std::uint32_t index, Gathering* gathering)
      : input_(input),
        index_(index),
        gathering_(gathering),
        container_(container_path(input.name)) {}

  Status lines();
  Status journal_export();
  Status counted_messages();
  [[nodiscard]] bool empty() const { return empty_; }

 private:
  struct Partial {  // A container's line that goes on in the next one of its stream.
    std::string text;
    std::uint64_t line = 0;
    std::size_t grows_at = 0;
    bool too_long = false;
  };

  [[nodiscard]] Draft draft_of(std::uint64_t line) const;
  Status line(std::string_view text, std::uint64_t number);
  Status add(std::string_view text, std::uint64_t number);
  void keep(Draft draft);
  Status too_long(std::size_t size, std::uint64_t number);
  using Partials = std::map<std::string, Partial, std::less<>>;  // By stream of the container.
  Status go_on(Partials::iterator at, std::string_view more, bool partial);
  Status join(const CriFrame& cri, std::string_view text, std::uint64_t number);
  Status join(const DockerFrame& docker, std::string_view text, std::uint64_t number);
  Status log_records(std::string_view text, std::uint64_t number);
  bool continues_kmsg(std::string_view text);
  void watch_sequence(std::string_view text);

  const Input& input_;
  std::uint32_t index_;
  Gathering* gathering_;
  std::optional<ContainerPath> container_;
  Partials partials_;
  std::optional<std::uint64_t> kmsg_;  // Number of the last record of /dev/kmsg.
  bool last_was_kmsg_ = false;
  bool lost_ = false;  // Before the next line that is kept.
  bool empty_ = true;
};

Draft RawReader::draft_of(std::uint64_t number) const {
  Draft draft;
  Observation& o = draft.observation;
  o.source = input_.log->kind;
  o.node = input_.log->node;
  o.rank = input_.log->rank;
  o.file = input_.name;
  if (container_) {
    o.pod = container_->pod;
    o.container = container_->container;
    o.labels.emplace("namespace", container_->name_space);
  }
  o.ids.push_back(place_name(input_.name, number));
  draft.seq = number;
  draft.place = {index_, number};
  return draft;
}

void RawReader::keep(Draft draft) {
  draft.lost_before = lost_;
  lost_ = false;
  gathering_->drafts.push_back(std::move(draft));
}

Status RawReader::too_long(std::size_t size, std::uint64_t number) {
  lost_ = true;
  return gathering_->reject(
      place_name(input_.name, number),
      fmt::format("line of {} bytes: expected at most {}", size, kMaxObservationBytes));
}

Status RawReader::add(std::string_view text, std::uint64_t number) {
  if (text.size() > kMaxObservationBytes) return too_long(text.size(), number);
  Draft draft = draft_of(number);
  std::size_t escaped = 0;
  draft.observation.message = escape_invalid_utf8(text, &escaped);
  draft.escaped = escaped > 0;
  frame(&draft);
  keep(std::move(draft));
  return Done{};
}

// Parts up to the whole line are joined under the number and stamp of the first. What grows too
// long is dropped as it comes, so that a stream of parts without end takes no memory.
Status RawReader::go_on(Partials::iterator at, std::string_view more, bool partial) {
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

Status RawReader::join(const CriFrame& cri, std::string_view text, std::uint64_t number) {
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
Status RawReader::join(const DockerFrame& docker, std::string_view text, std::uint64_t number) {
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
Status RawReader::log_records(std::string_view text, std::uint64_t number) {
  const auto where = place_name(input_.name, number);
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
bool RawReader::continues_kmsg(std::string_view text) {
  return last_was_kmsg_ && text.starts_with(' ');
}

void RawReader::watch_sequence(std::string_view text) {
  if (input_.log->kind != model::SourceKind::Kernel) return;
  const auto sequence = kmsg_sequence(text);
  last_was_kmsg_ = sequence.has_value();
  if (!sequence) return;
  if (kmsg_ && *sequence > *kmsg_ + 1) lost_ = true;
  kmsg_ = sequence;
}

Status RawReader::line(std::string_view text, std::uint64_t number) {
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

Status RawReader::lines() {
  LineSplitter splitter(input_.bytes);
  while (const auto each = splitter.next()) {
    if (auto status = line(each->text, each->number); !status) return status;
  }
  // Parts whose last never came: the file was cut while the line was being written.
  std::map<std::uint64_t, const Partial*> left;
  for (const auto& [stream, partial] : partials_) left.emplace(partial.line, &partial);
  for (const auto& [number, partial] : left) {
    if (auto status = add(partial->text, number); !status) return status;
  }
  return Done{};
}

// Syslog over TCP, kept as it came: each message with its length in front.
Status RawReader::counted_messages() {
  OctetSplitter splitter(input_.bytes);
  while (const auto each = splitter.next()) {
    empty_ = false;
    if (each->problem.empty()) {
      if (auto status = add(each->text, each->number); !status) return status;
      continue;
    }
    lost_ = true;
    if (auto status = gathering_->reject(place_name(input_.name, each->number), each->problem);
        !status)
      return status;
  }
  return Done{};
}

Status RawReader::journal_export() {
  ExportReader reader(input_.bytes);
  while (const auto entry = reader.next()) {
    empty_ = false;
    Draft draft = draft_of(entry->line);
    if (frame_entry(entry->fields, &draft)) {
      keep(std::move(draft));
      continue;
    }
    lost_ = true;
    const auto* what = entry->torn ? "torn journal entry: the text ends inside it"
                                   : "journal entry without MESSAGE";
    if (auto status = gathering_->reject(place_name(input_.name, entry->line), what); !status)
      return status;
  }
  return Done{};
}

}  // namespace

Status read_raw(const Input& input, std::uint32_t index, Gathering* gathering) {
  if (input.log->kind == model::SourceKind::FlightRecorder && is_flight_dump(input.bytes))
    return read_flight_dump(input, index, gathering);
  RawReader reader(input, index, gathering);
  auto status = is_journal_export(input.bytes)  ? reader.journal_export()
                : is_octet_counted(input.bytes) ? reader.counted_messages()
                                                : reader.lines();
  if (!status) return status;
  RawSource source;
  source.status.kind = input.log->kind;
  source.status.node = input.log->node;
  source.status.rank = input.log->rank;
  source.status.status = reader.empty() ? "empty" : "ok";
  if (reader.empty())
    source.status.reason = input.name + (input.missing ? ": no such file" : " has no lines");
  source.input = index;
  gathering->raw_sources.push_back(std::move(source));
  return Done{};
}

}  // namespace attrib::evidence
