// Prints docs/diagnostics.md: `diagnostics_page > docs/diagnostics.md`. tests/diagnostics_test.py
// compares the two.

#include <fmt/core.h>

#include <map>
#include <string>

#include "base/diagnostics.h"

namespace {

using attrib::DiagnosticInfo;

std::string_view phase(std::uint16_t id) {
  switch (id / 100) {
    case 1:
      return "Syntax";
    case 2:
      return "Names";
    case 3:
      return "Types";
    case 4:
      return "Rule graph";
    case 5:
      return "Limits";
    case 6:
      return "Program file";
    case 7:
      return "Tests";
    case 8:
      return "Files and data";
    default:
      return "Other";
  }
}

// The message with "..." where an argument goes, braces unescaped.
std::string shown(std::string_view format) {
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const std::string_view two = format.substr(i, 2);
    if (two == "{}") out += "...";
    if (two == "{{" || two == "}}") out += format[i];
    if (two == "{}" || two == "{{" || two == "}}") {
      ++i;
    } else {
      out += format[i];
    }
  }
  return out;
}

}  // namespace

int main() {
  fmt::print(
      "# Diagnostics\n\nEvery message of the compiler has a stable id. `rulec error RL0301` prints "
      "its row. This page is\n"
      "generated from `base/diagnostics.def`; `...` stands for what was seen.\n");
  std::map<std::uint16_t, DiagnosticInfo> rows;
  for (const DiagnosticInfo& row : attrib::diagnostic_catalogue()) rows.emplace(row.id, row);
  std::string_view last;
  for (const auto& [id, row] : rows) {
    if (phase(id) != last) fmt::print("\n## {}\n\n", phase(id));
    last = phase(id);
    fmt::print("**{}** {}: {}\n\n> {}\n\n", attrib::diagnostic_code(id),
               row.severity == attrib::DiagnosticSeverity::Error ? "error" : "warning",
               shown(row.format), row.explanation);
  }
}
