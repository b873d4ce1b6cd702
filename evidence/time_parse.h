#pragma once

// Stamps as logs and documents print them. A stamp is read first (what do the characters say?) and
// placed later (which nanosecond is that?), because the year, the zone and the boot time may be
// told by another file.

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

#include "evidence/cursor.h"
#include "model/time.h"

namespace attrib::evidence {

struct Stamp {
  enum class Form : std::uint8_t {
    Absolute,   // `at` is UTC.
    Local,      // `at` is what the clock on the wall showed, read as UTC: no zone printed.
    YearLess,   // Month, day, and `at` within that day: neither year nor zone printed.
    SinceBoot,  // `at` counts from the boot of the node.
  };
  Form form = Form::Absolute;
  std::uint8_t month = 0;
  std::uint8_t day = 0;
  bool drifts = false;          // `dmesg -T`: computed from the boot time, wrong by seconds.
  model::Nanos at = 0;
  model::Nanos resolution = 1;  // One unit of the last digit printed.
  friend bool operator==(const Stamp&, const Stamp&) = default;
  friend std::strong_ordering operator<=>(const Stamp& a, const Stamp& b) {
    return std::tie(a.form, a.month, a.day, a.at, a.resolution, a.drifts) <=>
           std::tie(b.form, b.month, b.day, b.at, b.resolution, b.drifts);
  }
};

// Each leaves the cursor alone when the text is not of its form.
std::optional<Stamp> read_iso(
    Cursor& cursor);  // 2026-05-18T08:31:05.123Z, 2024-05-07 15:51:09,140, ... +02:00
std::optional<Stamp> read_syslog(Cursor& cursor);      // May 18 08:31:05, May  8 2026 08:31:05
std::optional<Stamp> read_year_first(Cursor& cursor);  // 2026 May 18 08:31:05.123 UTC
std::optional<Stamp> read_ctime(Cursor& cursor);       // Mon Mar  6 21:34:31 2023
std::optional<Stamp> read_glog(Cursor& cursor);        // E518 12:41:06.010223, I0518 ...
std::optional<Stamp> read_boot(Cursor& cursor);        // 87430.975714
std::optional<Stamp> read_unix(
    std::string_view text);  // Seconds, perhaps with a fraction, or nanoseconds.

// A whole text that is a time: RFC 3339 (the zone may be missing) or Unix.
std::optional<Stamp> read_stamp(std::string_view text);

// What a stamp leaves out.
struct StampRules {
  std::optional<int> year;
  std::optional<model::Nanos> zone_offset;  // Local minus UTC.
  std::optional<model::Nanos> boot;
  std::optional<model::Nanos>
      near;  // Start of the workload: a stamp without year is in the year next to it.
};

struct PlacedStamp {
  model::Nanos at = 0;  // UTC
  model::Nanos resolution = 1;
  bool zone_assumed = false;  // Read as UTC for want of a zone: wrong by up to 14 h.
  bool own_clock = false;     // Not on the node's clock: assumed zone, since boot, `dmesg -T`.
};
// None when the year (boot) is needed and not known.
std::optional<PlacedStamp> place(const Stamp& stamp, const StampRules& rules);

// A length of time with its unit, "250ms", "1.5s", "2h"; none when it is not of that form or
// negative.
std::optional<model::Nanos> read_length(std::string_view text);

}  // namespace attrib::evidence
