#include <algorithm>
#include <array>

#include "evidence/frame.h"

namespace attrib::evidence {
namespace {

constexpr auto kKernel = model::source_bit(model::SourceKind::Kernel);

// "6,1234,5678901,-" and perhaps ",caller=T1" up to the semicolon; the third number counts
// microseconds since boot.
bool read_kmsg(Cursor& cursor, Stamp* stamp, std::uint64_t* sequence) {
  Cursor ahead = cursor;
  std::int64_t priority = 0, number = 0, micros = 0;
  if (!ahead.digits(1, 4, &priority) || !ahead.literal(',') || !ahead.digits(1, 18, &number) ||
      !ahead.literal(',') || !ahead.digits(1, 15, &micros) || !ahead.literal(',')) {
    return false;
  }
  ahead.run([](char c) { return c != ';' && c != ' '; }, 64);
  if (!ahead.literal(';')) return false;
  stamp->form = Stamp::Form::SinceBoot;
  stamp->at = micros * 1000;
  stamp->resolution = 1000;
  *sequence = static_cast<std::uint64_t>(number);
  cursor = ahead;
  return true;
}

// "kern  :err   : " of `dmesg -x`.
bool read_facility(Cursor& cursor) {
  constexpr std::array<std::string_view, 8> kLevels = {"emerg", "alert",  "crit", "err",
                                                       "warn",  "notice", "info", "debug"};
  Cursor ahead = cursor;
  const auto is_word = [](char c) { return is_letter(c) || is_digit(c); };
  if (ahead.run(is_word, 8).empty()) return false;
  ahead.blanks();
  if (!ahead.literal(':')) return false;
  const std::string_view level = ahead.run(is_word, 8);
  if (std::find(kLevels.begin(), kLevels.end(), level) == kLevels.end()) return false;
  ahead.blanks();
  if (!ahead.literal(": ")) return false;
  cursor = ahead;
  return true;
}

// "[ T1946] ", "[    C0] ": who called printk.
void skip_caller(Cursor& cursor) {
  Cursor ahead = cursor;
  if (!ahead.literal('[')) return;
  ahead.blanks();
  std::int64_t number = 0;
  if ((!ahead.literal('T') && !ahead.literal('C')) || !ahead.digits(1, 10, &number) ||
      !ahead.literal(']'))
    return;
  ahead.blanks();
  cursor = ahead;
}

// "[  123.456789] " or "[Mon Mar  6 21:34:31 2023] "
bool read_bracketed_stamp(Cursor& cursor, Frame& frame) {
  Cursor ahead = cursor;
  if (!ahead.literal('[')) return false;
  auto stamp = read_ctime(ahead);
  if (stamp) {
    stamp->drifts = true;
  } else {
    ahead.blanks();
    stamp = read_boot(ahead);
  }
  if (!stamp || !ahead.literal(']')) return false;
  if (!ahead.done() && ahead.peek() != '[' && !ahead.literal(' ')) return false;
  skip_caller(ahead);
  frame.offer(*stamp);
  cursor = ahead;
  return true;
}

bool read_raw_priority(Cursor& cursor) {
  Cursor ahead = cursor;
  std::int64_t priority = 0;
  if (!ahead.literal('<') || !ahead.digits(1, 3, &priority) || !ahead.literal('>')) return false;
  if (ahead.peek() != '[') return false;
  cursor = ahead;
  return true;
}

// `dmesg --time-format iso` prints a comma before the fraction, which syslog daemons do not.
bool read_dmesg_iso(Cursor& cursor, Frame& frame) {
  Cursor ahead = cursor;
  const std::string_view before = ahead.rest();
  const auto stamp = read_iso(ahead);
  if (!stamp || stamp->form != Stamp::Form::Absolute || !ahead.literal(' ')) return false;
  if (before.substr(0, before.size() - ahead.rest().size()).find(',') == std::string_view::npos)
    return false;
  frame.offer(*stamp);
  cursor = ahead;
  return true;
}

}  // namespace

std::optional<std::uint64_t> kmsg_sequence(std::string_view line) {
  Cursor cursor(line);
  Stamp stamp;
  std::uint64_t sequence = 0;
  return read_kmsg(cursor, &stamp, &sequence) ? std::optional(sequence) : std::nullopt;
}

bool read_kernel_frame(Cursor& cursor, Frame& frame) {
  Stamp stamp;
  std::uint64_t sequence = 0;
  if (read_kmsg(cursor, &stamp, &sequence)) {
    frame.offer(stamp);
    frame.kmsg = true;
  } else {
    Cursor ahead = cursor;
    const bool announced = read_raw_priority(ahead) || read_facility(ahead);
    if (!read_bracketed_stamp(ahead, frame) && !read_dmesg_iso(ahead, frame) && !announced)
      return false;
    cursor = ahead;
  }
  frame.kernel = true;
  frame.speaks |= kKernel;
  return true;
}

bool begins_like_kernel(std::string_view body) {
  constexpr std::array<std::string_view, 42> kStarts = {
      "NVRM: ",
      "nvidia-nvswitch",
      "nvidia-uvm: ",
      "nvidia-modeset: ",
      "nvidia-peermem ",
      "nvidia 0000:",
      "nvswitch",
      "mlx5_core ",
      "mlx5_ib",
      "infiniband mlx",
      "ib_core",
      "pcieport ",
      "pciehp ",
      "AER: ",
      "DMAR: ",
      "AMD-Vi: ",
      "EDAC ",
      "mce: ",
      "{1}[Hardware Error]",
      "[Hardware Error]",
      "oom-kill:",
      "Out of memory: Killed process",
      "Memory cgroup out of memory: ",
      "oom_reaper: ",
      "INFO: task ",
      "INFO: rcu",
      "rcu: INFO:",
      "watchdog: BUG: ",
      "NMI watchdog: ",
      "BUG: ",
      "Kernel panic - ",
      "general protection fault",
      "nfs: server ",
      "NFS: ",
      "LustreError: ",
      "Lustre: ",
      "LNetError: ",
      "EXT4-fs ",
      "XFS (",
      "Buffer I/O error on dev",
      "blk_update_request: ",
      "nvme nvme",
  };
  // Asked of nearly every line, so most are told by their first byte.
  constexpr auto kSorted = [&] {
    auto out = kStarts;
    std::sort(out.begin(), out.end());
    return out;
  }();
  constexpr auto kFirst = [&] {  // Of each first byte, how many begin with a lesser one.
    std::array<std::uint8_t, 257> out{};
    for (const std::string_view start : kStarts) ++out[static_cast<unsigned char>(start[0]) + 1U];
    for (std::size_t i = 1; i < out.size(); ++i)
      out[i] = static_cast<std::uint8_t>(out[i] + out[i - 1]);
    return out;
  }();
  if (body.size() < 2) return false;
  const auto c = static_cast<unsigned char>(body[0]);
  for (std::size_t i = kFirst[c]; i < kFirst[c + 1U]; ++i) {
    if (body[1] == kSorted[i][1] && body.starts_with(kSorted[i])) return true;
  }
  return false;
}

}  // namespace attrib::evidence
