#include "evidence/raw_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "evidence/flight_recorder.h"
#include "evidence/framing.h"
#include "evidence/journald.h"
#include "evidence/keep_lines.h"
#include "evidence/octets.h"
#include "evidence/raw_lines.h"

namespace attrib::evidence {
namespace {

// Bytes that were read to see what follows, and then what follows.
class Peeked : public ByteSource {
 public:
  explicit Peeked(std::unique_ptr<ByteSource> from) : from_(std::move(from)) {}
  Result<std::string_view> peek(std::size_t most) {
    while (head_.size() < most) {
      const std::size_t size = head_.size();
      head_.resize(most);
      ATTRIB_TRY(const std::size_t got, from_->read(head_.data() + size, most - size));
      head_.resize(size + got);
      if (got == 0) break;
    }
    return std::string_view(head_);
  }
  Result<std::size_t> read(char* into, std::size_t most) override {
    if (at_ == head_.size()) return from_->read(into, most);
    const std::size_t n = std::min(most, head_.size() - at_);
    std::copy_n(head_.data() + at_, n, into);
    at_ += n;
    return n;
  }

 private:
  std::unique_ptr<ByteSource> from_;
  std::string head_;
  std::size_t at_ = 0;
};

// Moves what was made of messages that are not lines of text.
void keep_made(RawLines* lines, Gathering* gathering) {
  for (Draft& d : lines->made()) gathering->drafts.push_back(std::move(d));
  lines->made().clear();
}

// Syslog over TCP, kept as it came: each message with its length in front.
Status read_counted(std::string_view text, const std::string& name, RawLines* lines,
                    Gathering* gathering) {
  OctetSplitter splitter(text);
  while (const auto each = splitter.next()) {
    lines->see();
    if (each->problem.empty()) {
      if (auto status = lines->add(each->text, each->number); !status) return status;
      keep_made(lines, gathering);
      continue;
    }
    lines->lose();
    if (auto status = gathering->reject(place_name(name, each->number), each->problem); !status)
      return status;
  }
  return Done{};
}

Status read_export(std::string_view text, const std::string& name, RawLines* lines,
                   Gathering* gathering) {
  ExportReader reader(text);
  while (const auto entry = reader.next()) {
    lines->see();
    Draft draft = lines->draft_of(entry->line);
    if (frame_entry(entry->fields, &draft)) {
      lines->keep(std::move(draft));
      keep_made(lines, gathering);
      continue;
    }
    lines->lose();
    const auto* what = entry->torn ? "torn journal entry: the text ends inside it"
                                   : "journal entry without MESSAGE";
    if (auto status = gathering->reject(place_name(name, entry->line), what); !status)
      return status;
  }
  return Done{};
}

// Formats that are no lines of text are read as a whole.
bool needs_all(model::SourceKind kind, std::string_view head) {
  return kind == model::SourceKind::FlightRecorder || is_journal_export(head) ||
         is_octet_counted(head);
}

Status read_whole(const Input& input, std::string_view text, RawLines* lines,
                  Gathering* gathering) {
  if (is_journal_export(text)) return read_export(text, input.name, lines, gathering);
  if (is_octet_counted(text)) return read_counted(text, input.name, lines, gathering);
  const auto source = memory_source(text);
  return keep_lines(source.get(), gathering->options().filter, lines, gathering);
}

}  // namespace

Status read_raw(const Input& input, std::uint32_t index, Gathering* gathering) {
  constexpr std::size_t kHead = 64;  // Bytes that tell the format.
  std::unique_ptr<ByteSource> opened;
  if (input.open) {
    ATTRIB_TRY(opened, input.open());
  } else {
    opened = memory_source(input.bytes);
  }
  Peeked source(std::move(opened));
  ATTRIB_TRY(const std::string_view head, source.peek(kHead));
  RawLines lines(input, index, gathering);
  if (needs_all(input.log->kind, head)) {
    ATTRIB_TRY(const std::string text, read_all(&source, kMaxInputBytes, input.name));
    if (input.log->kind == model::SourceKind::FlightRecorder && is_flight_dump(text))
      return read_flight_dump(input, text, index, gathering);
    if (auto status = read_whole(input, text, &lines, gathering); !status) return status;
  } else if (auto status = keep_lines(&source, gathering->options().filter, &lines, gathering);
             !status) {
    return status;
  }
  RawSource out;
  out.status.kind = input.log->kind;
  out.status.node = input.log->node;
  out.status.rank = input.log->rank;
  out.status.status = lines.empty() ? "empty" : "ok";
  if (lines.empty())
    out.status.reason = input.name + (input.missing ? ": no such file" : " has no lines");
  out.input = index;
  gathering->raw_sources.push_back(std::move(out));
  return Done{};
}

}  // namespace attrib::evidence
