#pragma once

#include <cstdint>
#include <vector>

#include "evidence/draft.h"

namespace attrib::evidence {

// For each draft the place of its stream among `streams`, which are sorted.
std::vector<std::uint32_t> number_streams(const Drafts& drafts,
                                          std::vector<Stream>* streams);

// Streams of the drafts, sorted; gives each observation its stream and its position in it, and
// sorts the drafts by (stream, position, delivery). Order is by `seq` where all of a stream have
// one, else by stamp; what has neither stays behind the stamped observation that came before it.
std::vector<Stream> order_streams(Drafts* drafts);

}  // namespace attrib::evidence
