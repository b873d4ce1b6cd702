#pragma once

// Attributors and posts as clients see them.

#include <cstdint>

#include "service/json.h"
#include "service/rulesets.h"
#include "store/store.h"

namespace attrib::service {

// `idle`: nanoseconds after which an attributor that nobody uses expires.
Json session_summary(const store::Session& session, std::int64_t idle);
// With header, metadata and the program that its ruleset means now.
Json session_json(const store::Session& session, const Rulesets& rulesets, std::int64_t idle);
Json post_json(const store::PostInfo& post);

}  // namespace attrib::service
