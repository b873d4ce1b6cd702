#pragma once

// How attribd is set up. Each setting is one row of settings.def, from which come the TOML file's keys, the
// environment (ATTRIBD_...), the flags, --print-config and the table in docs/attribd-settings.md. A flag wins over the
// environment, that over the file, that over the default.

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace attrib::service {

enum class Setting : std::uint8_t {
#define ATTRIB_SETTING(id, path, kind, initial, least, most, words, help) id,
#include "service/settings.def"
#undef ATTRIB_SETTING
};

enum class SettingKind : std::uint8_t { Path, List, Table, Bytes, Duration, Count, Word };

struct SettingInfo {
  Setting id;
  std::string_view path;
  SettingKind kind;
  std::string_view initial, least, most, words, help;

  [[nodiscard]] std::string flag() const;      // "--limits-body"
  [[nodiscard]] std::string variable() const;  // "ATTRIBD_LIMITS_BODY"
  [[nodiscard]] std::string_view group() const;  // "limits"; empty at the top
  [[nodiscard]] std::string_view key() const;    // "body"
};
std::span<const SettingInfo> setting_table();
const SettingInfo& info(Setting setting);

class Settings {
 public:
  Settings();  // The defaults.

  // Each overrides what stood there before; call them in this order. Errors name the place and say what would be
  // right, a line for each mistake.
  //
  // Paths in the file are taken from its folder. Unknown keys are refused.
  Status read_file(const std::string& path);
  // Of `environment` ("NAME=VALUE") those that begin with ATTRIBD_; empty ones count as not there. Unknown ones are
  // only listed in unknown_variables(): container platforms make ATTRIBD_PORT and the like by themselves.
  Status read_environment(std::span<const std::string> environment);
  Status set_flag(Setting setting, const std::vector<std::string>& values);

  [[nodiscard]] const std::string& text(Setting setting) const;  // Path, Word; empty: not set.
  [[nodiscard]] std::uint64_t number(Setting setting) const;     // Count, Bytes, Duration (nanoseconds).
  [[nodiscard]] const std::vector<std::string>& list(Setting setting) const;
  // "default", ...: the program and the rulesets in one. Empty if there is none.
  [[nodiscard]] std::map<std::string, std::string> programs() const;
  [[nodiscard]] const std::vector<std::string>& unknown_variables() const { return unknown_; }

  // What is missing or contradicts itself. (safety.h looks at what would be unsafe.)
  [[nodiscard]] Status complete() const;

  // A TOML file that gives the same settings; behind each where it came from.
  [[nodiscard]] std::string print() const;

 private:
  struct Value {
    std::string text;
    std::uint64_t number = 0;
    std::vector<std::string> list;
    std::map<std::string, std::string> table;
    std::string origin;  // "default", "FILE:LINE", "ATTRIBD_DB", "--db"
  };
  friend class SettingsFile;
  // The value that texts (of a flag, a variable, a file) mean, or an Error that begins with "is ...".
  static Result<Value> understand(const SettingInfo& setting, const std::vector<std::string>& texts);
  static Status check_table(const std::map<std::string, std::string>& table);
  [[nodiscard]] const Value& value(Setting setting) const { return values_[static_cast<std::size_t>(setting)]; }
  Value& value(Setting setting) { return values_[static_cast<std::size_t>(setting)]; }
  std::vector<Value> values_;
  std::vector<std::string> unknown_;
};

}  // namespace attrib::service
