#include "verdict/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace attrib::verdict {
namespace {

struct Civil {
  std::int64_t year;
  unsigned month, day;
  std::int64_t second_of_day;
  std::int64_t nanos;
};

// Days to a date of the proleptic Gregorian calendar; eras of 400 years, March first (Hinnant's
// algorithm).
Civil civil(model::Nanos time) {
  std::int64_t seconds = time / model::kSecond;
  std::int64_t nanos = time % model::kSecond;
  if (nanos < 0) {
    nanos += model::kSecond;
    --seconds;
  }
  std::int64_t days = seconds / 86400;
  std::int64_t rest = seconds % 86400;
  if (rest < 0) {
    rest += 86400;
    --days;
  }
  const std::int64_t z = days + 719468;
  const std::int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  const std::int64_t doe = z - era * 146097;
  const std::int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const std::int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::int64_t mp = (5 * doy + 2) / 153;
  const auto day = static_cast<unsigned>(doy - (153 * mp + 2) / 5 + 1);
  const auto month = static_cast<unsigned>(mp < 10 ? mp + 3 : mp - 9);
  return {yoe + era * 400 + (month <= 2 ? 1 : 0), month, day, rest, nanos};
}

// Fields worth a place in one line about a symptom, and what to call them there.
struct Telling {
  std::string_view field, word;
};
constexpr auto kTelling = std::to_array<Telling>({{"code", "code"},
                                                  {"xid", "XID"},
                                                  {"link", "link"},
                                                  {"port", "port"},
                                                  {"nic", "NIC"},
                                                  {"device", "device"},
                                                  {"mount", "mount"},
                                                  {"path", "path"},
                                                  {"exit_code", "exit code"},
                                                  {"signal", "signal"},
                                                  {"status", "status"},
                                                  {"reason", "reason"},
                                                  {"kind", "kind"}});
constexpr std::size_t kTellingShown = 2;

void put_codepoint(std::string& out, std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() == 1 && (byte(0) < 0x20 || byte(0) == 0x7F)) {
    out += fmt::format("\\x{:02X}", byte(0));
  } else if (bytes.size() == 2 && byte(0) == 0xC2 && byte(1) < 0xA0) {
    out += fmt::format("\\u{{{:04X}}}", byte(1));  // C1 controls: some terminals obey them.
  } else if (bytes.size() == 3 && byte(0) == 0xE2) {
    const unsigned code = 0x2000U + ((byte(1) & 0x3FU) << 6U) + (byte(2) & 0x3FU);
    const bool turns = code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
                       (code >= 0x2066 && code <= 0x2069);
    if (turns) {
      out += fmt::format("\\u{{{:04X}}}", code);
    } else {
      out += bytes;
    }
  } else {
    out += bytes;
  }
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::string date_text(model::Nanos time) {
  const Civil c = civil(time);
  return fmt::format("{:04}-{:02}-{:02}", c.year, c.month, c.day);
}

std::string clock_text(model::Nanos time) {
  const Civil c = civil(time);
  const std::int64_t s = c.second_of_day;
  std::string out = fmt::format("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  if (c.nanos >= model::kMillisecond) out += fmt::format(".{:03}", c.nanos / model::kMillisecond);
  return out;
}

// By hand: JSON has several of them for each symptom.
std::string rfc3339(model::Nanos time) {
  const Civil c = civil(time);
  const auto s = static_cast<unsigned>(c.second_of_day);
  std::array<char, 40> buffer{};
  char* at = buffer.data();
  const auto put = [&at](unsigned number, unsigned digits) {
    for (unsigned i = digits; i-- > 0; number /= 10) at[i] = static_cast<char>('0' + number % 10);
    at += digits;
  };
  put(static_cast<unsigned>(c.year), 4);  // Nanoseconds of 64 bits reach from 1677 to 2262.
  *at++ = '-';
  put(c.month, 2);
  *at++ = '-';
  put(c.day, 2);
  *at++ = 'T';
  put(s / 3600, 2);
  *at++ = ':';
  put(s / 60 % 60, 2);
  *at++ = ':';
  put(s % 60, 2);
  if (c.nanos != 0) {
    *at++ = '.';
    put(static_cast<unsigned>(c.nanos), 9);
    while (at[-1] == '0') --at;
  }
  *at++ = 'Z';
  return {buffer.data(), at};
}

bool open_before(const model::Moment& moment) {
  return moment.lo <= -model::kForever + moment.error;
}

model::Nanos stamp(const model::Moment& moment) {
  if (open_before(moment)) return model::sub_nanos(moment.hi, moment.error);
  return std::min(model::add_nanos(moment.lo, moment.error), moment.hi);
}

std::string rank_ranges(const std::vector<std::int64_t>& sorted) {
  std::string out;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t j = i;
    while (j + 1 < sorted.size() && sorted[j + 1] == sorted[j] + 1) ++j;
    if (!out.empty()) out += ',';
    out += i == j ? fmt::format("{}", sorted[i]) : fmt::format("{}-{}", sorted[i], sorted[j]);
    i = j + 1;
  }
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string plural(std::uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", grouped(n), n == 1 ? one : many);
}

std::string printable(std::string_view text) {
  const std::string valid = escape_invalid_utf8(text);
  std::string out;
  out.reserve(valid.size());
  for (std::size_t i = 0; i < valid.size();) {
    std::size_t end = i + 1;
    while (end < valid.size() && continues(valid[end])) ++end;
    put_codepoint(out, std::string_view(valid).substr(i, end - i));
    i = end;
  }
  return out;
}

std::size_t columns(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return !continues(c); }));
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  width = std::max<std::size_t>(width, 8);
  std::vector<std::string> lines;
  std::string line;
  const auto flush = [&] {
    lines.push_back(line);
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, blank);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (word.empty()) continue;
    if (!line.empty() && columns(line) + 1 + columns(word) > width) flush();
    while (columns(word) > width) {
      std::size_t cut = 0;
      for (std::size_t n = 0; n < width; ++n) {
        ++cut;
        while (cut < word.size() && continues(word[cut])) ++cut;
      }
      line = word.substr(0, cut);
      word.remove_prefix(cut);
      flush();
    }
    if (word.empty()) continue;
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty() || lines.empty()) flush();
  return lines;
}

std::string_view title_of(const Symptom& symptom) {
  return symptom.title.empty() ? symptom.symptom : symptom.title;
}

std::string entity_text(const EntityRef& entity) {
  const auto kind = std::string(model::word(entity.kind));
  if (entity.kind == model::EntityKind::Attempt || entity.kind == model::EntityKind::Job) {
    return "the job";
  }
  if (entity.id.empty()) {
    return fmt::format("an unknown {}", kind == "gpu" ? "GPU" : kind == "nic" ? "NIC" : kind);
  }
  if (entity.kind == model::EntityKind::Node) return entity.id;
  if (entity.kind == model::EntityKind::Gpu) return "GPU " + entity.id;
  if (entity.kind == model::EntityKind::Nic) return "NIC " + entity.id;
  return fmt::format("{} {}", kind == "switch_port" ? "switch port" : kind, entity.id);
}

std::string place_text(const Symptom& s) {
  using model::EntityKind;
  if (s.folded > 1) {
    std::string who;
    if (s.ranks.size() > 1) {
      who = plural(s.ranks.size(), "rank", "ranks");
    } else if (s.nodes_total > 1 && s.entity.kind == EntityKind::Node) {
      return plural(s.nodes_total, "node", "nodes");
    } else {
      who = plural(s.folded, "place", "places");
    }
    if (s.nodes_total > 1) who += fmt::format(" on {}", plural(s.nodes_total, "node", "nodes"));
    if (s.nodes_total == 1 && !s.nodes.empty()) who += " on " + s.nodes[0];
    return who;
  }
  if (s.entity.kind == EntityKind::Gpu && s.node) return *s.node;
  if (s.entity.id.empty() && s.entity.kind == EntityKind::Node && s.node) return *s.node;
  if (s.rank && s.entity.kind != EntityKind::Node && s.entity.kind != EntityKind::Gpu) {
    const std::string rank = fmt::format("rank {}", *s.rank);
    if (s.entity.kind == EntityKind::Rank || s.entity.id.empty()) {
      return s.node ? fmt::format("{} ({})", rank, *s.node) : rank;
    }
  }
  std::string out = entity_text(s.entity);
  if (s.node && *s.node != s.entity.id && out != "the job") out += fmt::format(" ({})", *s.node);
  return out;
}

std::string detail_text(const Symptom& s) {
  std::vector<std::string> parts;
  std::string gpu = s.gpu.value_or("");
  for (const NamedField& field : s.fields) {
    if (gpu.empty() && field.name == "gpu") gpu = model::to_text(field.value, field.reader);
  }
  // A GPU's key names its node, which is said already.
  if (const std::size_t slash = gpu.rfind('/'); slash != std::string::npos) gpu.erase(0, slash + 1);
  if (!gpu.empty()) parts.push_back("GPU " + gpu);
  std::size_t shown = 0;
  for (const Telling& row : kTelling) {
    for (const NamedField& field : s.fields) {
      if (field.name != row.field || shown == kTellingShown) continue;
      parts.push_back(fmt::format("{} {}", row.word, model::to_text(field.value, field.reader)));
      ++shown;
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string describe(const Symptom& s) {
  const std::string place = place_text(s);
  const std::string detail = detail_text(s);
  std::string out(title_of(s));
  if (place != "the job") out += " on " + place;
  if (!detail.empty()) out += fmt::format(" ({})", detail);
  return out;
}

}  // namespace attrib::verdict
