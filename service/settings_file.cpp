#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "service/file.h"
#include "service/settings.h"
#include "service/toml.h"

namespace attrib::service {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20U;

std::string_view expected(SettingKind kind) {
  switch (kind) {
    case SettingKind::Path:
      return "a string with a path";
    case SettingKind::List:
      return R"(an array such as ["127.0.0.1:8000"])";
    case SettingKind::Table:
      return R"(a table of paths: NAME = "PATH")";
    case SettingKind::Bytes:
      return R"(a string such as "16MiB", or an integer of bytes)";
    case SettingKind::Duration:
      return R"(a string such as "30s", "12h" or "30d")";
    case SettingKind::Count:
      return "an integer";
    case SettingKind::Word:
      return "a string";
  }
  return "";
}

}  // namespace

// Reads one file into settings.
class SettingsFile {
 public:
  SettingsFile(const std::string& path, Settings& settings)
      : path_(path), errors_(path), settings_(settings) {
    std::error_code ignored;
    folder_ = std::filesystem::absolute(path, ignored).parent_path();
    for (const SettingInfo& each : setting_table()) {
      if (each.group().empty())
        top_.emplace_back(each.path);
      else if (std::ranges::find(groups_, each.group()) == groups_.end())
        groups_.emplace_back(each.group());
    }
  }

  Status read(const toml::table& file) {
    for (const auto& [key, node] : file) {
      if (std::ranges::find(groups_, key.str()) != groups_.end()) {
        group(key, node);
      } else if (const SettingInfo* found = find("", key.str())) {
        setting(*found, key, node);
      } else {
        std::vector<std::string> known = top_;
        known.insert(known.end(), groups_.begin(), groups_.end());
        unknown(key, std::string(key.str()), known);
      }
    }
    if (errors_.any()) return errors_.error();
    return Done{};
  }

 private:
  static const SettingInfo* find(std::string_view group, std::string_view key) {
    const auto table = setting_table();
    const auto found = std::ranges::find_if(
        table, [&](const SettingInfo& row) { return row.group() == group && row.key() == key; });
    return found == table.end() ? nullptr : &*found;
  }

  // A key may stand in the wrong table, above all at the end of a file: then the right one is
  // named.
  void unknown(const toml::key& key, const std::string& path,
               const std::vector<std::string>& known) {
    for (const SettingInfo& each : setting_table()) {
      if (each.key() != key.str()) continue;
      const std::string where = each.group().empty() ? "at the top, before the first [table]"
                                                     : fmt::format("in [{}]", each.group());
      errors_.add(key.source(),
                  fmt::format("no setting is named `{}`; `{}` stands {}", path, each.path, where));
      return;
    }
    errors_.unknown_key(key.source(), "setting", path, known);
  }

  void group(const toml::key& name, const toml::node& node) {
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      errors_.add(node.source(), fmt::format("`{}` is {}, expected a table [{}]", name.str(),
                                             kind_of(node), name.str()));
      return;
    }
    std::vector<std::string> known;
    for (const SettingInfo& each : setting_table()) {
      if (each.group() == name.str()) known.emplace_back(each.path);
    }
    for (const auto& [key, value] : *table) {
      if (const SettingInfo* found = find(name.str(), key.str()))
        setting(*found, key, value);
      else
        unknown(key, fmt::format("{}.{}", name.str(), key.str()), known);
    }
  }

  void setting(const SettingInfo& row, const toml::key& key, const toml::node& node) {
    auto value = row.kind == SettingKind::Table ? table(node) : plain(row, node);
    if (!value.ok()) {
      if (!value.error().message.empty()) {
        errors_.add(node.source(), fmt::format("`{}` {}", row.path, value.error().message));
      }
      return;
    }
    if (row.kind == SettingKind::Path) value.value().text = from_folder(value.value().text);
    settings_.value(row.id) = std::move(value).value();
    settings_.value(row.id).origin = fmt::format("{}:{}", path_, key.source().begin.line);
  }

  Result<Settings::Value> plain(const SettingInfo& row, const toml::node& node) {
    const auto wrong = [&] {
      return Error{fmt::format("is {}, expected {}", kind_of(node), expected(row.kind))};
    };
    if (row.kind == SettingKind::List) {
      const toml::array* array = node.as_array();
      if (array == nullptr) return wrong();
      std::vector<std::string> texts;
      for (const toml::node& each : *array) {
        if (!each.is_string()) return Error{fmt::format("has {}, expected strings", kind_of(each))};
        texts.push_back(each.value_or(std::string()));
      }
      return Settings::understand(row, texts);
    }
    const bool number = row.kind == SettingKind::Count || row.kind == SettingKind::Bytes;
    if (number && node.is_integer()) {
      return Settings::understand(row, {fmt::format("{}", node.value_or(std::int64_t{0}))});
    }
    if (!node.is_string() || row.kind == SettingKind::Count) return wrong();
    return Settings::understand(row, {node.value_or(std::string())});
  }

  Result<Settings::Value> table(const toml::node& node) {
    const toml::table* from = node.as_table();
    if (from == nullptr)
      return Error{fmt::format("is {}, expected {}", kind_of(node), expected(SettingKind::Table))};
    Settings::Value out;
    for (const auto& [key, each] : *from) {
      if (!each.is_string()) {
        errors_.add(each.source(),
                    fmt::format("the path of a ruleset is {}, expected a string", kind_of(each)));
        return Error{};  // Told, with its own place.
      }
      std::string path = each.value_or(std::string());
      out.table[std::string(key.str())] = path.empty() ? path : from_folder(path);
    }
    ATTRIB_TRY([[maybe_unused]] const Done good, Settings::check_table(out.table));
    return out;
  }

  [[nodiscard]] std::string from_folder(const std::string& path) const {
    return (folder_ / path).lexically_normal().string();
  }

  std::string path_;
  std::filesystem::path folder_;
  TomlErrors errors_;
  Settings& settings_;
  std::vector<std::string> top_, groups_;
};

Status Settings::read_file(const std::string& path) {
  ATTRIB_TRY(const FileText file, service::read_file(path, kMaxFileBytes));
  ATTRIB_TRY(const toml::table parsed, parse_toml(path, file.text));
  return SettingsFile(path, *this).read(parsed);
}

}  // namespace attrib::service
