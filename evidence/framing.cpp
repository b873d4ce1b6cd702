#include "evidence/framing.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/text.h"
#include "evidence/frame.h"
#include "evidence/journald.h"
#include "evidence/prometheus.h"

namespace attrib::evidence {
namespace {

using model::source_bit;
using model::SourceKind;
using model::SourceMask;

constexpr SourceMask bits(std::initializer_list<SourceKind> kinds) {
  SourceMask mask = 0;
  for (const SourceKind kind : kinds) mask = static_cast<SourceMask>(mask | source_bit(kind));
  return mask;
}

// Whose lines may carry which frame.
constexpr SourceMask kHostLogs =
    bits({SourceKind::Kernel, SourceKind::Syslog, SourceKind::Journald});
constexpr SourceMask kSyslogs = kHostLogs | bits({SourceKind::FabricManager, SourceKind::Switch,
                                                  SourceKind::Bmc, SourceKind::Slurm});
constexpr SourceMask kJobOutput =
    bits({SourceKind::App, SourceKind::Slurm, SourceKind::K8s, SourceKind::Metric});
constexpr SourceMask kTaskOutput = bits({SourceKind::App, SourceKind::Slurm});
// A line of these without a frame that we know is one that we do not understand.
constexpr SourceMask kAlwaysFramed = kHostLogs | bits({SourceKind::FabricManager});

bool is_one_of(SourceKind kind, SourceMask mask) { return (source_bit(kind) & mask) != 0; }

// Terminal colours (`ESC [ 3 6 m`) that wrappers put around names; none may stand inside what a
// rule looks for.
std::string without_colours(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t escape = text.find("\x1B[");
    out += text.substr(0, escape);
    if (escape == std::string_view::npos) return out;
    Cursor cursor(text.substr(escape + 2));
    cursor.run([](char c) { return is_digit(c) || c == ';' || c == '?'; }, 32);
    if (!is_letter(cursor.peek())) {
      out += "\x1B[";
      text.remove_prefix(escape + 2);
      continue;
    }
    text.remove_prefix(escape + 2 + cursor.offset() + 1);
  }
}

constexpr char kEscape = '\x1B';

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// emerg, alert, crit, err, warn, notice, info, debug
bool begins_level(char c) {
  return c == 'e' || c == 'a' || c == 'c' || c == 'w' || c == 'n' || c == 'i' || c == 'd';
}

// "kern  :err" of `dmesg -x`
bool may_have_facility(std::string_view text) {
  constexpr std::size_t kLongestFacility = 8;
  std::size_t at = 0;
  while (at < text.size() && at <= kLongestFacility && (is_letter(text[at]) || is_digit(text[at])))
    ++at;
  if (at == 0) return false;
  while (at < text.size() && is_blank(text[at])) ++at;
  return at + 1 < text.size() && text[at] == ':' && begins_level(text[at + 1]);
}

// "May 18 08:31:05 ", as most syslog daemons write it: three words.
constexpr std::string_view kSyslogStamp = "xxx x0 00:00:00 ";
bool begins_with_syslog_stamp(std::string_view text) {
  if (text.size() < kSyslogStamp.size()) return false;
  for (const std::size_t at : {5, 7, 8, 10, 11, 13, 14}) {
    if (!is_digit(text[at])) return false;
  }
  return text[3] == ' ' && text[6] == ' ' && text[9] == ':' && text[12] == ':' && text[15] == ' ' &&
         (text[4] == ' ' || is_digit(text[4])) && is_letter(text[1]) && is_letter(text[2]);
}

// A syslog daemon names the kernel behind a stamp and a host: at the front, or behind two to six
// words ("2026 May 18 08:31:05 UTC host kernel: "). The word in front of it goes to `host`.
bool may_name_kernel(std::string_view text, std::string_view* host) {
  constexpr std::string_view kName = "kernel";
  constexpr std::size_t kLongestHead = 400;
  constexpr int kMostWords = 6;
  *host = {};
  const char c = text[0];
  if (c == kName[0]) return text.starts_with(kName);
  if (!is_digit(c) && c != '<' && std::string_view("JFMASOND").find(c) == std::string_view::npos)
    return false;
  text = text.substr(0, kLongestHead);
  const auto kernel_behind = [&](std::size_t begin, std::size_t end) {
    *host = text.substr(begin, end - begin);
    text.remove_prefix(end);
    while (!text.empty() && is_blank(text[0])) text.remove_prefix(1);
    return text.starts_with(kName);
  };
  int word = 1;
  if (begins_with_syslog_stamp(text)) {
    if (kernel_behind(7, 15)) return true;
    word = 4;
  }
  for (; word <= kMostWords; ++word) {
    const std::size_t end = text.find(' ');
    if (end == std::string_view::npos) return false;
    if (kernel_behind(0, end)) return true;
  }
  return false;
}

// Most lines of a job do not begin as the kernel's do, which costs little to see. `named`: the
// kernel's name may stand in the line's head.
bool may_be_kernel(std::string_view text, bool named) {
  if (text.empty()) return false;
  const char c = text[0];
  if (named || c == '<' || is_digit(c)) return true;
  // A stamp follows, in seconds or with its weekday.
  if (c == '[')
    return text.size() > 1 &&
           (is_digit(text[1]) ||
            std::string_view(" \tMTWFS").find(text[1]) != std::string_view::npos);
  return may_have_facility(text);
}

void read_kernel_in_job_output(Cursor& cursor, Frame& frame) {
  if (cursor.done()) return;
  std::string_view host;
  const bool named = may_name_kernel(cursor.rest(), &host);
  if (!may_be_kernel(cursor.rest(), named)) return;
  Cursor ahead = cursor;
  Frame found = frame;
  const bool framed =
      (named && read_syslog_frame(ahead, found, false)) || read_kernel_frame(ahead, found);
  if (!framed || !begins_like_kernel(ahead.rest())) return;
  cursor = ahead;
  frame = std::move(found);
}

// Frames from the outside in; each may be missing.
// `with_tasks`: the line may come from `srun -l`, whose labels a file of one rank does not have.
void read_frames(Cursor& cursor, Frame& frame, SourceKind kind, bool with_tasks) {
  if (is_one_of(kind, kJobOutput)) {
    read_container_frame(cursor, frame);
    if (read_label(cursor, frame, with_tasks && is_one_of(kind, kTaskOutput)))
      read_label(cursor, frame, false);
    if (kind == SourceKind::Slurm && read_slurm_daemon_frame(cursor, frame)) return;
    if (kind == SourceKind::Slurm && read_syslog_frame(cursor, frame, true)) return;
    read_kernel_in_job_output(cursor, frame);
    return;
  }
  if (!is_one_of(kind, kSyslogs)) return;
  if (read_opensm_frame(cursor, frame)) return;
  if (is_one_of(kind, kHostLogs) && read_kernel_frame(cursor, frame)) return;
  if (read_syslog_frame(cursor, frame, true)) {
    if (kind == SourceKind::FabricManager) read_fabric_manager_frame(cursor, frame);
    return;
  }
  if (read_fabric_manager_frame(cursor, frame)) return;
  // A bare stamp, as `2026-05-18T08:31:05.123Z NVRM: ...`, `2026-05-18_08:31:05.123+0200: [E] ...`.
  Cursor ahead = cursor;
  const auto stamp = read_iso(ahead);
  if (stamp && (ahead.literal(' ') || ahead.literal(": "))) {
    frame.offer(*stamp);
    cursor = ahead;
  }
}

// Of a message that is no record and no metric.
SourceMask speakers(SourceKind source, std::string_view body, bool in_container, const Frame& frame, bool slurm_line) {
  SourceMask mask = static_cast<SourceMask>(source_bit(source) | frame.speaks);
  const auto add = [&mask](SourceKind kind) {
    mask = static_cast<SourceMask>(mask | source_bit(kind));
  };
  const bool labelled = frame.rank || frame.label_kind != LabelKind::None;
  const bool may_quote_kernel =
      is_one_of(source, kJobOutput | bits({SourceKind::Syslog, SourceKind::Journald}));
  if (frame.kernel || (may_quote_kernel && begins_like_kernel(body))) add(SourceKind::Kernel);
  if (is_one_of(source, kJobOutput) && slurm_line) add(SourceKind::Slurm);
  const bool plain = !slurm_line && !frame.slurm_daemon && !frame.kernel;
  if (source == SourceKind::Slurm && plain && frame.speaks == 0) add(SourceKind::App);
  if (source == SourceKind::K8s && plain && (frame.container_output || labelled || in_container))
    add(SourceKind::App);
  if (source == SourceKind::Metric && labelled) add(SourceKind::App);
  return mask;
}

// /dev/kmsg writes what cannot be printed, line ends and backslashes as `\x0a`.
std::string without_kmsg_escapes(std::string_view text) {
  const auto digit = [](char c) {
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x' &&
                        digit(text[i + 2]) >= 0 && digit(text[i + 3]) >= 0;
    if (escape) {
      out += static_cast<char>(digit(text[i + 2]) * 16 + digit(text[i + 3]));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

void cut_to_match(Draft* draft) {
  std::string& message = draft->observation.message;
  if (message.size() <= kMaxMatchBytes) return;
  std::size_t end = kMaxMatchBytes;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) --end;
  // Lines that differ only beyond the cut are no copies.
  draft->prefix = draft->prefix.str() + "..." + sha256_hex(std::string_view(message).substr(end));
  message.resize(end);
  draft->truncated = true;
}

void read_metric(Observation* o) {
  if (o->source != SourceKind::Metric || o->is_metric) return;
  auto metric = read_metric_text(o->message);
  if (!metric) return;
  o->is_metric = true;
  o->name = metric->name;
  o->labels.merge(std::move(metric->labels));
  o->value = metric->value;
}

// What a body says behind its frames about where and when it was written.
struct InBody {
  bool slurm_line = false;
  bool own_stamp = false;
};
InBody read_body(std::string_view body, SourceKind kind, bool stamped, Frame* frame) {
  InBody out;
  std::string node;
  out.slurm_line = begins_like_slurm(body, &node);
  if (frame->node.empty()) frame->node = std::move(node);
  if (!frame->rank) frame->rank = rank_behind_ray_name(body);
  if (stamped || frame->stamp) return out;
  if (is_one_of(kind, kJobOutput)) {
    frame->stamp = stamp_in_body(body);
    out.own_stamp = frame->stamp.has_value();
  }
  if (!frame->stamp && kind == SourceKind::Bmc) frame->stamp = stamp_of_event_log(body);
  return out;
}

// Puts what the frames said into the draft, whose message is the body by now.
void apply(Frame frame, Draft* draft) {
  Observation& o = draft->observation;
  draft->rank_given = o.rank.has_value();
  const InBody body = read_body(o.message, o.source, draft->stamp.has_value(), &frame);
  draft->own_stamp = body.own_stamp;
  if (o.node.empty()) o.node = frame.node;
  if (!o.rank) {
    o.rank = frame.rank;
    draft->label_kind = frame.label_kind;
    draft->label = frame.label;
  }
  if (!draft->stamp) draft->stamp = frame.stamp;
  read_metric(&o);
  o.speaks = o.is_record || o.is_metric
                 ? static_cast<SourceMask>(source_bit(o.source) | frame.speaks)
                 : speakers(o.source, o.message, !o.container.empty(), frame, body.slurm_line);
  draft->unparsed =
      frame.without_text || (!draft->json && !draft->stamp && is_one_of(o.source, kAlwaysFramed));
  cut_to_match(draft);
}

}  // namespace

void frame(Draft* draft) {
  Observation& o = draft->observation;
  Frame found;
  // What is read is the message itself, unless its frame writes it otherwise.
  std::optional<std::string> decoded;
  if (o.message.find("\x1B[") != std::string::npos) decoded = without_colours(o.message);
  if (const auto entry = read_journal_json(decoded ? *decoded : o.message, found)) {
    std::size_t escaped = 0;
    decoded = escape_invalid_utf8(*entry, &escaped);
    draft->escaped = draft->escaped || escaped > 0;
  }
  Cursor cursor(decoded ? std::string_view(*decoded) : o.message);
  read_frames(cursor, found, o.source, !o.rank);
  const std::size_t framing = cursor.offset();
  if (decoded) {
    draft->prefix = std::exchange(o.message, decoded->substr(framing));
  } else if (framing > 0) {
    draft->prefix = std::string_view(o.message).substr(0, framing);
    o.message.erase(0, framing);
  } else {
    draft->prefix = {};
  }
  if (found.kmsg && o.message.find("\\x") != std::string::npos) {
    std::size_t escaped = 0;
    o.message = escape_invalid_utf8(without_kmsg_escapes(o.message), &escaped);
    draft->escaped = draft->escaped || escaped > 0;
  }
  apply(std::move(found), draft);
}

SourceMask may_speak_for(SourceKind kind) {
  // What a daemon's tag may say; the output of a job quotes the kernel only.
  constexpr SourceMask kTagged = bits({SourceKind::Kernel, SourceKind::FabricManager,
                                       SourceKind::Slurm, SourceKind::K8s, SourceKind::Bmc});
  SourceMask out = source_bit(kind);
  if (is_one_of(kind, kJobOutput))
    out = static_cast<SourceMask>(out | bits({SourceKind::App, SourceKind::Kernel, SourceKind::Slurm}));
  if (kind != SourceKind::App) out = static_cast<SourceMask>(out | kTagged);
  return out;
}

namespace {

// Is the line perhaps written otherwise than it reads?
bool may_be_decoded(std::string_view line) {
  std::size_t front = 0;
  while (front < line.size() && is_blank(line[front])) ++front;
  return line.find(kEscape) != std::string_view::npos ||
         (front < line.size() && line[front] == '{');
}

}  // namespace

std::optional<Peek> peek(std::string_view line, SourceKind kind, bool rank_given, bool in_container) {
  if (kind == SourceKind::Metric || line.size() > kMaxMatchBytes || may_be_decoded(line) ||
      !is_ascii(line))
    return std::nullopt;
  Peek out;
  Cursor cursor(line);
  InBody body;
  if (!begins_plainly(line, kind)) {
    read_frames(cursor, out.frame, kind, !rank_given);
    if (out.frame.kmsg) return std::nullopt;
    body = read_body(cursor.rest(), kind, false, &out.frame);
  }
  out.body = cursor.offset();
  out.speaks = speakers(kind, cursor.rest(), in_container, out.frame, body.slurm_line);
  return out;
}

bool glimpse(std::string_view line, SourceKind kind, bool rank_given, Frame* out) {
  if (may_be_decoded(line)) return false;
  Cursor cursor(line);
  read_frames(cursor, *out, kind, !rank_given);
  read_body(cursor.rest(), kind, false, out);
  return true;
}

namespace {

// Does a line begin as those of container runtimes, which write their stamp in front?
bool is_runtime_stamp(std::string_view line) {
  return line.size() > 10 && is_digit(line[0]) && line[10] == 'T';
}

}  // namespace

bool begins_plainly(std::string_view line, SourceKind kind) {
  if (!is_one_of(kind, kJobOutput)) return false;
  constexpr std::size_t kLongestWord = 8;  // Of those that the kernel's lines begin with.
  constexpr std::size_t kLook = kLongestWord + 2;
  if (line.size() < kLook) return false;
  const bool indented = is_blank(line[0]);
  std::size_t at = 0;
  while (at + 2 < line.size() && is_blank(line[at])) ++at;
  const char c = line[at], next = line[at + 1];
  if (!is_letter(c) || c == 's' || c == 'k' || next == kEscape) return false;
  if ((c == 'I' || c == 'W' || c == 'E' || c == 'F') && is_digit(next)) return false;
  if (indented) return true;
  while (at <= kLongestWord && (is_letter(line[at]) || is_digit(line[at]))) ++at;
  if (at > kLongestWord) return true;
  // A month, a facility, or anything hidden by colours.
  if (line[at] == ':') return line[at + 1] != kEscape && !begins_level(line[at + 1]);
  return !is_blank(line[at]) && line[at] != kEscape;
}

std::optional<Labels> labels_in_front(std::string_view line, SourceKind kind, bool rank_given) {
  constexpr std::size_t kLongestLabels = 64;
  if (!is_one_of(kind, kJobOutput)) return std::nullopt;
  Labels out;
  std::size_t front = 0;
  while (front < line.size() && is_blank(line[front])) ++front;
  if (front == line.size()) return out;
  const char c = line[front];
  std::string_view body = line;
  if (c == '{' || c == kEscape) return std::nullopt;
  if (line[0] == '[' || is_digit(c)) {
    if (line.substr(0, kLongestLabels).find(kEscape) != std::string_view::npos || is_runtime_stamp(line))
      return std::nullopt;
    Cursor cursor(line);
    if (read_label(cursor, out, !rank_given && is_one_of(kind, kTaskOutput)))
      read_label(cursor, out, false);
    body = cursor.rest();
  }
  if (body.starts_with('(')) return std::nullopt;  // Perhaps the name of a Ray worker.
  // Behind a daemon's frame may be one, too.
  if (kind == SourceKind::Slurm && !begins_plainly(body, kind)) return std::nullopt;
  return out;
}

MayBeStamped may_be_stamped(std::string_view line, SourceKind kind, bool rank_given) {
  if (!is_one_of(kind, kJobOutput) || line.empty()) return MayBeStamped::Perhaps;
  if (kind == SourceKind::Slurm || line.find(kEscape) != std::string_view::npos ||
      is_runtime_stamp(line)) {
    return MayBeStamped::Perhaps;
  }
  Cursor cursor(line);
  Labels labels;
  if (read_label(cursor, labels, !rank_given && is_one_of(kind, kTaskOutput)))
    read_label(cursor, labels, false);
  const std::string_view body = cursor.rest();
  if (body.empty()) return MayBeStamped::No;
  std::size_t front = 0;
  while (front < line.size() && is_blank(line[front])) ++front;
  if (front < line.size() && line[front] == '{') return MayBeStamped::Perhaps;
  std::string_view host;
  const bool named = may_name_kernel(body, &host);
  if (!may_be_kernel(body, named) && !may_begin_with_stamp(body)) return MayBeStamped::No;
  // With a stamp that only syslog daemons write it is the kernel's line or has none.
  const bool names_node = is_letter(body[0]) && !host.empty() && host != "-" && host != "localhost";
  return named && names_node ? MayBeStamped::WithNode : MayBeStamped::Perhaps;
}

bool frame_entry(const JournalFields& fields, Draft* draft) {
  Frame found;
  const auto body = read_journal_entry(fields, found);
  if (!body) return false;
  std::size_t escaped = 0;
  draft->observation.message = escape_invalid_utf8(*body, &escaped);
  draft->escaped = escaped > 0;
  apply(std::move(found), draft);
  return true;
}

}  // namespace attrib::evidence
