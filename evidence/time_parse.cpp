#include "evidence/time_parse.h"

#include <array>
#include <cstdlib>

#include "evidence/read.h"

namespace attrib::evidence {
namespace {

using model::kHour;
using model::kMinute;
using model::kSecond;
using model::Nanos;

constexpr Nanos kDay = 24 * kHour;

// Days from 1970-01-01 to a date of the Gregorian calendar (Howard Hinnant, "chrono-compatible
// low-level date algorithms"); std::chrono's calendar would do, but g++ 12 has no parsing that
// knows our forms anyway.
constexpr std::int64_t days_from_civil(std::int64_t y, std::int64_t m, std::int64_t d) {
  y -= m <= 2 ? 1 : 0;
  const std::int64_t era = (y >= 0 ? y : y - 399) / 400;
  const std::int64_t yoe = y - era * 400;
  const std::int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
  const std::int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097 + doe - 719468;
}
static_assert(days_from_civil(1970, 1, 1) == 0);
static_assert(days_from_civil(2000, 3, 1) == 11017);

constexpr std::int64_t year_of(Nanos at) {
  std::int64_t year = 1970 + at / (366 * kDay) - 1;
  while (days_from_civil(year + 1, 1, 1) * kDay <= at) ++year;
  return year;
}

constexpr bool is_leap(std::int64_t y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; }

bool is_date(std::int64_t y, std::int64_t m, std::int64_t d) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (m < 1 || m > 12 || d < 1) return false;
  return d <= kDays[static_cast<std::size_t>(m - 1)] + (m == 2 && is_leap(y) ? 1 : 0);
}

// The years whose every moment fits a Nanos within model::kForever.
bool is_year(std::int64_t y) { return y >= 1900 && y <= 2090; }

constexpr std::uint32_t three_letters(std::string_view text) {
  return static_cast<std::uint32_t>(static_cast<unsigned char>(text[0])) << 16U |
         static_cast<std::uint32_t>(static_cast<unsigned char>(text[1])) << 8U |
         static_cast<std::uint32_t>(static_cast<unsigned char>(text[2]));
}

std::optional<int> read_month(Cursor& cursor) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  const std::string_view text = cursor.rest();
  if (text.size() < 3) return std::nullopt;
  const std::uint32_t word = three_letters(text);
  for (int m = 0; m < 12; ++m) {
    if (word != three_letters(kMonths.substr(static_cast<std::size_t>(m) * 3, 3))) continue;
    cursor.skip(3);
    return m + 1;
  }
  return std::nullopt;
}

// The number of the two digits there; above all that are numbers where there are none.
unsigned two_digits(std::string_view text, std::size_t at) {
  constexpr unsigned kNone = 10'000;
  const auto tens = static_cast<unsigned>(text[at]) - '0';
  const auto ones = static_cast<unsigned>(text[at + 1]) - '0';
  return tens > 9 || ones > 9 ? kNone : tens * 10 + ones;
}

bool read_weekday(Cursor& cursor) {
  if (std::string_view("MTWFS").find(cursor.peek()) == std::string_view::npos) return false;
  for (const std::string_view day : {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}) {
    if (cursor.literal(day)) return true;
  }
  return false;
}

// ".123456" or ",123" after whole seconds; digits beyond the ninth are read and dropped.
void read_fraction(Cursor& cursor, Nanos* at, Nanos* resolution) {
  Cursor ahead = cursor;
  if (!(ahead.literal('.') || ahead.literal(',')) || !is_digit(ahead.peek())) return;
  Nanos unit = kSecond;
  while (is_digit(ahead.peek())) {
    if (unit > 1) {
      unit /= 10;
      *at += unit * (ahead.peek() - '0');
    }
    ahead.skip(1);
  }
  *resolution = unit;
  cursor = ahead;
}

// "08:31:05.123" as the time since midnight.
bool read_clock(Cursor& cursor, Nanos* at, Nanos* resolution) {
  constexpr std::size_t kSize = 8;
  const std::string_view text = cursor.rest();
  if (text.size() < kSize || text[2] != ':' || text[5] != ':') return false;
  const unsigned h = two_digits(text, 0), m = two_digits(text, 3), s = two_digits(text, 6);
  if (h > 23 || m > 59 || s > 60) return false;
  Cursor ahead = cursor;
  ahead.skip(kSize);
  *at = h * kHour + m * kMinute + s * kSecond;
  *resolution = kSecond;
  read_fraction(ahead, at, resolution);
  cursor = ahead;
  return true;
}

// "Z", "+02:00", "-0700", "+02"
std::optional<Nanos> read_zone(Cursor& cursor) {
  if (cursor.literal('Z') || cursor.literal('z')) return 0;
  Cursor ahead = cursor;
  const bool minus = ahead.literal('-');
  std::int64_t h = 0, m = 0;
  if ((!minus && !ahead.literal('+')) || !ahead.digits(2, 2, &h)) return std::nullopt;
  if (ahead.literal(':')) {
    if (!ahead.digits(2, 2, &m)) return std::nullopt;
  } else {
    ahead.digits(2, 2, &m);
  }
  if (h > 18 || m > 59) return std::nullopt;
  cursor = ahead;
  const Nanos offset = h * kHour + m * kMinute;
  return minus ? -offset : offset;
}

Stamp local_stamp(std::int64_t y, std::int64_t m, std::int64_t d, Nanos in_day, Nanos resolution) {
  Stamp out;
  out.form = Stamp::Form::Local;
  out.at = days_from_civil(y, m, d) * kDay + in_day;
  out.resolution = resolution;
  return out;
}

}  // namespace

std::optional<Stamp> read_iso(Cursor& cursor) {
  constexpr std::size_t kDate = 10;
  const std::string_view text = cursor.rest();
  if (text.size() <= kDate || text[4] != '-' || text[7] != '-') return std::nullopt;
  const std::int64_t y = std::int64_t{two_digits(text, 0)} * 100 + two_digits(text, 2);
  const std::int64_t m = two_digits(text, 5), d = two_digits(text, 8);
  const char between = text[kDate];
  if (between != 'T' && between != 't' && between != ' ' && between != '_') return std::nullopt;
  Cursor ahead = cursor;
  ahead.skip(kDate + 1);
  Nanos in_day = 0, resolution = 0;
  if (!read_clock(ahead, &in_day, &resolution) || !is_year(y) || !is_date(y, m, d))
    return std::nullopt;
  Stamp out = local_stamp(y, m, d, in_day, resolution);
  Cursor zoned = ahead;
  if (zoned.literal(" UTC") || zoned.literal(" GMT")) {
    out.form = Stamp::Form::Absolute;
    ahead = zoned;
  } else if (const auto offset = read_zone(ahead)) {
    out.form = Stamp::Form::Absolute;
    out.at -= *offset;
  }
  cursor = ahead;
  return out;
}

std::optional<Stamp> read_syslog(Cursor& cursor) {
  Cursor ahead = cursor;
  std::int64_t y = 0, d = 0;
  const auto month = read_month(ahead);
  if (!month || !ahead.literal(' ')) return std::nullopt;
  ahead.literal(' ');
  if (!ahead.digits(1, 2, &d) || !ahead.literal(' ')) return std::nullopt;
  Cursor with_year = ahead;
  const bool has_year = with_year.digits(4, 4, &y) && with_year.literal(' ');
  if (has_year) ahead = with_year;
  Stamp out;
  if (!read_clock(ahead, &out.at, &out.resolution)) return std::nullopt;
  constexpr int kLeapYear = 2024;
  if (!is_date(has_year ? y : kLeapYear, *month, d) || (has_year && !is_year(y)))
    return std::nullopt;
  if (has_year) {
    out = local_stamp(y, *month, d, out.at, out.resolution);
  } else {
    out.form = Stamp::Form::YearLess;
    out.month = static_cast<std::uint8_t>(*month);
    out.day = static_cast<std::uint8_t>(d);
  }
  cursor = ahead;
  return out;
}

std::optional<Stamp> read_year_first(Cursor& cursor) {
  Cursor ahead = cursor;
  std::int64_t y = 0, d = 0;
  Nanos in_day = 0, resolution = 0;
  if (!ahead.digits(4, 4, &y) || !ahead.literal(' ')) return std::nullopt;
  const auto month = read_month(ahead);
  if (!month || !ahead.literal(' ')) return std::nullopt;
  ahead.literal(' ');
  if (!ahead.digits(1, 2, &d) || !ahead.literal(' ') || !read_clock(ahead, &in_day, &resolution) ||
      !is_year(y) || !is_date(y, *month, d)) {
    return std::nullopt;
  }
  Stamp out = local_stamp(y, *month, d, in_day, resolution);
  if (ahead.literal(" UTC") || ahead.literal(" GMT")) out.form = Stamp::Form::Absolute;
  cursor = ahead;
  return out;
}

std::optional<Stamp> read_ctime(Cursor& cursor) {
  Cursor ahead = cursor;
  std::int64_t y = 0, d = 0;
  Nanos in_day = 0, resolution = 0;
  if (!read_weekday(ahead) || !ahead.literal(' ')) return std::nullopt;
  const auto month = read_month(ahead);
  if (!month || !ahead.literal(' ')) return std::nullopt;
  ahead.literal(' ');
  if (!ahead.digits(1, 2, &d) || !ahead.literal(' ') || !read_clock(ahead, &in_day, &resolution) ||
      !ahead.literal(' ') || !ahead.digits(4, 4, &y) || !is_year(y) || !is_date(y, *month, d)) {
    return std::nullopt;
  }
  cursor = ahead;
  return local_stamp(y, *month, d, in_day, resolution);
}

// Google's own library pads the month, PyTorch's does not: the last two digits are the day.
std::optional<Stamp> read_glog(Cursor& cursor) {
  Cursor ahead = cursor;
  std::int64_t date = 0;
  const bool level =
      ahead.literal('I') || ahead.literal('W') || ahead.literal('E') || ahead.literal('F');
  if (!level || !ahead.digits(3, 4, &date) || !ahead.literal(' ')) return std::nullopt;
  Stamp out;
  out.form = Stamp::Form::YearLess;
  if (!read_clock(ahead, &out.at, &out.resolution)) return std::nullopt;
  constexpr int kLeapYear = 2024;
  if (out.resolution == kSecond || !is_date(kLeapYear, date / 100, date % 100)) return std::nullopt;
  out.month = static_cast<std::uint8_t>(date / 100);
  out.day = static_cast<std::uint8_t>(date % 100);
  cursor = ahead;
  return out;
}

std::optional<Stamp> read_boot(Cursor& cursor) {
  Cursor ahead = cursor;
  std::int64_t seconds = 0;
  if (!ahead.digits(1, 9, &seconds) || ahead.peek() != '.') return std::nullopt;
  Stamp out;
  out.form = Stamp::Form::SinceBoot;
  out.at = seconds * kSecond;
  out.resolution = kSecond;
  read_fraction(ahead, &out.at, &out.resolution);
  if (out.resolution == kSecond) return std::nullopt;
  cursor = ahead;
  return out;
}

std::optional<Stamp> read_unix(std::string_view text) {
  constexpr std::int64_t kLeastNanos =
      100'000'000'000'000'000;                          // 1973; as seconds, beyond any calendar.
  constexpr std::int64_t kMostSeconds = 3'800'000'000;  // 2090
  Cursor cursor(text);
  std::int64_t whole = 0;
  // 2,000,000,000,000,000,000 ns is 2033: nineteen digits, one more than a Cursor reads.
  std::int64_t last = -1;
  if (!cursor.digits(1, 18, &whole)) return std::nullopt;
  if (cursor.digits(1, 1, &last)) {
    if (whole > model::kForever / 10) return std::nullopt;
    whole = whole * 10 + last;
  }
  Stamp out;
  out.form = Stamp::Form::Absolute;
  if (whole >= kLeastNanos) {
    out.at = whole;
    out.resolution = 1;
    return cursor.done() && whole < model::kForever ? std::optional(out) : std::nullopt;
  }
  if (whole > kMostSeconds) return std::nullopt;
  out.at = whole * kSecond;
  out.resolution = kSecond;
  if (cursor.peek() == '.') read_fraction(cursor, &out.at, &out.resolution);
  return cursor.done() ? std::optional(out) : std::nullopt;
}

std::optional<Stamp> read_stamp(std::string_view text) {
  Cursor cursor(text);
  if (const auto iso = read_iso(cursor)) return cursor.done() ? iso : std::nullopt;
  return read_unix(text);
}

namespace {

// The year that puts a stamp next to `near`, so that a job over New Year keeps its order.
std::optional<Nanos> in_nearest_year(const Stamp& stamp, Nanos near, Nanos zone_offset) {
  std::optional<Nanos> best;
  const std::int64_t year = year_of(near);
  for (std::int64_t y = year - 1; y <= year + 1; ++y) {
    if (!is_date(y, stamp.month, stamp.day)) continue;
    const Nanos at = days_from_civil(y, stamp.month, stamp.day) * kDay + stamp.at - zone_offset;
    if (!best || std::abs(at - near) < std::abs(*best - near)) best = at;
  }
  return best;
}

}  // namespace

std::optional<PlacedStamp> place(const Stamp& stamp, const StampRules& rules) {
  PlacedStamp out;
  out.resolution = stamp.resolution;
  const bool needs_zone = stamp.form == Stamp::Form::Local || stamp.form == Stamp::Form::YearLess;
  out.zone_assumed = needs_zone && !rules.zone_offset;
  out.own_clock = out.zone_assumed || stamp.drifts || stamp.form == Stamp::Form::SinceBoot;
  const Nanos offset = rules.zone_offset.value_or(0);
  switch (stamp.form) {
    case Stamp::Form::Absolute:
      out.at = stamp.at;
      return out;
    case Stamp::Form::Local:
      out.at = stamp.at - offset;
      return out;
    case Stamp::Form::SinceBoot:
      if (!rules.boot) return std::nullopt;
      out.at = model::add_nanos(*rules.boot, stamp.at);
      return out;
    case Stamp::Form::YearLess:
      break;
  }
  if (rules.year) {
    if (!is_year(*rules.year) || !is_date(*rules.year, stamp.month, stamp.day)) return std::nullopt;
    out.at = days_from_civil(*rules.year, stamp.month, stamp.day) * kDay + stamp.at - offset;
    return out;
  }
  if (!rules.near) return std::nullopt;
  const auto at = in_nearest_year(stamp, *rules.near, offset);
  if (!at) return std::nullopt;
  out.at = *at;
  return out;
}

std::optional<model::Nanos> read_length(std::string_view text) {
  struct Unit {
    std::string_view word;
    Nanos nanos;
  };
  constexpr std::array<Unit, 7> kUnits = {{{"ns", 1},
                                           {"us", 1'000},
                                           {"ms", model::kMillisecond},
                                           {"s", kSecond},
                                           {"m", kMinute},
                                           {"h", kHour},
                                           {"d", kDay}}};
  Cursor cursor(text);
  std::int64_t whole = 0;
  if (!cursor.digits(1, 12, &whole)) return std::nullopt;
  std::int64_t billionths = 0;
  Nanos resolution = 0;
  if (cursor.peek() == '.') read_fraction(cursor, &billionths, &resolution);
  for (const Unit& unit : kUnits) {
    if (cursor.rest() != unit.word) continue;
    if (whole > model::kForever / unit.nanos) return model::kForever;
    // billionths < 1e9, so the product stays below 1e9 days in ns only if split.
    const Nanos part = unit.nanos >= kSecond ? unit.nanos / kSecond * billionths
                                             : billionths * unit.nanos / kSecond;
    return model::add_nanos(whole * unit.nanos, part);
  }
  return std::nullopt;
}

Result<model::Nanos> parse_zone(std::string_view text) {
  if (text == "UTC" || text == "GMT") return model::Nanos{0};
  Cursor cursor(text);
  const auto offset = read_zone(cursor);
  if (!offset || !cursor.done()) {
    return Error{"`" + std::string(text.substr(0, 40)) +
                 "` is not a zone: expected `UTC`, `+02:00` or `-0700`"};
  }
  return *offset;
}

Result<model::Nanos> parse_time(std::string_view text) {
  const auto stamp = read_stamp(text);
  if (!stamp || stamp->form != Stamp::Form::Absolute) {
    return Error{
        "`" + std::string(text.substr(0, 40)) +
        "` is not a time: expected RFC 3339 with its zone, or Unix seconds or nanoseconds"};
  }
  return stamp->at;
}

}  // namespace attrib::evidence
