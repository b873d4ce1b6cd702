#pragma once

// What the TOML files of attribd (settings, tokens) share: errors with their place, and hints for names. Only for
// .cpp files: it includes toml++.

#include <toml++/toml.h>

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace attrib::service {

// "FILE:LINE:COLUMN: message", for each mistake one line.
class TomlErrors {
 public:
  explicit TomlErrors(std::string path) : path_(std::move(path)) {}
  void add(const toml::source_region& where, std::string_view message);
  // `key` is none of `known`: with the nearest of them, if it may be a slip, else all.
  void unknown_key(const toml::source_region& where, std::string_view what, std::string_view key,
                   std::span<const std::string> known);
  [[nodiscard]] bool any() const { return !text_.empty(); }
  [[nodiscard]] Error error() const { return Error{text_}; }
  [[nodiscard]] std::string place(const toml::source_region& where) const;

 private:
  std::string path_;
  std::string text_;
};

Result<toml::table> parse_toml(const std::string& path, std::string_view text);

// "a string", "an array", ... for "is ..., expected ...".
std::string_view kind_of(const toml::node& node);
// As a TOML basic string.
std::string toml_quoted(std::string_view text);

}  // namespace attrib::service
