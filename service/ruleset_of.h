#pragma once

#include <memory>
#include <string_view>
#include <variant>

#include "service/json.h"
#include "service/problem.h"
#include "service/rulesets.h"

namespace attrib::service {

using RulesetOrProblem = std::variant<std::shared_ptr<const Ruleset>, Problem>;

// By name; empty: `default`. 422 names those that there are. `field` is what the problem calls the
// place.
RulesetOrProblem find_ruleset(const Rulesets& rulesets, const std::string& name,
                              const std::string& field);
// That which `object` names in `ruleset`; not there, null or empty: `default`.
RulesetOrProblem ruleset_of(const Rulesets& rulesets, const Json& object, const std::string& field);

}  // namespace attrib::service
