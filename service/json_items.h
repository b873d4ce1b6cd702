#pragma once

// Lists and objects of any length, item by item, without a tree of them.

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "evidence/json_scan.h"

namespace attrib::service {

// Calls `each` for every item of the list that `text` is. False: it is no list, or ends too early.
template <typename Each>
bool for_each_item(std::string_view text, const Each& each) {
  evidence::JsonScanner scan(text);
  if (!scan.take('[')) return false;
  scan.blanks();
  if (scan.take(']')) return scan.done();
  while (true) {
    const auto item = scan.value();
    if (!item) return false;
    each(*item);
    if (scan.take(']')) return scan.done();
    if (!scan.take(',')) return false;
  }
}

// The value of a member of the object that `text` is; the first of that name. None: not there.
std::optional<std::string_view> member(std::string_view text, std::string_view name);

}  // namespace attrib::service
