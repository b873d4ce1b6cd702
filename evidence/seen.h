#pragma once

#include <vector>

#include "evidence/draft.h"

namespace attrib::evidence {

// Settles what stamps leave out (year, zone, boot time) from the options, the sources and the
// workload's start. A stamp that stays unknown counts as not understood.
void place_stamps(Drafts* drafts, const Header& header, const ReadOptions& options);

// Gives each observation its interval of true time and its clock (docs/semantics.md §1). The drafts
// have their positions. In what order those of one stream stand does not matter, but unstamped ones
// without `seq` must stand where they were delivered.
void settle_seen(Drafts* drafts, const Header& header, const ReadOptions& options);

}  // namespace attrib::evidence
