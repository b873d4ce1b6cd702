#pragma once

#include "service/core.h"
#include "service/ingest.h"

namespace attrib::service {

// Stores what was understood of a post and answers when it is durable: 201, or 200 for what was
// there already (V1: 200 always). `kind`: "v2", "loki", "prometheus".
void store_post(Core& core, const Exchange& exchange, const char* kind, Ingest ingest);

}  // namespace attrib::service
