#include "service/v1_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "verdict/format.h"

namespace attrib::service {
namespace {

using model::SourceKind;

struct Word {
  std::string_view text;
  SourceKind kind;
};
constexpr std::array kSources = {
    Word{"syslog", SourceKind::Syslog},       Word{"applog", SourceKind::App},
    Word{"node_metrics", SourceKind::Metric}, Word{"app", SourceKind::App},
    Word{"kernel", SourceKind::Kernel},       Word{"dmesg", SourceKind::Kernel},
    Word{"journald", SourceKind::Journald},   Word{"fabric_manager", SourceKind::FabricManager},
    Word{"switch", SourceKind::Switch},       Word{"bmc", SourceKind::Bmc},
    Word{"slurm", SourceKind::Slurm},         Word{"k8s", SourceKind::K8s},
    Word{"kueue", SourceKind::Kueue},         Word{"metric", SourceKind::Metric},
};
constexpr std::array kPrograms = {
    Word{"kernel", SourceKind::Kernel},
    Word{"dmesg", SourceKind::Kernel},
    Word{"nv-fabricmanager", SourceKind::FabricManager},
    Word{"fabricmanager", SourceKind::FabricManager},
    Word{"slurmd", SourceKind::Slurm},
    Word{"slurmctld", SourceKind::Slurm},
    Word{"slurmstepd", SourceKind::Slurm},
    Word{"slurmdbd", SourceKind::Slurm},
};

template <typename Words>
std::optional<SourceKind> found_in(const Words& words, std::string_view text) {
  const auto found =
      std::find_if(words.begin(), words.end(), [&](const Word& w) { return w.text == text; });
  return found == words.end() ? std::nullopt : std::optional(found->kind);
}

}  // namespace

bool is_not_given(const Json& value) {
  if (value.is_null()) return true;
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text.empty() || text == "unknown";
}

std::optional<SourceKind> source_of_word(std::string_view word) { return found_in(kSources, word); }

std::string known_source_words() {
  std::string out;
  for (const Word& each : kSources)
    out += fmt::format("{}`{}`", out.empty() ? "" : ", ", each.text);
  return out;
}

SourceKind source_of_program(SourceKind kind, std::string_view program, std::string_view facility) {
  if (kind != SourceKind::Syslog && kind != SourceKind::Journald) return kind;
  if (const auto known = found_in(kPrograms, program)) return *known;
  const bool of_kernel = program.empty() && (facility == "0" || facility == "kern");
  return of_kernel ? SourceKind::Kernel : kind;
}

std::optional<model::Nanos> since_boot(std::string_view line) {
  if (!line.starts_with('[')) return std::nullopt;
  line.remove_prefix(1);
  while (line.starts_with(' ')) line.remove_prefix(1);
  model::Nanos seconds = 0;
  constexpr model::Nanos kMost = 10'000'000'000;  // Some three hundred years.
  const auto whole = std::from_chars(line.data(), line.data() + line.size(), seconds);
  if (whole.ec != std::errc() || seconds < 0 || seconds > kMost) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(whole.ptr - line.data()));
  if (!line.starts_with('.')) return std::nullopt;
  line.remove_prefix(1);
  model::Nanos unit = model::kSecond, fraction = 0;
  while (!line.empty() && line.front() >= '0' && line.front() <= '9' && unit > 1) {
    unit /= 10;
    fraction += unit * (line.front() - '0');
    line.remove_prefix(1);
  }
  if (!line.starts_with(']') || unit == model::kSecond ||
      seconds > model::kForever / model::kSecond)
    return std::nullopt;
  return seconds * model::kSecond + fraction;
}

std::string stamp_text(model::Nanos at) {
  std::string text = verdict::rfc3339(at);
  // In steps of three digits: what was printed to the millisecond may well end in a zero.
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  std::string digits = text.substr(point + 1, text.size() - point - 2);
  while (digits.size() % 3 != 0) digits += '0';
  return text.substr(0, point + 1) + digits + "Z";
}

}  // namespace attrib::service
