#include "evidence/raw_reader.h"

#include <memory>
#include <utility>

#include "evidence/flight_recorder.h"
#include "evidence/framing.h"
#include "evidence/journald.h"
#include "evidence/keep_lines.h"
#include "evidence/octets.h"
#include "evidence/parts.h"
#include "evidence/peeked.h"
#include "evidence/raw_lines.h"

namespace attrib::evidence {
namespace {

// Moves what was made of messages that are not lines of text.
void keep_made(RawLines* lines, Gathering* gathering) {
  for (Draft& d : lines->made()) gathering->drafts.push_back(std::move(d));
  lines->made().clear();
}

// Syslog over TCP, kept as it came: each message with its length in front.
Status read_counted(std::string_view text, RawLines* lines, Gathering* gathering) {
  OctetSplitter splitter(text);
  while (const auto each = splitter.next()) {
    lines->see();
    if (each->problem.empty()) {
      if (auto status = lines->add(each->text, each->number); !status) return status;
      keep_made(lines, gathering);
      continue;
    }
    lines->lose();
    if (auto status = gathering->reject(lines->place(each->number), each->problem); !status)
      return status;
  }
  return Done{};
}

Status read_export(std::string_view text, RawLines* lines, Gathering* gathering) {
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
    if (auto status = gathering->reject(lines->place(entry->line), what); !status)
      return status;
  }
  return Done{};
}

// Formats that are no lines of text are read as a whole.
bool needs_all(model::SourceKind kind, std::string_view head) {
  return kind == model::SourceKind::FlightRecorder || is_journal_export(head) ||
         is_octet_counted(head);
}

Status read_whole(std::string_view text, RawLines* lines, Gathering* gathering) {
  if (is_journal_export(text)) return read_export(text, lines, gathering);
  if (is_octet_counted(text)) return read_counted(text, lines, gathering);
  const auto source = memory_source(text);
  return keep_lines(source.get(), gathering->options().filter, lines, gathering);
}

}  // namespace

Status read_raw(const Input& input, std::uint32_t index, Gathering* gathering) {
  constexpr std::size_t kHead = 64;  // Bytes that tell the format.
  const std::size_t first = gathering->drafts.size();
  Parts parts;
  std::unique_ptr<ByteSource> opened;
  if (input.parts.empty()) {
    ATTRIB_TRY(opened, open_input(input));
  } else {
    opened = parts_source(input, &parts);
  }
  Peeked source(std::move(opened));
  ATTRIB_TRY(const std::string_view head, source.peek(kHead));
  // Messages with their lengths in front are numbered in the whole, whatever lines they hold.
  const bool in_parts = !input.parts.empty() && !is_octet_counted(head);
  RawLines lines(input, index, gathering, in_parts ? &parts : nullptr);
  if (needs_all(input.log->kind, head)) {
    ATTRIB_TRY(const std::string text, read_all(&source, kMaxInputBytes, input.name));
    if (input.log->kind == model::SourceKind::FlightRecorder && is_flight_dump(text))
      return read_flight_dump(input, text, index, gathering);
    if (auto status = read_whole(text, &lines, gathering); !status) return status;
  } else if (auto status = keep_lines(&source, gathering->options().filter, &lines, gathering);
             !status) {
    return status;
  }
  parts.mark_losses(index, first, &gathering->drafts);
  RawSource out;
  out.status.kind = input.log->kind;
  out.status.node = input.log->node;
  out.status.rank = input.log->rank;
  out.status.status = lines.empty() ? "empty" : "ok";
  if (lines.empty())
    out.status.reason = input.name + (input.missing ? ": no such file" : " has no lines");
  for (const InputPart& part : input.parts) {
    if (part.missing_before.empty()) continue;
    out.status.status = "incomplete";
    out.status.reason = part.missing_before + ": no such file";
    break;
  }
  out.input = index;
  gathering->raw_sources.push_back(std::move(out));
  return Done{};
}

}  // namespace attrib::evidence
