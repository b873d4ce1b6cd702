#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "evidence/frame.h"

namespace attrib::evidence {
namespace {

constexpr std::int64_t kMostRank = 9'999'999;

// "[NAME7]:" with perhaps one blank behind it.
bool read_bracket_label(Cursor& cursor, std::string_view name, std::uint32_t* number) {
  Cursor ahead = cursor;
  std::int64_t value = 0;
  if (!ahead.literal('[') || !ahead.literal(name) || !ahead.digits(1, 7, &value) ||
      !ahead.literal("]:"))
    return false;
  ahead.literal(' ');
  *number = static_cast<std::uint32_t>(value);
  cursor = ahead;
  return true;
}

// "[1,3]<stdout>:" of `mpirun --tag-output`: job and rank.
bool read_mpi_label(Cursor& cursor, std::uint32_t* number) {
  Cursor ahead = cursor;
  std::int64_t job = 0, rank = 0;
  if (!ahead.literal('[') || !ahead.digits(1, 7, &job) || !ahead.literal(',') ||
      !ahead.digits(1, 7, &rank) || !ahead.literal(']') ||
      (!ahead.literal("<stdout>:") && !ahead.literal("<stderr>:"))) {
    return false;
  }
  ahead.literal(' ');
  *number = static_cast<std::uint32_t>(rank);
  cursor = ahead;
  return true;
}

// " 3: " of `srun -l`, which pads the number.
bool read_task_label(Cursor& cursor, std::uint32_t* number) {
  Cursor ahead = cursor;
  ahead.run([](char c) { return c == ' '; }, 6);
  std::int64_t task = 0;
  if (!ahead.digits(1, 7, &task) || task > kMostRank || !ahead.literal(": ")) return false;
  *number = static_cast<std::uint32_t>(task);
  cursor = ahead;
  return true;
}

}  // namespace

bool read_label(Cursor& cursor, Labels& labels, bool with_tasks) {
  const char first = cursor.peek();
  if (first != '[' && first != ' ' && !is_digit(first)) return false;
  std::uint32_t number = 0;
  if (with_tasks && read_task_label(cursor, &number)) {
    labels.label_kind = LabelKind::Task;
    labels.label = number;
    return true;
  }
  if (first != '[') return false;
  if (read_bracket_label(cursor, "rank", &number) || read_mpi_label(cursor, &number)) {
    labels.rank = number;
    return true;
  }
  if (read_bracket_label(cursor, "default", &number)) {
    labels.label_kind = LabelKind::LocalRank;
    labels.label = number;
    return true;
  }
  return false;
}

std::optional<std::uint32_t> rank_behind_ray_name(std::string_view body) {
  constexpr std::size_t kLongestName = 200;
  if (!body.starts_with('(')) return std::nullopt;
  const std::size_t end = body.substr(0, kLongestName).find(") [rank");
  if (end == std::string_view::npos) return std::nullopt;
  Cursor cursor(body.substr(end + 2));
  std::uint32_t number = 0;
  return read_bracket_label(cursor, "rank", &number) ? std::optional(number) : std::nullopt;
}

bool begins_like_slurm(std::string_view body, std::string* node) {
  constexpr std::array<std::string_view, 7> kPrograms = {
      "slurmstepd", "srun", "salloc", "sbatch", "slurmd", "slurmctld", "scancel"};
  if (!body.starts_with('s')) return false;  // As all of them.
  for (const std::string_view program : kPrograms) {
    if (!body.starts_with(program)) continue;
    Cursor cursor(body.substr(program.size()));
    std::string_view host;
    // A node that runs several daemons puts its name behind a dash.
    if (cursor.literal('-')) {
      host = cursor.run(
          [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_'; },
          255);
      if (host.empty()) continue;
    }
    if (!cursor.literal(": ")) continue;
    *node = std::string(host);
    return true;
  }
  return false;
}

bool read_slurm_daemon_frame(Cursor& cursor, Frame& frame) {
  Cursor ahead = cursor;
  if (!ahead.literal('[')) return false;
  if (ahead.rest().size() < 20 || ahead.rest()[10] != 'T') return false;
  const auto stamp = read_iso(ahead);
  if (!stamp || !ahead.literal("] ")) return false;
  frame.offer(*stamp);
  frame.slurm_daemon = true;
  cursor = ahead;
  return true;
}

bool read_fabric_manager_frame(Cursor& cursor, Frame& frame) {
  Cursor ahead = cursor;
  if (!ahead.literal('[')) return false;
  const auto stamp = read_syslog(ahead);
  if (!stamp || !ahead.literal("] ")) return false;
  std::int64_t thread = 0;
  if (!ahead.literal('[') || ahead.run(is_letter, 16).empty() || !ahead.literal("] ")) return false;
  Cursor with_thread = ahead;
  if (with_thread.literal("[tid ") && with_thread.digits(1, 10, &thread) &&
      with_thread.literal("] ")) {
    ahead = with_thread;
  }
  frame.offer(*stamp);
  frame.speaks |= model::source_bit(model::SourceKind::FabricManager);
  cursor = ahead;
  return true;
}

std::optional<Stamp> stamp_of_event_log(std::string_view body) {
  Cursor cursor(body);
  const auto bar = [&cursor] { return cursor.blanks() && cursor.literal('|') && cursor.blanks(); };
  const auto is_hex = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  cursor.blanks();
  if (cursor.run(is_hex, 8).empty() || !bar()) return std::nullopt;
  // "05/18/2026" (ipmitool) or "May-18-2026" (FreeIPMI), which both go through the reader of ISO
  // stamps.
  std::int64_t y = 0, m = 0, d = 0;
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto month = std::find_if(kMonths.begin(), kMonths.end(),
                                  [&](std::string_view name) { return cursor.literal(name); });
  const char between = month == kMonths.end() ? '/' : '-';
  m = month - kMonths.begin() + 1;
  if (month == kMonths.end() && !cursor.digits(2, 2, &m)) return std::nullopt;
  if (!cursor.literal(between) || !cursor.digits(2, 2, &d) || !cursor.literal(between) ||
      !cursor.digits(4, 4, &y) || !bar()) {
    return std::nullopt;
  }
  const std::string iso =
      fmt::format("{:04}-{:02}-{:02}T", y, m, d) + std::string(cursor.rest().substr(0, 16));
  Cursor stamp(iso);
  return read_iso(stamp);
}

bool may_begin_with_stamp(std::string_view body) {
  std::size_t at = 0;
  while (at < body.size() && (body[at] == ' ' || body[at] == '\t')) ++at;
  if (at < body.size() && (body[at] == '[' || body[at] == '(')) ++at;
  if (at + 1 >= body.size()) return false;
  const char c = body[at], next = body[at + 1];
  if (is_digit(c)) return at + 4 < body.size() && body[at + 4] == '-';
  if (c == 's')  // submitit, slurmstepd, srun, ...
    return std::string_view("ulrabc").find(next) != std::string_view::npos;
  return (c == 'I' || c == 'W' || c == 'E' || c == 'F') && is_digit(next);
}

std::optional<Stamp> stamp_in_body(std::string_view body) {
  constexpr std::string_view kCancelled = " CANCELLED AT ";
  if (!may_begin_with_stamp(body)) return std::nullopt;
  Cursor cursor(body);
  cursor.blanks();
  if (cursor.literal("submitit ")) {  // "submitit WARNING (2022-08-12 02:06:11,453) - ..."
    cursor.run(is_letter, 8);
    cursor.literal(' ');
  }
  if (!cursor.literal('[')) cursor.literal('(');
  if (const auto stamp = read_iso(cursor)) return stamp;
  if (const auto stamp = read_glog(cursor)) return stamp;
  // slurmstepd says when it was told to end the step.
  std::string node;
  if (!begins_like_slurm(body, &node)) return std::nullopt;
  const std::size_t at = body.find(kCancelled);
  if (at == std::string_view::npos) return std::nullopt;
  Cursor behind(body.substr(at + kCancelled.size()));
  return read_iso(behind);
}

}  // namespace attrib::evidence
