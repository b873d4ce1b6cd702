// rulec error: what a diagnostic means.

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "base/diagnostics.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/say.h"
#include "tools/rulec/commands.h"

namespace attrib::rulec {
namespace {

std::string_view severity(const DiagnosticInfo& info) {
  return info.severity == DiagnosticSeverity::Error ? "error" : "warning";
}

// The message with `...` where its arguments stand.
std::string message(const DiagnosticInfo& info) {
  std::string out;
  for (std::size_t i = 0; i < info.format.size(); ++i) {
    const std::string_view two = info.format.substr(i, 2);
    if (two == "{}")
      out += "...";
    else
      out += info.format[i];
    if (two == "{}" || two == "{{" || two == "}}") ++i;
  }
  return out;
}

// "RL0301", "rl301" or "301".
const DiagnosticInfo* find(std::string_view id) {
  if (id.starts_with("RL") || id.starts_with("rl")) id.remove_prefix(2);
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  return error == std::errc() && end == id.data() + id.size() ? find_diagnostic(number) : nullptr;
}

}  // namespace

int error_command(const std::string& id, bool list) {
  if (list) {
    for (const DiagnosticInfo& info : diagnostic_catalogue()) {
      cli::say("{}  {:<7}  {}\n", diagnostic_code(info.id), severity(info), message(info));
    }
    return cli::kDone;
  }
  const DiagnosticInfo* info = find(id);
  if (info == nullptr) {
    cli::tell("rulec: no diagnostic has the id `{}`; `rulec error --list` shows all\n", id);
    return cli::kUsage;
  }
  cli::say("{} ({}, {}): {}\n\n{}\n", diagnostic_code(info->id), info->name, severity(*info),
           message(*info), info->explanation);
  return cli::kDone;
}

}  // namespace attrib::rulec
