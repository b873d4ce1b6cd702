#pragma once

// One function a route that needs a worker. Each answers its Exchange once, now or later.

#include <string>

#include "service/core.h"

namespace attrib::service {

void v2_create(Core& core, Exchange& exchange);
void v2_list(Core& core, Exchange& exchange);
void v2_get(Core& core, Exchange& exchange);
void v2_patch(Core& core, Exchange& exchange);
void v2_delete(Core& core, Exchange& exchange);
void v2_post(Core& core, Exchange& exchange);
void v2_list_posts(Core& core, Exchange& exchange);
void v2_attribution(Core& core, Exchange& exchange);
void v2_attribute(Core& core, Exchange& exchange);
void reload(Core& core, Exchange& exchange);
void readyz(Core& core, Exchange& exchange);

void v1_create(Core& core, Exchange& exchange);
void v1_observe(Core& core, Exchange& exchange);
void v1_attribution_of(Core& core, Exchange& exchange);

// Those that are answered at once.
http::Response rulesets_page(const Core& core);

}  // namespace attrib::service
