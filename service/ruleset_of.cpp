#include "service/ruleset_of.h"

namespace attrib::service {

RulesetOrProblem find_ruleset(const Rulesets& rulesets, const std::string& name,
                              const std::string& field) {
  if (auto found = rulesets.find(name.empty() ? "default" : name)) return found;
  std::string known;
  for (const auto& each : rulesets.all()) known += (known.empty() ? "`" : ", `") + each->name + "`";
  return Problem{422, "field `" + field + "`: there is no such ruleset; known are " + known, field};
}

RulesetOrProblem ruleset_of(const Rulesets& rulesets, const Json& object,
                            const std::string& field) {
  const auto found = object.find("ruleset");
  if (found == object.end() || found->is_null()) return find_ruleset(rulesets, "", field);
  if (!found->is_string())
    return Problem{422, "field `" + field + "`: expected the name of a ruleset", field};
  return find_ruleset(rulesets, found->get<std::string>(), field);
}

}  // namespace attrib::service
