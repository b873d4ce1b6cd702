#include "service/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/text.h"
#include "service/units.h"

namespace attrib::service {
namespace {

constexpr std::array kTable = {
#define ATTRIB_SETTING(id, path, kind, initial, least, most, words, help) \
  SettingInfo{Setting::id, path, SettingKind::kind, initial, least, most, words, help},
#include "service/settings.def"
#undef ATTRIB_SETTING
};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    part = part.substr(0, part.find_last_not_of(' ') + 1);
    out.emplace_back(part);
    if (comma == text.size()) return out;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::uint64_t> parse_number(SettingKind kind, std::string_view text) {
  if (kind == SettingKind::Bytes) return parse_bytes(text);
  if (kind == SettingKind::Duration) return parse_duration(text);
  return parse_count(text);
}

std::string_view example(SettingKind kind) {
  if (kind == SettingKind::Bytes) return "a size such as 16MiB";
  if (kind == SettingKind::Duration) return "a duration such as 30s, 12h or 30d";
  return "a whole number";
}

// What is wrong with an address to listen on, or nothing.
std::string listen_fault(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0) return "has no port; write HOST:PORT";
  const std::string_view host = std::string_view(text).substr(0, colon);
  const bool bracketed = host.front() == '[' && host.back() == ']' && host.size() > 2;
  if (!bracketed && host.find_first_of("[]:") != std::string_view::npos) {
    return "is no HOST:PORT; an IPv6 address stands in brackets: [::1]:8000";
  }
  const auto port = parse_count(std::string_view(text).substr(colon + 1));
  if (!port || *port > 65535) return "has no port between 0 and 65535";
  return {};
}

bool good_ruleset_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

}  // namespace

std::span<const SettingInfo> setting_table() { return kTable; }
const SettingInfo& info(Setting setting) { return kTable[static_cast<std::size_t>(setting)]; }

std::string SettingInfo::flag() const {
  std::string out = "--" + std::string(path);
  std::ranges::replace(out, '.', '-');
  return out;
}

std::string SettingInfo::variable() const {
  std::string out = "ATTRIBD_" + std::string(path);
  std::ranges::replace(out, '.', '_');
  for (char& each : out) {
    if (each >= 'a' && each <= 'z') each = static_cast<char>(each - 'a' + 'A');
  }
  return out;
}

std::string_view SettingInfo::group() const {
  const std::size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view SettingInfo::key() const {
  return group().empty() ? path : path.substr(group().size() + 1);
}

Settings::Settings() {
  for (const SettingInfo& each : kTable) {
    Value initial;
    if (!each.initial.empty()) {
      auto understood = understand(each, {std::string(each.initial)});
      ATTRIB_CHECK(understood.ok(), "settings.def has a default that it does not allow");
      initial = std::move(understood).value();
    }
    initial.origin = "default";
    values_.push_back(std::move(initial));
  }
}

Status Settings::check_table(const std::map<std::string, std::string>& table) {
  for (const auto& [name, path] : table) {
    if (!good_ruleset_name(name)) {
      return Error{
          fmt::format("names a ruleset `{}`; a name has 1 to 64 letters, digits, `_`, `-`, `.`",
                      escape_invalid_utf8(name))};
    }
    if (path.empty()) return Error{fmt::format("has no path for the ruleset `{}`", name)};
  }
  return Done{};
}

Result<Settings::Value> Settings::understand(const SettingInfo& setting,
                                             const std::vector<std::string>& texts) {
  Value out;
  out.text = texts.empty() ? "" : texts.front();
  switch (setting.kind) {
    case SettingKind::Path:
      if (out.text.empty()) return Error{"is empty, expected a path"};
      if (out.text.find('\0') != std::string::npos) return Error{"is no path: it has a zero byte"};
      return out;
    case SettingKind::Word: {
      const auto words = split(setting.words);
      if (std::ranges::find(words, out.text) == words.end()) {
        const auto near = nearest(out.text, words);
        return Error{fmt::format("is `{}`, expected one of {}{}", escape_invalid_utf8(out.text),
                                 fmt::join(words, ", "),
                                 near ? fmt::format("; did you mean `{}`?", *near) : "")};
      }
      return out;
    }
    case SettingKind::Bytes:
    case SettingKind::Duration:
    case SettingKind::Count: {
      const auto number = parse_number(setting.kind, out.text);
      if (!number) {
        return Error{fmt::format("is `{}`, expected {}", escape_invalid_utf8(out.text),
                                 example(setting.kind))};
      }
      out.number = *number;
      if (*number < *parse_number(setting.kind, setting.least) ||
          *number > *parse_number(setting.kind, setting.most)) {
        return Error{
            fmt::format("is {}, expected {} to {}", out.text, setting.least, setting.most)};
      }
      return out;
    }
    case SettingKind::List:
      out.text.clear();
      for (const std::string& text : texts) {
        for (std::string& each : split(text)) {
          const std::string fault = listen_fault(each);
          if (!fault.empty())
            return Error{fmt::format("`{}` {}", escape_invalid_utf8(each), fault)};
          if (std::ranges::find(out.list, each) != out.list.end()) {
            return Error{fmt::format("has `{}` twice", each)};
          }
          out.list.push_back(std::move(each));
        }
      }
      if (out.list.empty()) return Error{"is empty, expected an address such as 127.0.0.1:8000"};
      return out;
    case SettingKind::Table:
      out.text.clear();
      for (const std::string& text : texts) {
        for (const std::string& each : split(text)) {
          const std::size_t equals = each.find('=');
          if (equals == std::string::npos) {
            return Error{fmt::format("has `{}`, expected NAME=PATH", escape_invalid_utf8(each))};
          }
          if (!out.table.emplace(each.substr(0, equals), each.substr(equals + 1)).second) {
            return Error{
                fmt::format("has `{}` twice", escape_invalid_utf8(each.substr(0, equals)))};
          }
        }
      }
      ATTRIB_TRY([[maybe_unused]] const Done good, check_table(out.table));
      return out;
  }
  return Error{"is of no kind"};
}

Status Settings::read_environment(std::span<const std::string> environment) {
  constexpr std::string_view kPrefix = "ATTRIBD_";
  std::string errors;
  for (const std::string& each : environment) {
    const std::size_t equals = each.find('=');
    const std::string name = each.substr(0, equals);
    if (!each.starts_with(kPrefix) || equals == std::string::npos || equals + 1 == each.size())
      continue;
    if (name == "ATTRIBD_CONFIG") continue;
    const auto* const found = std::ranges::find_if(
        kTable, [&](const SettingInfo& row) { return row.variable() == name; });
    if (found == kTable.end()) {
      unknown_.push_back(name);
      continue;
    }
    auto understood = understand(*found, {each.substr(equals + 1)});
    if (!understood.ok()) {
      errors +=
          fmt::format("{}{} {}", errors.empty() ? "" : "\n", name, understood.error().message);
      continue;
    }
    value(found->id) = std::move(understood).value();
    value(found->id).origin = name;
  }
  if (!errors.empty()) return Error{errors};
  return Done{};
}

Status Settings::set_flag(Setting setting, const std::vector<std::string>& values) {
  auto understood = understand(info(setting), values);
  if (!understood.ok()) return Error{info(setting).flag() + " " + understood.error().message};
  value(setting) = std::move(understood).value();
  value(setting).origin = info(setting).flag();
  return Done{};
}

const std::string& Settings::text(Setting setting) const { return value(setting).text; }
std::uint64_t Settings::number(Setting setting) const { return value(setting).number; }
const std::vector<std::string>& Settings::list(Setting setting) const {
  return value(setting).list;
}

std::map<std::string, std::string> Settings::programs() const {
  std::map<std::string, std::string> out = value(Setting::Rulesets).table;
  if (!text(Setting::Program).empty()) out["default"] = text(Setting::Program);
  return out;
}

Status Settings::complete() const {
  const Value& table = value(Setting::Rulesets);
  if (!text(Setting::Program).empty() && table.table.contains("default")) {
    return Error{fmt::format(
        "two programs for the ruleset `default`: `program` ({}) and `rulesets.default` ({})",
        value(Setting::Program).origin, table.origin)};
  }
  if (!programs().contains("default")) {
    return Error{
        "no program: give --program FILE, ATTRIBD_PROGRAM or `program` in the file; `rulec build` "
        "makes one"};
  }
  if (text(Setting::Db).empty()) {
    return Error{
        "no database: give --db FILE, ATTRIBD_DB or `db` in the file; it is made if it is not "
        "there"};
  }
  const auto above = [this](Setting small, Setting large) -> std::string {
    if (number(small) <= number(large)) return {};
    return fmt::format("`{}` ({}, {}) is more than `{}` ({}, {})", info(small).path, text(small),
                       value(small).origin, info(large).path, text(large), value(large).origin);
  };
  for (const auto& [small, large] : {std::pair{Setting::BodyBytes, Setting::BodyBudget},
                                     {Setting::BodyBytes, Setting::WritingBytes},
                                     {Setting::BodyBytes, Setting::SessionBytes},
                                     {Setting::SessionBytes, Setting::DatabaseBytes}}) {
    const std::string fault = above(small, large);
    if (!fault.empty()) return Error{fault + ": none of that size would ever be taken"};
  }
  return Done{};
}

}  // namespace attrib::service
