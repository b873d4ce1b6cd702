#pragma once

#include "evidence/draft.h"

namespace attrib::evidence {

// Makes one draft of all copies (docs/semantics.md §1), with the ids of all. Counts the further
// deliveries. One id with two contents: all but one of them (the same whatever the order) are
// rejected.
Status merge_copies(Gathering* gathering, const std::vector<std::string>& input_names,
                    std::uint64_t* copies);

}  // namespace attrib::evidence
