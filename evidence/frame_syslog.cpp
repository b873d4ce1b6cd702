#include <algorithm>
#include <array>

#include "evidence/frame.h"

namespace attrib::evidence {
namespace {

using model::source_bit;
using model::SourceKind;

bool is_host_char(char c) {
  return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_';
}
bool is_tag_char(char c) {
  return is_host_char(c) || c == '/' || c == '@' || c == '(' || c == ')' || c == '+' || c == '#';
}

// "kernel: ", "systemd[1]: ", "slurmd: "; the tag without its process number goes to `tag`.
bool read_tag(Cursor& cursor, std::string_view* tag) {
  Cursor ahead = cursor;
  *tag = ahead.run(is_tag_char, 64);
  if (tag->empty()) return false;
  if (ahead.literal('[')) {
    std::int64_t pid = 0;
    if (!ahead.digits(1, 10, &pid) || !ahead.literal(']')) return false;
  }
  if (!ahead.literal(':')) return false;
  if (!ahead.done() && !ahead.literal(' ')) return false;
  cursor = ahead;
  return true;
}

void set_node(std::string_view host, Frame& frame) {
  if (host != "-" && host != "localhost") frame.node = std::string(host);
}

// What follows the host. The kernel's tag is taken off with the kernel's own frame behind it; other
// tags are the program's name and stay.
void read_tagged(Cursor& cursor, Frame& frame) {
  Cursor ahead = cursor;
  std::string_view tag;
  if (!read_tag(ahead, &tag)) return;
  frame.speaks |= speakers_of_tag(tag);
  if (tag != "kernel") return;
  frame.kernel = true;
  read_kernel_frame(ahead, frame);
  cursor = ahead;
}

bool next_tag_is_kernel(Cursor cursor) {
  if (!cursor.rest().starts_with("kernel")) return false;
  std::string_view tag;
  return read_tag(cursor, &tag) && tag == "kernel";
}

// "<34>"
void skip_priority(Cursor& cursor) {
  Cursor ahead = cursor;
  std::int64_t priority = 0;
  if (ahead.literal('<') && ahead.digits(1, 3, &priority) && ahead.literal('>')) cursor = ahead;
}

// "-" or "[id name="value" ...][id ...]" of RFC 5424, where a backslash guards quotes.
bool skip_structured_data(Cursor& cursor) {
  if (cursor.literal('-')) return true;
  Cursor ahead = cursor;
  if (ahead.peek() != '[') return false;
  while (ahead.literal('[')) {
    bool quoted = false;
    while (!ahead.done() && (quoted || ahead.peek() != ']')) {
      const bool guards = quoted && ahead.peek() == '\\';
      if (ahead.peek() == '"') quoted = !quoted;
      if (!ahead.skip(guards ? 2 : 1)) return false;
    }
    if (!ahead.literal(']')) return false;
  }
  cursor = ahead;
  return true;
}

// "<34>1 2026-05-18T08:31:05.123Z host app procid msgid SD msg"
bool read_rfc5424(Cursor& cursor, Frame& frame) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  Cursor ahead = cursor;
  std::int64_t priority = 0;
  if (!ahead.literal('<') || !ahead.digits(1, 3, &priority) || !ahead.literal(">1 ")) return false;
  Frame found = frame;
  if (const auto stamp = read_iso(ahead)) {
    found.offer(*stamp);
  } else if (!ahead.literal('-')) {
    return false;
  }
  const auto is_field = [](char c) { return c > ' ' && c < '\x7F'; };
  std::array<std::string_view, 4> fields;  // Host, program, process, message kind.
  for (std::string_view& field : fields) {
    if (!ahead.literal(' ')) return false;
    field = ahead.run(is_field, 256);
    if (field.empty()) return false;
  }
  if (!ahead.literal(' ') || !skip_structured_data(ahead)) return false;
  ahead.literal(' ');
  ahead.literal(kByteOrderMark);
  set_node(fields[0], found);
  found.speaks |= speakers_of_tag(fields[1]);
  if (fields[1] == "kernel") {
    found.kernel = true;
    read_kernel_frame(ahead, found);
  }
  frame = found;
  cursor = ahead;
  return true;
}

// ": 2026 May 18 08:31:05 UTC: %ETHPORT-5-..." behind the host: a switch sends its own stamp along.
bool read_device_stamp(Cursor& cursor, Frame& frame) {
  Cursor ahead = cursor;
  if (!ahead.literal(": ")) return false;
  const auto stamp = read_year_first(ahead);
  if (!stamp) return false;
  // A zone by its letters, of which only UTC and GMT say what they mean.
  Cursor zoned = ahead;
  if (zoned.literal(' ') && !zoned.run(is_letter, 6).empty()) ahead = zoned;
  if (!ahead.literal(": ")) return false;
  frame.offer(*stamp);
  cursor = ahead;
  return true;
}

// "May 18 08:31:05 host ..." and "2026-05-18T08:31:05.123+00:00 host tag: ...": with an ISO stamp
// the tag must be there, or a bare stamped line would lose its first word.
bool read_rfc3164(Cursor& cursor, Frame& frame, bool with_any_tag) {
  Cursor ahead = cursor;
  skip_priority(ahead);
  auto stamp = read_syslog(ahead);
  if (!stamp) stamp = read_year_first(ahead);
  const bool is_iso = !stamp;
  if (is_iso) stamp = read_iso(ahead);
  if (!stamp || !ahead.literal(' ')) return false;
  ahead.blanks();
  const std::string_view host = ahead.run(is_host_char, 255);
  if (host.empty() || !ahead.literal(' ')) return false;
  ahead.blanks();
  std::string_view tag;
  Cursor behind = ahead;
  if (is_iso && !read_tag(behind, &tag)) return false;
  if (!with_any_tag && !next_tag_is_kernel(ahead)) return false;
  frame.offer(*stamp);
  set_node(host, frame);
  if (!read_device_stamp(ahead, frame)) read_tagged(ahead, frame);
  cursor = ahead;
  return true;
}

}  // namespace

// "Oct 15 09:14:52 823456 [7F3A2700] 0x01 -> osm_vendor_send: ERR 5430: ...": the microseconds
// would pass for a host.
bool read_opensm_frame(Cursor& cursor, Frame& frame) {
  Cursor ahead = cursor;
  auto stamp = read_syslog(ahead);
  std::int64_t micros = 0;
  if (!stamp || stamp->resolution != model::kSecond || !ahead.literal(' ') ||
      !ahead.digits(6, 6, &micros) || !ahead.literal(" [")) {
    return false;
  }
  const auto is_hex = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  if (ahead.run(is_hex, 16).empty() || !ahead.literal("] 0x") || ahead.run(is_hex, 4).empty() ||
      !ahead.literal(" -> ")) {
    return false;
  }
  stamp->at += micros * 1000;
  stamp->resolution = 1000;
  frame.offer(*stamp);
  cursor = ahead;
  return true;
}

model::SourceMask speakers_of_tag(std::string_view tag) {
  struct Row {
    std::string_view tag;
    SourceKind kind;
  };
  constexpr std::array<Row, 9> kRows = {{{"kernel", SourceKind::Kernel},
                                         {"nv-fabricmanager", SourceKind::FabricManager},
                                         {"fabricmanager", SourceKind::FabricManager},
                                         {"slurmctld", SourceKind::Slurm},
                                         {"slurmd", SourceKind::Slurm},
                                         {"slurmstepd", SourceKind::Slurm},
                                         {"slurmdbd", SourceKind::Slurm},
                                         {"kubelet", SourceKind::K8s},
                                         {"ipmievd", SourceKind::Bmc}}};
  const auto found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.tag == tag; });
  return found == kRows.end() ? model::SourceMask{0} : source_bit(found->kind);
}

bool read_syslog_frame(Cursor& cursor, Frame& frame, bool with_any_tag) {
  if (with_any_tag && read_rfc5424(cursor, frame)) return true;
  if (read_rfc3164(cursor, frame, with_any_tag)) return true;
  if (!next_tag_is_kernel(cursor)) return false;
  read_tagged(cursor, frame);
  return true;
}

}  // namespace attrib::evidence
