#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evidence/draft.h"
#include "evidence/json_value.h"

namespace attrib::evidence {

// Everything of a document but `observations`. A field of a wrong type is named in `problems` and
// left out. An Error: the schema is another one.
Result<Header> read_header(const JsonValue& object, const ReadOptions& options,
                           std::vector<std::string>* problems);

// All headers as one: lists united, each other field from where it is given. Two values for one
// field: an Error that names both places, since evidence of two attempts must not be mixed.
Result<Header> merge_headers(const std::vector<Header>& headers);

// Does the workload end no earlier than it starts, as far as both are known?
bool ends_in_order(const Workload& workload);
constexpr std::string_view kEndsOutOfOrder =
    "field `workload.end`: expected a time that is not before `workload.start`";

}  // namespace attrib::evidence
