#include <fmt/format.h>

#include <filesystem>

#include "service/settings.h"
#include "service/toml.h"

namespace attrib::service {
namespace {

std::string quoted_list(const std::vector<std::string>& list) {
  std::vector<std::string> quoted;
  for (const std::string& each : list) quoted.push_back(toml_quoted(each));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

// Relative ones mean another file once they stand in a file of another folder.
std::string absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path out = std::filesystem::absolute(path, error);
  return error ? path : out.string();
}

// Of an origin, which holds the path of a file: it must not end the comment.
std::string comment(std::string_view text) {
  const std::string quoted = toml_quoted(text);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace

std::string Settings::print() const {
  std::string out;
  std::string_view group;
  for (const SettingInfo& row : setting_table()) {
    const Value& now = value(row.id);
    if (row.kind == SettingKind::Table) {
      out += fmt::format("\n[{}]  # {}\n", row.path, comment(now.origin));
      for (const auto& [name, path] : now.table) {
        out += fmt::format("{} = {}\n", toml_quoted(name), toml_quoted(absolute(path)));
      }
      continue;
    }
    if (row.group() != group) {
      group = row.group();
      out += fmt::format("\n[{}]\n", group);
    }
    std::string text;
    switch (row.kind) {
      case SettingKind::List:
        text = quoted_list(now.list);
        break;
      case SettingKind::Path:
        text = toml_quoted(absolute(now.text));
        break;
      case SettingKind::Count:
        text = fmt::format("{}", now.number);
        break;
      default:
        text = toml_quoted(now.text);
    }
    if (row.kind == SettingKind::Path && now.text.empty())
      out += fmt::format("# {} = \"\"  # not set\n", row.key());
    else
      out += fmt::format("{} = {}  # {}\n", row.key(), text, comment(now.origin));
  }
  return out;
}

}  // namespace attrib::service
