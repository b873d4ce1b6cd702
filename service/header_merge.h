#pragma once

// A session's header: what was said of the workload so far, as the JSON text that the store keeps.
// Its times, lists and numbers are written in one way, whatever way they came in.

#include <string>
#include <string_view>

#include "base/result.h"
#include "evidence/draft.h"

namespace attrib::service {

struct HeaderTexts {
  std::string workload;  // An object with `workload` and `topology`; empty: neither says anything.
  std::string sources;   // An object with `schema` and `sources`; empty: none.
};
HeaderTexts header_texts(const evidence::Header& header, std::string_view topology);

// Both as one: lists united, each other field from where it is given. Two values for one field: an
// Error that names it.
Result<std::string> merge_header(const std::string& current, const std::string& more);

// RFC 7396: the fields of `patch` (`workload`, `topology`, `sources`) take the place of what was
// there; null takes one away. An Error names the field that is not as it should be.
Result<std::string> patch_header(const std::string& current, std::string_view patch);

// What a client gives to begin with: all fields are checked. An Error names the first that is
// wrong.
Result<std::string> new_header(std::string_view object);

}  // namespace attrib::service
