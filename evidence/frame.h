#pragma once

// What the readers of single forms (frame_*.cpp) find in front of a body.

#include <cstdint>
#include <optional>
#include <string>

#include "evidence/cursor.h"
#include "evidence/draft.h"
#include "evidence/time_parse.h"

namespace attrib::evidence {

// By which a launcher tells its ranks' lines apart.
struct Labels {
  std::optional<std::uint32_t> rank;
  LabelKind label_kind = LabelKind::None;
  std::uint32_t label = 0;
};

struct Frame : Labels {
  std::optional<Stamp> stamp;
  std::string node;
  model::SourceMask speaks = 0;
  bool kernel = false;            // The frame shows that the kernel wrote the line.
  bool container_output = false;  // The frame shows that a process in a container wrote it.
  bool slurm_daemon = false;      // The frame is that of a Slurm daemon's own log.
  bool kmsg = false;              // The body is a record of /dev/kmsg, with its escapes.
  bool without_text = false;      // An entry of the journal whose text was left out for its size.

  // Several frames may stamp one line: the stamp that leaves least open is kept, of equals the
  // outer one.
  void offer(const Stamp& other) {
    if (!stamp || other.form < stamp->form) stamp = other;
  }
};

// Each moves `cursor` to what follows its form and returns true, or leaves cursor and frame alone.

// frame_kernel.cpp: `6,1234,5678,-;`, `<6>`, `kern  :err   : `, `[  123.456] [ T1946] `, `[Mon Mar
// 6 21:34:31 2023] `
bool read_kernel_frame(Cursor& cursor, Frame& frame);
// Is it a record of /dev/kmsg, and which number does it have?
std::optional<std::uint64_t> kmsg_sequence(std::string_view line);
// Does a body begin as only the kernel's lines do (`NVRM: `, `mlx5_core 0000:`)?
bool begins_like_kernel(std::string_view body);

// frame_syslog.cpp: RFC 3164, RFC 5424, ISO stamps with host and tag, `kernel: ` alone. Without
// `with_any_tag` only the kernel's lines are taken.
bool read_syslog_frame(Cursor& cursor, Frame& frame, bool with_any_tag);
// `Oct 15 09:14:52 823456 [7F3A2700] 0x01 -> ` of the subnet manager's own log.
bool read_opensm_frame(Cursor& cursor, Frame& frame);
// What a program's tag says about whom its lines speak for.
model::SourceMask speakers_of_tag(std::string_view tag);

// frame_container.cpp: `2026-...Z stdout F `, `kubectl logs --timestamps`
struct CriFrame {
  bool partial = false;
  std::string_view stream;  // "stdout", "stderr"
  std::size_t body = 0;     // Offset.
};
std::optional<CriFrame> read_cri(std::string_view line);
bool read_container_frame(Cursor& cursor, Frame& frame);

// frame_launcher.cpp: `3: ` (tasks only where `with_tasks`), `[default7]:`, `[rank3]:`,
// `[1,3]<stdout>:`
bool read_label(Cursor& cursor, Labels& labels, bool with_tasks);
// The `[rank5]:` behind a Ray worker's name, which is not taken off.
std::optional<std::uint32_t> rank_behind_ray_name(std::string_view body);
// `slurmstepd: `, `slurmstepd-node001: `, `srun: `, ... at the front; they stay in the body.
bool begins_like_slurm(std::string_view body, std::string* node);
// `[2022-08-12T02:06:12.123] ` of a Slurm daemon's log, `[Mon DD YYYY HH:MM:SS] [LEVEL] [tid n] `
// of Fabric Manager.
bool read_slurm_daemon_frame(Cursor& cursor, Frame& frame);
bool read_fabric_manager_frame(Cursor& cursor, Frame& frame);
// The stamp a program printed at the front of its own line; it stays in the body.
std::optional<Stamp> stamp_in_body(std::string_view body);
// Only where its first bytes are such.
bool may_begin_with_stamp(std::string_view body);
// The stamp of a line of a BMC's event log: ` 1a | 05/18/2026 | 08:31:05 | Fan 3 | ...`; it stays
// too.
std::optional<Stamp> stamp_of_event_log(std::string_view body);

}  // namespace attrib::evidence
