// Prints docs/attribd-settings.md: `settings_page > docs/attribd-settings.md`.

#include <fmt/format.h>

#include <array>
#include <string>

#include "service/settings.h"

namespace {

using attrib::service::SettingInfo;
using attrib::service::SettingKind;

std::string cell(std::string_view text) {
  std::string out;
  for (const char each : text) {
    if (each == '|') out += '\\';
    out += each;
  }
  return out;
}

struct MetricRow {
  std::string_view name, type, labels, help;
};
constexpr std::array kMetrics = {
#define ATTRIB_METRIC(id, type, name, labels, help) MetricRow{name, #type, labels, help},
#include "service/metrics.def"
#undef ATTRIB_METRIC
};

std::string values_of(const SettingInfo& row) {
  switch (row.kind) {
    case SettingKind::Path:
      return "path";
    case SettingKind::List:
      return "addresses";
    case SettingKind::Table:
      return "NAME = path";
    case SettingKind::Word: {
      std::string words(row.words);
      for (std::size_t at = 0; (at = words.find(',', at)) != std::string::npos; at += 2)
        words.insert(at + 1, " ");
      return words;
    }
    default:
      return fmt::format("{} to {}", row.least, row.most);
  }
}

std::string page() {
  std::string out =
      "# attribd: settings and metrics\n\n"
      "Written by `settings_page` from `service/settings.def` and `service/metrics.def`; "
      "`tools/docs.sh` writes it "
      "anew.\n\n"
      "## Settings\n\n"
      "A flag wins over the environment, that over the file (`--config FILE` or `ATTRIBD_CONFIG`), "
      "that over the "
      "default. The variable of `limits.body` is\n`ATTRIBD_LIMITS_BODY`, its flag `--limits-body`, "
      "its place in the "
      "file the key `body` of the table `[limits]`. `attribd --print-config` prints each with "
      "where it came from.\n\n"
      "| setting | default | values | what it is |\n|---|---|---|---|\n";
  for (const SettingInfo& row : attrib::service::setting_table()) {
    out += fmt::format("| `{}` | {} | {} | {} |\n", row.path,
                       row.initial.empty() ? "" : fmt::format("`{}`", row.initial),
                       cell(values_of(row)), cell(row.help));
  }
  out +=
      "\n## Metrics\n\n"
      "`GET /metrics`, in the text format of Prometheus. Label values are few: routes by pattern, "
      "methods, status "
      "codes; never ids.\n\n"
      "| metric | type | labels | what it counts |\n|---|---|---|---|\n";
  for (const MetricRow& row : kMetrics) {
    out += fmt::format("| `{}` | {} | {} | {} |\n", row.name, row.type, row.labels, cell(row.help));
  }
  return out;
}

}  // namespace

int main() {
  fmt::print("{}", page());
  return 0;
}
