#include "verdict/quote.h"

#include <fmt/format.h>

#include "model/value.h"

namespace attrib::verdict {

Quotable quotable(const evidence::Evidence& evidence) {
  Quotable lines;
  for (const evidence::Observation& each : evidence.observations) {
    std::string text = each.message;
    if (text.empty() && each.is_metric) {
      text = fmt::format("{} = {}", each.name,
                         model::to_text(model::decimal_constant(each.value), model::Reader::Dec));
    }
    if (text.empty() && each.is_record) {
      for (const auto& [key, value] : each.record)
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
    }
    for (const std::string& id : each.ids) lines.emplace(id, text);
  }
  return lines;
}

}  // namespace attrib::verdict
