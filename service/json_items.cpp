#include "service/json_items.h"

namespace attrib::service {

std::optional<std::string_view> member(std::string_view text, std::string_view name) {
  evidence::JsonScanner scan(text);
  if (!scan.take('{')) return std::nullopt;
  scan.blanks();
  while (true) {
    scan.blanks();
    const auto key = scan.string();
    if (!key || !scan.take(':')) return std::nullopt;
    const auto value = scan.value();
    if (!value) return std::nullopt;
    if (key->substr(1, key->size() - 2) == name) return value;
    if (!scan.take(',')) return std::nullopt;
  }
}

}  // namespace attrib::service
