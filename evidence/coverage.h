#pragma once

#include <vector>

#include "evidence/draft.h"

namespace attrib::evidence {

// Does this body say that lines of its stream were dropped (`printk: 12 messages suppressed`)?
bool says_loss(std::string_view body);

// The sources of the header and of raw logs, with what loss lines leave of their coverage. `drafts`
// are in the order of their streams and settled.
std::vector<SourceStatus> settle_sources(const Header& header,
                                         const std::vector<RawSource>& raw_sources,
                                         const Drafts& drafts);

}  // namespace attrib::evidence
